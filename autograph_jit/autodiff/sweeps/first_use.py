"""Shadows without a pass of zeros: an array of zeros to which first of all a whole array is added starts as that array.

Before: `z = full(0); v = z[1:]; ...; t = z + c; z[...] = t`
After:  `...; z = copy(c); v = z[1:]`, or `z = c` itself where nothing else uses it
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ops import registry

Uses = dict[Value, int]


def start_with_first_sum(block: Block) -> None:
    """Rewrite a block and its regions."""
    uses: Uses = {}
    for operation in walk_block(block):
        for value in (*operation.operands, *operation.unwind, *(value for region in operation.regions for value in region.yields)):
            uses[value] = uses.get(value, 0) + 1
    for value in block.yields:
        uses[value] = uses.get(value, 0) + 1
    rewrite(block, uses)


def rewrite(block: Block, uses: Uses) -> None:
    for operation in [operation for operation in block.operations if is_zeros(operation)]:
        start(block, operation, uses)
    for operation in block.operations:
        for region in operation.regions:
            rewrite(region, uses)


def is_zeros(operation: Operation) -> bool:
    """Whether an operation makes an array of zeros."""
    owner = operation.operands[0].owner if operation.name == "full" else None
    return isinstance(owner, Operation) and owner.name == "constant" and not owner.attributes["value"]


def start(block: Block, zeros: Operation, uses: Uses) -> None:
    """Give an array of zeros the first array that is added to it, if that comes first."""
    target = zeros.result
    family, views = {target}, []
    position = block.operations.index(zeros)
    for place in range(position + 1, len(block.operations) - 1):
        operation = block.operations[place]
        if not touches(operation, family):
            continue
        if operation.opdef.effect is Effect.VIEW and operation.operands[0] in family:
            family.add(operation.result)
            views.append(operation)
            continue
        added = first_sum(operation, block.operations[place + 1], target, uses)
        if added is not None:
            replace(block, zeros, views, place, added, uses)
        return


def touches(operation: Operation, family: set[Value]) -> bool:
    """Whether an operation or one in its regions uses one of these arrays."""
    if any(operand in family for operand in (*operation.operands, *operation.unwind)):
        return True
    return any(
        any(value in family for value in region.yields) or any(touches(inner, family) for inner in region.operations)
        for region in operation.regions
    )


def first_sum(operation: Operation, following: Operation, target: Value, uses: Uses) -> Value | None:
    """What is added, where an operation and the next one are `t = target + added; target[...] = t`."""
    if operation.name != "add" or following.name != "assign" or following.operands != [target, operation.result]:
        return None
    x, y = operation.operands
    added = y if x is target else x
    if added is target or added.type != target.type or uses[operation.result] != 1:
        return None
    return added


def replace(block: Block, zeros: Operation, views: list[Operation], place: int, added: Value, uses: Uses) -> None:
    """Drop the zeros, the sum and the assignment; the views follow where the array now begins."""
    target, owner = zeros.result, added.owner
    moved: list[Operation] = list(views)
    if isinstance(owner, Operation) and owner.block is block and is_fresh(owner) and uses[added] == 1:
        owner.results = [target]
        target.owner, target.index = owner, 0
    else:
        made = Operation(registry.get("copy"), [added], {}, [], zeros.span)
        made.block, made.results = block, [target]
        target.owner, target.index = made, 0
        moved.insert(0, made)
    dropped = {zeros, block.operations[place], block.operations[place + 1], *views}
    before = [operation for operation in block.operations[:place] if operation not in dropped]
    block.operations = [*before, *moved, *block.operations[place + 2 :]]


def is_fresh(operation: Operation) -> bool:
    """Whether an operation makes memory of its own that it alone names."""
    return operation.opdef.effect is Effect.PURE and not operation.regions and len(operation.results) == 1 and operation.name != "full"
