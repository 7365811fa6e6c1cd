"""Loops as basic blocks and phis; each spends from a budget of work, at whose end signals are looked at.

A counted loop without loops inside is cut into chunks, so that its inner part stays a plain loop that LLVM vectorises::

    for chunk in chunks of 2**20:  for index in chunk: body;  spend(number of trips)
"""

from __future__ import annotations

from dataclasses import replace

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import add_incoming, bind_phis, carry, enter_block, leave_block, make_phis
from autograph_jit.backends.cpu.control.afterwards import can_wait, emit_waiting
from autograph_jit.backends.cpu.control.budget import HEAVY_TRIP, is_heavy, spend
from autograph_jit.backends.cpu.control.counting import Range, distance_of, range_of
from autograph_jit.backends.cpu.control.searches import emit_by_length, is_search_of_any_length
from autograph_jit.backends.cpu.control.versions import emit_versions, trips_behind, unproved_accesses
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.choice import find_lockstep
from autograph_jit.backends.cpu.lockstep.jam import find_jam
from autograph_jit.backends.cpu.lockstep.jammed import emit_jam
from autograph_jit.backends.cpu.lockstep.loops import emit_lockstep
from autograph_jit.backends.cpu.nests.domains import advise
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import BUDGET
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.threading.shared_loops import emit_shared_loop, find_shared_loop
from autograph_jit.backends.cpu.values import Emitted, constant_of, flat_types
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.kernels.counters import counter_of, is_soon_done
from autograph_jit.kernels.few_trips import ends_soon
from autograph_jit.kernels.settled import settled_by_first_trip

DEAR = frozenset({"divide", "sqrt", "exp", "log", "sin", "cos", "tan", "power", "tanh", "arctan2", "hypot"})  # worth vectors in any case
FEW_TRIPS = 32  # that a loop which ends soon may take for each trip of the loop around it


def loops_in(e: Emitter, body: Block) -> list[Operation]:
    """The loops inside, but those that end within a few trips."""
    return [loop for loop in all_loops_in(body) if loop.name == "for_loop" or not is_few_trips(e, loop)]


def all_loops_in(body: Block) -> list[Operation]:
    return [operation for operation in walk_block(body) if operation.name in ("while_loop", "for_loop")]


def is_few_trips(e: Emitter, loop: Operation) -> bool:
    """Whether a `while` loop ends within a few trips."""
    if loop not in e.few_trips:
        e.few_trips[loop] = ends_soon(e.ranges, loop)
    return e.few_trips[loop]


def carry_all(e: Emitter, values: list[Value], targets: list[Value]) -> list[ir.Value]:
    return [register for value, target in zip(values, targets) for register in carry(e, value, target)]


@rule("while_loop")
def emit_while(e: Emitter, operation: Operation) -> list[Emitted]:
    test, body = operation.regions
    heavy = is_heavy(test) or is_heavy(body)
    plain = not (heavy or loops_in(e, test) or loops_in(e, body))
    counter = counter_of(e.ranges, operation) if plain else None
    header, inside, done, kept = e.block("while"), e.block("body"), e.block("done"), len(e.kept)
    start = carry_all(e, operation.operands, test.args)
    before = e.b.block
    e.b.branch(header)
    e.b.position_at_end(header)
    budget = budget_phi(e, before)
    phis = make_phis(e, test.args)
    for phi, register in zip(phis, start, strict=True):
        phi.add_incoming(register, before)
    if not enter_block(e, test, bind_phis(e, test.args, phis)):
        e.b.position_at_end(done)
        return bind_phis(e, operation.results, make_phis(e, operation.results))
    predicate, left = e.get(test.yields[0]), e.budget
    state = leave_block(e, test, body.args, skip=1)
    e.b.cbranch(predicate, inside, done)
    e.b.position_at_end(inside)
    e.operation = operation
    if counter is None and not (plain and is_few_trips(e, operation)):
        spend(e, I64(HEAVY_TRIP if heavy else 1))
    e.loop_depth += 1
    entered = enter_block(e, body, bind_phis(e, body.args, state))
    e.loop_depth -= 1
    if entered:
        registers = leave_block(e, body, test.args)
        budget.add_incoming(e.budget, e.b.block)
        add_incoming(e, phis, registers)
        e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = left
    if counter is not None:
        position, sign = counter
        place = sum(len(flat_types(arg.type, e.facts.is_contiguous(arg))) for arg in test.args[:position])
        way = e.sub(phis[place], start[place])
        e.budget = e.b.sub(left, way if sign > 0 else e.sub(I64(0), way))
    e.empty_slots(kept)
    return bind_phis(e, operation.results, state)


