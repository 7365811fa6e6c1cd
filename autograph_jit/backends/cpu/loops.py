"""Loops as basic blocks and phis; each spends from a budget of work, at whose end signals are looked at.

A counted loop without loops inside is cut into chunks, so that its inner part stays a plain loop that LLVM vectorises::

    for chunk in chunks of 2**20:  for index in chunk: body;  spend(number of trips)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import add_incoming, bind_phis, carry, enter_block, leave_block, make_phis
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import BUDGET, FRAME_BUDGET, I32, I64
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType

HEAVY = 4096  # what a trip costs that works on whole arrays or calls Python
TRIPS_BETWEEN_SPENDING = 1 << 14
SHORT = 64  # a loop of so few trips is paid for by the loop around it


def spend(e: Emitter, work: ir.Value) -> None:
    """Take from the budget; look at signals when it is used up."""
    slot = e.b.gep(e.frame, [I64(FRAME_BUDGET)], source_etype=I64)
    left = e.b.sub(e.b.load(slot, typ=I64), work)
    e.b.store(left, slot)
    with e.b.if_then(e.compare("<", left, I64(0)), likely=False):
        calm, interrupted = e.block("calm"), e.block("interrupted")
        e.b.cbranch(e.b.icmp_signed("==", e.call("ag_poll", e.frame), I32(0)), calm, interrupted)
        e.b.position_at_end(interrupted)
        e.leave(PENDING)
        e.b.position_at_end(calm)


def is_heavy(body: Block) -> bool:
    """Whether a trip does more than scalar work."""
    return any(
        operation.opdef.effect is Effect.HOST
        or operation.name in ("assign", "scatter", "mask_assign", "reduce", "sort")
        or (operation.opdef.effect is Effect.PURE and any(isinstance(result.type, ArrayType) for result in operation.results))
        for operation in walk_block(body)
    )


def has_loops(body: Block) -> bool:
    return any(operation.name in ("while_loop", "for_loop") for operation in walk_block(body))


def spend_in_trip(e: Emitter, trips: ir.Value, heavy: bool) -> None:
    """At the end of a trip: pay for it if it is heavy, else for a number of trips now and then."""
    if heavy:
        spend(e, I64(HEAVY))
        return
    due = e.compare("==", e.b.and_(trips, I64(TRIPS_BETWEEN_SPENDING - 1)), I64(TRIPS_BETWEEN_SPENDING - 1))
    with e.b.if_then(due, likely=False):
        spend(e, I64(TRIPS_BETWEEN_SPENDING))


def carry_all(e: Emitter, values: list[Value], targets: list[Value]) -> list[ir.Value]:
    return [register for value, target in zip(values, targets) for register in carry(e, value, target)]


@rule("while_loop")
def emit_while(e: Emitter, operation: Operation) -> list[Emitted]:
    test, body = operation.regions
    heavy = is_heavy(test) or is_heavy(body)
    header, inside, done = e.block("while"), e.block("body"), e.block("done")
    start = carry_all(e, operation.operands, test.args)
    before = e.b.block
    e.b.branch(header)
    e.b.position_at_end(header)
    trips = e.b.phi(I64)
    trips.add_incoming(I64(0), before)
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
    if enter_block(e, body, bind_phis(e, body.args, state)):
        registers = leave_block(e, body, test.args)
        e.operation = operation
        spend_in_trip(e, trips, heavy)
        trips.add_incoming(e.b.add(trips, I64(1)), e.b.block)
        add_incoming(e, phis, registers)
        e.b.branch(header)
    e.b.position_at_end(done)
    if not heavy:
        spend(e, e.b.and_(trips, I64(TRIPS_BETWEEN_SPENDING - 1)))
    return bind_phis(e, operation.results, state)


@dataclass(frozen=True, slots=True)
class Range:
    """What a counted loop runs over; `trips` is None where comparing the index with `stop` is enough."""

    start: ir.Value
    stop: ir.Value
    step: ir.Value
    trips: ir.Value | None

    @property
    def is_upward(self) -> bool:
        return constant_of(self.step) != -1


@rule("for_loop")
def emit_for(e: Emitter, operation: Operation) -> list[Emitted]:
    (body,) = operation.regions
    start, stop, step = (e.get(value) for value in operation.operands[:3])
    entering = carry_all(e, operation.operands[3:], body.args[1:])
    over = Range(start, stop, step, trip_count(e, start, stop, step))
    done, here = e.block("done"), e.b.block
    e.b.position_at_end(done)
    exits = make_phis(e, operation.results)
    e.b.position_at_end(here)
    heavy = is_heavy(body)
    if over.trips is None and not heavy and not has_loops(body) and not is_short(over):
        emit_chunks(e, operation, over, entering, exits, done)
    else:
        paying = not is_short(over) or has_loops(body) or heavy
        _, phis = emit_range(e, operation, over, entering, exits, done, (lambda trips: spend_in_trip(e, trips, heavy)) if paying else None)
        add_incoming(e, exits, list(phis))
        e.b.branch(done)
    e.b.position_at_end(done)
    return bind_phis(e, operation.results, exits)


def is_short(over: Range) -> bool:
    start, stop = constant_of(over.start), constant_of(over.stop)
    return start is not None and stop is not None and abs(stop - start) <= SHORT


def emit_chunks(e: Emitter, operation: Operation, over: Range, entering: list[ir.Value], exits: list[ir.PhiInstr], done: ir.Block) -> None:
    """The loop over chunks around the loop over a chunk's indices."""
    before, chunks = e.b.block, e.block("chunks")
    e.b.branch(chunks)
    e.b.position_at_end(chunks)
    first = e.b.phi(I64)
    first.add_incoming(over.start, before)
    outer = make_phis(e, operation.regions[0].args[1:])
    for phi, register in zip(outer, entering, strict=True):
        phi.add_incoming(register, before)
    distance = e.b.sub(over.stop, first) if over.is_upward else e.b.sub(first, over.stop)
    inside = e.compare("<" if over.is_upward else ">", first, over.stop)
    far = e.b.and_(inside, e.b.icmp_unsigned(">", distance, I64(BUDGET)))
    limit = e.b.select(far, e.b.add(first, I64(BUDGET if over.is_upward else -BUDGET)), over.stop)
    index, inner = emit_range(e, operation, Range(first, limit, over.step, None), list(outer), exits, done, None)
    e.operation = operation
    spend(e, e.b.sub(index, first) if over.is_upward else e.b.sub(first, index))
    more = e.compare("<" if over.is_upward else ">", index, over.stop)
    add_incoming(e, exits, list(inner))
    first.add_incoming(index, e.b.block)
    add_incoming(e, outer, list(inner))
    e.b.cbranch(more, chunks, done)


