"""Loops over the columns of arrays as operations on all columns at once: memory is read along its rows.

Before:: for_loop(%j0, %j1, 1) do (%j) {             After::  %w = a[k:, j0:j1]
             %c = a[k:, j]                                    %d = matmul(%v, %w)
             %d = matmul(%v, %c)                              assign(%w, %w - %d * %v[:, None])
             assign(%c, %c - %d * %v)
         }

Requires: trips are independent, since each reads and writes its own column of arrays whose columns lie apart, and otherwise reads what
nothing in the loop writes; nothing can fail; no array is made that a consumer would not take into its nest. The sum of a product of
vectors is added up row by row then, as `v @ a` is; other sums of floats stay as they are.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.dims import Dim, atom
from autograph_jit.ir.graph import Block, Graph, Operation, Value, literal_of
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.appending import Appending
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import array_dims, blocks_of
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.records import dataclass


def join_columns(graph: Graph, facts: Facts, ranges: Ranges) -> bool:
    """Replace such loops; whether there were any. What is known of the graph's values holds no more then."""
    joined = 0
    for block in blocks_of(graph.block):
        operations: list[Operation] = []
        for operation in block.operations:
            columns = columns_of(operation, facts, ranges)
            if columns is None:
                operations.append(operation)
                continue
            joined += 1
            operations += block.adopt(Joining(columns, operation, atom(f"d:columns({joined})")).operations)
        block.operations = operations
    return joined > 0


@dataclass(slots=True)
class Columns:
    """What a loop does: views of one column each, in the order of the body, and the arrays that they are columns of."""

    views: set[Operation] = field(default_factory=set)
    arrays: set[Value] = field(default_factory=set)
    written: set[Value] = field(default_factory=set)
    varying: set[Value] = field(default_factory=set)  # results that differ from trip to trip


def columns_of(loop: Operation, facts: Facts, ranges: Ranges) -> Columns | None:
    """The columns that a loop works on; None where it is not such a loop."""
    if loop.name != "for_loop" or loop.results or loop.attributes.get("has_break") or literal_of(loop.operands[2]) != 1:
        return None
    (body,) = loop.regions
    if body.terminated or len(body.args) != 1 or loop.unwind:
        return None
    columns = Columns(varying={body.args[0]})
    if not all(takes(operation, body, columns, facts, ranges) for operation in body.operations):
        return None
    return columns if columns.written and are_apart(body, columns, facts) and are_taken_in(body, columns) else None


def takes(operation: Operation, body: Block, columns: Columns, facts: Facts, ranges: Ranges) -> bool:
    """Whether an operation is one that all columns can have at once; notes what it does."""
    if operation.unwind:
        return False
    if operation.name == "basic_index":
        if body.args[0] in operation.operands:
            return is_column(operation, body.args[0], columns, facts, ranges)
        return is_surely_there(operation, ranges) and not any(value in columns.varying for value in operation.operands)
    if body.args[0] in operation.operands or operation.regions:
        return False
    varies = [value for value in operation.operands if value in columns.varying]
    if operation.name == "assign":
        target, source = operation.operands
        if target.owner not in columns.views or array_dims(source) not in ((), array_dims(target)):
            return False
        assert isinstance(target.owner, Operation)
        columns.written.add(target.owner.operands[0])
        return True
    if operation.name == "matmul":
        vectors = all(isinstance(value.type, ArrayType) and value.type.rank == 1 for value in operation.operands)
        if not vectors or operation.can_fail or len(varies) != 1 or varies[0].owner not in columns.views:
            return False
    elif operation.name != "constant" and (not isinstance(operation.opdef.kernel, Pointwise) or operation.can_fail):
        return False
    if varies:
        columns.varying.update(operation.results)
    return True


def is_column(operation: Operation, index: Value, columns: Columns, facts: Facts, ranges: Ranges) -> bool:
    """Whether a view is the column of the trip's number, surely there, of an array whose columns do not overlap."""
    array, *numbers = operation.operands
    items = operation.attributes["items"]
    if items[-1] != ("int",) or numbers[-1] is not index or any(value in columns.varying for value in (array, *numbers[:-1])):
        return False
    kinds_fit = all(item[0] in ("full", "slice") and not any(item[3:]) for item in items[:-1])
    if not kinds_fit or len(items) < 2 or not facts.is_contiguous(array) or not is_surely_there(operation, ranges):
        return False
    columns.views.add(operation)
    columns.arrays.add(array)
    columns.varying.add(operation.result)
    return True


