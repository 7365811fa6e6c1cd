"""Derivatives of reductions and scans. Those of products divide by nothing, so they hold where elements are zero, to every order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Into
from autograph_jit.ops.derivatives.shared import Dispatched, conjugated, positions

linear_recurrence = Dispatched("linear_recurrence")
EXTREMA = ("min", "max")


def expanded(value: Any, x: Any, axes: tuple[int, ...], keepdims: Any) -> Any:
    """A reduced value with its lost axes back as axes of size 1; a number stays one."""
    return value if keepdims or len(axes) == np.ndim(x) else np.expand_dims(value, axes)


def last_cut(x: Any, axis: int, first: Any) -> Any:
    """x moved on by one along the axis: `first(x[:1])` enters, the last element leaves."""
    before = (slice(None),) * axis
    entering = first(x[(*before, slice(None, 1))])
    return np.concatenate([entering, x], axis=axis)[(*before, slice(None, -1))]


def products_before(x: Any, axis: int) -> Any:
    """The product of the elements before each along the axis."""
    return np.cumprod(last_cut(x, axis, np.ones_like), axis=axis)


def products_of_others(x: Any, axis: int) -> Any:
    """The product of all elements but one along the axis, for each."""
    return products_before(x, axis) * np.flip(products_before(np.flip(x, axis), axis), axis)


def others(x: Any, axes: Sequence[int]) -> Any:
    """The product of all elements but one over the axes, for each: of the shape of x."""
    if not axes:
        return np.ones_like(x)
    rank = np.ndim(x)
    if len(axes) == 1:
        return products_of_others(x, axes[0])
    order = [axis for axis in range(rank) if axis not in axes] + list(axes)
    moved = np.transpose(x, order)
    shape = np.shape(moved)
    joined = 1
    for size in shape[rank - len(axes) :]:
        joined = joined * size
    flat = np.reshape(moved, (*shape[: rank - len(axes)], joined))
    result = np.reshape(products_of_others(flat, rank - len(axes)), shape)
    return np.transpose(result, [order.index(axis) for axis in range(rank)])


def extremal(x: Any, result: Any, axes: tuple[int, ...], keepdims: Any) -> Any:
    """The share of each element in the extremum: equal for those that are equal."""
    mask = (x == expanded(result, x, axes, keepdims)).astype(x.dtype)
    return mask / np.sum(mask, axis=axes, keepdims=True)


def reduce_vjp(ct: Any, result: Any, x: Any, op: str, axes: tuple[int, ...], keepdims: Any) -> tuple[Any]:
    """Sum, product, minimum and maximum; others have no derivative."""
    axes = tuple(axis % np.ndim(x) for axis in axes)
    ct = expanded(ct, x, axes, keepdims)
    if op == "sum":
        return (np.broadcast_to(ct, np.shape(x)),)
    if op == "prod":
        return (ct * conjugated(others(x, axes)),)
    return (ct * extremal(x, result, axes, keepdims) if op in EXTREMA else None,)


def reduce_jvp(tangents: tuple[Any], result: Any, x: Any, op: str, axes: tuple[int, ...], keepdims: Any) -> Any:
    """Sum, product, minimum and maximum; others have no derivative."""
    (t,) = tangents
    if t is None or op not in ("sum", "prod", *EXTREMA):
        return None
    axes = tuple(axis % np.ndim(x) for axis in axes)
    weighted = t if op == "sum" else t * (others(x, axes) if op == "prod" else extremal(x, result, axes, keepdims))
    return np.sum(weighted, axis=axes, keepdims=keepdims)


def recur_backwards(a: Any, b: Any, axis: int) -> Any:
    """y[i] = a[i + 1] y[i + 1] + b[i] along the axis."""
    factors = last_cut(np.flip(a, axis), axis, np.ones_like)
    return np.flip(linear_recurrence(factors, np.flip(b, axis), axis=axis), axis)


def recurrence_vjp(ct: Any, y: Any, a: Any, b: Any, axis: int) -> tuple[Any, Any]:
    """The adjoint recurrence runs backwards."""
    adjoint = recur_backwards(conjugated(a), ct, axis)
    return adjoint * conjugated(last_cut(y, axis, np.zeros_like)), adjoint


def recurrence_jvp(tangents: tuple[Any, Any], y: Any, a: Any, b: Any, axis: int) -> Any:
    """The tangent recurs as y does."""
    along_a, along_b = tangents
    if along_a is None:
        return None if along_b is None else linear_recurrence(a, along_b, axis=axis)
    driven = along_a * last_cut(y, axis, np.zeros_like)
    return linear_recurrence(a, driven if along_b is None else driven + along_b, axis=axis)


def record_positions(x: Any, y: Any, axis: int) -> Any:
    """Where along the axis each running extremum y of x was set."""
    return np.maximum.accumulate(np.where(y != last_cut(y, axis, np.copy), positions(x, axis), 0), axis=axis)


def add_along_axis(shadow: Any, places: Any, ct: Any, axis: int) -> None:
    """Add to shadow at places along one axis, in place."""
    np.add.at(shadow, tuple(places if k == axis else positions(places, k) for k in range(np.ndim(shadow))), ct)


def scan_vjp(ct: Any, result: Any, x: Any, op: str, axis: int) -> tuple[Any]:
    """Running sums, products, minima and maxima; others have no derivative."""
    axis = axis % np.ndim(x)
    if op == "sum":
        return (np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis),)
    if op == "prod":
        return (conjugated(products_before(x, axis)) * recur_backwards(conjugated(x), ct, axis),)
    if op not in EXTREMA:
        return (None,)
    places = record_positions(x, result, axis)
    return (Into(lambda shadow: add_along_axis(shadow, places, ct, axis)),)


def scan_jvp(tangents: tuple[Any], result: Any, x: Any, op: str, axis: int) -> Any:
    """Running sums, products, minima and maxima; others have no derivative."""
    (t,) = tangents
    axis = axis % np.ndim(x)
    if t is None or op not in ("sum", "prod", *EXTREMA):
        return None
    if op == "sum":
        return np.cumsum(t, axis=axis)
    if op == "prod":
        return linear_recurrence(x, products_before(x, axis) * t, axis=axis)
    return np.take_along_axis(t, record_positions(x, result, axis), axis)
