"""Sums of the reverse sweep into elements that the outer loops share: the loops change places, and each element gets one sum.

Before: for i in range(m, n):                      After: if n - m >= 16:
            c = ct[i]; ct[i] = 0                               for k in range(l):
            for k in range(l):                                     g[k] += np.sum(ct[m:n] * x[m - k : n - k])
                g[k] += c * x[i - k]                           ct[m:n] = 0
                                                           else: as before

So the weights of a filter that is written by index get their cotangents by sums that run in vectors, without a store for each element.

Requires: nothing can fail, the sums commute (`kernels.commuting`), and each element that the outer loops read moves by one in each trip.
"""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import I64
from autograph_jit.kernels.appending import Appending
from autograph_jit.kernels.commuting import ElementSum, find_commuting
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.kernels.index_loops import is_bare, is_number
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.trips import Form, Trips, indices_of
from autograph_jit.kernels.unmoved import wrapped_by
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

LONGEST = 120  # operations of a nest
FEWEST = 16  # trips of the innermost of the loops that become sums


def interchange_loops(graph: Graph, ranges: Ranges, layouts: tuple[str, ...], distinct_parameters: bool) -> bool:
    """Rewrite the nests of a graph; whether there was any."""
    nests = [nest for operation in graph.walk() if operation.name == "for_loop" and len(nest := nest_at(operation, ranges)) > 1]
    if not nests:
        return False
    facts = find_facts(graph, layouts, distinct_parameters)
    done: set[Operation] = set()
    for number, loops in enumerate(nests):
        reader = NestReader(loops)
        if done.isdisjoint(loops) and (shared := reader.read(facts)) is not None:
            LoopInterchange(shared, reader, ranges, number).emit()
            done.update(loops)
    return bool(done)


def nest_at(loop: Operation, ranges: Ranges) -> list[Operation]:
    """The nest that begins with a loop: in each loop there is only one, and numbers and elements besides."""
    found, inner = [], [loop]
    while len(inner) == 1 and inner[0].name == "for_loop" and is_bare(inner[0]) and ranges.affine(inner[0].operands[2]) in (1, -1):
        found.append(inner[0])
        inner = [operation for operation in inner[0].regions[0].operations if operation.regions]
    return found if not inner else []


@dataclass(frozen=True, slots=True)
class SharedNest:
    """A nest whose first `outer` loops add to elements that the others tell apart, and what the outer ones clear."""

    loops: list[Operation]
    outer: int
    sums: list[ElementSum]
    clears: list[Operation]


