"""The loop itself: blocks of trips in lanes, the last one with a mask, and one by one the trips of a block in which a check fails.

for first in blocks:    16 trips in lanes;  fewer at the end: those lanes only
                        where that fails, or arrays overlap: these trips one by one, which fail where they fail
                        where most lanes wait for a few: some hundred trips one by one before lanes are tried again
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.control.budget import spend
from autograph_jit.backends.cpu.control.counting import Range
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.choice import LOOPS, Lockstep
from autograph_jit.backends.cpu.lockstep.ordered import emit_ordered
from autograph_jit.backends.cpu.lockstep.regions import emit_all
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.nests.overlap import are_apart
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import constant_of

WIDTH = 16
FEWEST = 3  # trips that are worth a block of their own
REST = 512  # trips that are done one by one after a block in which most lanes waited for others


Trips = Callable[[ir.Value, ir.Value, list[ir.Value]], tuple[ir.Value, list[ir.Value]]]


def emit_lockstep(e: Emitter, found: Lockstep, over: Range, entering: list[ir.Value], emit_trips: Trips) -> list[ir.PhiInstr]:
    """The whole loop, whose step is 1, and the state behind it.

    `emit_trips(first, limit, state)` emits trips one by one and returns the index and the state behind them.
    """
    apart = are_apart(e, found.disjoint)
    before, header, entered, done = e.b.block, e.block("blocks"), e.block("block"), e.block("done")
    full, some, short, single = e.block("full"), e.block("some"), e.block("short"), e.block("one_by_one")
    e.b.branch(header)
    e.b.position_at_end(header)
    first, budget, resting = e.b.phi(I64), e.b.phi(I64), e.b.phi(I64)
    for phi, register in zip((first, budget, resting), (over.start, e.budget, I64(0))):
        phi.add_incoming(register, before)
    state = [e.b.phi(register.type) for register in entering]
    for phi, register in zip(state, entering):
        phi.add_incoming(register, before)
    e.b.cbranch(e.compare("<", first, over.stop), entered, done)
    e.b.position_at_end(single)
    limit = e.b.phi(I64)

    def go_on(behind: ir.Value, following: list[ir.Value], rest: ir.Value) -> None:
        for phi, register in zip((first, budget, resting, *state), (behind, e.budget, rest, *following)):
            phi.add_incoming(register, e.b.block)
        e.b.branch(header)

    e.b.position_at_end(entered)
    left = e.b.sub(over.stop, first)
    rests = e.b.and_(apart, e.compare(">", resting, I64(0)))
    limit.add_incoming(e.b.select(rests, e.b.add(first, e.minimum(resting, left)), over.stop), entered)
    e.b.cbranch(e.b.and_(e.b.and_(apart, e.b.not_(rests)), e.compare(">=", left, I64(FEWEST))), some, single)
    e.b.position_at_end(some)
    e.b.cbranch(e.compare(">=", left, I64(WIDTH)), full, short)
    for block, count in ((full, I64(WIDTH)), (short, left)):
        e.b.position_at_end(block)
        e.budget = budget
        retreat = e.block("retreat")
        lanes = lanes_of(e, found, count, retreat)
        following = emit_block(lanes, found, first, state)
        rest = I64(0) if lanes.turns is None else e.b.select(lanes.are_idle(found.cost.single, found.cost.together), I64(REST), I64(0))
        go_on(e.b.add(first, count, flags=["nsw"]), following, rest)
        e.b.position_at_end(retreat)
        limit.add_incoming(e.b.add(first, count, flags=["nsw"]), retreat)
        e.b.branch(single)
    e.b.position_at_end(single)
    e.budget = budget
    go_on(*emit_trips(first, limit, list(state)), I64(0))
    e.b.position_at_end(done)
    e.budget = budget
    return state


def lanes_of(e: Emitter, found: Lockstep, count: ir.Value, retreat: ir.Block) -> Lanes:
    """As many lanes as there are, or the first `count` of them."""
    lanes = Lanes(e, WIDTH, found.divergence, count, None, retreat)
    for store, each in found.sums.items():
        lanes.sums.update({each.load: None, each.add: None, store: each})
    if constant_of(count) is None:
        lanes.mask = e.b.icmp_signed("<", lanes.numbers(), lanes.splat(count))
    if any(operation.name in LOOPS for operation in found.divergence.divergent):
        lanes.turns, lanes.busy = e.slots(1), e.slots(1)
        for slot in (lanes.turns, lanes.busy):
            e.b.store(I64(0), slot, align=8)
    return lanes


def emit_block(lanes: Lanes, found: Lockstep, first: ir.Value, state: list[ir.PhiInstr]) -> list[ir.Value]:
    """Trips in lanes, and the state behind them."""
    e = lanes.e
    e.retreat = lanes.failing
    e.values[found.trips.index] = Progression(first, I64(1))
    together = [operation for operation in found.trips.body.operations if operation not in found.ordered]
    emit_all(lanes, together)
    following = emit_ordered(lanes, found, state)
    e.retreat = None
    e.operation = found.trips.loop
    spend(e, I64(WIDTH))
    return following
