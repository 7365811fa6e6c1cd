"""Control flow: branches, loops and `try_` as basic blocks and phis."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import add_incoming, bind_phis, carry, enter_block, leave_block, make_phis
from autograph_jit.backends.cpu.emitter import Emitter, Handler
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import I64
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import I64 as I64_TYPE


@rule("cond")
def emit_cond(e: Emitter, operation: Operation) -> list[Emitted]:
    branches, merge = [e.block("then"), e.block("else")], e.block("merge")
    e.b.cbranch(e.get(operation.operands[0]), *branches)
    e.b.position_at_end(merge)
    phis = make_phis(e, operation.results)
    for block, region in zip(branches, operation.regions):
        e.b.position_at_end(block)
        if enter_block(e, region, []):
            add_incoming(e, phis, leave_block(e, region, operation.results))
            e.b.branch(merge)
    e.b.position_at_end(merge)
    return bind_phis(e, operation.results, phis)


def carry_all(e: Emitter, values: list, targets: list) -> list[ir.Value]:
    return [register for value, target in zip(values, targets) for register in carry(e, value, target)]


@rule("while_loop")
def emit_while(e: Emitter, operation: Operation) -> list[Emitted]:
    test, body = operation.regions
    header, inside, done = e.block("while"), e.block("body"), e.block("done")
    start = carry_all(e, operation.operands, test.args)
    before = e.b.block
    e.b.branch(header)
    e.b.position_at_end(header)
    phis = make_phis(e, test.args)
    for phi, register in zip(phis, start, strict=True):
        phi.add_incoming(register, before)
    if not enter_block(e, test, bind_phis(e, test.args, phis)):
        e.b.position_at_end(done)
        return bind_phis(e, operation.results, make_phis(e, operation.results))
    predicate = e.get(test.yields[0])
    state = leave_block(e, test, body.args, skip=1)
    e.b.cbranch(predicate, inside, done)
    e.b.position_at_end(inside)
    arguments = bind_phis(e, body.args, state)
    if enter_block(e, body, arguments):
        add_incoming(e, phis, leave_block(e, body, test.args))
        e.b.branch(header)
    e.b.position_at_end(done)
    return bind_phis(e, operation.results, state)


@rule("for_loop")
def emit_for(e: Emitter, operation: Operation) -> list[Emitted]:
    (body,) = operation.regions
    start, stop, step = (e.get(value) for value in operation.operands[:3])
    has_break = bool(operation.attributes.get("has_break"))
    state_args = body.args[1:]
    entering = carry_all(e, operation.operands[3:], state_args)
    trips = trip_count(e, start, stop, step)
    before = e.b.block
    header, inside, done = e.block("for"), e.block("body"), e.block("done")
    e.b.branch(header)
    e.b.position_at_end(header)
    index = e.b.phi(I64)
    counter = e.b.phi(I64) if trips is not None else None
    phis = make_phis(e, state_args)
    for phi, register in zip(
        [index, *([counter] if counter else []), *phis], [start, *([I64(0)] if counter else []), *entering], strict=True
    ):
        phi.add_incoming(register, before)
    state = bind_phis(e, state_args, phis)
    sign = "<" if constant_of(step) == 1 else ">"
    e.b.cbranch(e.compare(sign, index, stop) if counter is None else e.b.icmp_unsigned("<", counter, trips), inside, done)
    e.b.position_at_end(done)
    exits = make_phis(e, operation.results)
    for phi, register in zip(exits, phis, strict=True):
        phi.add_incoming(register, header)
    e.b.position_at_end(inside)
    if enter_block(e, body, [index, *state]):
        keep_going = e.get(body.yields[0]) if has_break else None
        registers = leave_block(e, body, state_args, skip=int(has_break))
        if keep_going is not None:
            again = e.block("again")
            add_incoming(e, exits, registers)
            e.b.cbranch(keep_going, again, done)
            e.b.position_at_end(again)
        index.add_incoming(e.b.add(index, step, flags=["nsw"] if counter is None else []), e.b.block)
        if counter is not None:
            counter.add_incoming(e.b.add(counter, I64(1), flags=["nuw"]), e.b.block)
        add_incoming(e, phis, registers)
        e.b.branch(header)
    e.b.position_at_end(done)
    return bind_phis(e, operation.results, exits)


def trip_count(e: Emitter, start: ir.Value, stop: ir.Value, step: ir.Value) -> ir.Value | None:
    """How often a loop runs, as an unsigned number; None for steps of 1 and -1, where comparing the index is enough."""
    known = constant_of(step)
    if known in (1, -1):
        return None
    b = e.b
    upward = b.icmp_signed(">", step, I64(0))
    low, high = b.select(upward, start, stop), b.select(upward, stop, start)
    width = b.select(upward, step, b.neg(step))
    safe = b.select(b.icmp_signed("==", width, I64(0)), I64(1), width)
    span = b.sub(b.sub(high, low), I64(1))
    return b.select(b.icmp_signed("<", low, high), b.add(b.udiv(span, safe), I64(1)), I64(0))


@rule("try_")
def emit_try(e: Emitter, operation: Operation) -> list[Emitted]:
    body, handler = operation.regions
    handling, merge = e.block("handler"), e.block("merge")
    here = e.b.block
    e.b.position_at_end(merge)
    results = make_phis(e, operation.results)
    e.b.position_at_end(handling)
    phis = make_phis(e, handler.args)
    numbered = int(handler.args[0].type == I64_TYPE)
    e.handlers.append(Handler(handling, phis, len(e.scopes), handler.args[1 + numbered :], bool(numbered)))
    e.b.position_at_end(here)
    if enter_block(e, body, []):
        add_incoming(e, results, leave_block(e, body, operation.results))
        e.b.branch(merge)
    e.handlers.pop()
    e.b.position_at_end(handling)
    if enter_block(e, handler, bind_phis(e, handler.args, phis)):
        add_incoming(e, results, leave_block(e, handler, operation.results))
        e.b.branch(merge)
    e.b.position_at_end(merge)
    e.operation = operation
    return bind_phis(e, operation.results, results)
