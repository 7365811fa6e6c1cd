"""NumPy functions that are others under a second name, or short compositions: amax, the array API, transforms of several axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.library.numpy import linalg, reductions
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import FUNCTIONS, implements, refuse
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on stand-ins."""
    return language.numpy(function, args, kwargs)


SWAPPED: dict[Any, str] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
REQUIRED = (linalg, reductions)  # they fill the table with what is renamed here

FUNCTIONS[np.amax] = FUNCTIONS[np.max]
FUNCTIONS[np.amin] = FUNCTIONS[np.min]
FUNCTIONS[np.linalg.matmul] = FUNCTIONS[np.matmul]


@implements(*filter(None, [getattr(np, "cumulative_sum", None)]))  # NumPy 2.1
def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> Any:
    refuse(out is not None, include_initial, axis is None and as_array(x).ndim != 1)
    return call(np.cumsum, x, axis=0 if axis is None else axis, dtype=dtype)


@implements(*filter(None, [getattr(np, "cumulative_prod", None)]))
def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False) -> Any:
    refuse(out is not None, include_initial, axis is None and as_array(x).ndim != 1)
    return call(np.cumprod, x, axis=0 if axis is None else axis, dtype=dtype)


@implements(np.linalg.cond)
def condition_number(x: Any, p: Any = None) -> Any:
    refuse(as_array(x).ndim != 2, isinstance(p, (StagedArray, StagedScalar)))
    if p in (None, 2, -2):
        values = call(np.linalg.svd, x, compute_uv=False)
        return values[-1] / values[0] if p == -2 else values[0] / values[-1]
    return call(np.linalg.norm, x, p) * call(np.linalg.norm, call(np.linalg.inv, x), p)


@implements(np.linalg.tensorsolve)
def tensor_solution(a: Any, b: Any, axes: Any = None) -> Any:
    x, y = as_array(a), as_array(b)
    refuse(axes is not None, not all(isinstance(size, int) for size in (*x.type.dims, *y.type.dims)))
    shape = x.type.dims[y.ndim :]
    columns = math.prod(shape)  # type: ignore[arg-type]
    return call(np.reshape, call(np.linalg.solve, call(np.reshape, x, (-1, columns)), call(np.ravel, y)), shape)


def sized_axes(a: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The axes of a real transform and their sizes, None for an axis that keeps its own."""
    if axes is None:
        axes = range(as_array(a).ndim) if s is None else range(-len(s), 0)
    refuse(not axes, s is not None and len(s) != len(axes))
    return tuple(axes), (None,) * len(axes) if s is None else tuple(None if size == -1 else size for size in s)


@implements(np.fft.rfft2)
def rfft_of_last_axes(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return rfft_of_axes(a, s, axes, norm, out)


@implements(np.fft.rfftn)
def rfft_of_axes(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    places, sizes = sized_axes(a, s, axes)
    refuse(out is not None)
    result = call(np.fft.rfft, a, sizes[-1], places[-1], norm)
    for axis, size in reversed(list(zip(places[:-1], sizes[:-1]))):
        result = call(np.fft.fft, result, size, axis, norm)
    return result


@implements(np.fft.irfft2)
def irfft_of_last_axes(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    return irfft_of_axes(a, s, axes, norm, out)


@implements(np.fft.irfftn)
def irfft_of_axes(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Any:
    places, sizes = sized_axes(a, s, axes)
    refuse(out is not None)
    result = a
    for axis, size in zip(places[:-1], sizes[:-1]):
        result = call(np.fft.ifft, result, size, axis, norm)
    return call(np.fft.irfft, result, sizes[-1], places[-1], norm)


@implements(np.fft.hfft)
def hermitian_transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    refuse(out is not None, norm not in SWAPPED)
    return call(np.fft.irfft, call(np.conjugate, a), n, axis, SWAPPED[norm])


@implements(np.fft.ihfft)
def inverse_hermitian_transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    refuse(out is not None, norm not in SWAPPED)
    return call(np.conjugate, call(np.fft.rfft, a, n, axis, SWAPPED[norm]))
