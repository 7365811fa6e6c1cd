"""`np.pad` by elements of the array: reflected, repeated, and by statistics of each line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.library.numpy.strides import pad_widths
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import FUNCTIONS, implements, refuse
from autograph_jit.tracing.arrays.views import take_slice
from autograph_jit.tracing.values.abstract import StagedArray, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import is_number, shape_of

PLAIN_PAD = FUNCTIONS[np.pad]
STATISTICS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median, "maximum": np.max, "minimum": np.min}


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    if mode in ("reflect", "symmetric", "wrap"):
        refuse(bool(kwargs))
        return pad_axes(array, pad_width, lambda x, axis, before, after: repeated(x, axis, before, after, mode))
    if mode in STATISTICS:
        refuse(bool(kwargs), as_array(array).dtype.kind not in "fc")
        return pad_axes(array, pad_width, lambda x, axis, before, after: by_statistic(x, axis, before, after, STATISTICS[mode]))
    if mode == "linear_ramp":
        end = content_of(kwargs.pop("end_values", 0))
        refuse(bool(kwargs), not is_number(end), as_array(array).dtype.kind not in "fc")
        return pad_axes(array, pad_width, lambda x, axis, before, after: ramped(x, axis, before, after, end))
    return PLAIN_PAD(array, pad_width, mode, **kwargs)


def pad_axes(array: Any, pad_width: Any, extend: Callable[..., StagedArray]) -> StagedArray:
    """Each axis in turn, by widths that are known here, of an array whose sizes are."""
    x = as_array(array)
    widths = pad_widths(pad_width, x.ndim)
    refuse(any(not isinstance(width, (int, np.integer)) or width < 0 for pair in widths for width in pair))
    refuse(any(not isinstance(size, int) or size < 1 for size in x.type.dims))
    result = language.numpy(np.copy, (x,), {})
    for axis, (before, after) in enumerate(widths):
        result = extend(result, axis, int(before), int(after))
    return result


def repeated(x: StagedArray, axis: int, before: int, after: int, mode: str) -> StagedArray:
    """Each place shows the element that the reflected or repeated axis has there."""
    size = x.type.dims[axis]
    assert isinstance(size, int)
    places = np.arange(-before, size + after)
    if mode == "wrap" or size == 1:
        source = places % size
    elif mode == "symmetric":
        source = places % (2 * size)
        source = np.minimum(source, 2 * size - 1 - source)
    else:
        source = places % (2 * (size - 1))
        source = np.minimum(source, 2 * (size - 1) - source)
    return language.numpy(np.take, (x, source, axis), {})


def by_statistic(x: StagedArray, axis: int, before: int, after: int, statistic: Callable[..., Any]) -> StagedArray:
    """A statistic of each line on both sides."""
    if before == after == 0:
        return x
    middle = language.numpy(np.expand_dims, (language.numpy(statistic, (x, axis), {}), axis), {})
    shape = shape_of(x)
    sides = [language.numpy(np.broadcast_to, (middle, (*shape[:axis], width, *shape[axis + 1 :])), {}) for width in (before, after)]
    return concatenate([sides[0], x, sides[1]], axis)


def ramped(x: StagedArray, axis: int, before: int, after: int, end: Any) -> StagedArray:
    """From the end value in equal steps to the edge, on both sides."""
    parts = [x]
    steps = [slice(None) if k == axis else None for k in range(x.ndim)]
    if before:
        rise = (take_slice(x, axis, 0, 1) - end) / before
        parts.insert(0, rise * np.arange(before)[tuple(steps)] + end)
    if after:
        rise = (take_slice(x, axis, -1, None) - end) / after
        parts.append(rise * np.arange(after)[::-1][tuple(steps)] + end)
    return concatenate([language.numpy(np.asarray, (part, x.dtype), {}) for part in parts], axis)