def budget_phi(e: Emitter, before: ir.Block) -> ir.PhiInstr:
    """The budget at a loop's header."""
    budget = e.b.phi(I64)
    budget.add_incoming(e.budget, before)
    e.budget = budget
    return budget


@rule("for_loop")
def emit_for(e: Emitter, operation: Operation) -> list[Emitted]:
    over = range_of(e, *(e.get(value) for value in operation.operands[:3]))
    shared = find_shared_loop(e, operation)
    if shared is not None and emit_shared_loop(e, shared, over, lambda part: emit_trips_of(e, operation, part, [])):
        return []
    entering = carry_all(e, operation.operands[3:], operation.regions[0].args[1:])
    return bind_phis(e, operation.results, emit_trips_of(e, operation, over, entering))


def emit_trips_of(e: Emitter, operation: Operation, over: Range, entering: list[ir.Value]) -> list[ir.PhiInstr]:
    """The trips in the form that suits the loop, and the state behind them."""
    (body,) = operation.regions
    start, stop, step = over.start, over.stop, over.step
    done, here, kept = e.block("done"), e.b.block, len(e.kept)
    e.b.position_at_end(done)
    exits = [e.b.phi(I64), *make_phis(e, operation.results)]  # the budget first
    e.b.position_at_end(here)

    def emit_from_state(first: ir.Value, state: list[ir.Value]) -> None:
        """The trips from one on, with all their ways to `done`."""
        rest = replace(over, start=first)
        if can_wait(e, operation):
            emit_waiting(e, operation, lambda exits, done: emit_counted(e, operation, rest, state, exits, done), exits, done)
        elif is_search_of_any_length(e, operation):
            emit_by_length(e, operation, rest, lambda: emit_counted(e, operation, rest, state, exits, done))
        else:
            emit_counted(e, operation, rest, state, exits, done)

    def emit_trips(first: ir.Value, limit: ir.Value, state: list[ir.Value]) -> tuple[ir.Value, list[ir.Value]]:
        index, phis = emit_range(e, operation, Range(first, limit, step, None), state, exits, done, price_of_trip(e, operation))
        return index, list(phis)

    def emit_from(first: ir.Value) -> None:
        """The trips from one on, and the code goes on behind them."""
        emit_range(e, operation, Range(first, stop, step, None), [], exits, done, price_of_trip(e, operation))

    jam = find_jam(e, operation)
    together = find_lockstep(e, operation) if constant_of(step) == 1 else None
    unchecked = None if is_heavy(body) or loops_in(e, body) or over.is_short else unproved_accesses(e, operation)
    if together is not None:
        state = emit_lockstep(e, together, over, entering, emit_trips)
        add_incoming(e, exits, [e.budget, *state])
        e.b.branch(done)
    elif jam is not None and unchecked is None:
        emit_jam(e, jam, over, emit_from)
        add_incoming(e, exits, [e.budget])
        e.b.branch(done)
    else:
        is_single = constant_of(step) == 1 and not over.is_short and not loops_in(e, body)
        settled = settled_by_first_trip(e.ranges, operation) - e.assured if is_single else set()
        behind = trips_behind(operation, unchecked[1]) if unchecked is not None and constant_of(step) == 1 else 0
        apart = max(behind, int(bool(settled)))
        first, state = emit_first_trips(e, operation, over, apart, entering, exits, done) if apart else (start, entering)
        e.assured |= settled
        if unchecked is None:
            emit_from_state(first, state)
        else:
            emit_versions(e, operation, unchecked, replace(over, start=first), lambda: emit_from_state(first, state))
        e.assured -= settled
    e.b.position_at_end(done)
    e.budget = exits[0]
    e.empty_slots(kept)
    return exits[1:]


