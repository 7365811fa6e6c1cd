"""Branches and loops of lanes: what lanes do not do together is done by all, and has its effect in the active ones only."""

from __future__ import annotations

from dataclasses import replace

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.integers import INSTRUCTIONS
from autograph_jit.backends.cpu.blocks import add_incoming, emit_operation
from autograph_jit.backends.cpu.control.budget import spend
from autograph_jit.backends.cpu.control.counting import Range, distance_of, range_of
from autograph_jit.backends.cpu.lockstep.access import add_all, load, store
from autograph_jit.backends.cpu.lockstep.operations import emit_scalar
from autograph_jit.backends.cpu.lockstep.registers import Lanes
from autograph_jit.backends.cpu.loop_hints import loop_hints
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import Emitted, constant_of, dtype_of, register_type
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Pointwise

MOST_COPIED = 320  # operations of all trips of a loop that is written out
SHORT_SIDE = 8  # operations of a side of a branch that are done without looking whether any lane takes it


def emit_lanes(lanes: Lanes, block: Block, arguments: list[Emitted]) -> bool:
    """Emit a block for all lanes; False if it ended in a raise."""
    for arg, emitted in zip(block.args, arguments, strict=True):
        lanes.e.values[arg] = emitted
    return emit_all(lanes, block.operations)


def emit_all(lanes: Lanes, operations: list[Operation]) -> bool:
    """Emit operations for all lanes; False if the last one raises."""
    for operation in operations:
        emit_in_lanes(lanes, operation)
        if lanes.e.b.block.is_terminated:
            return False
    return True


def emit_in_lanes(lanes: Lanes, operation: Operation) -> None:
    e = lanes.e
    e.operation = operation
    if operation is lanes.inlined:
        emit_all(lanes, operation.regions[0].operations)
    elif operation in lanes.sums:
        add_all(lanes, lanes.sums[operation])
    elif operation.name == "store":
        store(lanes, operation)
    elif operation.name == "raise_":
        e.b.branch(lanes.failing)
    elif not is_touched(lanes, operation):
        emit_operation(e, operation)
    elif operation.name == "cond":
        e.values.update(zip(operation.results, emit_branch(lanes, operation)))
    elif operation.name == "for_loop":
        e.values.update(zip(operation.results, emit_for(lanes, operation)))
    elif operation.name == "while_loop":
        e.values.update(zip(operation.results, emit_while(lanes, operation)))
    elif operation.name == "load":
        e.values[operation.result] = load(lanes, operation)
    elif operation.name == "check":
        for check in e.deferred.pop(operation, []):  # of numbers that are the same in all lanes, which waited for this one
            check()
        lanes.require(lanes.vector(operation.operands[0]))
    else:
        e.values[operation.result] = emit_scalar(lanes, operation)


def is_touched(lanes: Lanes, operation: Operation) -> bool:
    """Whether lanes differ in what an operation is given, makes or writes."""
    found = lanes.divergence
    values = [*operation.operands, *operation.results]
    for inner in (inner for region in operation.regions for inner in walk_block(region)):
        if inner.name == "store":
            return True
        values += [*inner.operands, *inner.results]
    return found.varies_any(values)


# Registers that blocks hand on: a vector for what varies, one number for the rest.


def register_of(lanes: Lanes, value: Value, target: Value) -> ir.Value:
    return lanes.vector(value) if lanes.divergence.varies(target) else lanes.e.get(value)


def registers_of(lanes: Lanes, values: list[Value], targets: list[Value]) -> list[ir.Value]:
    return [register_of(lanes, value, target) for value, target in zip(values, targets, strict=True)]


def make_phis(lanes: Lanes, targets: list[Value]) -> list[ir.PhiInstr]:
    varies = lanes.divergence.varies
    return [lanes.e.b.phi(lanes.type_of(dtype_of(target)) if varies(target) else register_type(dtype_of(target))) for target in targets]


# Branches.


def emit_branch(lanes: Lanes, branch: Operation) -> list[Emitted]:
    if branch not in lanes.divergence.divergent:
        return emit_common_branch(lanes, branch)
    for check in lanes.e.deferred.pop(branch, []):  # which the side that not all lanes take would have implied
        check()
    chosen = lanes.vector(branch.operands[0])
    sides: list[list[ir.Value] | None] = []
    for region, taken in zip(branch.regions, (chosen, lanes.e.b.not_(chosen))):
        within = replace(lanes, mask=lanes.narrowed(taken), partial=True)
        sides.append(emit_plain_side(within, region) if is_plain(within, region) else emit_side(within, branch, region))
    first, second = sides
    if first is None or second is None:
        return second or first or []
    return [lanes.e.b.select(chosen, x, y) for x, y in zip(first, second)]


