"""Branches that compute the same: what both sides of a `cond` compute of numbers is computed once, before it.

Numbers whose Python type the data decides make such branches; without them their loops save less and run faster backwards.

Before: `r, k = cond(p)[a = x * y; yield a, 0][b = x * y; yield b, 1]`
After:  `a = x * y; k = cond(p)[yield 0][yield 1]`, and `a` for `r`
"""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Block, Operation, Value, resolve
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType

Names = dict[Value, Value]


def merge_branches(block: Block, renamed: Names | None = None) -> Names:
    """Merge in a block and in its regions, the inner ones first; what the removed values are now."""
    renamed = {} if renamed is None else renamed
    operations, block.operations = block.operations, []
    for operation in operations:
        rename_uses(operation, renamed)
        for region in operation.regions:
            merge_branches(region, renamed)
        if operation.name == "cond" and not any(region.terminated for region in operation.regions):
            merge(operation, block, renamed)
        block.operations.append(operation)
    block.yields = [resolve(value, renamed) for value in block.yields]
    return renamed


def rename_uses(operation: Operation, renamed: Names) -> None:
    operation.operands = [resolve(operand, renamed) for operand in operation.operands]
    operation.unwind = [resolve(value, renamed) for value in operation.unwind]


def merge(operation: Operation, block: Block, renamed: Names) -> None:
    """Move what both regions compute in front of a `cond`, and drop the results that are the same on both sides."""
    first, second = operation.regions
    known = {key_of(found): found for found in second.operations if is_movable(found, second)}
    users = users_of(second)
    moved: set[Operation] = set()
    for found in first.operations:
        twin = known.pop(key_of(found), None) if known and is_movable(found, first) else None
        if twin is None:
            continue
        moved.update((found, twin))
        found.block = twin.block = block
        block.operations.append(found)
        renamed.update(zip(twin.results, found.results))
        for user in dict.fromkeys(user for result in twin.results for user in users.get(result, ())):
            rename_uses(user, renamed)
            if user not in moved and is_movable(user, second):
                known[key_of(user)] = user
    if moved:
        for region in (first, second):
            region.operations = [other for other in region.operations if other not in moved]
        for other in second.operations:
            rename_all(other, renamed)
        second.yields = [resolve(value, renamed) for value in second.yields]
    drop_equal_results(operation, renamed)


def users_of(region: Block) -> dict[Value, list[Operation]]:
    """The operations of a region, without those of regions inside it, by what they use."""
    users: dict[Value, list[Operation]] = {}
    for operation in region.operations:
        for operand in operation.operands:
            users.setdefault(operand, []).append(operation)
    return users


def rename_all(operation: Operation, renamed: Names) -> None:
    rename_uses(operation, renamed)
    for region in operation.regions:
        for inner in region.operations:
            rename_all(inner, renamed)
        region.yields = [resolve(value, renamed) for value in region.yields]


def rename_block(block: Block, renamed: Names) -> None:
    """Give the uses of removed values their new names, in a block and in its regions."""
    for operation in block.operations:
        rename_all(operation, renamed)
    block.yields = [resolve(value, renamed) for value in block.yields]


def is_movable(operation: Operation, region: Block) -> bool:
    """Whether an operation computes numbers of numbers from outside its region, without failing."""
    if operation.regions or operation.opdef.effect is not Effect.PURE or operation.can_fail:
        return False
    values = [*operation.operands, *operation.results]
    return all(isinstance(value.type, ScalarType) for value in values) and not any(
        value.owner is region or (isinstance(value.owner, Operation) and value.owner.block is region) for value in operation.operands
    )


def key_of(operation: Operation) -> Any:
    """Equal for operations that compute the same."""
    attributes = [(name, value.tobytes() if hasattr(value, "tobytes") else value) for name, value in sorted(operation.attributes.items())]
    return operation.name, tuple(operation.operands), tuple(result.type for result in operation.results), repr(attributes)


def drop_equal_results(operation: Operation, renamed: Names) -> None:
    """Results that both regions yield from outside, the same value, are that value."""
    first, second = operation.regions
    kept = []
    for index, result in enumerate(operation.results):
        value = first.yields[index]
        if value is second.yields[index] and not is_inside(value, operation):
            renamed[result] = value
        else:
            kept.append(index)
    if len(kept) == len(operation.results):
        return
    for region in (first, second):
        region.yields = [region.yields[index] for index in kept]
    operation.results = [operation.results[index] for index in kept]
    for index, result in enumerate(operation.results):
        result.index = index
    operation.attributes = {**operation.attributes, "results": tuple(result.type for result in operation.results)}


def is_inside(value: Value, operation: Operation) -> bool:
    """Whether a value is made in a region of an operation."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.block
    return home in operation.regions
