"""Lists that are looked at where they stand: what is taken out of a list of lists needs no reference of its own while nobody takes it away.

Before::                                     After::

    %row: list[f64] = list_get(%grid, %i)        %row: list[f64] = list_get(%grid, %i) {borrowed}
    %x: f64 = list_get(%row, %j)                 %x: f64 = list_get(%row, %j)

Requires: the list is used in its block only, and up to its last use no item of a list of that type is replaced or removed.
"""

from __future__ import annotations

from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.types import ListType, Type, inner_lists
from autograph_jit.kernels.lifetimes import uses_within

TAKING_AWAY = ("list_set", "list_pop", "list_clear", "list_put", "list_keep", "list_shift")


def mark_borrowed(graph: Graph) -> None:
    """Mark what is borrowed in all blocks of a graph that holds lists of lists."""
    if any(is_row(operation) for operation in graph.walk()):
        mark_in(graph.block)


def is_row(operation: Operation) -> bool:
    """Whether an operation takes a list out of a list and leaves it there."""
    return operation.name == "list_get" and isinstance(operation.result.type, ListType)


def mark_in(block: Block) -> None:
    uses = [set(uses_within(operation)) for operation in block.operations]
    for index, operation in enumerate(block.operations):
        if is_row(operation):
            last, type_ = last_use(block, uses, index), operation.operands[0].type
            if last is not None and not any(takes_away(each, type_) for each in block.operations[index + 1 : last + 1]):
                operation.attributes = {**operation.attributes, "borrowed": True}
        for region in operation.regions:
            mark_in(region)


def last_use(block: Block, uses: list[set[Value]], index: int) -> int | None:
    """Where a list is used last, or one that is taken out of it; None where it leaves the block."""
    found, reached = {block.operations[index].result}, index
    for position in range(index + 1, len(block.operations)):
        if not found.isdisjoint(uses[position]):
            reached = position
            if is_row(block.operations[position]):
                found.add(block.operations[position].result)
    return reached if found.isdisjoint(block.yields) else None


def takes_away(operation: Operation, type_: Type) -> bool:
    """Whether an operation, or one in its regions, may remove an item of a list of this type."""
    inside = [operation, *(each for region in operation.regions for each in walk_block(region))]
    changed = (target.type for each in inside if each.name in (*TAKING_AWAY, *CALLS) for target in each.written)
    return any(type_ in (found, *inner_lists(found)) for found in changed)
