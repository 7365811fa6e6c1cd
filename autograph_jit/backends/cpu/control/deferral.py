"""Checks that wait for a branch: what a branch's condition implies need not be checked on the side where it holds.

    k = int(x)                      k = what the processor converts x to; the lowest number where x does not fit
    if 0 <= k < n: a                if 0 <= k < n: a                      no check: the lowest number is not among these
    else: b                         else: fail if k is the lowest; b

Between the two there may be nothing that fails, has an effect or works on arrays. A check with only comparisons between it and the next
one waits for that, and both are one jump; which of them failed is found out where one did.
"""

from __future__ import annotations

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.conditions import facts_of

COMPARISONS = frozenset({"constant", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "bitwise_and"})
FARTHEST = 8  # operations between the check and the branch


def branch_that_implies(e: Emitter, operation: Operation) -> Operation | None:
    """The branch or check behind an operation whose condition can only be true where the operation's result is not negative."""
    block, position = e.ranges.places[operation]
    for following in block.operations[position + 1 : position + 1 + FARTHEST]:
        if following.name in ("cond", "check") and is_implied(e, operation.result, following.operands[0]):
            return following
        if not is_calm(following):
            return None
    return None


def next_check(e: Emitter, check: Operation) -> Operation | None:
    """The check behind another one, if there are only comparisons between them."""
    if check not in e.ranges.places:
        return None
    block, position = e.ranges.places[check]
    for following in block.operations[position + 1 : position + 1 + FARTHEST]:
        if following.name == "check":
            return following
        if following.name not in COMPARISONS or not has_numbers_only(following):
            return None
    return None


def is_implied(e: Emitter, value: Value, condition: Value) -> bool:
    """Whether the condition, all of it, is decided in the block that it is used in and shows that the value is not negative."""
    return e.ranges.known.is_nonnegative(e.ranges.affine(value), facts_of(e.ranges, condition, True)) and is_whole(condition, value)


def is_whole(condition: Value, value: Value) -> bool:
    """Whether no longer condition is made of this one: `0 <= k` in `0 <= k < n` has its own branch."""
    block = value.owner.block if isinstance(value.owner, Operation) else None
    return block is None or not any(
        operation.name == "cond" and operation.operands[0] is condition and bool(operation.results) for operation in block.operations
    )


def is_calm(operation: Operation) -> bool:
    """Whether an operation, its regions included, only computes numbers and cannot fail."""
    if operation.name == "cond":
        return all(is_calm_block(region) for region in operation.regions) and has_numbers_only(operation)
    return operation.opdef.effect is Effect.PURE and not operation.regions and not operation.can_fail and has_numbers_only(operation)


def is_calm_block(block: Block) -> bool:
    return not block.terminated and all(is_calm(operation) for operation in block.operations)


def has_numbers_only(operation: Operation) -> bool:
    return all(isinstance(value.type, ScalarType) for value in (*operation.operands, *operation.results))