def gathers_elements(body: Block) -> bool:
    """Whether a loop looks elements up by what it has read, and does little else: in vectors that is made of single loads, and slower."""
    places = [index for load in body.operations if load.name == "load" for index in load.operands[1:]]
    return any(reads(index, body) for index in places) and not any(operation.name in DEAR for operation in body.operations)


def reads(value: Value, body: Block) -> bool:
    """Whether a number is computed from an element that a trip reads."""
    operation = value.owner
    if not isinstance(operation, Operation) or operation.block is not body or operation.regions:
        return False
    return operation.name == "load" or any(reads(operand, body) for operand in operation.operands)


def emit_first_trips(
    e: Emitter, operation: Operation, over: Range, count: int, entering: list[ir.Value], exits: list[ir.PhiInstr], done: ir.Block
) -> tuple[ir.Value, list[ir.Value]]:
    """So many trips apart from the others: the index and the state behind them."""
    e.is_rare = True
    limit = e.minimum(over.stop, e.b.add(over.start, I64(count)))
    index, phis = emit_range(e, operation, replace(over, stop=limit), entering, exits, done, 0)
    e.is_rare = False
    return index, list(phis)


def emit_counted(e: Emitter, operation: Operation, over: Range, entering: list[ir.Value], exits: list[ir.PhiInstr], done: ir.Block) -> None:
    """The loop, in chunks where it may take long, with its way to `done`."""
    (body,) = operation.regions
    plain = not is_heavy(body) and not loops_in(e, body) and not over.is_short
    weight = FEW_TRIPS if all_loops_in(body) else 1
    if plain and (weight > 1 or not is_soon_done(e.ranges, operation)):
        emit = emit_chunks if over.trips is None else emit_chunks_of_trips
        emit(e, operation, over, entering, exits, done, weight)
        return
    index, phis = emit_range(e, operation, over, entering, exits, done, price_of_trip(e, operation))
    if plain:
        e.budget = e.b.sub(e.budget, e.mul(over.trips or distance_of(e, over, over.start, index), I64(weight)))
    add_incoming(e, exits, [e.budget, *phis])
    e.b.branch(done)


def price_of_trip(e: Emitter, operation: Operation) -> int:
    """What a trip costs besides its inner loops; 0 where looking at signals can wait for the loop around this one.

    It can where this loop and the loops inside are bounded by sizes of arrays and only two deep.
    """
    (body,) = operation.regions
    if is_heavy(body):
        return HEAVY_TRIP
    inner = loops_in(e, body)
    shallow = not any(loops_in(e, region) for nested in inner for region in nested.regions)
    bounded = all(nested.name == "for_loop" and is_soon_done(e.ranges, nested) for nested in (operation, *inner))
    return 0 if not inner or (e.loop_depth > 0 and shallow and bounded) else 1