def is_plain(lanes: Lanes, region: Block) -> bool:
    """Whether a side of a branch is a little arithmetic that does no harm where no lane takes it."""
    if region.terminated or len(region.operations) > SHORT_SIDE:
        return False
    for operation in region.operations:
        if operation.name in INSTRUCTIONS and not lanes.divergence.varies_any(operation.operands):
            return False
        if operation.name not in INSTRUCTIONS and not isinstance(operation.opdef.kernel, Pointwise):
            return False
    return True


def emit_plain_side(lanes: Lanes, region: Block) -> list[ir.Value]:
    emit_lanes(lanes, region, [])
    return [lanes.vector(value) for value in region.yields]


def emit_side(lanes: Lanes, branch: Operation, region: Block) -> list[ir.Value] | None:
    """A side of a branch, for when some lane takes it; None where it raises."""
    e = lanes.e
    assert lanes.mask is not None
    before, inside, merge = e.b.block, e.block("side"), e.block("merge")
    e.b.cbranch(lanes.any(lanes.mask), inside, merge)
    left = e.budget
    e.b.position_at_end(inside)
    if not emit_lanes(lanes, region, []):
        e.b.position_at_end(merge)
        e.budget = left
        return None
    registers = [lanes.vector(value) for value in region.yields]
    end, spent = e.b.block, e.budget
    e.b.branch(merge)
    e.b.position_at_end(merge)
    e.budget = e.b.phi(I64)
    e.budget.add_incoming(left, before)
    e.budget.add_incoming(spent, end)
    results = []
    for value, register in zip(branch.results, registers):
        phi = e.b.phi(register.type)
        phi.add_incoming(lanes.zero(value), before)
        phi.add_incoming(register, end)
        results.append(phi)
    return results


def emit_common_branch(lanes: Lanes, branch: Operation) -> list[Emitted]:
    """A branch that all lanes take together."""
    e = lanes.e
    deferred = e.deferred.pop(branch, [])
    blocks, merge = [e.block("then"), e.block("else")], e.block("merge")
    e.b.cbranch(e.get(branch.operands[0]), *blocks)
    e.b.position_at_end(merge)
    budget, phis, before = e.b.phi(I64), make_phis(lanes, branch.results), e.budget
    for block, region in zip(blocks, branch.regions):
        e.b.position_at_end(block)
        e.budget = before
        for check in deferred if region is branch.regions[1] else ():
            check()
        if emit_lanes(lanes, region, []):
            add_incoming(e, [budget, *phis], [e.budget, *registers_of(lanes, region.yields, branch.results)])
            e.b.branch(merge)
    e.b.position_at_end(merge)
    e.budget = budget
    return list(phis)


# Loops.


def emit_while(lanes: Lanes, loop: Operation) -> list[Emitted]:
    """All lanes go on while the test holds in any; a lane that has left keeps its state."""
    e = lanes.e
    test, body = loop.regions
    together = loop not in lanes.divergence.divergent
    start, before = registers_of(lanes, loop.operands, test.args), e.b.block
    mask = lanes.full_mask()
    header, inside, done = e.block("while"), e.block("body"), e.block("done")
    e.b.branch(header)
    e.b.position_at_end(header)
    budget, active = e.b.phi(I64), e.b.phi(mask.type)
    phis = make_phis(lanes, test.args)
    add_incoming_from(before, [budget, active, *phis], [e.budget, mask, *start])
    e.budget = budget
    testing = lanes if together else replace(lanes, mask=active, partial=True)
    if not emit_lanes(testing, test, list(phis)):
        e.b.position_at_end(done)
        return list(make_phis(lanes, loop.results))
    state, going = registers_of(lanes, test.yields[1:], body.args), active
    if together:
        e.b.cbranch(e.get(test.yields[0]), inside, done)
    else:
        state = [new if new is old else e.b.select(active, new, old) for new, old in zip(state, phis)]
        going = e.b.and_(active, lanes.vector(test.yields[0]))
        e.b.cbranch(lanes.any(going), inside, done)
    left = e.budget
    e.b.position_at_end(inside)
    if not together:
        lanes.count_busy(going)
    doing = lanes if together else replace(lanes, mask=going, partial=True)
    if emit_lanes(doing, body, list(state)):
        following = registers_of(lanes, body.yields, test.args)
        if not together:
            following = [e.b.select(going, new, old) for new, old in zip(following, state)]
        e.operation = loop
        spend(e, I64(lanes.width))
        add_incoming(e, [budget, active, *phis], [e.budget, going, *following])
        e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = left
    return list(state)


def emit_for(lanes: Lanes, loop: Operation) -> list[Emitted]:
    """A counted loop: lanes that count alike share the index; lanes with fewer trips, or that break, wait for the others."""
    return emit_common_for(lanes, loop) if loop not in lanes.divergence.divergent else emit_divergent_for(lanes, loop)


