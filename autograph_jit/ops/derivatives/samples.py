"""Derivatives of NumPy's products of vectors, statistics that leave out NaN, fits and phases."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import conjugated, total
from autograph_jit.ops.derivatives.solving import lstsq_jvp, lstsq_vjp
from autograph_jit.ops.derivatives.triangles import column, real_part, row


def vecdot_vjp(ct: Any, r: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """The sum of conj(x) y over the last axis."""
    return conjugated(column(ct)) * y, column(ct) * x


def vecdot_jvp(tangents: tuple[Any, Any], r: Any, x: Any, y: Any) -> Any:
    """The product rule."""
    along_x, along_y = tangents
    terms = [] if along_x is None else [np.sum(conjugated(along_x) * y, axis=-1)]
    return total(terms if along_y is None else [*terms, np.sum(conjugated(x) * along_y, axis=-1)])


def matvec_vjp(ct: Any, r: Any, a: Any, x: Any) -> tuple[Any, Any]:
    """A matrix times a vector, in stacks."""
    return column(ct) * row(conjugated(x)), np.sum(conjugated(a) * column(ct), axis=-2)


def matvec_jvp(tangents: tuple[Any, Any], r: Any, a: Any, x: Any) -> Any:
    """The product rule."""
    along_a, along_x = tangents
    terms = [] if along_a is None else [np.sum(along_a * row(x), axis=-1)]
    return total(terms if along_x is None else [*terms, np.sum(a * row(along_x), axis=-1)])


def spread_over(reduced: Any, axis: Any, keepdims: Any) -> Any:
    """A reduced value with its lost axes back as axes of size 1."""
    return reduced if axis is None or keepdims else np.expand_dims(reduced, axis)


def variance_slope(a: Any, axis: Any, ddof: Any) -> Any:
    """The derivative of the variance of what is not NaN, by each element."""
    there = np.logical_not(np.isnan(a))
    count = np.sum(there, axis=axis, keepdims=True).astype(a.dtype)
    values = np.where(there, a, 0)
    mean = np.sum(values, axis=axis, keepdims=True) / count
    return np.where(there, 2 * (values - mean), 0) / (count - ddof)


def nanvar_vjp(ct: Any, r: Any, a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> tuple[Any]:
    """Elements that are NaN have no cotangent."""
    return (spread_over(ct, axis, keepdims) * variance_slope(a, axis, ddof),)


def nanvar_jvp(tangents: tuple[Any], r: Any, a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """Tangents of elements that are NaN do not count."""
    slope = variance_slope(a, axis, ddof)
    weighted = real_part(np.where(np.isnan(a), 0, tangents[0]) * conjugated(slope))
    return np.sum(weighted, axis=axis, keepdims=keepdims)


def nanstd_vjp(ct: Any, r: Any, a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> tuple[Any]:
    """Half the slope of the variance over the deviation, and 0 where that is 0."""
    return nanvar_vjp(np.where(r == 0, 0, ct / (2 * np.where(r == 0, 1, r))), r, a, axis, ddof, keepdims)


def nanstd_jvp(tangents: tuple[Any], r: Any, a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """Half the slope of the variance over the deviation, and 0 where that is 0."""
    return np.where(r == 0, 0, nanvar_jvp(tangents, r, a, axis, ddof, keepdims) / (2 * np.where(r == 0, 1, r)))


def vander_slope(powers: Any) -> Any:
    """The derivative of the columns x^n, ..., x, 1 by x."""
    degree = np.shape(powers)[1] - 1
    falling = np.cumsum(np.ones_like(powers[:, 1:]), axis=1)
    return np.concatenate([powers[:, 1:] * (degree + 1 - falling), np.zeros_like(powers[:, :1])], axis=1)


def polyfit_vjp(ct: Any, r: Any, x: Any, y: Any, deg: Any, rcond: Any = None) -> tuple[Any, Any]:
    """Least squares on the powers of x."""
    powers = np.vander(x, deg + 1)
    by_powers, by_y = lstsq_vjp((ct, None, None, None), (r, None, None, None), powers, y)
    return np.sum(real_part(by_powers * vander_slope(powers)), axis=1), by_y


def polyfit_jvp(tangents: tuple[Any, Any], r: Any, x: Any, y: Any, deg: Any, rcond: Any = None) -> Any:
    """Least squares on the powers of x."""
    powers = np.vander(x, deg + 1)
    along = None if tangents[0] is None else column(tangents[0]) * vander_slope(powers)
    return lstsq_jvp((along, tangents[1]), (r, np.zeros_like(r[:0]), None, None), powers, y)[0]


def unwrap_vjp(ct: Any, r: Any, p: Any, discont: Any = None, axis: int = -1, *, period: Any = None) -> tuple[Any]:
    """Whole periods are added, whose number does not move; the period counts as a constant."""
    return (ct,)


def unwrap_jvp(tangents: tuple[Any], r: Any, p: Any, discont: Any = None, axis: int = -1, *, period: Any = None) -> Any:
    """Whole periods are added, whose number does not move."""
    return np.copy(tangents[0])
