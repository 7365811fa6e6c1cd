"""Puts loops over elements, each of which gets one sum over the trips of other loops, in the place of a nest (`kernels.interchange`)."""

from __future__ import annotations

from typing import Any, Protocol

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.kernels.appending import Appending
from autograph_jit.kernels.commuting import ElementSum
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.trips import Form, indices_of
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

FEWEST = 16  # trips of the innermost of the loops that become sums


@dataclass(frozen=True, slots=True)
class SharedNest:
    """A nest whose first `outer` loops add to elements that the others tell apart, and what the outer ones clear."""

    loops: list[Operation]
    outer: int
    sums: list[ElementSum]
    clears: list[Operation]


class Forms(Protocol):
    """What the reader of the nest knows of indices."""

    wraps: dict[Value, Form]
    indices: list[Value]

    def factors(self, index: Value) -> dict[int, int]: ...
    def moving(self, access: Operation, outer: int) -> list[dict[int, int]]: ...
    def unwrapped(self, index: Value) -> Value: ...
    def is_shared(self, value: Value) -> bool: ...


@dataclass(frozen=True, slots=True)
class Span:
    """The lowest index of a loop, the highest, and how many trips it makes."""

    low: Value
    high: Value
    trips: Value


class Interchanged(Appending):
    """Builds the statements."""

    def __init__(self, nest: SharedNest, forms: Forms, ranges: Ranges, number: int) -> None:
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
