"""Gives what is assigned to all of a fresh array a name of its own, where nothing but the block itself sees the array.

Before::                                             After::

    %y: f64[n] = copy(%x)                                %y: f64[n] = copy(%x)
    %s: f64[n] = add(%y, %a)                             %s: f64[n] = add(%y, %a)
    assign(%y, %s)                                       %t: f64[n] = add(%s, %b)
    %t: f64[n] = add(%y, %b)                             yield %t
    assign(%y, %t)
    yield %y

The reverse sweep adds up the cotangents of an array that a loop carries like this. As values they fuse with what is added.

Requires: elementwise results of the array's own type, which nothing else uses; of arrays that leave the block, one axis, as the layout of
others would follow the operands.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.ownership import Uses, is_fresh
from autograph_jit.ir.types import ArrayType


def rename_assigned(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite every block."""
    assigns = [operation for operation in graph.walk() if operation.name == "assign" and is_fresh(operation.operands[0])]
    if not assigns:
        return
    uses = Uses(graph.block)
    found: dict[Block, set[Value]] = {}
    for assign in assigns:
        block, _ = uses.places[assign]
        array = assign.operands[0]
        if array not in found.get(block, ()) and is_private(array, block, uses):
            found.setdefault(block, set()).add(array)
    for block, arrays in found.items():
        rename_in_block(block, arrays)


def is_private(array: Value, block: Block, uses: Uses) -> bool:
    """Whether a block makes an array, and only reads it, assigns to all of it, and hands it on."""
    assert isinstance(array.type, ArrayType)
    handed_on = block.yields.count(array)
    if uses.places[array.owner][0] is not block or array in uses.unwound or uses.yielded.get(array, 0) != handed_on:  # type: ignore[index]
        return False
    if handed_on > 1 or (handed_on and array.type.rank != 1):
        return False
    return all(is_plain_use(user, array, block, uses) for user in uses.users[array])


def is_plain_use(user: Operation, array: Value, block: Block, uses: Uses) -> bool:
    """Whether an operation of the block reads an array, or assigns an elementwise result to all of it."""
    if uses.places[user][0] is not block or user.regions:
        return False
    if user.opdef.effect is not Effect.WRITE:
        return user.opdef.effect is Effect.PURE
    target, source = user.operands[0], user.operands[-1]
    maker = source.owner
    return (
        user.name == "assign"
        and target is array
        and source.type == array.type
        and not user.unwind
        and not user.attributes.get("in_any_order")
        and isinstance(maker, Operation)
        and isinstance(maker.opdef.kernel, Pointwise)
        and maker.block is block
        and uses.users[source] == [user]
        and source not in uses.yielded
        and source not in uses.unwound
    )


def rename_in_block(block: Block, arrays: set[Value]) -> None:
    """Let the last result that was assigned stand for each array."""
    names: dict[Value, Value] = {}
    kept = []
    for operation in block.operations:
        if operation.name == "assign" and operation.operands[0] in arrays:
            names[operation.operands[0]] = operation.operands[1]
            continue
        operation.operands = [names.get(value, value) for value in operation.operands]
        kept.append(operation)
    block.operations = kept
    block.yields = [names.get(value, value) for value in block.yields]
