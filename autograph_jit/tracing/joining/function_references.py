"""Functions where paths meet: two that the program makes of one code are rows of a table, and so is what meets such a row."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.aliasing.references import function_type
from autograph_jit.tracing.aliasing.row_classes import may_be_rows
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.function_rows import function_class, is_function_row, is_made_of_code
from autograph_jit.tracing.values.choice_types import Choice
from autograph_jit.tracing.values.trace import Restart, active
from autograph_jit.tracing.values.types import Constant, Reference, ValueType


def as_function_row(x: ValueType, other: ValueType) -> ValueType:
    """The description of a function, or of one of several from outside, as that of a row where the other one is a row."""
    if not isinstance(other, Reference) or not all(map(is_function_row, other.kinds)):
        return x
    value = x.value if isinstance(x, Constant) else Chosen(None, x.alternatives) if isinstance(x, Choice) else None  # type: ignore[arg-type]
    return function_type(value) or x


def expect_function_rows(x: ValueType) -> None:
    """Trace again with the functions that a recursion gives back as rows: each call makes one."""
    options = (x.value,) if isinstance(x, Constant) else x.alternatives if isinstance(x, Choice) else ()
    kinds = [function_class(option, active()) for option in options]
    again = [kind for kind in kinds if kind is not None and is_made_of_code(kind) and may_be_rows(active(), kind)]
    if again := [kind for kind in again if kind not in active().aliasing.tables]:
        raise Restart(*(("rows", kind) for kind in again))
    for inner in x.inner:
        expect_function_rows(inner)


def no_function_rows(options: list[Any]) -> list[Any]:
    """The functions of a choice; trace again with those as rows of which two are made of one code, as each trip of a loop makes one."""
    kinds = [kind for kind in (function_class(option, active()) for option in options) if kind is not None]
    again = {kind for kind in kinds if kinds.count(kind) > 1 and may_be_rows(active(), kind) and kind not in active().aliasing.tables}
    if again:
        raise Restart(*(("rows", kind) for kind in again))
    return options
