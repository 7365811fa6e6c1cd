"""NotImplemented, where paths meet: what an operator's method gives on one of them decides which method Python asks next."""

from __future__ import annotations

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.trace import user_span
from autograph_jit.tracing.values.types import Constant, Optional, ValueType


def expect_answered(a: ValueType, b: ValueType) -> None:
    """Refuse where one of two paths gives NotImplemented, and the other a value: while tracing, Python would take the two for a value."""
    if is_unanswered(a) == is_unanswered(b) or any(isinstance(x, Constant) and type(x.value) is Undefined for x in (a, b)):
        return
    what, why = "the run decides whether this gives NotImplemented", "Python then asks another method"
    raise ConversionError(what, user_span(), why, "decide by the types of the operands, or raise TypeError")


def is_unanswered(x: ValueType) -> bool:
    """Whether a path gives NotImplemented, where it gives anything."""
    if isinstance(x, Optional) and type(x.absent) is Undefined:
        return is_unanswered(x.content)
    return isinstance(x, Constant) and x.value is NotImplemented