class NestReader:
    """Reads the operations of a nest and finds which of its loops may change places."""

    def __init__(self, loops: list[Operation]) -> None:
        self.loops = loops
        self.indices = [loop.regions[0].args[0] for loop in loops]
        self.trips = Trips(loops[0], self.indices[0], frozenset(self.indices[1:]))
        self.wraps: dict[Value, Form] = {}

    def read(self, facts: Facts) -> SharedNest | None:
        """The nest; None where something is not understood, or where no sum is shared by the outer loops."""
        operations = self.trips.operations
        if len(operations) > LONGEST or not all(map(self.is_plain, operations)):
            return None
        if not all(self.is_shared(bound) for loop in self.loops for bound in loop.operands):
            return None
        summed = find_commuting(self.trips)
        sums = [each for found in summed.values() for each in found]
        accesses = [operation for operation in operations if operation.name in ("load", "store")]
        if not all(each.store.block is self.loops[-1].regions[0] for each in sums) or not all(map(self.note_forms, accesses)):
            return None
        outer = next((count for count in map(self.shared_by, sums) if count), 0)
        parts = {part for each in sums for part in (each.load, each.store)}
        others = [operation for operation in accesses if operation not in parts]
        nest = SharedNest(self.loops, outer, sums, [operation for operation in others if operation.name == "store"])
        if not outer or not all(self.fits(each, outer) for each in sums) or not self.are_apart(nest, accesses, facts):
            return None
        reads = [operation for operation in others if operation.name == "load"]
        fine = all(self.moves_along(read, outer) for read in reads) and all(self.is_clear(store, nest, reads) for store in nest.clears)
        return nest if fine else None

    def is_plain(self, operation: Operation) -> bool:
        if operation.name in ("load", "store"):
            return bool(operation.attributes.get("proved")) and not operation.unwind
        return operation in self.loops or operation.name == "constant" or is_number(operation)

    def is_shared(self, value: Value) -> bool:
        """Whether a number is computed of what is outside of the nest."""
        owner = value.owner
        if not self.trips.is_inside(value):
            return True
        return isinstance(owner, Operation) and owner.name != "load" and all(map(self.is_shared, owner.operands))

    def note_forms(self, access: Operation) -> bool:
        """Whether all indices are sums, the outer loops' indices by one at a time; what may be wrapped is looked at before the loops."""
        for index in indices_of(access):
            number = self.unwrapped(index)
            form = self.trips.form_of(number)
            if form is None:
                return False
            if number is not index:
                self.wraps[number] = form
        return True

    def unwrapped(self, index: Value) -> Value:
        choice = index.owner
        found = wrapped_by(choice) if isinstance(choice, Operation) and choice.name == "where" else None
        return index if found is None else found

    def factors(self, index: Value) -> dict[int, int]:
        """How far an index moves with each loop that moves it."""
        form = self.trips.form_of(self.unwrapped(index))
        assert form is not None
        rest = dict(form.rest)
        numbers = [form.step, *(rest.get(each, 0) for each in self.indices[1:])]
        return {loop: factor for loop, factor in enumerate(numbers) if factor}

    def moving(self, access: Operation, outer: int) -> list[dict[int, int]]:
        """How far each index of an access moves with the outer loops."""
        found = (self.factors(index) for index in indices_of(access))
        return [{loop: factor for loop, factor in each.items() if loop < outer} for each in found]

    def shared_by(self, each: ElementSum) -> int:
        """How many of the outermost loops have no part in where a sum goes, if loops inside have."""
        loops = {loop for index in indices_of(each.store) for loop in self.factors(index)}
        return min(loops, default=0)

    def moves_along(self, access: Operation, outer: int) -> bool:
        """Whether the outer loops move an access by one element of one axis each, in their order, the last of them along the last axis."""
        moving = self.moving(access, outer)
        order = [loop for each in moving for loop in each]
        if any(len(each) > 1 or any(factor != 1 for factor in each.values()) for each in moving):
            return False
        return order == sorted(set(order)) and (outer - 1 not in order or outer - 1 in moving[-1])

    def fits(self, each: ElementSum, outer: int) -> bool:
        """Whether a sum is shared by all outer loops, which all move what it adds, or by none."""
        loops = [loop for found in self.moving(each.store, outer) for loop in found]
        if loops:
            return len(loops) == outer and self.moves_along(each.store, outer) and self.leaves(each.contribution) is not None
        leaves = self.leaves(each.contribution)
        return leaves is not None and {loop for leaf in leaves for found in self.moving(leaf, outer) for loop in found} == set(range(outer))

    def leaves(self, value: Value) -> list[Operation] | None:
        """The elements that a number is computed of; None where it is also computed of an index, or by more than arithmetic."""
        owner = value.owner
        if self.is_shared(value):
            return []
        if not isinstance(owner, Operation) or value.type == I64:
            return None
        if owner.name == "load":
            return [owner]
        found: list[Operation] = []
        for operand in owner.operands:
            leaves = self.leaves(operand) if isinstance(owner.opdef.kernel, Pointwise) else None
            if leaves is None:
                return None
            found += leaves
        return found

    def are_apart(self, nest: SharedNest, accesses: list[Operation], facts: Facts) -> bool:
        """Whether no array that is written is read or written under another name."""
        arrays = list(dict.fromkeys(access.operands[0] for access in accesses))
        written = {each.operands[0] for each in (*nest.clears, *(each.store for each in nest.sums))}
        if any(self.trips.is_inside(array) for array in arrays):
            return False
        return not any(facts.may_alias(array, other) for array in written for other in arrays if other is not array)

    def is_clear(self, store: Operation, nest: SharedNest, reads: list[Operation]) -> bool:
        """Whether each trip of the outer loops clears an element of its own, which it alone has read before."""
        block = nest.loops[nest.outer - 1].regions[0]
        loops = [loop for each in self.moving(store, nest.outer) for loop in each]
        if store.block is not block or not self.is_shared(store.operands[1]) or loops != list(range(nest.outer)):
            return False
        if not self.moves_along(store, nest.outer) or sum(other.operands[0] is store.operands[0] for other in nest.clears) > 1:
            return False
        order = block.operations.index
        return all(
            read.block is block and order(read) < order(store) and self.is_same_place(read, store)
            for read in reads
            if read.operands[0] is store.operands[0]
        )

    def is_same_place(self, read: Operation, store: Operation) -> bool:
        forms = [[self.trips.form_of(self.unwrapped(index)) for index in indices_of(access)] for access in (read, store)]
        return forms[0] == forms[1]


