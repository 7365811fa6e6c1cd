"""What the conditions around tell of a number that says which of several a value is."""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value, constant_of
from autograph_jit.tracing.values.trace import active


def numbers_left(tag: Value, count: int) -> list[int]:
    """Which of the numbers below `count` a tag may be here."""
    facts = active().facts.items()
    left = [index for index in range(count) if all(holds_where(condition, tag, index) is not (not holds) for condition, holds in facts)]
    return left or list(range(count))


def holds_where(condition: Value, tag: Value, index: int) -> bool | None:
    """Whether a condition holds where a tag is this number; None where that does not decide it."""
    owner = condition.owner
    if not isinstance(owner, Operation):
        return None
    if owner.name == "cond":
        place = owner.results.index(condition)
        answers = [constant_of(region.yields[place]) if place < len(region.yields) else None for region in owner.regions]
        found = holds_where(owner.operands[0], tag, index)
        return None if found is None or None in answers else bool(answers[not found])
    if owner.name not in ("equal", "logical_not", "logical_or"):
        return None
    if owner.name == "equal":
        number = constant_of(owner.operands[1]) if owner.operands[0] is tag else None
        return None if number is None else bool(number == index)
    sides = [holds_where(operand, tag, index) for operand in owner.operands]
    if owner.name == "logical_not":
        return None if sides[0] is None else not sides[0]
    return True if True in sides else None if None in sides else False
