"""Lists that are looked at where they stand: a list in a list needs no reference of its own while nobody takes it away, and the numbers of
a list are an array as they are while nobody changes them.

Before::                                     After::

    %row: list[f64] = list_get(%grid, %i)        %row: list[f64] = list_get(%grid, %i) {borrowed}
    %x: f64[n] = list_to_array(%row)             %x: f64[n] = list_to_array(%row) {borrowed}
    %sum: f64 = reduce(%x)                       %sum: f64 = reduce(%x)

Requires: the list is used in its block only, and up to its last use no item of a list of that type is replaced or removed. The array, too,
and what is computed of it: none of them is written or handed to Python, and up to their last use no list of that type changes.
"""

from __future__ import annotations

from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType, Type, inner_lists
from autograph_jit.kernels.escape import find_users, is_only_read
from autograph_jit.kernels.lifetimes import uses_within

TAKING_AWAY = ("list_set", "list_pop", "list_clear", "list_put", "list_keep", "list_shift")


def mark_borrowed(graph: Graph) -> None:
    """Mark what is borrowed in all blocks of a graph that looks at lists."""
    if any(is_row(operation) or operation.name == "list_to_array" for operation in graph.walk()):
        users, escaping = find_users(graph)
        mark_in(graph.block, {x for x in users if is_array_of_list(x) and is_only_read(x, users, escaping)})


def is_row(operation: Operation) -> bool:
    """Whether an operation takes a list out of a list and leaves it there."""
    return operation.name == "list_get" and isinstance(operation.result.type, ListType)


def is_array_of_list(x: Value) -> bool:
    """Whether a value is the numbers of a list as an array."""
    return isinstance(x.owner, Operation) and x.owner.name == "list_to_array"


def mark_in(block: Block, only_read: set[Value]) -> None:
    uses = [set(uses_within(operation)) for operation in block.operations]
    for index, operation in enumerate(block.operations):
        if is_row(operation) or operation.name == "list_to_array" and operation.result in only_read:
            last, type_ = last_use(block, uses, index), operation.operands[0].type
            disturbs = takes_away if is_row(operation) else changes
            if last is not None and not any(disturbs(each, type_) for each in block.operations[index + 1 : last + 1]):
                operation.attributes = {**operation.attributes, "borrowed": True}
        for region in operation.regions:
            mark_in(region, only_read)


def last_use(block: Block, uses: list[set[Value]], index: int) -> int | None:
    """Where a list, or the array of its numbers, is used last, or what is taken out of it, or an array that is computed of it, perhaps not
    before somebody reads it; None where the list leaves the block, or an array is written with it, which may wait for the next write."""
    made = block.operations[index].result
    lists, found, reached = {made}, {made}, index
    for position in range(index + 1, len(block.operations)):
        operation = block.operations[position]
        if not found.isdisjoint(uses[position]):
            reached = position
            if any(isinstance(target.type, ArrayType) for target in operation.written):
                return None
            found.update(result for result in operation.results if isinstance(result.type, ArrayType))
            if is_row(operation) and operation.operands[0] in lists:
                lists.add(operation.result)
                found.add(operation.result)
    return reached if lists.isdisjoint(block.yields) else None


def takes_away(operation: Operation, type_: Type) -> bool:
    """Whether an operation, or one in its regions, may remove an item of a list of this type."""
    changed = (target.type for each in with_inside(operation) if each.name in (*TAKING_AWAY, *CALLS) for target in each.written)
    return any(type_ in (found, *inner_lists(found)) for found in changed)


def changes(operation: Operation, type_: Type) -> bool:
    """Whether an operation, or one in its regions, may change a list of this type, or calls Python."""
    inside = with_inside(operation)
    changed = (target.type for each in inside for target in each.written)
    return any(each.opdef.effect is Effect.HOST for each in inside) or any(type_ in (found, *inner_lists(found)) for found in changed)


def with_inside(operation: Operation) -> list[Operation]:
    """An operation and those in its regions."""
    return [operation, *(each for region in operation.regions for each in walk_block(region))]
