"""Sums over shifted, binned or interpolated elements: convolve, correlate, bincount, interp, gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.creation import filled
from autograph_jit.library.numpy.reductions import reduce_ufunc
from autograph_jit.library.numpy.selection import choose_where
from autograph_jit.library.numpy.sorting import searched
from autograph_jit.library.numpy.statistics import ufunc
from autograph_jit.library.numpy.strides import pad, sliding_window_view
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence
from autograph_jit.tracing.arrays.indexing import getitem, scatter
from autograph_jit.tracing.arrays.register import NO_VALUE, implements, refuse
from autograph_jit.tracing.arrays.sizes import is_at_most
from autograph_jit.tracing.arrays.views import expect_not_negative, take_slice
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.lift import array, cast, dtype_of, index_value, is_number, lift_number, shape_of
from autograph_jit.tracing.values.trace import constant, emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)


def vectors(a: Any, v: Any) -> tuple[StagedArray, StagedArray, bool]:
    """Both operands in their common dtype, and whether the first is known to be at least as long; empty ones are refused."""
    x, y = as_array(a), as_array(v)
    refuse(x.ndim > 1, y.ndim > 1)
    x, y = (z[None] if z.ndim == 0 else z for z in (x, y))
    dtype = np.result_type(x.dtype, y.dtype)
    refuse(dtype.kind == "b")
    sizes = x.type.dims[0], y.type.dims[0]
    refuse(any((lower_bound(size) or 0) < 1 for size in sizes))
    return array(cast(x.value, dtype)), array(cast(y.value, dtype)), is_at_most(sizes[1], sizes[0])


def full_product(x: StagedArray, y: StagedArray) -> StagedArray:
    """Every sum of `x[k] * y[n - k]`: windows of the padded x against y reversed. What is added to x has no part in the sums, though an
    element of y be infinite or NaN."""
    n, m = shape_of(x)[0], shape_of(y)[0]
    products = ufunc(np.multiply, sliding_window_view(pad(x, m - 1), m), take_slice(y, 0, None, None, -1))
    if x.dtype.kind in "fc":
        is_inside = sliding_window_view(pad(filled((n,), constant(np.True_)), m - 1), m)
        products = choose_where(is_inside, products, x.dtype.type(0))
    return reduce_ufunc(np.add, as_array(products), -1, x.dtype, None, False, NO_VALUE, True)


def middle(x: StagedArray, y: StagedArray, mode: str) -> StagedArray:
    """The part of the full product that `mode` keeps, for an x that is at least as long as y."""
    n, m = shape_of(x)[0], shape_of(y)[0]
    if mode == "valid":
        windows = sliding_window_view(x, m)
        reverse = take_slice(y, 0, None, None, -1)
        return reduce_ufunc(np.add, as_array(ufunc(np.multiply, windows, reverse)), -1, x.dtype, None, False, NO_VALUE, True)
    first = m - 1 - m // 2
    return getitem(full_product(x, y), slice(first, first + n))


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    x, y, ordered = vectors(a, v)
    refuse(mode not in ("full", "valid", "same"))
    if not ordered and is_at_most(x.type.dims[0], y.type.dims[0]):
        x, y, ordered = y, x, True
    if mode == "full":
        return full_product(x, y)
    refuse(not ordered)
    return middle(x, y, mode)


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    x, y, ordered = vectors(a, v)
    refuse(mode not in ("full", "valid", "same"), mode != "full" and not ordered)
    y = take_slice(as_array(ufunc(np.conjugate, y)) if y.dtype.kind == "c" else y, 0, None, None, -1)
    return full_product(x, y) if mode == "full" else middle(x, y, mode)


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each number occurs, or the sums of weights."""
    index = as_array(x)
    if index.ndim != 1:
        raise ValueError("object of too small depth for desired array" if index.ndim == 0 else "object too deep for desired array")
    expect_safe(index.dtype, INT, index.dtype == np.uint64 and COUNTS_UINT64)
    index = array(cast(index.value, INT))
    refuse(not is_number(minlength) or dtype_of(minlength).kind not in "iu")
    expect_not_negative(minlength, "'minlength' must not be negative")
    counting = emit("greater_equal", index.value, constant(np.int64(0))).result
    fine = emit("reduce", counting, op="all", axes=(0,), keepdims=False).result
    check(fine, ValueError, "'list' argument must have no negative elements")
    most = reduce_ufunc(np.maximum, index, None, None, None, False, -1, True)
    length = emit("maximum", emit("add", most.value, constant(np.int64(1))).result, index_value(minlength)).result
    values = None if weights is None or index.type.dims[0] == 0 else as_array(weights)
    if values is not None:
        expect_safe(values.dtype, FLOAT)
        values = array(cast(values.value, FLOAT))
    result = filled(StagedScalar(length, True, None, 48), constant(INT.type(0) if values is None else FLOAT.type(0)))
    if values is not None and values.type.dims != index.type.dims:
        refuse(values.ndim != 1)
        same = emit("equal", emit("dim", values.value, axis=0).result, emit("dim", index.value, axis=0).result).result
        check(same, ValueError, "The weights and list don't have the same length.")
    scatter(result, [("array", index)], 1 if values is None else values, "add")
    return result


