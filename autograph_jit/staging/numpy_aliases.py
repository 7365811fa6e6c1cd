"""NumPy functions that are others under a second name, or short compositions: amax, the array API, cond, real transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.staging import numpy_linalg, numpy_reductions
from autograph_jit.staging.array_like import as_array
from autograph_jit.staging.numpy_table import FUNCTIONS, implements, refuse
from autograph_jit.staging.values import Protocol


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on stand-ins."""
    return Protocol.function(function, args, kwargs)


REQUIRED = (numpy_linalg, numpy_reductions)  # they fill the table with what is renamed here

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


@implements(np.linalg.trace)
def matrix_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    return call(np.trace, x, offset, -2, -1, dtype)


@implements(np.linalg.diagonal)
def matrix_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    return call(np.diagonal, x, offset, -2, -1)


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    refuse(as_array(x).ndim < 2)
    return call(np.swapaxes, x, -1, -2)


@implements(np.linalg.outer)
def outer_of_vectors(x1: Any, x2: Any, /) -> Any:
    refuse(as_array(x1).ndim != 1, as_array(x2).ndim != 1)
    return call(np.outer, x1, x2)


@implements(np.linalg.tensordot)
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    return call(np.tensordot, x1, x2, axes)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return call(np.linalg.norm, x, ord, (-2, -1), keepdims)


@implements(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    refuse(axis is None and keepdims)
    return call(np.linalg.norm, call(np.ravel, x) if axis is None else x, ord, 0 if axis is None else axis, keepdims)


@implements(np.linalg.cond)
def condition_number(x: Any, p: Any = None) -> Any:
    refuse(p is not None, as_array(x).ndim != 2)
    values = call(np.linalg.svd, x, compute_uv=False)
    return values[0] / values[-1]


def axes_of(axes: Any, s: Any) -> tuple[int, ...]:
    """The axes of a real transform over several axes."""
    refuse(s is not None, axes is None, not axes)
    return tuple(axes)


@implements(np.fft.rfft2)
def rfft_of_axes(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    *others, last = axes_of(axes, s)
    refuse(out is not None)
    result = call(np.fft.rfft, a, axis=last, norm=norm)
    return call(np.fft.fftn, result, axes=tuple(others), norm=norm) if others else result


@implements(np.fft.irfft2)
def irfft_of_axes(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None) -> Any:
    *others, last = axes_of(axes, s)
    refuse(out is not None)
    inner = call(np.fft.ifftn, a, axes=tuple(others), norm=norm) if others else a
    return call(np.fft.irfft, inner, axis=last, norm=norm)