def emit_range(
    e: Emitter,
    operation: Operation,
    over: Range,
    entering: list[ir.Value],
    exits: list[ir.PhiInstr],
    done: ir.Block,
    pay: Callable[[ir.Value], None] | None,
) -> tuple[ir.Value, list[ir.PhiInstr]]:
    """The loop itself; leaves the builder where it ends without a break and returns the index and the state there."""
    (body,) = operation.regions
    state_args, has_break = body.args[1:], bool(operation.attributes.get("has_break"))
    before, header, inside, after = e.b.block, e.block("for"), e.block("body"), e.block("after")
    e.b.branch(header)
    e.b.position_at_end(header)
    index, trips = e.b.phi(I64), e.b.phi(I64)
    index.add_incoming(over.start, before)
    trips.add_incoming(I64(0), before)
    phis = make_phis(e, state_args)
    for phi, register in zip(phis, entering, strict=True):
        phi.add_incoming(register, before)
    state = bind_phis(e, state_args, phis)
    by_index = e.compare("<" if over.is_upward else ">", index, over.stop)
    e.b.cbranch(by_index if over.trips is None else e.b.icmp_unsigned("<", trips, over.trips), inside, after)
    e.b.position_at_end(inside)
    if enter_block(e, body, [index, *state]):
        keep_going = e.get(body.yields[0]) if has_break else None
        registers = leave_block(e, body, state_args, skip=int(has_break))
        if keep_going is not None:
            again = e.block("again")
            add_incoming(e, exits, registers)
            e.b.cbranch(keep_going, again, done)
            e.b.position_at_end(again)
        e.operation = operation
        if pay:
            pay(trips)
        index.add_incoming(e.b.add(index, over.step, flags=["nsw"] if over.trips is None else []), e.b.block)
        trips.add_incoming(e.b.add(trips, I64(1), flags=["nuw"]), e.b.block)
        add_incoming(e, phis, registers)
        e.b.branch(header)
    e.b.position_at_end(after)
    return index, phis


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