def expect_safe(found: np.dtype, wanted: np.dtype, allowed: bool = False) -> None:
    """NumPy's error for elements that another dtype does not hold."""
    if not allowed and not np.can_cast(found, wanted, "safe"):
        raise TypeError(f"Cannot cast array data from {found!r} to {wanted!r} according to the rule 'safe'")


def counts_uint64() -> bool:
    """Whether this NumPy's bincount takes uint64, as those since 2.1 do."""
    try:
        return np.bincount(np.zeros(1, np.uint64)).size == 1
    except TypeError:
        return False


COUNTS_UINT64 = counts_uint64()


@implements(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Piecewise linear interpolation; constant outside, unless `left` and `right` say otherwise."""
    points, values = as_array(xp, FLOAT), as_array(fp)
    refuse(period is not None, values.dtype.kind == "c", points.ndim != 1, values.ndim != 1)
    refuse(any((dtype_of(part) if is_number(part) else as_array(part).dtype).kind == "c" for part in (content_of(x), xp)))
    refuse((lower_bound(points.type.dims[0]) or 0) < 2)
    if points.type.dims != values.type.dims:
        same = emit("equal", *(emit("dim", part.value, axis=0).result for part in (points, values))).result
        check(same, ValueError, "fp and xp are not of the same length.")
    values = array(cast(values.value, FLOAT))
    found = content_of(x)
    number = is_number(found)
    where = ufunc(np.positive, np.float64(found) if number and not isinstance(found, StagedScalar) else as_float(found))
    n = shape_of(points)[0]
    behind = searched(points, where, "interval")
    place = ufunc(np.minimum, ufunc(np.maximum, ufunc(np.subtract, behind, 1), 0), ufunc(np.subtract, n, 2))
    after = ufunc(np.add, place, 1)
    x0, x1, y0, y1 = getitem(points, place), getitem(points, after), getitem(values, place), getitem(values, after)
    slope = ufunc(np.true_divide, ufunc(np.subtract, y1, y0), ufunc(np.subtract, x1, x0))
    result = ufunc(np.add, ufunc(np.multiply, slope, ufunc(np.subtract, where, x0)), y0)
    again = ufunc(np.add, ufunc(np.multiply, slope, ufunc(np.subtract, where, x1)), y1)
    again = choose_where(ufunc(np.logical_and, ufunc(np.isnan, again), ufunc(np.equal, y0, y1)), y0, again)
    result = choose_where(ufunc(np.isnan, result), again, result)
    result = choose_where(ufunc(np.equal, where, x0), y0, result)
    first, last = getitem(points, 0), getitem(points, -1)
    result = choose_where(ufunc(np.equal, behind, n), getitem(values, -1), result)
    result = choose_where(ufunc(np.less, where, first), getitem(values, 0) if left is None else left, result)
    result = choose_where(ufunc(np.greater, where, last), getitem(values, -1) if right is None else right, result)
    return choose_where(ufunc(np.isnan, where), where, result)


def as_float(x: Any) -> Any:
    """A number or array in float64."""
    if isinstance(x, StagedScalar):
        return StagedScalar(lift_number(x, FLOAT), False)
    return as_array(x, FLOAT)


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside, one-sided ones at the ends."""
    x = as_array(f)
    axes = range(x.ndim) if axis is None else [normalize_axis(one, x.ndim) for one in (axis if is_sequence(axis) else (axis,))]
    refuse(edge_order not in (1, 2), x.ndim == 0, len(varargs) not in (0, 1, len(axes)), x.dtype.kind == "b")
    refuse(any((lower_bound(x.type.dims[k]) or 0) < edge_order + 1 for k in axes))
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) if varargs else [1.0] * len(axes)
    x = array(cast(x.value, FLOAT)) if x.dtype.kind in "iu" else x
    results = [gradient_along(x, content_of(step), k, edge_order) for step, k in zip(spacings, axes)]
    return results[0] if len(results) == 1 else tuple(results)