def is_surely_there(view: Operation, ranges: Ranges) -> bool:
    """Whether a view cannot fail: its numbers are in bounds, its slices have no steps."""
    if not view.can_fail:
        return True
    axes, numbers = iter(array_dims(view.operands[0])), iter(view.operands[1:])
    for kind, *present in view.attributes["items"]:
        size = None if kind == "newaxis" else next(axes)
        if kind == "slice" and present[2]:
            return False
        given = [next(numbers) for there in (present if kind == "slice" else [kind == "int"]) if there]
        if kind == "int" and not all(ranges.is_index(given[0], size, view)):  # type: ignore[arg-type]
            return False
    return True


def are_apart(body: Block, columns: Columns, facts: Facts) -> bool:
    """Whether what the loop writes is read as the column of the same trip only."""
    for operation in body.operations:
        for value in operation.operands:
            if not isinstance(value.type, ArrayType):
                continue
            column = value.owner if value.owner in columns.views else operation if operation in columns.views else None
            base = column.operands[0] if isinstance(column, Operation) else value
            if any(base is not array and facts.may_alias(base, array) for array in columns.written):
                return False
            if base in columns.written and column is None and value not in columns.varying:
                return False
    return True


def are_taken_in(body: Block, columns: Columns) -> bool:
    """Whether each array that a trip makes has one reader, in whose nest it is computed."""
    readers: dict[Value, list[Operation]] = {}
    for operation in body.operations:
        for value in operation.operands:
            readers.setdefault(value, []).append(operation)
    for operation in body.operations:
        for result in operation.results if operation.name != "basic_index" else ():
            found = readers.get(result, [])
            if isinstance(result.type, ArrayType) and (len(found) != 1 or found[0].name == "matmul"):
                return False
    return True


class Joining(Appending):
    """The operations on all columns of one loop."""

    def __init__(self, columns: Columns, loop: Operation, count: Dim) -> None:
        self.columns, self.count, self.user_span = columns, count, loop.span
        self.block = Block()
        self.new: dict[Value, Value] = {}
        self.standing: dict[Value, Value] = {}
        self.first, stop = loop.operands[:2]
        zero = self.op("constant", value=stop.type.dtype.type(0))  # type: ignore[union-attr]
        trips = self.op("maximum", self.op("subtract", stop, self.first), zero)
        self.last = self.op("add", self.first, trips)  # behind the first where there are no trips, whatever the signs
        for operation in loop.regions[0].operations:
            self.join(operation)

    @property
    def operations(self) -> list[Operation]:
        return self.block.operations

    def join(self, operation: Operation) -> None:
        self.user_span = operation.span
        if operation in self.columns.views:
            self.new[operation.result] = self.view(operation)
        elif operation.name == "assign":
            self.append("assign", *map(self.aligned, operation.operands))
        elif not any(value in self.columns.varying for value in operation.results):
            operands = [self.new.get(value, value) for value in operation.operands]
            self.new[operation.result] = self.op(operation.name, *operands, **operation.attributes)
        elif operation.name == "matmul":
            vector, column = sorted(operation.operands, key=lambda value: value in self.columns.varying)
            self.new[operation.result] = self.op("matmul", self.new.get(vector, vector), self.new[column])
        else:
            self.new[operation.result] = self.op(operation.name, *map(self.aligned, operation.operands), **operation.attributes)

    def view(self, operation: Operation) -> Value:
        """All columns of the loop, where a trip has one."""
        array, *numbers = operation.operands
        items = (*operation.attributes["items"][:-1], ("slice", True, True, False))
        dims = (*array_dims(operation.result), self.count)
        before = [self.new.get(value, value) for value in (array, *numbers[:-1])]
        return self.op("basic_index", *before, self.first, self.last, items=items, dims=dims)

    def aligned(self, value: Value) -> Value:
        """A value whose axes stand before the axis of columns."""
        here = self.new.get(value, value)
        if value in self.columns.varying or isinstance(value.type, ScalarType):
            return here
        if here not in self.standing:
            items = (*[("full",)] * len(array_dims(here)), ("newaxis",))
            self.standing[here] = self.op("basic_index", here, items=items, dims=(*array_dims(here), 1))
        return self.standing[here]
