"""Rows of an array that a loop fills, one in each trip: how they are recognised, and how the array gets one row more."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Operation, Value, constant_of
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan

FEWEST_TRIPS = 3


def is_copy_to_row(operation: Operation) -> bool:
    """Whether an operation copies an array to a row of another one, whose number is proved to be in bounds."""
    if operation.name != "assign" or operation.unwind or not isinstance(operation.operands[1].type, ArrayType):
        return False
    row = operation.operands[0].owner
    return isinstance(row, Operation) and is_row(row) and row.result.type == operation.operands[1].type


def is_row(operation: Operation) -> bool:
    """Whether an operation is a view of one row of an array that `empty` makes, by numbers that are in bounds."""
    if operation.name != "basic_index" or not operation.attributes.get("proved"):
        return False
    kinds = [item[0] for item in operation.attributes["items"]]
    count, maker = len(operation.operands) - 1, operation.operands[0].owner
    is_made = isinstance(maker, Operation) and maker.name == "empty"
    return is_made and count > 0 and kinds == ["int"] * count + ["full"] * (len(kinds) - count)


def fills_rows(loop: Operation, copy: Operation, uses: Uses) -> bool:
    """Whether a loop copies to the first row in its first trip, to the next one in each trip, and does nothing else to them; and whether
    all others use the array by its rows. What tells the row is known when the trip begins."""
    (body,), row = loop.regions, copy.operands[0].owner
    assert isinstance(row, Operation)
    kept = row.operands[0].owner
    assert isinstance(kept, Operation)
    if row.block is not body or copy.block is not body or uses.users[row.result] != [copy] or row.result in uses.yielded:
        return False
    if any(isinstance(number.owner, Operation) and number.owner.block is body for number in row.operands):
        return False
    return counts_rows(loop, row) and not kept.unwind and has_rows_alone(kept, row, body, uses)


def counts_rows(loop: Operation, row: Operation) -> bool:
    """Whether a loop begins with the first row and goes on to the next one in each trip."""
    start, stop, step = (constant_of(bound) for bound in loop.operands[:3])
    if start != 0 or step != 1 or loop.attributes.get("has_break") or loop.regions[0].terminated:
        return False
    return row.operands[-1] is loop.regions[0].args[0] and (stop is None or int(stop) >= FEWEST_TRIPS)


def has_rows_alone(kept: Operation, own: Operation, body: Block, uses: Uses) -> bool:
    """Whether an array is used by its rows only, in a loop by one of them."""
    array, count = kept.result, len(own.operands)
    if array in uses.yielded or array in uses.unwound or is_inside(kept, body, uses):
        return False
    others = [user for user in uses.users.get(array, ()) if user is not own]
    return all(is_row(user) and len(user.operands) == count and not is_inside(user, body, uses) for user in others)


def is_inside(operation: Operation, body: Block, uses: Uses) -> bool:
    """Whether an operation stands in a block or in its regions."""
    block: Block = uses.places[operation][0]
    while block is not body and block in uses.around:
        block = uses.places[uses.around[block]][0]
    return block is body


class Rows:
    """Makes operations on the rows of the array that a loop fills; `row` is the view of the row of a trip."""

    def __init__(self, row: Operation, span: SourceSpan | None) -> None:
        self.row, self.span = row, span

    def op(self, block: Block, name: str, *operands: Value, **attributes: Any) -> Value:
        return append(block, get(name), list(operands), attributes, span=self.span).result

    def number(self, block: Block, value: int) -> Value:
        return self.op(block, "constant", value=np.int64(value))

    def assign(self, block: Block, target: Value, source: Value) -> None:
        append(block, get("assign"), [target, source], span=self.span)

    def at(self, block: Block, number: Value) -> Value:
        """The row of another trip."""
        array, *around = self.row.operands[:-1]
        return self.op(block, "basic_index", array, *around, number, **self.row.attributes)

    def following(self, block: Block) -> Value:
        """The row of the next trip."""
        return self.at(block, self.op(block, "add", self.row.operands[-1], self.number(block, 1)))

    def after(self, block: Block, loop: Operation) -> Value:
        """The row after that of the last trip."""
        return self.at(block, self.op(block, "maximum", loop.operands[1], self.number(block, 0)))

    def add_row(self) -> None:
        """Let the array have one row more."""
        kept, axis, made = self.row.operands[0].owner, len(self.row.operands) - 2, Block()
        assert isinstance(kept, Operation) and kept.block is not None and isinstance(kept.result.type, ArrayType)
        longer = self.op(made, "add", kept.operands[axis], self.number(made, 1))
        kept.operands = [*kept.operands[:axis], longer, *kept.operands[axis + 1 :]]
        dims = kept.result.type.dims
        dims = (*dims[:axis], dims[axis] + 1, *dims[axis + 1 :])
        kept.attributes = {**kept.attributes, "dims": dims}
        kept.result.type = ArrayType(kept.result.type.dtype, dims)
        place_before(kept, made)


def place_before(operation: Operation, made: Block) -> None:
    """Put operations in front of another one."""
    block = operation.block
    assert block is not None
    place = block.operations.index(operation)
    block.operations[place:place] = block.adopt(made.operations)


def place_after(operation: Operation, made: Block) -> None:
    """Put operations behind another one."""
    block = operation.block
    assert block is not None
    place = block.operations.index(operation) + 1
    block.operations[place:place] = block.adopt(made.operations)