def gradient_along(x: StagedArray, step: Any, axis: int, edge_order: int) -> StagedArray:
    """The gradient along one axis; `step` is a number, or the coordinates of the elements."""
    widths = None if is_number(step) else coordinate_steps(as_array(step), x, axis)
    result = filled(shape_of(x), constant(x.dtype.type(0)))
    part = lambda start, stop: take_slice(x, axis, start, stop)  # noqa: E731 - a name for slices along the axis
    inner = take_slice(result, axis, 1, -1)
    if widths is None:
        assign_to(inner, ufunc(np.true_divide, ufunc(np.subtract, part(2, None), part(None, -2)), ufunc(np.multiply, 2.0, step)))
    else:
        before: Any = take_slice(widths, axis, None, -1)
        after: Any = take_slice(widths, axis, 1, None)
        both = before + after
        weights = -after / (before * both), (after - before) / (before * after), before / (after * both)
        assign_to(inner, weighted(weights, part(None, -2), part(1, -1), part(2, None)))
    first, last = take_slice(result, axis, None, 1), take_slice(result, axis, -1, None)
    if edge_order == 2:
        low, high = edge_weights(step, widths, axis)
        assign_to(first, weighted(low, part(None, 1), part(1, 2), part(2, 3)))
        assign_to(last, weighted(high, part(-3, -2), part(-2, -1), part(-1, None)))
        return result
    low_step, high_step = (step, step) if widths is None else (take_slice(widths, axis, None, 1), take_slice(widths, axis, -1, None))
    assign_to(first, ufunc(np.true_divide, ufunc(np.subtract, part(1, 2), part(None, 1)), low_step))
    assign_to(last, ufunc(np.true_divide, ufunc(np.subtract, part(-1, None), part(-2, -1)), high_step))
    return result


def weighted(weights: tuple[Any, Any, Any], *parts: StagedArray) -> Any:
    """The sum of three products."""
    terms = [ufunc(np.multiply, weight, part) for weight, part in zip(weights, parts)]
    return ufunc(np.add, ufunc(np.add, terms[0], terms[1]), terms[2])


def edge_weights(step: Any, widths: Any, axis: int) -> tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]:
    """The weights of the three first and the three last elements in differences of the second order."""
    if widths is None:
        return (-1.5 / step, 2.0 / step, -0.5 / step), (0.5 / step, -2.0 / step, 1.5 / step)
    x: Any = take_slice(widths, axis, 0, 1)
    y: Any = take_slice(widths, axis, 1, 2)
    low = -(2.0 * x + y) / (x * (x + y)), (x + y) / (x * y), -x / (y * (x + y))
    x, y = take_slice(widths, axis, -2, -1), take_slice(widths, axis, -1, None)
    return low, (y / (x * (x + y)), -(y + x) / (x * y), (2.0 * y + x) / (y * (x + y)))


def coordinate_steps(points: StagedArray, x: StagedArray, axis: int) -> StagedArray:
    """The distances between coordinates, along the axis."""
    refuse(points.ndim != 1, points.type.dims[0] != x.type.dims[axis], dtype_of(points).kind not in "iuf")
    points = array(cast(points.value, FLOAT))
    steps = as_array(ufunc(np.subtract, take_slice(points, 0, 1, None), take_slice(points, 0, None, -1)))
    return getitem(steps, tuple(slice(None) if k == axis else None for k in range(x.ndim)))


def assign_to(target: StagedArray, value: Any) -> None:
    """`target[...] = value`."""
    target[...] = value
