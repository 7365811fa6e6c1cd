"""Counted loops whose trips are independent and cannot fail: threads can share them, as they share loop nests.

    body(registers, first, last)                               trips first to last, emitted as any loop over that range
    ag_share(body, registers, trips, work, watch)              where there is much to do, all indices are in bounds and no arrays overlap

Each trip computes what it would compute anyway, so results do not depend on who makes it. A piece looks at signals as a loop does; only
the thread that called can: the others look whether it saw one, and while it waits for them it goes on looking (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.control.counting import Range, range_of
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.lockstep.choice import LOOPS, is_elementary
from autograph_jit.backends.cpu.lockstep.cost import scalar_cycles
from autograph_jit.backends.cpu.lockstep.jam import Unproved, counts_up, find_unproved, is_simple
from autograph_jit.backends.cpu.lockstep.jammed import are_inside
from autograph_jit.backends.cpu.nests.overlap import are_apart
from autograph_jit.backends.cpu.runtime_module import BUDGET, declare
from autograph_jit.backends.cpu.signatures import I32, I64, PTR, VOID
from autograph_jit.backends.cpu.threading.sharing import LEAST_WORK, Outline, outline, share_function, slot_of
from autograph_jit.backends.cpu.values import Array
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.kernels.trips import Trips, disjoint_arrays
from autograph_jit.records import dataclass

MOST_OPERATIONS = 400  # in a body, which may be emitted twice
FRAME, STOP, CALLER, HEADER = 0, 1, 2, 3  # registers of every piece: the call's frame, whether to stop, the thread that called
CYCLE = 300  # picoseconds
UNKNOWN_TRIPS = 16  # of a loop inside, where its bounds are not known before


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """A loop that threads can share, if these indices are in bounds, no two of these arrays overlap, and what these checks ask is so."""

    trips: Trips
    inner: list[Operation]  # counted loops inside whose ranges are known before
    unproved: list[Unproved]
    disjoint: set[frozenset[Value]]
    checks: list[Operation]

    @property
    def is_conditional(self) -> bool:
        return bool(self.unproved or self.disjoint or self.checks)

    @property
    def assured(self) -> set[Any]:
        """What a piece need not check."""
        return {(each.operation, each.axis) for each in self.unproved} | set(self.checks)


def find_shared_loop(e: Emitter, loop: Operation) -> SharedLoop | None:
    """How threads share a loop; None where they cannot."""
    if not e.shares or not e.parallel or e.is_outlined or e.handlers or e.loop_depth > 1 or not is_simple(loop):
        return None
    trips = Trips(loop, loop.regions[0].args[0])
    if len(trips.operations) > MOST_OPERATIONS or not all(is_elementary(e, trips, operation) for operation in trips.operations):
        return None
    if not any(operation.name == "store" for operation in trips.operations):
        return None
    if e.loop_depth and not any(operation.name in LOOPS for operation in trips.operations):
        return None
    inner = [each for each in trips.operations if counts_up(each) and not any(map(trips.is_inside, each.operands[:2]))]
    disjoint, unproved = disjoint_arrays(trips, e.facts, e.ranges), find_unproved(e, loop, inner)
    checks = [each for each in trips.operations if each.name == "check" and not trips.is_inside(each.operands[0])]
    return None if disjoint is None or unproved is None else SharedLoop(trips, inner, unproved, disjoint, checks)


def emit_shared_loop(e: Emitter, found: SharedLoop, over: Range, emit_trips: Callable[[Range], Any]) -> bool:
    """The loop, whose step is 1; `emit_trips(range)` emits some of its trips. False, and nothing is emitted, where a trip may fail."""
    assured = found.assured - e.assured
    e.assured |= assured
    piece = emit_piece(e, found, over, emit_trips)
    e.assured -= assured
    if piece is None:
        return False
    trips = e.maximum(e.b.sub(over.stop, over.start), I64(0))
    work = e.mul(trips, e.b.add(work_of(e, found, found.trips.body), I64(1)))
    ready = e.compare(">=", work, I64(LEAST_WORK))
    if found.is_conditional:
        ready = e.b.and_(ready, e.b.and_(are_apart(e, found.disjoint), are_inside(e, found.unproved, ranges_of(e, found, over))))
        for each in found.checks:
            ready = e.b.and_(ready, e.get(each.operands[0]))
    shared, alone, done = e.block("shared"), e.block("alone"), e.block("done")
    e.b.cbranch(ready, shared, alone)
    e.b.position_at_end(done)
    budget = e.b.phi(I64)
    for block in (shared, alone):
        left = e.budget
        e.b.position_at_end(block)
        if block is shared:
            share_pieces(e, piece, trips, work)
        else:
            e.shares = False
            emit_trips(over)
            e.shares = True
        budget.add_incoming(e.budget, e.b.block)
        e.budget = left
        e.b.branch(done)
    e.b.position_at_end(done)
    e.budget = budget
    return True


def ranges_of(e: Emitter, found: SharedLoop, over: Range) -> dict[Operation, Range]:
    """What the loop and those inside run over."""
    return {found.trips.loop: over, **{loop: range_of(e, *(e.get(value) for value in loop.operands[:3])) for loop in found.inner}}


def emit_piece(e: Emitter, found: SharedLoop, over: Range, emit_trips: Callable[[Range], Any]) -> Outline | None:
    """Some trips as a function of their range; None where it would end with an exception."""
    around, sites = (e.failed, e.frame, e.budget, e.atoms), len(e.sites)
    failed: list[ir.Block] = []

    def emit(made: Outline) -> None:
        registers = made.function.args[0]
        failed.append(e.block("failed"))
        e.piece, e.failed, e.budget = Piece(registers), failed[0], I64(BUDGET)
        e.frame = e.b.load(slot_of(e.b, registers, FRAME), typ=PTR)
        e.atoms = {name: made.capture(size) for name, size in around[3].items()}
        part_arrays(e, made.function.name, arrays)
        start = made.capture(over.start)
        emit_trips(Range(e.add(start, made.first), e.add(start, made.last), I64(1), None))

    values = outside_values(found.trips)
    arrays = [value for value in values if isinstance(e.values[value], Array)]
    made = outline(e, values, emit, HEADER)
    e.failed, e.frame, e.budget, e.atoms = around
    e.piece = None
    if any(failed[0] in block.terminator.operands for block in made.function.blocks if block.terminator is not None):
        del e.module.globals[made.function.name], e.sites[sites:]
        return None
    made.function.blocks.remove(failed[0])
    return made


def part_arrays(e: Emitter, name: str, arrays: list[Value]) -> None:
    """Tell LLVM that no array which the trips write overlaps another one: that is what a piece runs for."""
    domain = e.module.add_metadata([name])
    scopes = [e.module.add_metadata([f"{name}.{number}", domain]) for number in range(len(arrays))]
    for number, (value, own) in enumerate(zip(arrays, scopes)):
        others = [scope for scope in scopes if scope is not own]
        if others:
            e.alias_scopes[f"{name}.{number}"] = e.module.add_metadata([own]), e.module.add_metadata(others)
            e.values[value] = replace(e.values[value], scope=f"{name}.{number}")


def outside_values(trips: Trips) -> list[Value]:
    """What the trips use of the code around."""
    used = [value for operation in trips.operations for value in operation.operands]
    used += [value for operation in trips.operations for region in operation.regions for value in region.yields]
    return list(dict.fromkeys(value for value in used if not trips.is_inside(value)))


def share_pieces(e: Emitter, piece: Outline, trips: ir.Value, work: ir.Value) -> None:
    """Run all trips with the other threads; leaves the call where signals raised an exception."""
    registers = piece.pack()
    for slot, value in ((FRAME, e.frame), (STOP, I64(0)), (CALLER, e.b.call(external(e, "pthread_self", I64), []))):
        e.b.store(value, slot_of(e.b, registers, slot))
    e.b.call(share_function(e), [piece.function, registers, trips, e.b.udiv(work, I64(1000)), watch_function(e)])
    interrupted, complete = e.block("interrupted"), e.block("complete")
    stopped = e.compare("!=", e.b.load(slot_of(e.b, registers, STOP), typ=I64), I64(0))
    e.b.cbranch(stopped, interrupted, complete).set_weights([1, 1 << 20])
    e.b.position_at_end(interrupted)
    e.leave(PENDING)
    e.b.position_at_end(complete)


def work_of(e: Emitter, found: SharedLoop, block: Block) -> ir.Value:
    """About how long a trip takes, in picoseconds."""
    own = sum(scalar_cycles(operation) for operation in walk_branches(block))
    work: ir.Value = I64(int(own * CYCLE))
    for loop in (operation for operation in walk_branches(block) if operation.name in LOOPS):
        inside = work_of(e, found, loop.regions[-1])
        work = e.add(work, e.mul(inside, trips_of(e, found, loop)))
    return work


def walk_branches(block: Block) -> Iterator[Operation]:
    """The operations of a block and of its branches, without those of loops inside."""
    for operation in block.operations:
        yield operation
        for region in operation.regions if operation.name == "cond" else ():
            yield from walk_branches(region)


def trips_of(e: Emitter, found: SharedLoop, loop: Operation) -> ir.Value:
    """About how many trips a loop inside makes."""
    if loop not in found.inner:
        return I64(UNKNOWN_TRIPS)
    start, stop = (e.get(bound) for bound in loop.operands[:2])
    return e.maximum(e.sub(stop, start), I64(0))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece under emission: how it looks at signals."""

    registers: ir.Value

    def poll(self, e: Emitter) -> ir.Value:
        """Nonzero where the piece shall end."""
        return e.b.call(look_function(e), [self.registers])


