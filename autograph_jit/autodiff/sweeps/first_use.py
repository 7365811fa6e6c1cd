"""Shadows without a pass of zeros: an array of zeros to which first of all a whole array is added starts as that array.

Before: `z = full(0); v = z[1:]; ...; t = z + c; z[...] = t`
After:  `...; z = copy(c); v = z[1:]`, or `z = c` itself where nothing else uses it

The same where the sum goes to another form of all of it, `r = reshape(z); ...; t = r + c; r[...] = t`: `z = reshape(c)`.
"""

from __future__ import annotations

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ops import registry

Uses = dict[Value, int]
WHOLE = ("reshape", "transpose")  # views of all elements


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
        start_sum(block, operation, uses)
    for operation in block.operations:
        for region in operation.regions:
            rewrite(region, uses)


def is_zeros(operation: Operation) -> bool:
    """Whether an operation makes an array of zeros."""
    return operation.name == "full" and constant_of(operation.operands[0]) == 0


def start_sum(block: Block, zeros: Operation, uses: Uses) -> None:
    """Give an array of zeros the first array that is added to it, if that comes first."""
    family, views = {zeros.result}, []
    position = block.operations.index(zeros)
    for place in range(position + 1, len(block.operations) - 1):
        operation = block.operations[place]
        if not touches(operation, family):
            continue
        if operation.opdef.effect is Effect.VIEW and operation.operands[0] in family:
            family.add(operation.result)
            views.append(operation)
            continue
        added = first_sum(operation, block.operations[place + 1], family, uses)
        steps = None if added is None else steps_to(zeros, block.operations[place + 1].operands[0])
        if added is not None and steps is not None:
            replace(block, zeros, views, place, added, steps, uses)
        return


def touches(operation: Operation, family: set[Value]) -> bool:
    """Whether an operation or one in its regions uses one of these arrays."""
    if any(operand in family for operand in (*operation.operands, *operation.unwind)):
        return True
    return any(
        any(value in family for value in region.yields) or any(touches(inner, family) for inner in region.operations)
        for region in operation.regions
    )


def first_sum(operation: Operation, following: Operation, family: set[Value], uses: Uses) -> Value | None:
    """What is added, where an operation and the next one are `t = target + added; target[...] = t` for one of these arrays."""
    if operation.name != "add" or following.name != "assign" or following.operands[1] is not operation.result:
        return None
    target, (x, y) = following.operands[0], operation.operands
    added = y if x is target else x
    if target not in family or target not in (x, y) or added is target or added.type != target.type or uses[operation.result] != 1:
        return None
    return added


def steps_to(zeros: Operation, target: Value) -> list[Operation] | None:
    """The views that lead from an array of zeros to another form of all of it; None where others do, or what may be a copy."""
    steps: list[Operation] = []
    while target is not zeros.result:
        step = target.owner
        if not isinstance(step, Operation) or step.name not in WHOLE:
            return None
        if step.name == "transpose" and any(later.name == "reshape" for later in steps):
            return None
        steps.insert(0, step)
        target = step.operands[0]
    return steps


def replace(block: Block, zeros: Operation, views: list[Operation], place: int, added: Value, steps: list[Operation], uses: Uses) -> None:
    """Drop the zeros, the sum and the assignment; the views follow where the array now begins."""
    owner, made, span = added.owner, Block(), zeros.span
    is_own = isinstance(owner, Operation) and owner.block is block and is_fresh(owner) and uses[added] == 1
    before, sizes = added, [zeros.operands[1:]]
    for step in steps[:-1]:
        sizes.append([sizes[-1][axis] for axis in step.attributes["perm"]] if step.name == "transpose" else step.operands[1:])
    for step, shape in zip(reversed(steps), reversed(sizes)):
        if step.name == "transpose":
            before = append(made, step.opdef, [before], {"perm": inverse_permutation(step.attributes["perm"])}, span=span).result
        if step.name == "transpose" or not is_own:
            before, is_own = append(made, registry.get("copy"), [before], span=span).result, True
        if step.name == "reshape":
            dims = step.operands[0].type.dims  # type: ignore[union-attr]
            before = append(made, step.opdef, [before, *shape], {"dims": dims}, span=span).result
    if not is_own:
        before = append(made, registry.get("copy"), [before], span=span).result
    (last, target), moved = (before.owner, zeros.result), block.adopt(made.operations)
    assert isinstance(last, Operation)
    last.results = [target]
    target.owner, target.index = last, 0
    dropped = {zeros, block.operations[place], block.operations[place + 1], *views}
    kept = [operation for operation in block.operations[:place] if operation not in dropped]
    block.operations = [*kept, *moved, *views, *block.operations[place + 2 :]]


def inverse_permutation(perm: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes another."""
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


def is_fresh(operation: Operation) -> bool:
    """Whether an operation makes memory of its own that it alone names."""
    return operation.opdef.effect is Effect.PURE and not operation.regions and len(operation.results) == 1 and operation.name != "full"
