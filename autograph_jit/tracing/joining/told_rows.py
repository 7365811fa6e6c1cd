"""Which of several things a value is: by a number beside its parts, or by the number of its row, where all else has none.

Before: a part that tells which, a number, and a row
After:  a number, and a row that is -1 where it is the number
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.tracing.aliasing.references import reference_type
from autograph_jit.tracing.sequences.dynamic import Dynamic, class_of_text
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.values.abstract import is_number_of
from autograph_jit.tracing.values.lift import is_number
from autograph_jit.tracing.values.nesting import class_of_row
from autograph_jit.tracing.values.trace import constant, emit
from autograph_jit.tracing.values.types import STORED, OneOf, Reference, Scalar

NO_ROW = np.int64(-1)


def place_among(x: OneOf, option: Any) -> int | None:
    """Which of the items a number, text, list, dict or tuple is; None of what the value is not here."""
    row = Reference((class_of_row(option),)) if isinstance(option, (Dynamic, tuple)) else STORED.get(class_of_text(option))
    kind = reference_type(option) or row
    fits = (lambda item: isinstance(item, Scalar)) if is_number(option) else (lambda item: item == kind)
    return next((place for place, item in enumerate(x.items) if fits(item)), None)


def chosen_of(x: OneOf, selector: Value | None, parts: list[Any]) -> Chosen:
    """The stand-in of one of several things; without a number that tells which, by its row."""
    if selector is None and len(parts) == 1:
        selector = constant(np.int64(0))
    elif selector is None:
        selector = emit("cast", emit("not_equal", parts[-1].value, constant(NO_ROW)).result, dtype=I64.dtype).result
    return Chosen(selector, tuple(parts))


def told_row(x: OneOf, selector: Value, places: set[int | None], row: Value) -> Value:
    """The row, or -1 where the value is something else."""
    last = len(x.items) - 1
    if places <= {last} or is_told_by(selector, row):
        return row
    return emit("where", is_number_of(selector, last).value, row, constant(NO_ROW)).result if last in places else constant(NO_ROW)


def is_told_by(selector: Value, row: Value) -> bool:
    """Whether a number was made of a row, see `chosen_of`."""
    owner = selector.owner
    inner = owner.operands[0].owner if isinstance(owner, Operation) and owner.name == "cast" else None
    return isinstance(inner, Operation) and inner.name == "not_equal" and inner.operands[0] is row
