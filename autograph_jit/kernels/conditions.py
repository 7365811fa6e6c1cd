"""What a condition says of integers where it is known to hold, as inequalities: `i < n` in a branch, `0 <= k < n` in a loop's test."""

from __future__ import annotations

from typing import Protocol

from autograph_jit.ir.dims import Size, combine
from autograph_jit.ir.graph import Operation, Value, constant_of
from autograph_jit.ir.types import I64

Facts = tuple[Size, ...]
OPPOSITES = {
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
    "equal": "not_equal",
    "not_equal": "equal",
}
CONJUNCTIONS, DISJUNCTIONS = ("logical_and", "bitwise_and"), ("logical_or", "bitwise_or")
DEEPEST = 4  # conditions inside conditions


class Forms(Protocol):
    """Gives the affine sum that a value surely is; `compared` has what comparisons were found to say, which holds for good."""

    compared: dict[tuple[str, Value, Value], Facts]

    def exact(self, value: Value, given: Facts = ()) -> Size | None: ...


def facts_of(forms: Forms, condition: Value, holds: bool, depth: int = 0) -> Facts:
    """Inequalities that are true where the condition is true, or where it is false."""
    operation = condition.owner
    if not isinstance(operation, Operation) or depth > DEEPEST:
        return ()
    name = operation.name
    if name in OPPOSITES:
        return compared(forms, name if holds else OPPOSITES[name], *operation.operands)
    if name == "logical_not":
        return facts_of(forms, operation.operands[0], not holds, depth + 1)
    if name in (CONJUNCTIONS if holds else DISJUNCTIONS):
        return tuple(fact for operand in operation.operands for fact in facts_of(forms, operand, holds, depth + 1))
    if name == "cond":
        return chosen_side(forms, operation, condition.index, holds, depth)
    return ()


def chosen_side(forms: Forms, branch: Operation, index: int, holds: bool, depth: int) -> Facts:
    """`a and b` is a branch whose other side yields False: where the whole is true, that side was not taken."""
    possible = [block for block in branch.regions if not block.terminated and constant_of(block.yields[index]) in (None, holds)]
    if len(possible) != 1:
        return ()
    (side,) = possible
    taken = facts_of(forms, branch.operands[0], side is branch.regions[0], depth + 1)
    return taken + facts_of(forms, side.yields[index], holds, depth + 1)


def compared(forms: Forms, name: str, x: Value, y: Value) -> Facts:
    """The inequalities of one comparison of integers."""
    if (name, x, y) in forms.compared:
        return forms.compared[name, x, y]
    if x.type != I64 or y.type != I64 or name == "not_equal":
        return ()
    left, right = forms.exact(x), forms.exact(y)
    if left is None or right is None:
        return ()
    if name in ("greater", "greater_equal"):
        left, right = right, left
    difference = combine(right, left, -1)
    facts: Facts = (combine(difference, 1, -1),) if name in ("less", "greater") else (difference,)
    if name == "equal":
        facts = difference, combine(0, difference, -1)
    forms.compared[name, x, y] = facts
    return facts
