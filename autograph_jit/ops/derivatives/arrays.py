"""Derivatives of operations that make arrays of numbers or of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import filled, positions, tangent_or_zero


def full_vjp(ct: Any, result: Any, value: Any, *shape: Any, dims: Any = None) -> tuple[Any, ...]:
    """Every element counts."""
    return np.sum(ct), *(None for _ in shape)


def full_jvp(tangents: tuple[Any, ...], result: Any, value: Any, *shape: Any, dims: Any = None) -> Any:
    """An array of the tangent."""
    return None if tangents[0] is None else filled(tangents[0], result)


def arange_vjp(ct: Any, result: Any, start: Any, step: Any, count: Any, dims: Any = None) -> tuple[Any, Any, None]:
    """Of start + step k."""
    return np.sum(ct), np.sum(ct * positions(ct, 0).astype(ct.dtype)), None


def arange_jvp(tangents: tuple[Any, ...], result: Any, start: Any, step: Any, count: Any, dims: Any = None) -> Any:
    """Of start + step k."""
    from_start, by_step, _ = tangents
    if by_step is None:
        return None if from_start is None else filled(from_start, result)
    rise = by_step * positions(result, 0).astype(result.dtype)
    return rise if from_start is None else from_start + rise


def concat_vjp(ct: Any, result: Any, *arrays: Any, axis: int, dims: Any = None) -> tuple[Any, ...]:
    """Each array gets its part of the cotangent, as a view."""
    before = (slice(None),) * (axis % np.ndim(ct))
    parts, start = [], 0
    for array in arrays:
        stop = start + np.shape(array)[axis]
        parts.append(ct[(*before, slice(start, stop))])
        start = stop
    return tuple(parts)


def concat_jvp(tangents: tuple[Any, ...], result: Any, *arrays: Any, axis: int, dims: Any = None) -> Any:
    """The tangents end to end."""
    if all(tangent is None for tangent in tangents):
        return None
    return np.concatenate([tangent_or_zero(tangent, array) for tangent, array in zip(tangents, arrays, strict=True)], axis=axis)
