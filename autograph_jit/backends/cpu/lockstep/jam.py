"""A loop around one that LLVM vectorises, turned inside out where the inner one adds to the same elements in every trip of the outer one.

    for k in range(m):                          for j in range(0, n, 32), for 32 trips of the inner loop at once:
        for j in range(n):                          for k in range(m):
            out[i, j] += a[i, k] * b[k, j]              out[i, j : j + 32] += a[i, k] * b[k, j : j + 32]

What the outer loop adds up stays in registers then. Each element sees the same operations in the same order. Matrices that do not fit the
cache are left alone: their rows are better read from end to end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir

from autograph_jit.backends.cpu.budget import spend
from autograph_jit.backends.cpu.counting import Range, distance_of, range_of
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.access import Place, load_vector, place_of, store_vector
from autograph_jit.backends.cpu.lockstep.choice import LOOPS, MOST_OPERATIONS, Lockstep, Writes, is_possible
from autograph_jit.backends.cpu.lockstep.cost import Cost
from autograph_jit.backends.cpu.lockstep.divergence import find_divergence
from autograph_jit.backends.cpu.lockstep.loops import are_apart
from autograph_jit.backends.cpu.lockstep.regions import emit_in_lanes
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.runtime_module import I1, I64
from autograph_jit.backends.cpu.values import Array, array_type, constant_of
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.kernels.trips import Form, Trips, disjoint_arrays, uses

WIDTH = 32
MOST_ELEMENTS = 12_000  # that a pair of loops goes over: as many floats as the first cache holds, twice


@dataclass(frozen=True, slots=True)
class Unproved:
    """An index of a load or a store that is not proved to be in bounds, as a sum with the index of the inner or of the outer loop."""

    operation: Operation
    axis: int
    form: Form
    is_inner: bool


@dataclass(frozen=True, slots=True)
class Jam:
    """An outer loop, and the inner one whose trips run side by side."""

    outer: Operation
    inner: Operation
    lockstep: Lockstep
    unproved: list[Unproved]


def find_jam(e: Emitter, outer: Operation) -> Jam | None:
    """How a pair of loops is turned inside out; None where that is not possible, or would not be faster."""
    if e.handlers or e.retreat is not None or not is_simple(outer):
        return None
    loops = [operation for operation in outer.regions[0].operations if operation.name in LOOPS]
    if len(loops) != 1 or not is_simple(loops[0]):
        return None
    (inner,) = loops
    trips = Trips(outer, inner.regions[0].args[0])
    if len(trips.operations) > MOST_OPERATIONS or any(trips.is_inside(bound) for bound in inner.operands) or not adds_up(trips, outer):
        return None
    if any(operation.name in LOOPS and operation is not inner or not is_possible(e, trips, operation) for operation in trips.operations):
        return None
    divergence, disjoint, unproved = find_divergence(trips), disjoint_arrays(trips, e.facts, e.ranges), find_unproved(e, trips)
    writes = Writes(e, divergence, [])
    others = [operation for operation in trips.operations if operation.name not in ("load", "store", "cond")]
    if disjoint is None or unproved is None or any(map(writes.can_fail, others)):
        return None
    return Jam(outer, inner, Lockstep(trips, divergence, disjoint, [], Cost(divergence)), unproved)


def find_unproved(e: Emitter, trips: Trips) -> list[Unproved] | None:
    """The indices to look at before the loops; None where one depends on both."""
    outer = Trips(trips.loop, trips.body.args[0])
    found = []
    for operation in trips.operations:
        if operation.name not in ("load", "store") or operation.attributes.get("proved"):
            continue
        indices = operation.operands[1 if operation.name == "load" else 2 :]
        for axis, (index, dim) in enumerate(zip(indices, array_type(operation.operands[0]).dims)):
            if e.ranges.is_index(index, dim, operation) == (True, True):
                continue
            inner_form, outer_form = trips.form_of(index), outer.form_of(index)
            form = inner_form or outer_form
            if form is None:
                return None
            found.append(Unproved(operation, axis, form, inner_form is not None))
    return found


def is_simple(loop: Operation) -> bool:
    """Whether a loop counts up by ones, carries nothing and does not break."""
    if loop.name != "for_loop" or loop.operands[3:] or loop.attributes.get("has_break") or loop.regions[0].terminated:
        return False
    step = loop.operands[2].owner
    return isinstance(step, Operation) and step.name == "constant" and int(step.attributes["value"]) == 1


def adds_up(trips: Trips, outer: Operation) -> bool:
    """Whether all stores go to elements that are the same in every trip of the outer loop."""
    stores = [operation for operation in trips.operations if operation.name == "store"]
    return bool(stores) and not any(uses(store, outer.regions[0].args[0]) for store in stores)


def emit_jam(e: Emitter, found: Jam, emit_plainly: Callable[[], None]) -> None:
    """Both loops; `emit_plainly` emits them as they are, for arrays that overlap or are large. The code goes on where that ends."""
    over, around = (range_of(e, *(e.get(value) for value in loop.operands[:3])) for loop in (found.inner, found.outer))
    length, height = distance_of(e, over, over.start, over.stop), distance_of(e, around, around.start, around.stop)
    some = [e.b.icmp_unsigned("<", e.b.sub(count, I64(1)), I64(MOST_ELEMENTS)) for count in (length, height)]
    fits = e.b.and_(e.b.and_(*some), e.compare("<", e.b.mul(length, height), I64(MOST_ELEMENTS)))
    header, entered, full, short, plain, done = (e.block(name) for name in ("jam", "block", "full", "short", "plain", "done"))
    budget_before = e.budget
    fits = e.b.and_(fits, e.b.and_(are_apart(e, found.lockstep), are_inside(e, found, over, around)))
    before, assured = e.b.block, {(each.operation, each.axis) for each in found.unproved}
    e.b.cbranch(fits, header, plain)
    e.b.position_at_end(header)
    first, budget = e.b.phi(I64), e.b.phi(I64)
    first.add_incoming(over.start, before)
    budget.add_incoming(budget_before, before)
    left = e.b.sub(over.stop, first)
    e.b.cbranch(e.compare("<", first, over.stop), entered, done)
    e.b.position_at_end(entered)
    e.b.cbranch(e.compare(">=", left, I64(WIDTH)), full, short)
    e.assured |= assured
    for block, count in ((full, I64(WIDTH)), (short, left)):
        e.b.position_at_end(block)
        e.budget = budget
        emit_block(e, found, first, count)
        first.add_incoming(e.b.add(first, count, flags=["nsw"]), e.b.block)
        budget.add_incoming(e.budget, e.b.block)
        e.b.branch(header)
    e.assured -= assured
    e.b.position_at_end(plain)
    e.budget = budget_before
    emit_plainly()
    merge_budgets(e, budget, header, done)


def are_inside(e: Emitter, found: Jam, over: Range, around: Range) -> ir.Value:
    """Whether all indices are in bounds: each lies between its first and its last value."""
    inside: ir.Value = I1(1)
    for each in found.unproved:
        count = over if each.is_inner else around
        size = e.get(each.operation.operands[0]).shape[each.axis]
        for index in (count.start, e.sub(count.stop, I64(1))):
            position, overflows = number_at(e, each.form, index)
            inside = e.b.and_(inside, e.b.and_(e.b.icmp_unsigned("<", position, size), e.b.not_(overflows)))
    return inside


def number_at(e: Emitter, form: Form, index: ir.Value) -> tuple[ir.Value, ir.Value]:
    """A sum where the index has a value, and whether it leaves 64 bits on the way."""
    total, overflows = I64(form.constant), I1(0)
    for register, factor in ((index, form.step), *((e.get(value), factor) for value, factor in form.rest)):
        product = e.b.smul_with_overflow(register, I64(factor))
        pair = e.b.sadd_with_overflow(total, e.b.extract_value(product, 0))
        total = e.b.extract_value(pair, 0)
        overflows = e.b.or_(overflows, e.b.or_(e.b.extract_value(product, 1), e.b.extract_value(pair, 1)))
    return total, overflows


def merge_budgets(e: Emitter, jammed: ir.Value, header: ir.Block, done: ir.Block) -> None:
    plainly, end = e.budget, e.b.block
    e.b.branch(done)
    e.b.position_at_end(done)
    e.budget = e.b.phi(I64)
    e.budget.add_incoming(jammed, header)
    e.budget.add_incoming(plainly, end)


def emit_block(e: Emitter, found: Jam, first: ir.Value, count: ir.Value) -> None:
    """The outer loop, around some trips of the inner one in lanes."""
    lanes = Lanes(e, WIDTH, found.lockstep.divergence, count, None, None, found.inner)
    if constant_of(count) is None:
        lanes.mask = e.b.icmp_signed("<", lanes.numbers(), lanes.splat(count))
    e.values[found.lockstep.trips.index] = Progression(first, I64(1))
    kept = [keep(lanes, accesses) for accesses in elements_kept(found.lockstep.trips)]
    emit_in_lanes(lanes, found.outer)
    for array, place, accesses in kept:
        store_vector(lanes, array, place, e.b.load(lanes.slots[accesses[0]], typ=lanes.type_of(array.dtype), align=64))
    e.operation = found.outer
    spend(e, I64(WIDTH))


def elements_kept(trips: Trips) -> list[list[Operation]]:
    """The accesses of each array whose elements, one for each lane, stay in registers while the outer loop runs."""
    accesses: dict[Value, list[Operation]] = {}
    for operation in trips.operations:
        if operation.name in ("load", "store"):
            accesses.setdefault(operation.operands[0], []).append(operation)
    return [found for found in accesses.values() if any(each.name == "store" for each in found) and are_one(trips, found)]


def are_one(trips: Trips, accesses: list[Operation]) -> bool:
    """Whether loads and stores are of one element, whose place is known before the outer loop."""
    places = {tuple(each.operands[1 if each.name == "load" else 2 :]) for each in accesses}
    return len(places) == 1 and all(index is trips.index or not trips.is_inside(index) for index in next(iter(places)))


def keep(lanes: Lanes, accesses: list[Operation]) -> tuple[Array, Place, list[Operation]]:
    """Load an element into registers, as LLVM sees a slot of the stack that nothing else refers to."""
    e, (first, *_) = lanes.e, accesses
    array = e.get(first.operands[0])
    place = place_of(lanes, first, array, first.operands[1 if first.name == "load" else 2 :])
    vector = load_vector(lanes, array, place)
    slot = e.slots(lanes.width, vector.type.element)
    e.b.store(vector, slot, align=64)
    lanes.slots.update((each, slot) for each in accesses)
    return array, place, accesses
