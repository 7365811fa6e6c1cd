"""What the conditions around tell of a number that says which of several a value is."""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.tracing.values.trace import active


def numbers_left(tag: Value, count: int) -> list[int]:
    """Which of the numbers below `count` a tag may be here."""
    facts = active().facts.items()
    left = [index for index in range(count) if all(holds_where(condition, tag, index) is not (not holds) for condition, holds in facts)]
    return left or list(range(count))


def holds_where(condition: Value, tag: Value, index: int) -> bool | None:
    """Whether a condition holds where a tag is this number; None where that does not decide it."""
    owner = condition.owner
    if not isinstance(owner, Operation) or owner.name not in ("equal", "logical_not", "logical_or"):
        return None
    if owner.name == "equal":
        other = owner.operands[1].owner
        is_asked = owner.operands[0] is tag and isinstance(other, Operation) and other.name == "constant"
        return bool(other.attributes["value"] == index) if is_asked else None  # type: ignore[union-attr]
    sides = [holds_where(operand, tag, index) for operand in owner.operands]
    if owner.name == "logical_not":
        return None if sides[0] is None else not sides[0]
    return True if True in sides else None if None in sides else False