def emit_common_for(lanes: Lanes, loop: Operation) -> list[Emitted]:
    e, (body,) = lanes.e, loop.regions
    has_break = bool(loop.attributes.get("has_break"))
    over = range_of(e, *(e.get(value) for value in loop.operands[:3]))
    entering, before = registers_of(lanes, loop.operands[3:], body.args[1:]), e.b.block
    header, inside, after, done = e.block("for"), e.block("body"), e.block("after"), e.block("done")
    e.b.position_at_end(done)
    budget_at_end, *exits = [e.b.phi(I64), *make_phis(lanes, loop.results)]
    e.b.position_at_end(before)
    e.b.branch(header)
    e.b.position_at_end(header)
    index, trips, budget = e.b.phi(I64), e.b.phi(I64), e.b.phi(I64)
    phis = make_phis(lanes, body.args[1:])
    add_incoming_from(before, [index, trips, budget, *phis], [over.start, I64(0), e.budget, *entering])
    e.budget = budget
    by_index = e.compare("<" if over.is_upward else ">", index, over.stop)
    e.b.cbranch(by_index if over.trips is None else e.b.icmp_unsigned("<", trips, over.trips), inside, after)
    e.b.position_at_end(inside)
    if emit_lanes(lanes, body, [index, *phis]):
        following = registers_of(lanes, body.yields[int(has_break) :], body.args[1:])
        if has_break:
            again = e.block("again")
            results = registers_of(lanes, body.yields[1:], loop.results)
            add_incoming(e, [budget_at_end, *exits], [e.budget, *results])
            e.b.cbranch(e.get(body.yields[0]), again, done)
            e.b.position_at_end(again)
        e.operation = loop
        if not e.ranges.is_bounded_by_sizes(loop):
            spend(e, I64(lanes.width))
        moved = [e.b.add(index, over.step), e.b.add(trips, I64(1))]
        add_incoming(e, [index, trips, budget, *phis], [*moved, e.budget, *following])
        latch = e.b.branch(header)
        if is_short(over, body):
            latch.set_metadata("llvm.loop", loop_hints(e.module, [("llvm.loop.unroll.full", None)]))
    e.b.position_at_end(after)
    left = e.b.sub(budget, distance_of(e, over, over.start, index)) if over.trips is None else budget
    add_incoming(e, [budget_at_end, *exits], [left, *(widened(lanes, phi, result) for phi, result in zip(phis, loop.results))])
    e.b.branch(done)
    e.b.position_at_end(done)
    e.budget = budget_at_end
    return list(exits)


def is_short(over: Range, body: Block) -> bool:
    """Whether a loop makes so few trips, by literals, that they may be written out: a shift by the index is one by a literal then."""
    start, stop, step = (constant_of(number) for number in (over.start, over.stop, over.step))
    if start is None or stop is None or not step:
        return False
    return len(range(start, stop, step)) * sum(1 for _ in walk_block(body)) <= MOST_COPIED


def widened(lanes: Lanes, register: ir.Value, target: Value) -> ir.Value:
    return lanes.spread(register) if lanes.divergence.varies(target) else register


def add_incoming_from(block: ir.Block, phis: list[ir.PhiInstr], registers: list[ir.Value]) -> None:
    for phi, register in zip(phis, registers, strict=True):
        phi.add_incoming(register, block)


def emit_divergent_for(lanes: Lanes, loop: Operation) -> list[Emitted]:
    """The step is 1 or -1. The index is one number for all lanes where they start together."""
    e, (body,) = lanes.e, loop.regions
    varies, has_break = lanes.divergence.varies, bool(loop.attributes.get("has_break"))
    start, stop, step = loop.operands[:3]
    upward = constant_of(e.get(step)) == 1
    entering, before = registers_of(lanes, loop.operands[3:], body.args[1:]), e.b.block
    first, last = register_of(lanes, start, body.args[0]), lanes.vector(stop)
    mask = lanes.full_mask()
    header, inside, done = e.block("for"), e.block("body"), e.block("done")
    e.b.branch(header)
    e.b.position_at_end(header)
    budget, active, index = e.b.phi(I64), e.b.phi(mask.type), e.b.phi(first.type)
    phis = make_phis(lanes, body.args[1:])
    add_incoming_from(before, [budget, active, index, *phis], [e.budget, mask, first, *entering])
    e.budget = budget
    going = e.b.and_(active, e.b.icmp_signed("<" if upward else ">", lanes.spread(index), last))
    e.b.cbranch(lanes.any(going), inside, done)
    e.b.position_at_end(inside)
    lanes.count_busy(going)
    if emit_lanes(replace(lanes, mask=going, partial=True), body, [index, *phis]):
        state = registers_of(lanes, body.yields[int(has_break) :], body.args[1:])
        kept = [e.b.select(going, new, old) if varies(arg) and new is not old else new for new, old, arg in zip(state, phis, body.args[1:])]
        staying = e.b.and_(going, lanes.vector(body.yields[0])) if has_break else going
        e.operation = loop
        spend(e, I64(lanes.width))
        following = e.b.add(index, first.type(1 if upward else -1))
        add_incoming(e, [budget, active, index, *phis], [e.budget, staying, following, *kept])
        e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = budget
    return [widened(lanes, phi, result) for phi, result in zip(phis, loop.results)]
