"""Writes what a loop over windows does for all places at once, beside the loop as it is (`kernels.sliding`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.rotations import dims_of
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.appending import Appending
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

FEWEST = 16  # places
LONGEST = 64  # elements of a window: the sum of a longer one fills vectors by itself


@dataclass(slots=True)
class Sliding:
    """What a loop over places does. `moving` are the integers that grow by one from trip to trip, `varying` other results that differ."""

    moving: set[Value]
    varying: set[Value] = field(default_factory=set)
    windows: list[Operation] = field(default_factory=list)
    elements: list[Operation] = field(default_factory=list)  # loads and stores
    folds: list[Operation] = field(default_factory=list)


def write_at_once(loop: Operation, sliding: Sliding, number: int) -> None:
    """Put a choice between both forms in the place of the loop."""
    SlidLoop(loop, sliding, atom(f"d:slid({number})")).write()


class SlidLoop(Appending):
    """The two forms of one loop. `first` holds what the integers of a trip are in the first one."""

    def __init__(self, loop: Operation, sliding: Sliding, count: Size) -> None:
        self.loop, self.sliding, self.count = loop, sliding, count
        self.moving, self.varying = sliding.moving, sliding.varying
        (self.body,) = loop.regions
        self.block, self.user_span = Block(), loop.span
        self.first: dict[Value, Value] = {self.body.args[0]: loop.operands[0]}
        self.new: dict[Value, Value] = {}
        self.standing: dict[Value, Value] = {}

    def write(self) -> None:
        block = self.loop.block
        assert block is not None
        self.trips = self.op("subtract", self.loop.operands[1], self.loop.operands[0])
        self.views = {window: self.view(window) for window in self.sliding.windows}
        good = self.op("greater_equal", self.trips, self.integer(FEWEST))
        for condition in (*self.window_conditions(), *self.element_conditions()):
            good = self.op("logical_and", good, condition)
        made, self.block = self.block, Block()
        for operation in self.body.operations:
            self.join(operation)
        as_before = Block()
        append(made, get("cond"), [good], {"results": ()}, [self.block, as_before], self.loop.span)
        position = block.operations.index(self.loop)
        block.operations[position : position + 1] = block.adopt(made.operations)
        as_before.operations = as_before.adopt([self.loop])

    def size(self, array: Value, axis: int) -> Value:
        return self.op("dim", array, axis=axis)

    def at_first(self, number: Value) -> Value:
        """An integer as it is in the first trip."""
        maker = number.owner
        if number not in self.first:
            if not isinstance(maker, Operation) or maker.block is not self.body:
                return number
            self.first[number] = self.op(maker.name, *map(self.at_first, maker.operands), **maker.attributes)
        return self.first[number]

    def view(self, window: Operation) -> Value:
        """The window of the first trip."""
        array, *bounds = window.operands
        dims = dims_of(window.result)
        return self.op("basic_index", array, *map(self.at_first, bounds), items=window.attributes["items"], dims=dims)

    def window_conditions(self) -> Iterable[Value]:
        """That windows are in bounds at all places, neither empty nor long."""
        for window in self.sliding.windows:
            array, *bounds = window.operands
            low, high = map(self.at_first, bounds)
            behind = self.op("subtract", self.op("add", high, self.trips), self.integer(1))
            yield self.op("greater_equal", low, self.integer(0))
            yield self.op("greater", high, low)
            yield self.op("less_equal", behind, self.size(array, 0))
            yield self.op("less_equal", self.op("subtract", high, low), self.integer(LONGEST))

    def element_conditions(self) -> Iterable[Value]:
        """That elements are in bounds at all places, with no index from the end of its axis."""
        for access in self.sliding.elements:
            for axis, index in enumerate(self.indices_of(access)):
                first = self.at_first(index)
                last = self.op("add", first, self.trips if index in self.moving else self.integer(1))
                yield self.op("greater_equal", first, self.integer(0))
                yield self.op("less_equal", last, self.size(access.operands[0], axis))

    def indices_of(self, access: Operation) -> list[Value]:
        return access.operands[2 if access.name == "store" else 1 :]

    def join(self, operation: Operation) -> None:
        """Emit what all trips do of one operation."""
        self.user_span = operation.span
        if operation in self.views:
            self.new[operation.result] = self.windows(operation)
        elif operation.name in ("load", "store"):
            self.join_element(operation)
        elif operation.name in ("reduce", "matmul") and operation.result in self.varying:
            self.new[operation.result] = self.fold(operation)
        elif operation.name == "check":
            condition, *payload = (self.new.get(value, value) for value in operation.operands)
            self.append("check", condition, *payload, **operation.attributes)
        elif operation.result in self.varying:
            self.new[operation.result] = self.op(operation.name, *map(self.aligned, operation.operands), **operation.attributes)
        elif operation.result not in self.moving:
            operands = [self.new.get(value, value) for value in operation.operands]
            self.new[operation.result] = self.op(operation.name, *operands, **operation.attributes)

    def windows(self, window: Operation) -> Value:
        """The windows of all places, side by side along a second axis."""
        view = self.views[window]
        type = view.type
        assert isinstance(type, ArrayType)
        step = self.integer(type.dtype.itemsize)
        return self.op("as_strided", view, self.size(view, 0), self.trips, step, step, dims=(*type.dims, self.count))

    def join_element(self, access: Operation) -> None:
        """What all trips load or store: a slice."""
        indices = self.indices_of(access)
        items = tuple(("slice", True, True, False) if index in self.moving else ("int",) for index in indices)
        bounds: list[Value] = []
        for index in indices:
            first = self.at_first(index)
            bounds += [first, self.op("add", first, self.trips)] if index in self.moving else [first]
        view = self.op("basic_index", access.operands[0], *bounds, items=items, dims=(self.count,))
        if access.name == "load":
            self.new[access.result] = self.op("copy", view)
        else:
            value = self.new.get(access.operands[1], access.operands[1])
            self.append("assign", view, value)

    def fold(self, operation: Operation) -> Value:
        """The fold of each window."""
        op = operation.attributes.get("op", "sum")
        parts = [self.aligned(value) for value in operation.operands]
        windows = self.op("multiply", *parts) if operation.name == "matmul" else parts[0]
        return self.op("reduce", windows, op=op, axes=(0,), keepdims=False, in_pairs=True)

    def aligned(self, value: Value) -> Value:
        """A value whose axes stand before that of the places."""
        here = self.new.get(value, value)
        if value in self.varying or isinstance(value.type, ScalarType):
            return here
        if here not in self.standing:
            dims = dims_of(here)
            items = (*[("full",)] * len(dims), ("newaxis",))
            self.standing[here] = self.op("basic_index", here, items=items, dims=(*dims, 1))
        return self.standing[here]