def emit_chunks(
    e: Emitter, operation: Operation, over: Range, entering: list[ir.Value], exits: list[ir.PhiInstr], done: ir.Block, weight: int
) -> None:
    """The loop over chunks around the loop over a chunk's indices; `weight` is what a trip costs."""
    before, chunks = e.b.block, e.block("chunks")
    e.b.branch(chunks)
    e.b.position_at_end(chunks)
    first = e.b.phi(I64)
    first.add_incoming(over.start, before)
    budget = budget_phi(e, before)
    outer = make_phis(e, operation.regions[0].args[1:])
    for phi, register in zip(outer, entering, strict=True):
        phi.add_incoming(register, before)
    distance = distance_of(e, over, first, over.stop)
    inside = e.compare("<" if over.is_upward else ">", first, over.stop)
    far = e.b.and_(inside, e.b.icmp_unsigned(">", distance, I64(BUDGET // weight)))
    limit = e.b.select(far, e.b.add(first, I64((BUDGET if over.is_upward else -BUDGET) // weight)), over.stop)
    index, inner = emit_range(e, operation, Range(first, limit, over.step, None), list(outer), exits, done, 0)
    e.operation = operation
    spend(e, e.mul(distance_of(e, over, first, index), I64(weight)))
    budget.add_incoming(e.budget, e.b.block)
    more = e.compare("<" if over.is_upward else ">", index, over.stop)
    add_incoming(e, exits, [e.budget, *inner])
    first.add_incoming(index, e.b.block)
    add_incoming(e, outer, list(inner))
    e.b.cbranch(more, chunks, done)


def emit_chunks_of_trips(
    e: Emitter, operation: Operation, over: Range, entering: list[ir.Value], exits: list[ir.PhiInstr], done: ir.Block, weight: int
) -> None:
    """As `emit_chunks`, for a loop whose trips are counted."""
    assert over.trips is not None
    before, chunks = e.b.block, e.block("chunks")
    e.b.branch(chunks)
    e.b.position_at_end(chunks)
    first, made = e.b.phi(I64), e.b.phi(I64)
    budget = budget_phi(e, before)
    outer = make_phis(e, operation.regions[0].args[1:])
    for phi, register in zip((first, made, *outer), (over.start, I64(0), *entering), strict=True):
        phi.add_incoming(register, before)
    left, most = e.b.sub(over.trips, made), I64(BUDGET // weight)
    part = e.b.select(e.b.icmp_unsigned("<", left, most), left, most)
    index, inner = emit_range(e, operation, replace(over, start=first, trips=part), list(outer), exits, done, 0)
    e.operation = operation
    spend(e, e.mul(part, I64(weight)))
    following = e.b.add(made, part)
    add_incoming(e, exits, [e.budget, *inner])
    add_incoming(e, [first, made, budget, *outer], [index, following, e.budget, *inner])
    e.b.cbranch(e.b.icmp_unsigned("<", following, over.trips), chunks, done)


def emit_range(
    e: Emitter,
    operation: Operation,
    over: Range,
    entering: list[ir.Value],
    exits: list[ir.PhiInstr],
    done: ir.Block,
    price: int,
) -> tuple[ir.Value, list[ir.PhiInstr]]:
    """The loop itself, each trip at a price; leaves the builder where it ends without a break and returns the index and the state there."""
    (body,) = operation.regions
    state_args, has_break = body.args[1:], bool(operation.attributes.get("has_break"))
    before, header, inside, after = e.b.block, e.block("for"), e.block("body"), e.block("after")
    e.b.branch(header)
    e.b.position_at_end(header)
    index, trips = e.b.phi(I64), e.b.phi(I64)
    index.add_incoming(over.start, before)
    trips.add_incoming(I64(0), before)
    budget = budget_phi(e, before)
    phis = make_phis(e, state_args)
    for phi, register in zip(phis, entering, strict=True):
        phi.add_incoming(register, before)
    state = bind_phis(e, state_args, phis)
    by_index = e.compare("<" if over.is_upward else ">", index, over.stop)
    e.b.cbranch(by_index if over.trips is None else e.b.icmp_unsigned("<", trips, over.trips), inside, after)
    e.b.position_at_end(inside)
    e.loop_depth += 1
    entered = enter_block(e, body, [index, *state])
    e.loop_depth -= 1
    if entered:
        keep_going = e.get(body.yields[0]) if has_break else None
        registers = leave_block(e, body, state_args, skip=int(has_break))
        if keep_going is not None:
            again = e.block("again")
            add_incoming(e, exits, [e.budget, *registers])
            e.b.cbranch(keep_going, again, done)
            e.b.position_at_end(again)
        e.operation = operation
        if price:
            spend(e, I64(price))
        budget.add_incoming(e.budget, e.b.block)
        index.add_incoming(e.b.add(index, over.step, flags=["nsw"] if over.trips is None else []), e.b.block)
        trips.add_incoming(e.b.add(trips, I64(1), flags=["nuw"]), e.b.block)
        add_incoming(e, phis, registers)
        e.in_scalars = gathers_elements(body)
        advise(e, e.b.branch(header), is_row=has_break)
        e.in_scalars = False
    e.b.position_at_end(after)
    e.budget = budget
    return index, phis
