"""Arrays of which only single columns are read are made column by column, so that each runs in the nest that reads it.

Before: u = p[t1] - p[t0]; area = u[:, 0] * v[:, 1] - ...          After: u0 = p[t1, 0] - p[t0, 0]; area = u0 * v1 - ...

Requires: every use is a view by a literal index along one axis of known length, and all that is done with the views is to read them.
Keeps: what is read, and the order in which operations fail, as each column is made where the array was.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.rotations import dims_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.elsewhere import choose
from autograph_jit.kernels.fusion import blocks_of, is_pointwise_array
from autograph_jit.kernels.side_by_side import column_of, is_inside
from autograph_jit.ops.registry import get

MOST = 16  # columns


def split_arrays(graph: Graph) -> bool:
    """Rewrite the graph; whether anything was split."""
    uses = Uses(graph.block)
    return sum(split_block(block, uses) for block in blocks_of(graph.block)) > 0


def split_block(block: Block, uses: Uses) -> bool:
    """Split the arrays of one block, the last first: what is read of one decides what is read of those that it is made of."""
    made: dict[Operation, Block] = {}
    gone: set[Operation] = set()
    for operation in reversed(block.operations):
        views = views_of(operation, uses)
        if not views:
            continue
        columns = make_columns(operation, views)
        if columns is None:
            continue
        made[operation], results = columns
        gone.update(views)
        replace_views(operation, views, results, uses)
        for new in made[operation].operations:
            for operand in new.operands:
                uses.users.setdefault(operand, []).append(new)
    if not made:
        return False
    remove(gone, uses)
    operations: list[Operation] = []
    for operation in block.operations:
        operations += block.adopt(made[operation].operations) if operation in made else [operation]
    block.operations = operations
    return True


def views_of(operation: Operation, uses: Uses) -> list[Operation]:
    """The views by which alone an array is read, if it can be split into what they select."""
    if not operation.results or not isinstance(operation.results[0].type, ArrayType) or operation.unwind:
        return []
    value = operation.results[0]
    if not (is_pointwise_array(operation) or operation.name == "gather") or value in uses.yielded or value in uses.unwound:
        return []
    views = uses.users.get(value, [])
    columns = [column_of(view.results[0]) if view.results else None for view in views]
    axes = {column[1] for column in columns if column is not None}
    if None in columns or len(axes) != 1 or not all(view.operands[0] is value and is_inside(view) for view in views):
        return []
    size = operation.results[0].type.dims[axes.pop()]
    is_short = isinstance(size, int) and size <= MOST
    return views if is_short and all(is_only_read(view.results[0], uses) for view in views) else []


def is_only_read(value: Value, uses: Uses) -> bool:
    """Whether nothing is written through an array, and nothing gets hold of it."""
    if value in uses.yielded or value in uses.unwound:
        return False
    return all(
        (user.opdef.effect is Effect.PURE and not user.regions)
        or (user.name == "assign" and user.operands[0] is not value)
        or (user.opdef.effect is Effect.VIEW and is_only_read(user.results[0], uses))
        for user in uses.users.get(value, ())
    )


def place_of(view: Operation) -> tuple[int, int]:
    """The axis and the index, counted from the front, of a column."""
    column = column_of(view.results[0])
    assert column is not None
    base, axis, place = column
    assert isinstance(base.type, ArrayType)
    size = base.type.dims[axis]
    assert isinstance(size, int)
    return axis, place % size


def make_columns(operation: Operation, views: list[Operation]) -> tuple[Block, dict[int, Value]] | None:
    """The operations that make the columns that are read, and the columns by index; None where an operand does not come apart."""
    here, results = Block(), {}
    for view in views:
        axis, place = place_of(view)
        if place in results:
            continue
        make = column_of_gather if operation.name == "gather" else column_of_pointwise
        try:
            column = make(here, operation, axis, place)
        except GraphError:
            return None
        if column is None or column.type != view.results[0].type:
            return None
        results[place] = column
    return here, results


def column_of_pointwise(here: Block, operation: Operation, axis: int, place: int) -> Value | None:
    """One column of an elementwise operation."""
    type = operation.results[0].type
    assert isinstance(type, ArrayType)
    operands = []
    for value in operation.operands:
        own = axis - type.rank + value.type.rank if isinstance(value.type, ArrayType) else -1
        if own < 0 or not isinstance(value.type, ArrayType):
            operands.append(value)
            continue
        size = value.type.dims[own]
        if not isinstance(size, int):
            return None
        operands.append(select(here, operation, value, own, place if size != 1 else 0))
    if not any(isinstance(value.type, ArrayType) and value.type.rank for value in operands):
        return None
    return append(here, operation.opdef, operands, operation.attributes, span=operation.span).result


def column_of_gather(here: Block, gather: Operation, axis: int, place: int) -> Value | None:
    """One column of the rows that a gather takes."""
    choice = choose(gather)
    own = next((whole for whole in choice.whole if choice.axis_of(whole) == axis), None)
    if own is None:
        return None
    source, *chosen = gather.operands
    items = [item for number, item in enumerate(gather.attributes["items"]) if number != own]
    indexed = [number for number, item in enumerate(items) if item[0] == "array"]
    was_adjacent = len({number - position for position, number in enumerate(indexed_axes(gather))}) == 1
    if (indexed != list(range(indexed[0], indexed[-1] + 1))) == was_adjacent:
        return None  # the axes of the index would stand elsewhere
    dims = tuple(size for number, size in enumerate(dims_of(gather.results[0])) if number != axis)
    column = select(here, gather, source, own, place)
    attributes = {**gather.attributes, "items": tuple(items), "dims": dims}
    return append(here, gather.opdef, [column, *chosen], attributes, span=gather.span).result


def indexed_axes(gather: Operation) -> list[int]:
    return [number for number, item in enumerate(gather.attributes["items"]) if item[0] == "array"]


def select(here: Block, operation: Operation, value: Value, axis: int, place: int) -> Value:
    """The view of an array that is its part at an index of one axis, which is known to be in bounds."""
    dims = dims_of(value)
    index = append(here, get("constant"), [], {"value": np.int64(place)}, span=operation.span).result
    items = tuple(("int",) if number == axis else ("full",) for number in range(len(dims)))
    attributes = {"items": items, "dims": (*dims[:axis], *dims[axis + 1 :]), "proved": True}
    return append(here, get("basic_index"), [value, index], attributes, span=operation.span).result


def replace_views(operation: Operation, views: list[Operation], results: dict[int, Value], uses: Uses) -> None:
    """Let what read the views read the columns, and forget the array."""
    for view in views:
        _, place = place_of(view)
        old, new = view.results[0], results[place]
        for user in uses.users.pop(old, []):
            user.operands = [new if operand is old else operand for operand in user.operands]
            uses.users.setdefault(new, []).append(user)
    for operand in operation.operands:
        uses.users[operand] = [user for user in uses.users[operand] if user is not operation]


def remove(views: set[Operation], uses: Uses) -> None:
    """Take views that nothing reads any more out of their blocks."""
    for block in {view.block for view in views if view.block is not None}:
        block.operations = [operation for operation in block.operations if operation not in views]
