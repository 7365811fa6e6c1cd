"""Operands that may be None: Python's error names the type of the other one, which the path may decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.values.abstract import Maybe, StagedObject, StagedScalar, Undecided, check, content_of
from autograph_jit.tracing.values.trace import active, constant, emit


def present_operands(apply: Callable[[Any, Any], Any], x: Any, y: Any) -> tuple[Any, Any]:
    """The operands of an operator that takes no None, without the possibility that one is None: the run ends there."""
    if isinstance(x, Maybe):
        x = present(x, y, lambda other: text_with_stand_ins(apply, None, other))
    if isinstance(y, Maybe):
        y = present(y, x, lambda other: text_with_stand_ins(apply, other, None))
    return x, y


def present(x: Maybe, other: Any, text: Callable[[Any], str]) -> Any:
    """The content of an operand; where it is None, the error for what the other one is. Beside an object of Python's, an object."""
    if isinstance(x.absent, Undefined) or active().facts.get(x.present.value):
        return content_of(x)
    if isinstance(other, StagedObject):
        return host_object(lambda value: value, x, label="box", pure=True, fails=False)
    *before, (_, last) = cases_of(other)
    for holds, case in before:
        is_other = emit("logical_not", holds).result
        check(emit("logical_or", x.present.value, is_other).result, TypeError, text(case).replace("{", "{{").replace("}", "}}"))
    return content_of(x, TypeError, text(last))


def cases_of(x: Any) -> Iterator[tuple[Value, Any]]:
    """What a value may be, each with the condition under which it is that; of the last one the condition is not needed."""
    for holds, value in x.__cases__() if isinstance(x, Undecided) else [(lambda: StagedScalar(constant(np.bool_(True)), True), lambda: x)]:
        case = value()
        if isinstance(case, Undecided):
            yield from cases_of(case)
        elif not isinstance(case, Undefined):
            yield holds().value, case
