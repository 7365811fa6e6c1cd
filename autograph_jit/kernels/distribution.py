"""Loops that add to several elements of an array in each trip become statements on parts of arrays.

Before: for i in reversed(range(1, n - 1)): t = 0.5 * a[i]; a[i] = 0; s[i + 1] += t; s[i - 1] += t
After:  t = 0.5 * a[1 : n - 1]; s[: n - 2] += t; s[2:] += t; a[1 : n - 1] = 0

The adjoint of a stencil that is written by index is such a loop. Its sums wait for each other; as statements they run in vectors and in
one nest (`kernels.updates`). Each element gets its sums in the order of the trips, so that the result is the same to the bit.

Requires: all indices in bounds, arrays that are written read at the element that is written only, and no two names for one memory.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from autograph_jit.ir.dims import Dim, Size, combine, lower_bound
from autograph_jit.ir.graph import Block, Graph, Operation, Value, literal_of
from autograph_jit.kernels.appending import Appending
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.kernels.index_loops import ElementAccess, IndexLoop, Place, Reader, nest_at
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.records import dataclass

FEWEST_TRIPS = 16
MOST_KEPT = 6  # results that several statements read: each is an array


def distribute_loops(graph: Graph, ranges: Ranges, layouts: tuple[str, ...], distinct_parameters: bool) -> bool:
    """Rewrite the loops of a graph; whether there was any."""
    found = [loops for operation in graph.walk() if operation.name == "for_loop" and (loops := nest_at(operation))]
    if not found:
        return False
    facts = find_facts(graph, layouts, distinct_parameters)
    done: set[Operation] = set()
    for loops in found:
        if done.isdisjoint(loops):
            nest = Reader(loops, ranges).read()
            if nest is not None and is_worth_it(nest, ranges) and is_independent(nest, ranges, facts):
                Statements(nest, ranges).emit()
                done.update(loops)
    return bool(done)


def is_worth_it(nest: IndexLoop, ranges: Ranges) -> bool:
    """Whether sums of different trips meet in one element, few results are read twice, and the innermost loop is not known to be short."""
    pairs = combinations([each.access for each in nest.sums], 2)
    if not any(x.array is y.array and x.places != y.places and not are_in_different_columns(x, y, ranges) for x, y in pairs):
        return False
    operands = [operand for operation in nest.numbers for operand in operation.operands] + [each.contribution for each in nest.sums]
    kept = sum(operands.count(operation.results[0]) > 1 for operation in nest.numbers)
    return kept <= MOST_KEPT and not makes_few_trips(nest.loops[-1])


def are_in_different_columns(x: ElementAccess, y: ElementAccess, ranges: Ranges) -> bool:
    """Whether two places of an array have different numbers on an axis along which no loop moves them."""
    pairs = [(first, second) for first, second in zip(x.places, y.places) if first.number is not None and second.number is not None]
    return any(isinstance(way := apart(first, second, ranges), int) and way != 0 for first, second in pairs)


def makes_few_trips(loop: Operation) -> bool:
    """Whether a loop is known to make few trips."""
    start, stop = map(literal_of, loop.operands[:2])
    return start is not None and stop is not None and abs(stop - start) < FEWEST_TRIPS


def is_independent(nest: IndexLoop, ranges: Ranges, facts: Facts) -> bool:
    """Whether all trips of one statement may come before those of the next."""
    writes = [*(each.access for each in nest.sums), *nest.stores]
    if any(len(access.moving) < len(nest.loops) for access in writes):
        return False
    return all(
        may_swap(write, other, other in nest.reads, write in nest.stores, nest, ranges, facts)
        for write in writes
        for other in (*nest.reads, *writes)
        if other is not write
    )


def may_swap(
    write: ElementAccess, other: ElementAccess, is_read: bool, is_store: bool, nest: IndexLoop, ranges: Ranges, facts: Facts
) -> bool:
    """Whether a write and another access do not depend on each other in different trips."""
    if write.array is not other.array:
        return not facts.may_alias(write.array, other.array)
    if is_read:
        order = nest.body.operations.index
        return is_store and same_places(write, other, ranges) and order(other.operation) < order(write.operation)
    if is_store or other in nest.stores:
        return is_store and other in nest.stores and same_places(write, other, ranges)
    return [place.loop for place in write.places] == [place.loop for place in other.places] and all(
        isinstance(apart(x, y, ranges), int) for x, y in zip(write.places, other.places)
    )


def same_places(x: ElementAccess, y: ElementAccess, ranges: Ranges) -> bool:
    return all(first.loop == second.loop and apart(first, second, ranges) == 0 for first, second in zip(x.places, y.places))


def apart(x: Place, y: Place, ranges: Ranges) -> Size:
    """How far apart two places are in one trip."""
    if x.number is None or y.number is None:
        return x.offset - y.offset
    return combine(ranges.affine(x.number), ranges.affine(y.number), -1)


@dataclass(frozen=True, slots=True)
class Span:
    """The lowest index of a loop, how many trips it makes, and the size that this is."""

    first: Value
    trips: Value
    size: Size
    descends: bool


class Statements(Appending):
    """Puts statements on parts of arrays in the place of a nest."""

    def __init__(self, nest: IndexLoop, ranges: Ranges) -> None:
        self.nest, self.ranges = nest, ranges
        self.block, self.user_span = Block(), nest.loops[-1].span
        self.values: dict[Value, Value] = {}
        self.spans = [self.span(loop) for loop in nest.loops]

    def emit(self) -> None:
        """Numbers first, then sums in the order in which an element gets them, then stores."""
        nest = self.nest
        reads = {access.operation: access for access in nest.reads}
        for operation in nest.body.operations:
            if operation in reads:
                self.values[operation.results[0]] = self.element(reads[operation])
            elif operation in nest.numbers or operation.name in ("constant", "dim"):
                operands = [self.values.get(operand, operand) for operand in operation.operands]
                made = self.append(operation.name, *operands, **operation.attributes)
                made.contract = operation.contract
                self.values[operation.results[0]] = made.result
        for each in sorted(nest.sums, key=lambda each: self.order(each.access)):
            part = self.part(each.access)
            total = self.append("add", part, self.values.get(each.contribution, each.contribution))
            total.contract = each.contract
            self.append("assign", part, total.result)
        for access in nest.stores:
            value = access.operation.operands[1]
            self.append("assign", self.part(access), self.values.get(value, value))
        self.replace()

    def replace(self) -> None:
        """Put the statements where the nest was."""
        loop = self.nest.loops[0]
        block = loop.block
        assert block is not None
        position = block.operations.index(loop)
        block.operations[position : position + 1] = block.adopt(self.block.operations)

    def plus(self, value: Value, number: int) -> Value:
        """A sum with a literal, itself a literal where that is known."""
        known = self.ranges.affine(value)
        if isinstance(known, int):
            return self.integer(known + number)
        return self.op("add", value, self.integer(number)) if number else value

    def span(self, loop: Operation) -> Span:
        """What a loop runs over, upwards."""
        start, stop, step = loop.operands[:3]
        descends = self.ranges.affine(step) == -1
        low, high = (stop, start) if descends else (start, stop)
        way = self.op("subtract", high, low)
        size = self.size(high, low)
        trips = self.integer(size) if isinstance(size, int) else self.op("maximum", way, self.integer(0))
        return Span(self.plus(low, int(descends)), trips, size, descends)

    def size(self, high: Value, low: Value) -> Size:
        """How far it is from one bound to the other, as a size; `max(n, 0)` is n where n is the size of something."""
        ranges = self.ranges
        way = combine(ranges.affine(high), ranges.affine(low), -1)
        if isinstance(way, Dim) and len(way.terms) == 1:
            ((name, coefficient),) = way.terms
            known = extremum_of(high, name, ranges)
            if known is not None and coefficient == 1:
                way = combine(known, way.const, 1)
        if isinstance(way, int):
            return max(way, 0)
        is_size = (lower_bound(way) or -1) >= 0 and not any(name.startswith("v") for name, _ in way.terms)
        return way if is_size else Dim(((f"d:trips{id(self)}.{id(high)}.{id(low)}", 1),))

    def element(self, access: ElementAccess) -> Value:
        """What all trips read: a part of an array, or one number."""
        if access.moving:
            return self.part(access)
        return self.op("load", access.array, *(place.number for place in access.places if place.number is not None), proved=True)

    def part(self, access: ElementAccess) -> Value:
        """The part of an array that all trips together access, its axes those of the nest from the first that moves."""
        items: list[tuple[Any, ...]] = []
        numbers: list[Value] = []
        dims: list[Size] = []
        reached: int | None = None
        for place in access.places:
            if place.number is not None or place.loop is None:
                assert place.number is not None
                items.append(("int",))
                numbers.append(place.number)
                continue
            for _ in range(reached + 1 if reached is not None else place.loop, place.loop):
                items.append(("newaxis",))
                dims.append(1)
            span, reached = self.spans[place.loop], place.loop
            first = self.plus(span.first, place.offset)
            items.append(("slice", True, True, False))
            numbers += [first, self.op("add", first, span.trips)]
            dims.append(span.size)
        assert reached is not None
        for _ in range(reached + 1, len(self.nest.loops)):
            items.append(("newaxis",))
            dims.append(1)
        return self.op("basic_index", access.array, *numbers, items=tuple(items), dims=tuple(dims), proved=True)

    def order(self, access: ElementAccess) -> tuple[int, ...]:
        """Sums with a lower key come to an element first: its trip is an earlier one."""
        return tuple(offset if span.descends else -offset for offset, span in zip(access.offsets, self.spans))


def extremum_of(value: Value, name: str, ranges: Ranges) -> Size | None:
    """The sum that is not less than 0 wherever the unknown of this name, a `max(n, 0)` that the value is computed of, is not 0."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    if owner.name == "maximum" and str(ranges.affine(value)) == name:
        others = [operand for operand in owner.operands if ranges.affine(operand) != 0]
        return ranges.affine(others[0]) if len(others) == 1 else None
    if owner.name in ("add", "subtract"):
        found = (extremum_of(operand, name, ranges) for operand in owner.operands)
        return next((known for known in found if known is not None), None)
    return None
