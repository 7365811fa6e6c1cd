"""Python's builtin `sum` of stand-ins: from Python 3.12 on it keeps the errors of its additions of floats, and adds them in the end.

Which numbers it does so for is asked of the running Python: floats since 3.12, ints among them and complex numbers since 3.14. What it
does is A. Neumaier's summation (ZAMM 54, 1974): the error of each addition is exact, unless something overflows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.loops import for_stmt
from autograph_jit.tracing.expressions.register import builtin, for_c
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar, TaggedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.lift import cast, dtype_of, is_number, is_weak, lift_number, scalar
from autograph_jit.tracing.values.trace import constant, emit

FLOAT = np.dtype(np.float64)
KEEPS_FLOATS = sum([1e16, 1.0, -1e16]) == 1
KEEPS_INTS = sum([1e16, 1, -1e16]) == 1
KEEPS_COMPLEX = sum([1e16 + 0j, 1 + 0j, -1e16 + 0j]) == 1
NOTHING = 0.0  # the error of no addition
Errors = tuple[Any, Any]  # of the real and the imaginary part


@builtin(sum)
@for_c
def staged_sum(source: Any, start: Any = 0) -> Any:
    if KEEPS_FLOATS and isinstance(source, TracedList) and isinstance(source.dynamic, StagedObject):
        return host_object(sum, source.listed(), start, label="sum")  # only Python knows which of its objects are floats
    total, errors = [start], [(NOTHING, NOTHING)]

    def set_state(state: tuple[Any, ...]) -> None:
        total[0], errors[0] = state[0], state[1:]

    def body(item: Any) -> None:
        total[0], errors[0] = added(total[0], errors[0], item)

    for_stmt(source, None, body, lambda: (total[0], *errors[0]), set_state, ("total", "error", "imaginary error"))
    return corrected(total[0], errors[0])


@acts_for_program
def added(total: Any, errors: Errors, item: Any) -> tuple[Any, Errors]:
    """The total with an item, and the errors so far."""
    if not continues(total, item):
        return corrected(total, errors) + item, (NOTHING, NOTHING)
    result = total + item
    keeps = both(is_inexact(total), True if KEEPS_INTS else is_inexact(item))
    if keeps is False:
        return result, errors
    parts = range(2 if "c" in kinds_of(total) else 1)
    new = [with_error(errors[part], keeps, part_of(total, part), part_of(item, part), part_of(result, part)) for part in parts]
    return result, (new[0], new[1] if len(new) > 1 else errors[1])


def kinds_of(x: Any) -> set[str]:
    """The kinds of the dtypes that a Python number may have; none of anything else."""
    if not is_number(x):
        return set()
    kinds = x.kinds if isinstance(x, StagedScalar) else ((dtype_of(x), is_weak(x)),)
    return {dtype.kind for dtype, _ in kinds} if all(weak for _, weak in kinds) else set()


def continues(total: Any, item: Any) -> bool:
    """Whether both are Python numbers whose errors are kept, or ints."""
    kept, found = kinds_of(total), kinds_of(item)
    if not KEEPS_FLOATS or not kept or not found:
        return False
    return KEEPS_COMPLEX if kept == {"c"} else "c" not in kept | found


def is_inexact(x: Any) -> Any:
    """Whether a Python number is a float or complex: a bool where that is known, else a condition."""
    kinds = kinds_of(x)
    if not isinstance(x, TaggedScalar) or not kinds & set("bi"):
        return not kinds & set("bi")
    answer = constant(np.bool_(False))
    for index, (dtype, _) in enumerate(x.kinds):
        if dtype.kind in "fc":
            answer = emit("logical_or", answer, emit("equal", x.tag, constant(np.int64(index))).result).result
    return scalar(answer)


def both(first: Any, second: Any) -> Any:
    """The conjunction of two that may be known."""
    if isinstance(first, bool):
        return second if first else False
    return first if second is True else False if second is False else first & second


def part_of(x: Any, part: int) -> Any:
    """The real or imaginary part of a number: a float, or a float64 that no derivative goes through."""
    if not isinstance(x, StagedScalar):
        return (complex(x).real, complex(x).imag)[part]
    value = x.value
    if dtype_of(x).kind == "c":
        value = emit(("real", "imag")[part], value).result
    elif part:
        return 0.0
    return scalar(emit("stop_gradient", cast(value, FLOAT)).result)


def with_error(errors: Any, keeps: Any, x: Any, y: Any, result: Any) -> Any:
    """The errors so far with that of `result = x + y`, where it is kept."""
    if isinstance(x, float) and isinstance(y, float):
        return errors + ((x - result) + y if abs(x) >= abs(y) else (y - result) + x)
    before = scalar(lift_number(errors, FLOAT))
    after = before + np.where(np.absolute(x) >= np.absolute(y), (x - result) + y, (y - result) + x)
    return scalar(lift_number(after if keeps is True else np.where(keeps, after, before)), True)


def corrected(total: Any, errors: Errors) -> Any:
    """The total with the errors that were kept; one that is infinite or no number is dropped."""
    if not kinds_of(total) & set("fc") or all(isinstance(error, float) and error == 0 for error in errors):
        return total
    re, im = (correction(error) for error in errors)
    if not isinstance(total, StagedScalar):
        return complex(total.real + re, total.imag + im) if isinstance(total, complex) else total + re
    if dtype_of(total).kind == "c":
        parts = [emit(part, total.value).result for part in ("real", "imag")]
        sums = [emit("add", part, lift_number(number)).result for part, number in zip(parts, (re, im))]
        return scalar(emit("complex", *sums).result, True)
    value = emit("add", total.value, lift_number(re)).result
    return TaggedScalar(value, total.tag, total.kinds, total.whole) if isinstance(total, TaggedScalar) else scalar(value, True)


def correction(error: Any) -> Any:
    """What is added for an error: nothing, which is -0.0, unless it is a number other than 0."""
    if not isinstance(error, StagedScalar):
        return error if math.isfinite(error) and error else -0.0
    number: Any = scalar(error.value)
    return np.where(np.isfinite(number) & (number != 0.0), number, -0.0)