def look_function(e: Emitter) -> ir.Function:
    """`look(registers)`: the calling thread looks at signals and notes whether they raised; the others look at the note."""
    if (known := e.module.globals.get("look")) is not None:
        return known
    function = ir.Function(e.module, ir.FunctionType(I32, [PTR]), "look")
    function.linkage, function.calling_convention = "internal", "preserve_mostcc"
    for attribute in ("nounwind", "noinline", "cold"):
        function.attributes.add(attribute)
    b, (registers,) = ir.IRBuilder(function.append_basic_block("entry")), function.args
    stop = slot_of(b, registers, STOP)
    own = b.call(external(e, "pthread_self", I64), [])
    with b.if_then(b.icmp_unsigned("==", own, b.load(slot_of(b, registers, CALLER), typ=I64))):
        pending = b.call(declare(e.module, "ag_poll"), [b.load(slot_of(b, registers, FRAME), typ=PTR)])
        with b.if_then(b.icmp_signed("!=", pending, I32(0))):
            b.atomic_rmw("xchg", stop, I64(1), "monotonic")
    b.ret(b.trunc(b.load_atomic(stop, "monotonic", 8, typ=I64), I32))
    return function


def watch_function(e: Emitter) -> ir.Function:
    """`watch(registers)`: as `look`, for the pool to call."""
    if (known := e.module.globals.get("watch")) is not None:
        return known
    function = ir.Function(e.module, ir.FunctionType(VOID, [PTR]), "watch")
    function.linkage = "internal"
    function.attributes.add("nounwind")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    b.call(look_function(e), function.args)
    b.ret_void()
    return function


def external(e: Emitter, name: str, result: ir.Type) -> ir.Function:
    """A function of the C library without arguments."""
    return e.module.globals.get(name) or ir.Function(e.module, ir.FunctionType(result, []), name)
