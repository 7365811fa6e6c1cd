"""Loops that add to several elements of an array in each trip compute what they add in one loop, and add it in others.

Before: for i in reversed(range(1, n - 1)): if a[i] > 0: t, r = f(a[i]) else: t, r = 0, 1;  s[i + 1] += t; s[i - 1] -= r
After:  for each strip of trips: for i in strip: ...; ts[i - first] = t; rs[i - first] = r
                                 s[first + 1 : last + 1] += ts; s[first - 1 : last - 1] -= rs

What the trips compute does not wait for the sums then, and runs in vectors, branches included; the sums are statements (`kernels.updates`).
Where a loop can be statements altogether (`kernels.distribution`), it is; this is for branches and for numbers that are read many times.
Each element gets its sums in the order of the trips, so that the result is the same to the bit.

Requires: all indices in bounds, those of trips that add nothing too; arrays that are written read at the element that is written only,
and no two names for one memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Dim, atom, combine
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, walk_block
from autograph_jit.ir.types import I64, ArrayType, ScalarType
from autograph_jit.kernels.appending import Appending
from autograph_jit.kernels.distribution import apart, makes_few_trips, same_places
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.kernels.index_loops import ElementAccess, Place, Reader, Sum, is_bare, is_number
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.ops.registry import get

STRIP = 512  # trips whose contributions are kept at once: they stay in the nearest cache
MOST_ARRAYS = 10  # of contributions
LONGEST = 400  # operations of a trip
SIMPLE = frozenset({"negative", "multiply", "chain_product"})


def split_sums(graph: Graph, ranges: Ranges, layouts: tuple[str, ...], distinct_parameters: bool) -> bool:
    """Rewrite the loops of a graph; whether there was any."""
    found = [operation for operation in graph.walk() if operation.name == "for_loop" and is_candidate(operation)]
    if not found:
        return False
    facts = find_facts(graph, layouts, distinct_parameters)
    around = {region: operation for operation in graph.walk() for region in operation.regions}
    split = False
    for number, loop in enumerate(found):
        trip = TripReader(loop, ranges)
        if trip.is_understood() and is_worth_it(trip) and is_independent(trip, ranges, facts):
            split = LoopRaising(trip, ranges, atom(f"d:strip{number}")).emit(outermost(loop, around)) or split
    return split


def outermost(loop: Operation, around: dict[Block, Operation]) -> Operation:
    """The first of the loops that a loop stands in, each in the next one."""
    while loop.block in around and around[loop.block].name in ("for_loop", "while_loop"):
        loop = around[loop.block]
    return loop


def is_candidate(loop: Operation) -> bool:
    """Whether an innermost loop adds to elements more than once and does not take long to look at."""
    operations = list(walk_block(loop.regions[0]))
    stored = [operation.operands[0] for operation in operations if operation.name == "store"]
    return (
        is_bare(loop)
        and len(operations) <= LONGEST
        and any(stored.count(array) > 1 for array in stored)
        and all(operation.name == "cond" for operation in operations if operation.regions)
    )


class TripReader(Reader):
    """Reads one trip of an innermost loop, branches included."""

    def __init__(self, loop: Operation, ranges: Ranges) -> None:
        super().__init__([loop], ranges)
        self.loop, self.body = loop, loop.regions[0]
        self.outer, self.users, self.inside = set(), {}, set()
        self.note_inside()
        operations = walk_block(self.body)
        for values in ([*operation.operands, *yields_in(operation)] for operation in operations):
            for value in values:
                self.users[value] = self.users.get(value, 0) + 1

    def note_inside(self) -> None:
        self.inside.update(result for operation in walk_block(self.body) for result in operation.results)

    def is_understood(self) -> bool:
        return self.ranges.affine(self.loop.operands[2]) in (1, -1) and all(map(self.note, self.body.operations))

    def note(self, operation: Operation) -> bool:
        if operation.name == "cond":
            regions = operation.regions
            return not any(region.terminated for region in regions) and all(
                self.note(inner) for region in regions for inner in region.operations
            )
        if operation.name in ("load", "store"):
            return super().note(operation)
        if operation.results and operation.results[0].type != I64:
            self.nest.numbers.append(operation)
        return is_number(operation)

    def place(self, index: Value, at: Operation) -> Place | None:
        """An index as a place; a number that all trips share may be computed in each."""
        number = self.unwrapped(index, at)
        return Place(None, number=number) if number in self.inside and self.is_shared(number) else super().place(index, at)

    def is_shared(self, value: Value) -> bool:
        """Whether a number is computed of what is outside of the loop."""
        owner = value.owner
        if value not in self.inside:
            return value is not self.body.args[0]
        return isinstance(owner, Operation) and is_number(owner) and all(map(self.is_shared, owner.operands))


def yields_in(operation: Operation) -> list[Value]:
    return [value for region in operation.regions for value in region.yields]


def is_worth_it(trip: TripReader) -> bool:
    """Whether sums of different trips meet in one element, and the loop is not known to be short."""
    pairs = combinations([each.access for each in trip.nest.sums], 2)
    return any(x.array is y.array and x.offsets != y.offsets for x, y in pairs) and not makes_few_trips(trip.loop)


def is_independent(trip: TripReader, ranges: Ranges, facts: Facts) -> bool:
    """Whether no trip reads or stores what another one does but by sums, each of which moves along with the loop."""
    nest = trip.nest
    sums = [each.access for each in nest.sums]
    writes = [*sums, *nest.stores]
    if not all(access.moving for access in writes):
        return False
    for write in writes:
        for other in (*nest.reads, *writes):
            if other is write:
                continue
            if write.array is not other.array:
                if facts.may_alias(write.array, other.array):
                    return False
            elif (write in sums) != (other in sums):
                return False
            elif write in sums:
                if [place.loop for place in write.places] != [place.loop for place in other.places]:
                    return False
                if not all(isinstance(apart(x, y, ranges), int) for x, y in zip(write.places, other.places)):
                    return False
            elif not same_places(write, other, ranges):
                return False
    return True


@dataclass(frozen=True, slots=True)
class SumsOfBranch:
    """What the two sides of a branch add to one element; None where a side adds nothing."""

    branch: Operation
    sides: tuple[Sum | SumsOfBranch | None, Sum | SumsOfBranch | None]

    @property
    def access(self) -> ElementAccess:
        return next(side.access for side in self.sides if side is not None)

    @property
    def is_always(self) -> bool:
        """Whether every trip adds something."""
        return all(isinstance(side, Sum) or (isinstance(side, SumsOfBranch) and side.is_always) for side in self.sides)

    def lifted(self) -> Sum:
        """As a sum that is made in any case: the branch gives what is added, -0.0 for nothing, which changes no number."""
        type_ = self.access.operation.operands[1].type
        contract = True
        for side, region in zip(self.sides, self.branch.regions):
            made = side.lifted() if isinstance(side, SumsOfBranch) else side
            contract = contract and (made is None or made.contract)
            assert isinstance(type_, ScalarType)
            nothing = -type_.dtype.type(0)
            region.yields.append(append(region, get("constant"), [], {"value": nothing}).result if made is None else made.contribution)
        result = Value(type_, self.branch, len(self.branch.results))
        self.branch.results.append(result)
        self.branch.attributes = {**self.branch.attributes, "results": (*self.branch.attributes["results"], type_)}
        return Sum(self.access, result, contract)


def sums_in(block: Block, sums: dict[Operation, Sum], ranges: Ranges) -> list[Sum | SumsOfBranch]:
    """What a block adds, in its order; what the sides of a branch add to the same element becomes one choice."""
    found: list[Sum | SumsOfBranch] = []
    for operation in block.operations:
        if operation in sums:
            found.append(sums[operation])
        elif operation.name == "cond":
            then, others = (sums_in(region, sums, ranges) for region in operation.regions)
            for each in then:
                match = next((other for other in others if is_same_element(each.access, other.access, ranges)), None)
                if match is not None:
                    others.remove(match)
                found.append(SumsOfBranch(operation, (each, match)))
            found += [SumsOfBranch(operation, (None, other)) for other in others]
    return found


def merged(sums: list[Sum], seed: Callable[[Value], Value], body: Block, ranges: Ranges) -> list[Sum]:
    """The sums, those of the reverse sweep into one element as one, so that fewer are kept; not what others share."""
    seeds = [seed(each.contribution) for each in sums]
    groups: list[tuple[bool, list[Sum]]] = []
    for each, found in zip(sums, seeds):
        is_alone = each.contract and seeds.count(found) == 1
        meeting = (group for alone, group in groups if alone and is_alone and is_same_element(group[0].access, each.access, ranges))
        group = next(meeting, None)
        if group is None:
            groups.append((is_alone, [each]))
        else:
            group.append(each)
    return [total_of(group, body) for _, group in groups]


def total_of(sums: list[Sum], body: Block) -> Sum:
    """Sums into one element as one sum."""
    total = sums[0].contribution
    for each in sums[1:]:
        made = append(body, get("add"), [total, each.contribution])
        made.contract, total = True, made.result
    return Sum(sums[0].access, total, sums[0].contract)


def is_same_element(x: ElementAccess, y: ElementAccess, ranges: Ranges) -> bool:
    return x.array is y.array and same_places(x, y, ranges)


def remove_sums(trip: TripReader) -> None:
    """Take the sums out of a body: what they load, the additions and the stores."""
    stores = [each.access.operation for each in trip.nest.sums]
    reads = {read.operation for read in trip.nest.reads}
    adds = [store.operands[1].owner for store in stores]
    gone: set[Any] = {*stores, *adds}
    for add in adds:
        assert isinstance(add, Operation)
        gone.update(owner for owner in (operand.owner for operand in add.operands) if is_load(owner) and owner not in reads)
    for block in [trip.body, *(region for operation in walk_block(trip.body) for region in operation.regions)]:
        block.operations = [operation for operation in block.operations if operation not in gone]


def is_load(owner: Operation | Block) -> bool:
    return isinstance(owner, Operation) and owner.name == "load"


@dataclass(frozen=True, slots=True)
class SumsIntoLine:
    """Sums into one line of an array: all of their indices but the one that moves are the same."""

    first: ElementAccess
    sums: list[Sum]

    @property
    def offsets(self) -> list[int]:
        return [each.access.offsets[0] for each in self.sums]


class LoopRaising(Appending):
    """Puts a loop over strips of trips in the place of a loop."""

    def __init__(self, trip: TripReader, ranges: Ranges, count_dim: Dim) -> None:
        self.trip, self.ranges, self.loop, self.count_dim = trip, ranges, trip.loop, count_dim
        self.block, self.user_span = Block(), trip.loop.span
        self.kept: dict[Value, Value] = {}
        self.sums: list[Sum] = []  # those that all trips make

    def emit(self, around: Operation) -> bool:
        """Rewrite the loop, with its arrays in front of a loop around it, unless too many would be kept."""
        found = sums_in(self.trip.body, {each.access.operation: each for each in self.trip.nest.sums}, self.ranges)
        if not all(isinstance(each, Sum) or each.is_always or self.is_in_bounds(each.access) for each in found):
            return False
        fixed = [self.seed(each.contribution) for each in found if isinstance(each, Sum)]
        if len(found) - len(fixed) + len(set(fixed)) > MOST_ARRAYS:
            return False
        self.sums = [each if isinstance(each, Sum) else each.lifted() for each in found]
        self.sums = merged(self.sums, self.seed, self.trip.body, self.ranges)
        self.trip.note_inside()
        seeds = dict.fromkeys(seed for each in self.sums for seed in [self.seed(each.contribution)] if seed in self.trip.inside)
        strip = self.integer(STRIP)
        for seed in seeds:
            assert isinstance(seed.type, ScalarType)
            self.kept[seed] = self.op("empty", strip, dtype=seed.type.dtype, dims=(STRIP,))
        put_beside(self.block, around, replaced=0)
        self.block = Block()
        start, stop, step = self.loop.operands[:3]
        descends = self.ranges.affine(step) == -1
        low, high = (self.plus(stop, 1), self.plus(start, 1)) if descends else (start, stop)
        zero = self.integer(0)
        trips = self.op("maximum", self.op("subtract", high, low), zero)
        made, self.block = self.block, Block()
        done = self.block.add_argument(zero.type, "done")
        count = self.op("minimum", self.op("subtract", trips, done), strip)
        first = self.op("subtract", self.op("subtract", high, done), count) if descends else self.op("add", low, done)
        self.compute(first, count)
        for row in self.rows(descends):
            self.add_up(row, first, count)
        append(made, get("for_loop"), [zero, trips, strip], {"results": (), "has_break": False}, [self.block], self.loop.span)
        put_beside(made, self.loop, replaced=1)
        return True

    def is_in_bounds(self, access: ElementAccess) -> bool:
        """Whether an element is there for trips that add nothing to it, too: `if i > 0: s[i - 1] += t` has none for the first."""
        operation, type_ = access.operation, access.array.type
        assert isinstance(type_, ArrayType)
        indices = [self.trip.unwrapped(index, operation) for index in operation.operands[2:]]
        begin = self.trip.body.operations[0]
        return all(all(self.ranges.is_index(index, size, begin)) for index, size in zip(indices, type_.dims))

    def compute(self, first: Value, count: Value) -> None:
        """The loop over a strip: its trips as they were, but for the sums."""
        body = self.trip.body
        for access in (*self.trip.nest.reads, *self.trip.nest.stores):
            self.prove(access)
        remove_sums(self.trip)
        outer, self.block = self.block, body
        position = self.op("subtract", body.args[0], first)
        for seed, array in self.kept.items():
            self.append("store", array, seed, position, proved=True)
        self.block = outer
        last = self.op("add", first, count)
        operands = [first, last, self.integer(1)]
        append(self.block, get("for_loop"), operands, {"results": (), "has_break": False}, [body], self.loop.span)

    def prove(self, access: ElementAccess) -> None:
        """Write down that an access is in bounds, as has been found."""
        operation = access.operation
        before = 1 if operation.name == "load" else 2
        indices = [self.trip.unwrapped(index, operation) for index in operation.operands[before:]]
        operation.operands = [*operation.operands[:before], *indices]
        operation.attributes = {**operation.attributes, "proved": True}

    def rows(self, descends: bool) -> list[SumsIntoLine]:
        """Sums by the lines that they are made in, each in the order in which an element gets them."""
        rows: list[SumsIntoLine] = []
        for each in sorted(self.sums, key=lambda each: each.access.offsets[0] * (1 if descends else -1)):
            for row in rows:
                if row.first.array is each.access.array and all(
                    x.loop is not None or apart(x, y, self.ranges) == 0 for x, y in zip(row.first.places, each.access.places)
                ):
                    row.sums.append(each)
                    break
            else:
                rows.append(SumsIntoLine(each.access, [each]))
        return rows

    def add_up(self, row: SumsIntoLine, first: Value, count: Value) -> None:
        """Add what a strip has computed to a line."""
        lowest, reach = min(row.offsets), max(row.offsets) - min(row.offsets)
        items: list[tuple[Any, ...]] = []
        numbers: list[Value] = []
        begin = self.plus(first, lowest)
        for place in row.first.places:
            if place.loop is None:
                assert place.number is not None
                items.append(("int",))
                numbers.append(self.outside(place.number))
            else:
                items.append(("slice", True, True, False))
                numbers += [begin, self.op("add", begin, self.plus(count, reach))]
        dims = (combine(self.count_dim, reach, 1),)
        line = self.op("basic_index", row.first.array, *numbers, items=tuple(items), dims=dims, proved=True)
        for each, offset in zip(row.sums, row.offsets):
            part = self.part(line, offset - lowest, count)
            total = self.append("add", part, self.contribution(each.contribution, count))
            total.contract = each.contract
            self.append("assign", part, total.result)

    def outside(self, value: Value) -> Value:
        """A number that all trips share, computed outside of them."""
        owner = value.owner
        if value not in self.trip.inside or not isinstance(owner, Operation):
            return value
        return self.op(owner.name, *map(self.outside, owner.operands), **owner.attributes)

    def part(self, array: Value, start: int, count: Value) -> Value:
        bounds = [self.integer(start), self.plus(count, start)]
        items = (("slice", True, True, False),)
        return self.op("basic_index", array, *bounds, items=items, dims=(self.count_dim,), proved=True)

    def seed(self, value: Value) -> Value:
        """What a contribution is computed from in a simple way, so that several contributions may share it."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name not in SIMPLE or owner.block is not self.trip.body:
            return value
        moving = [operand for operand in owner.operands if operand in self.trip.inside and not self.is_fixed(operand)]
        return self.seed(moving[0]) if len(moving) == 1 else value

    def is_fixed(self, value: Value) -> bool:
        """Whether a number of the trip is a literal, or one element for all trips, which nothing writes."""
        fixed = (read.operation.results[0] for read in self.trip.nest.reads if not read.moving)
        return constant_of(value) is not None or any(number is value for number in fixed)

    def contribution(self, value: Value, count: Value) -> Value:
        """What is added, of a whole strip."""
        owner = value.owner
        if value in self.kept:
            return self.part(self.kept[value], 0, count)
        if value not in self.trip.inside or not isinstance(owner, Operation):
            return value
        if owner.name == "load":
            return self.op("load", owner.operands[0], *map(self.outside, owner.operands[1:]), proved=True)
        made = self.append(owner.name, *(self.contribution(operand, count) for operand in owner.operands), **owner.attributes)
        return made.result

    def plus(self, value: Value, number: int) -> Value:
        return self.op("add", value, self.integer(number)) if number else value


def put_beside(made: Block, before: Operation, replaced: int) -> None:
    """Put operations in front of another one, or in its place."""
    block = before.block
    assert block is not None
    position = block.operations.index(before)
    block.operations[position : position + replaced] = block.adopt(made.operations)
