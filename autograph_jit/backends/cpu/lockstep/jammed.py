"""Loops that are turned inside out: blocks of rows, blocks of columns, and the loop that adds up inside.

whether all indices are in bounds, no arrays overlap and the matrix is small:
    for 4 rows, as long as there are as many:   for 16 columns, fewer at the end:   load;  for k: add up;  store
the rest, or everything: the loops as they are
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import emit_operation
from autograph_jit.backends.cpu.control.budget import spend
from autograph_jit.backends.cpu.control.counting import Range, distance_of, range_of
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.access import Place, load_vector, place_of, store_vector
from autograph_jit.backends.cpu.lockstep.jam import Jam, Unproved, index_of
from autograph_jit.backends.cpu.lockstep.regions import emit_all
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.nests.overlap import are_apart
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import Array, Emitted, constant_of
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.kernels.trips import Trips, indices_of
from autograph_jit.records import dataclass

ROWS = 4
FITS, FITS_WITH_ROWS = 12_000, 2**20  # elements that the two loops inside go over: what the first or the second cache holds


@dataclass(slots=True)
class Row:
    """A trip of the loop over rows: what it has computed before the loops inside, and its elements that stay in registers."""

    values: dict[Value, Emitted]
    slots: dict[Operation, ir.Value] = field(default_factory=dict)
    kept: list[tuple[Array, Place, Operation]] = field(default_factory=list)


def emit_jam(e: Emitter, found: Jam, over: Range, emit_trips: Callable[[ir.Value], None]) -> None:
    """All loops; `over` is the range of the outermost one, of which `emit_trips(first)` emits the trips from the first one on."""
    outermost, *inner = found.loops
    ranges = {outermost: over, **{loop: range_of(e, *(e.get(value) for value in loop.operands[:3])) for loop in inner}}
    fits = e.b.and_(e.b.and_(is_short_loop(e, found, ranges), are_apart(e, found.disjoint)), are_inside(e, found.unproved, ranges))
    assured = {(each.operation, each.axis) for each in found.unproved} - e.assured
    before, jammed, plain = e.b.block, e.block("jam"), e.block("plain")
    e.b.cbranch(fits, jammed, plain)
    e.b.position_at_end(plain)
    first, budget = e.b.phi(I64), e.b.phi(I64)
    first.add_incoming(over.start, before)
    budget.add_incoming(e.budget, before)
    e.b.position_at_end(jammed)
    e.assured |= assured
    behind = over.stop
    if found.rows is not None:
        behind = emit_rows(e, found, ranges)
    else:
        emit_columns(e, found, ranges, [Row({})])
    e.assured -= assured
    first.add_incoming(behind, e.b.block)
    budget.add_incoming(e.budget, e.b.block)
    e.b.branch(plain)
    e.b.position_at_end(plain)
    e.budget = budget
    emit_trips(first)


def is_short_loop(e: Emitter, found: Jam, ranges: dict[Operation, Range]) -> ir.Value:
    """Whether the two inner loops go over some elements, but not too many."""
    most = I64(FITS if found.rows is None else FITS_WITH_ROWS)
    counts = [distance_of(e, over, over.start, over.stop) for over in (ranges[found.outer], ranges[found.inner])]
    some = [e.b.icmp_unsigned("<", e.b.sub(count, I64(1)), most) for count in counts]
    return e.b.and_(e.b.and_(*some), e.compare("<", e.b.mul(*counts), most))


def are_inside(e: Emitter, unproved: list[Unproved], ranges: dict[Operation, Range]) -> ir.Value:
    """Whether all indices are in bounds: each lies between its least and its largest value."""
    inside: ir.Value = I1(1)
    by_index = {index_of(loop): (over.start, e.sub(over.stop, I64(1))) for loop, over in ranges.items()}
    for each in unproved:
        size = e.get(each.operation.operands[0]).shape[each.axis]
        for is_last in (False, True):
            terms = [(by_index[at][is_last == (factor > 0)] if at in by_index else e.get(at), factor) for at, factor in each.terms]
            position, overflows = checked_sum(e, terms, each.constant)
            inside = e.b.and_(inside, e.b.and_(e.b.icmp_unsigned("<", position, size), e.b.not_(overflows)))
    return inside


def checked_sum(e: Emitter, terms: list[tuple[ir.Value, int]], constant: int) -> tuple[ir.Value, ir.Value]:
    """A sum of multiples, and whether it leaves 64 bits on the way."""
    total, overflows = I64(constant), I1(0)
    for register, factor in terms:
        product = e.b.smul_with_overflow(register, I64(factor))
        pair = e.b.sadd_with_overflow(total, e.b.extract_value(product, 0))
        total = e.b.extract_value(pair, 0)
        overflows = e.b.or_(overflows, e.b.or_(e.b.extract_value(product, 1), e.b.extract_value(pair, 1)))
    return total, overflows


def emit_rows(e: Emitter, found: Jam, ranges: dict[Operation, Range]) -> ir.Value:
    """Some rows at a time, as long as there are so many; returns the first row that is left."""
    assert found.rows is not None
    over, before = ranges[found.rows], e.b.block
    header, inside, done = e.block("rows"), e.block("some_rows"), e.block("rows_left")
    e.b.branch(header)
    e.b.position_at_end(header)
    first, budget = e.b.phi(I64), e.b.phi(I64)
    first.add_incoming(over.start, before)
    budget.add_incoming(e.budget, before)
    e.budget = budget
    e.b.cbranch(e.compare(">=", e.b.sub(over.stop, first), I64(ROWS)), inside, done)
    e.b.position_at_end(inside)
    emit_columns(e, found, ranges, [row_of(e, found.rows, found.outer, e.add(first, I64(row))) for row in range(ROWS)])
    first.add_incoming(e.b.add(first, I64(ROWS), flags=["nsw"]), e.b.block)
    budget.add_incoming(e.budget, e.b.block)
    e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = budget
    return first


def row_of(e: Emitter, rows: Operation, outer: Operation, index: ir.Value) -> Row:
    """What a row computes besides the loops inside."""
    values = {index_of(rows): index}
    e.values.update(values)
    for operation in rows.regions[0].operations:
        if operation is not outer:
            emit_operation(e, operation)
            values.update((result, e.get(result)) for result in operation.results)
    return Row(values)


def emit_columns(e: Emitter, found: Jam, ranges: dict[Operation, Range], rows: list[Row]) -> None:
    """Blocks of columns of some rows."""
    over, before = ranges[found.inner], e.b.block
    width = I64(vector_bytes() // (2 if found.rows is None else 4))  # floats of four registers, or of two in each row
    header, entered, full, short, done = (e.block(name) for name in ("columns", "some", "full", "short", "columns_done"))
    e.b.branch(header)
    e.b.position_at_end(header)
    first, budget = e.b.phi(I64), e.b.phi(I64)
    first.add_incoming(over.start, before)
    budget.add_incoming(e.budget, before)
    left = e.b.sub(over.stop, first)
    e.b.cbranch(e.compare("<", first, over.stop), entered, done)
    e.b.position_at_end(entered)
    e.b.cbranch(e.compare(">=", left, width), full, short)
    for block, count in ((full, width), (short, left)):
        e.b.position_at_end(block)
        e.budget = budget
        lanes = Lanes(e, width.constant, found.divergence, count, None, None, found.inner)
        if constant_of(count) is None:
            lanes.mask = e.b.icmp_signed("<", lanes.numbers(), lanes.splat(count))
        emit_block(lanes, found, ranges[found.outer], Progression(first, I64(1)), rows)
        first.add_incoming(e.b.add(first, count, flags=["nsw"]), e.b.block)
        budget.add_incoming(e.budget, e.b.block)
        e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = budget


def emit_block(lanes: Lanes, found: Jam, around: Range, columns: Progression, rows: list[Row]) -> None:
    """The loop that adds up, for some columns of some rows."""
    e, trips = lanes.e, found.trips
    e.values[trips.index] = columns
    for row in rows:
        e.values.update(row.values)
        row.slots, row.kept = {}, []
        for accesses in elements_kept(trips):
            keep(lanes, row, accesses)
    before, header, inside, done = e.b.block, e.block("for"), e.block("body"), e.block("added")
    e.b.branch(header)
    e.b.position_at_end(header)
    index = e.b.phi(I64)
    index.add_incoming(around.start, before)
    e.b.cbranch(e.compare("<", index, around.stop), inside, done)
    e.b.position_at_end(inside)
    e.values[index_of(found.outer)] = index
    left = e.budget
    for row in rows:
        e.values.update(row.values)
        emit_all(replace(lanes, slots=row.slots), found.outer.regions[0].operations)
    e.budget = left
    index.add_incoming(e.b.add(index, I64(1), flags=["nsw"]), e.b.block)
    e.b.branch(header)
    e.b.position_at_end(done)
    for row in rows:
        for array, place, access in row.kept:
            store_vector(lanes, array, place, e.b.load(row.slots[access], typ=lanes.type_of(array.dtype), align=64))
    e.operation = found.outer
    spend(e, e.b.sub(around.stop, around.start))


def elements_kept(trips: Trips) -> list[list[Operation]]:
    """The accesses of each array whose elements, one for each lane, stay in registers while the outer loop runs."""
    accesses: dict[Value, list[Operation]] = {}
    for operation in trips.operations:
        if operation.name in ("load", "store"):
            accesses.setdefault(operation.operands[0], []).append(operation)
    return [found for found in accesses.values() if any(each.name == "store" for each in found) and are_one(trips, found)]


def are_one(trips: Trips, accesses: list[Operation]) -> bool:
    """Whether loads and stores are of one element, whose place is known before the outer loop."""
    places = {tuple(indices_of(each)) for each in accesses}
    return len(places) == 1 and all(index is trips.index or not trips.is_inside(index) for index in next(iter(places)))


def keep(lanes: Lanes, row: Row, accesses: list[Operation]) -> None:
    """Load an element into registers, as LLVM sees a slot of the stack that nothing else refers to."""
    e, (first, *_) = lanes.e, accesses
    array = e.get(first.operands[0])
    e.operation = first
    place = place_of(lanes, first, array, indices_of(first))
    vector = load_vector(lanes, array, place)
    slot = e.slots(lanes.width, vector.type.element)
    e.b.store(vector, slot, align=64)
    row.slots.update((each, slot) for each in accesses)
    row.kept.append((array, place, first))