@dataclass(frozen=True, slots=True)
class Span:
    """The lowest index of a loop, the highest, and how many trips it makes."""

    low: Value
    high: Value
    trips: Value


class LoopInterchange(Appending):
    """Puts loops over elements, each of which gets one sum over the trips of other loops, in the place of a nest."""

    def __init__(self, nest: SharedNest, forms: NestReader, ranges: Ranges, number: int) -> None:
        self.nest, self.forms, self.ranges = nest, forms, ranges
        self.block, self.user_span = Block(), nest.loops[-1].span
        self.values: dict[Value, Value] = {}  # what stands for the numbers of the nest
        self.sizes: list[Size] = [atom(f"d:swap{number}.{loop}") for loop in range(nest.outer)]

    def emit(self) -> None:
        """The bounds, the question whether it is worth it, and both forms."""
        first = self.nest.loops[0]
        bounds = [[self.outside(bound) for bound in loop.operands[:3]] for loop in self.nest.loops]
        self.spans = [self.span(*each) for each in bounds]
        worth = self.is_worth_it()
        made, block = self.block, first.block
        assert block is not None
        self.block = swapped = Block()
        for index, span in zip(self.forms.indices[: self.nest.outer], self.spans):
            self.values[index] = span.low
        self.emit_loops(bounds[self.nest.outer :])
        for store in self.nest.clears:
            self.append("assign", self.part(store), self.outside(store.operands[1]))
        as_before = Block()
        position = block.operations.index(first)
        append(made, get("cond"), [worth], {"results": ()}, [swapped, as_before], first.span)
        block.operations[position : position + 1] = block.adopt(made.operations)
        as_before.operations = as_before.adopt([first])

    def span(self, start: Value, stop: Value, step: Value) -> Span:
        """What a loop runs over, upwards."""
        descends = self.ranges.affine(step) == -1
        low, behind = (self.plus(stop, 1), self.plus(start, 1)) if descends else (start, stop)
        return Span(low, self.plus(behind, -1), self.op("subtract", behind, low))

    def is_worth_it(self) -> Value:
        """Whether there are trips enough, and no index counts from the end of its axis."""
        worth = self.op("greater_equal", self.spans[self.nest.outer - 1].trips, self.integer(FEWEST))
        for span in self.spans[: self.nest.outer - 1]:
            worth = self.op("logical_and", worth, self.op("greater", span.trips, self.integer(0)))
        for index in self.forms.wraps:
            factors = self.forms.factors(index)
            ends = [span.low if factors.get(loop, 0) > 0 else span.high for loop, span in enumerate(self.spans)]
            lowest = self.number(index, dict(zip(self.forms.indices, ends)))
            worth = self.op("logical_and", worth, self.op("greater_equal", lowest, self.integer(0)))
        return worth

    def emit_loops(self, bounds: list[list[Value]]) -> None:
        """The loops over elements, and in them the sums."""
        if not bounds:
            for each in self.nest.sums:
                self.emit_sum(each)
            return
        around, self.block = self.block, Block()
        inside = self.block
        index = self.forms.indices[len(self.forms.indices) - len(bounds)]
        self.values[index] = inside.add_argument(I64, index.hint)
        self.emit_loops(bounds[1:])
        self.block = around
        append(around, get("for_loop"), bounds[0], {"results": (), "has_break": False}, [inside], self.nest.loops[0].span)

    def emit_sum(self, each: ElementSum) -> None:
        added = self.value(each.contribution, {})
        if any(self.forms.moving(each.store, self.nest.outer)):
            part = self.part(each.store)
            self.append("assign", part, self.sum_of(part, added))
            return
        total = self.op("reduce", added, op="sum", axes=tuple(range(self.nest.outer)), keepdims=False)
        array = each.store.operands[0]
        places = [self.number(self.forms.unwrapped(index), self.values) for index in indices_of(each.store)]
        element = self.op("load", array, *places, proved=True)
        self.append("store", array, self.sum_of(element, total), *places, proved=True)

    def sum_of(self, x: Value, y: Value) -> Value:
        total = self.append("add", x, y)
        total.contract = True
        return total.result

    def value(self, value: Value, done: dict[Value, Value]) -> Value:
        """A number of the trip, for all trips of the outer loops."""
        owner = value.owner
        if self.forms.is_shared(value):
            return self.outside(value)
        assert isinstance(owner, Operation)
        if value not in done and owner.name == "load":
            done[value] = self.part(owner)
        elif value not in done:
            made = self.append(owner.name, *(self.value(operand, done) for operand in owner.operands), **owner.attributes)
            made.contract = owner.contract
            done[value] = made.result
        return done[value]

    def part(self, access: Operation) -> Value:
        """What all trips of the outer loops access: a part of an array, with their axes from the first that moves it, or one number."""
        items: list[tuple[Any, ...]] = []
        numbers: list[Value] = []
        dims: list[Size] = []
        reached = None
        for index, moving in zip(indices_of(access), self.forms.moving(access, self.nest.outer)):
            first = self.number(self.forms.unwrapped(index), self.values)
            if not moving:
                items.append(("int",))
                numbers.append(first)
                continue
            (loop,) = moving
            missing = loop - reached - 1 if reached is not None else 0
            items += [("newaxis",)] * missing + [("slice", True, True, False)]
            numbers += [first, self.op("add", first, self.spans[loop].trips)]
            dims += [1] * missing + [self.sizes[loop]]
            reached = loop
        if reached is None:
            return self.op("load", access.operands[0], *numbers, proved=True)
        missing = self.nest.outer - 1 - reached
        items, dims = items + [("newaxis",)] * missing, dims + [1] * missing
        return self.op("basic_index", access.operands[0], *numbers, items=tuple(items), dims=tuple(dims), proved=True)

    def number(self, value: Value, indices: dict[Value, Value]) -> Value:
        """An integer of the nest, computed where the block is, with other numbers for the loops' indices."""
        owner = value.owner
        if value in indices:
            return indices[value]
        if self.forms.is_shared(value):
            return self.outside(value)
        assert isinstance(owner, Operation)
        return self.op(owner.name, *(self.number(operand, indices) for operand in owner.operands), **owner.attributes)

    def outside(self, value: Value) -> Value:
        """A number that all trips share, computed where the block is."""
        owner = value.owner
        if not isinstance(owner, Operation) or owner.block is None or not is_body_within(owner.block, self.nest.loops[0]):
            return value
        return self.op(owner.name, *map(self.outside, owner.operands), **owner.attributes)

    def plus(self, value: Value, number: int) -> Value:
        """A sum with a literal, itself a literal where that is known."""
        known = self.ranges.affine(value)
        return self.integer(known + number) if isinstance(known, int) else self.op("add", value, self.integer(number))


def is_body_within(block: Block, loop: Operation) -> bool:
    """Whether a block is the body of a loop, or in it."""
    inner: Block | None = block
    while inner is not None and inner is not loop.regions[0]:
        inner = inner.parent
    return inner is not None
