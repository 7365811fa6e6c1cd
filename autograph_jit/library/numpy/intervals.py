"""Points between two ends: linspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.library.numpy.creation import arange
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.ufuncs import dtype_token
from autograph_jit.tracing.arrays.views import add_axes, expect_not_negative
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, index_value, is_number, lift_number, scalar
from autograph_jit.tracing.values.trace import constant, emit


@implements(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`num` points from start to stop."""
    first, last = (as_array(end) if is_sequence(end) else end for end in (content_of(start), content_of(stop)))
    refuse(axis != 0, not isinstance(endpoint, (bool, np.bool_)))
    num = expect_not_negative(num, "Number of samples, {0}, must be non-negative.")
    divisions = num - 1 if endpoint else num
    samples = [np.zeros((), token) if isinstance(token, np.dtype) else token(0) for token in map(dtype_token, (first, last))]
    wanted = np.result_type(*samples, 0.0)
    first, last = (in_dtype(numeric(end), wanted) for end in (first, last))
    delta = last * 1.0 - first
    k = prepare_steps(num, wanted, delta)
    step, points = scaled_steps(k, delta, divisions)
    points = points + first
    if endpoint and not (isinstance(num, int) and num < 2):
        set_last(points, num, last)
    result = (
        points
        if dtype is None
        else points.astype(np.dtype(dtype))
        if np.dtype(dtype).kind not in "iu"
        else language.numpy(np.floor, (points,), {}).astype(dtype)
    )
    return (result, returned_step(step, divisions)) if retstep else result


def returned_step(step: Any, divisions: Any) -> Any:
    """The distance between points; Python's nan where there are no two."""
    if not isinstance(divisions, StagedScalar):
        return step
    return language.if_exp(language.compare(">", divisions, 0), lambda: step, lambda: np.nan)


def numeric(x: Any) -> Any:
    """An end of an interval: a number, or an array."""
    if is_number(x) and not isinstance(x, (StagedScalar, np.generic)):
        return np.asarray(x)[()]
    if is_number(x):
        return scalar(x.value) if isinstance(x, StagedScalar) else x
    return as_array(x)


def in_dtype(x: Any, dtype: np.dtype) -> Any:
    """An end of an interval in the dtype of the points."""
    if isinstance(x, StagedArray):
        return array(cast(x.value, dtype))
    return StagedScalar(lift_number(x, dtype), False) if isinstance(x, StagedScalar) else np.asarray(x, dtype)[()]


def prepare_steps(num: Any, dtype: np.dtype, delta: Any) -> StagedArray:
    """0, 1, ... as a column over the shape of delta."""
    k = arange(num).astype(dtype)
    return add_axes(k, range(1, 1 + delta.ndim)) if isinstance(delta, StagedArray) else k


def scaled_steps(k: StagedArray, delta: Any, divisions: Any) -> tuple[Any, Any]:
    """The step, and the steps times it; a zero division gives the distance itself. Divisions are Python's int, which leaves the dtype."""
    if isinstance(divisions, StagedScalar):
        step = delta / StagedScalar(emit("maximum", index_value(divisions), constant(np.int64(1))).result, True)
        return step, k * step
    if divisions > 0:
        step = delta / divisions
        return step, k * step
    return np.nan, k * delta


def set_last(points: StagedArray, num: Any, last: Any) -> None:
    """The end point is exact."""
    if isinstance(num, int):
        points[-1] = last
    else:
        points[language.numpy(np.maximum, (num, 2), {}) - 1 :] = last
