"""Derivatives of norms, and of NumPy functions that split numbers into parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import conjugated
from autograph_jit.ops.derivatives.triangles import real_part


def direction(x: Any) -> Any:
    """x / |x|; 0 at 0."""
    length = np.absolute(x)
    return x / np.where(length == 0, 1, length)


def vector_slope(x: Any, r: Any, ord: Any, axes: tuple[int, ...]) -> Any:
    """The derivative of a vector norm by its elements; `r` has the norm with its axes kept."""
    if ord in (None, 2, "fro"):
        return x / np.where(r == 0, 1, r)
    if ord == 1:
        return direction(x)
    size = np.absolute(x)
    if ord in (np.inf, -np.inf):
        mask = (size == r).astype(r.dtype)
        return direction(x) * (mask / np.sum(mask, axis=axes, keepdims=True))
    if ord == 0:
        return None
    return direction(x) * np.power(size / np.where(r == 0, 1, r), ord - 1)


def spectral_slope(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    """The derivative of a norm of singular values."""
    return np.moveaxis(last_axes_slope(np.moveaxis(x, axes, (-2, -1)), ord), (-2, -1), axes)


def last_axes_slope(x: Any, ord: Any) -> Any:
    """The derivative of a norm of singular values of matrices in the last two axes."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if ord == "nuc":
        return np.matmul(u, vh)
    extreme = np.max(s, axis=-1, keepdims=True) if ord == 2 else np.min(s, axis=-1, keepdims=True)
    mask = (s == extreme).astype(s.dtype)
    return np.matmul(u * np.expand_dims(mask / np.sum(mask, axis=-1, keepdims=True), -2), vh)


def absolute_sum_slope(x: Any, ord: Any, axes: tuple[int, int]) -> Any:
    """The derivative of the largest or smallest sum of absolute values over columns (order 1) or rows (order inf)."""
    sums = np.sum(np.absolute(x), axis=axes[0] if ord in (1, -1) else axes[1], keepdims=True)
    extreme = (np.max if ord > 0 else np.min)(sums, axis=axes, keepdims=True)
    mask = (sums == extreme).astype(sums.dtype)
    return direction(x) * (mask / np.sum(mask, axis=axes, keepdims=True))


def norm_slope(x: Any, result: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The derivative of the norm by the elements of x; None for the number of those that are not zero."""
    rank = np.ndim(x)
    axes = tuple(range(rank)) if axis is None else tuple(each % rank for each in (axis if isinstance(axis, tuple) else (axis,)))
    r = result if keepdims or len(axes) == rank else np.expand_dims(result, axes)
    if len(axes) == 1 or ord in (None, "fro"):
        return vector_slope(x, r, ord, axes)
    if ord in (1, -1, np.inf, -np.inf):
        return absolute_sum_slope(x, ord, (axes[0], axes[1]))
    return spectral_slope(x, ord, (axes[0], axes[1]))


def norm_vjp(ct: Any, r: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> tuple[Any]:
    """The cotangent times the slope."""
    slope = norm_slope(x, r, ord, axis, keepdims)
    if slope is None:
        return (None,)
    kept = np.ndim(ct) == 0 or keepdims
    axes = () if axis is None else axis
    return ((ct if kept else np.expand_dims(ct, axes)) * slope,)


def norm_jvp(tangents: tuple[Any], r: Any, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The tangent along the slope."""
    slope = norm_slope(x, r, ord, axis, keepdims)
    if slope is None:
        return None
    return np.sum(real_part(conjugated(slope) * tangents[0]), axis=axis, keepdims=keepdims)


def frexp_vjp(ct: tuple[Any, Any], result: tuple[Any, Any], x: Any) -> tuple[Any]:
    """The mantissa is x over a power of two that stays."""
    return (None,) if ct[0] is None else (ct[0] * np.exp2(-1.0 * result[1]).astype(x.dtype),)


def frexp_jvp(tangents: tuple[Any], result: tuple[Any, Any], x: Any) -> tuple[Any, None]:
    """The mantissa is x over a power of two that stays."""
    return tangents[0] * np.exp2(-1.0 * result[1]).astype(x.dtype), None
