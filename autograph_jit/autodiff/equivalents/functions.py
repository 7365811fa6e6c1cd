"""What NumPy's functions without a rule of their own come to in terms of others: the equivalents of `autodiff.equivalents.register`.

They take the arguments of the function, give results of its structure, and are converted as the user's code is. Which element stands where
is found on constants; only the elements themselves have derivatives.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import polynomial as series

from autograph_jit.autodiff.custom import stop_gradient
from autograph_jit.autodiff.equivalents.polynomials import POLYNOMIALS
from autograph_jit.autodiff.equivalents.signals import SIGNALS
from autograph_jit.autodiff.equivalents.statistics import STATISTICS
from autograph_jit.tracing.expressions.register import convert_on_call


@convert_on_call
def same(a: Any) -> Any:
    """An array as it is."""
    return np.asarray(a) * 1


@convert_on_call
def window(M: Any, beta: Any) -> Any:
    """np.kaiser."""
    n = np.arange(0.0, M)
    middle = (M - 1) / 2.0
    return np.i0(beta * np.sqrt(1 - ((n - middle) / middle) ** 2.0)) / np.i0(beta)


@convert_on_call
def modified_bessel(x: Any) -> Any:
    """np.i0: the mean of exp(x cos t), whose sum over equal steps converges faster than any power (Trefethen and Weideman 2014)."""
    steps = 64 + 2 * int(np.max(np.abs(stop_gradient(x))))
    angles = np.arange(steps) * (2 * np.pi / steps)
    return np.sum(np.exp(np.expand_dims(x, -1) * np.cos(angles)), -1) / steps


@convert_on_call
def partitioned(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    """np.partition: the sorted elements, each in the place of its rank among those that NumPy has partitioned."""
    if axis is None:
        a, axis = np.ravel(a), 0
    ranks = np.argsort(np.argsort(np.partition(stop_gradient(a), kth, axis), axis), axis)
    return np.take_along_axis(np.sort(a, axis), ranks, axis)


@convert_on_call
def without(arr: Any, obj: Any, axis: Any = None) -> Any:
    """np.delete: what is left."""
    if axis is None:
        return np.ravel(arr)[np.delete(np.arange(np.size(arr)), obj)]
    return np.take(arr, np.delete(np.arange(np.shape(arr)[axis]), obj), axis)


@convert_on_call
def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False) -> Any:
    """np.unique of all elements."""
    constant = stop_gradient(ar)
    values = np.ravel(ar)[np.unique(constant, return_index=True)[1]]
    if not (return_index or return_inverse or return_counts):
        return values
    found = np.unique(constant, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts)
    return (values, *found[1:])


@convert_on_call
def unique_values(x: Any) -> Any:
    """np.unique_values."""
    return unique(x)


@convert_on_call
def difference(ar1: Any, ar2: Any) -> Any:
    """np.setdiff1d."""
    values = unique(ar1)
    return values[np.isin(stop_gradient(values), stop_gradient(ar2), invert=True)]


@convert_on_call
def ends_and_differences(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """np.ediff1d."""
    flat = np.ravel(ary)
    parts = [flat[1:] - flat[:-1]]
    if to_begin is not None:
        parts.insert(0, np.ravel(to_begin))
    if to_end is not None:
        parts.append(np.ravel(to_end))
    return np.concatenate(parts)


@convert_on_call
def cumulative_sum(x: Any, axis: Any = None, include_initial: Any = False) -> Any:
    """np.cumulative_sum."""
    axis = 0 if axis is None else axis
    total = np.cumsum(x, axis)
    return np.concatenate((np.take(total, [0], axis) * 0, total), axis) if include_initial else total


@convert_on_call
def cumulative_prod(x: Any, axis: Any = None, include_initial: Any = False) -> Any:
    """np.cumulative_prod."""
    axis = 0 if axis is None else axis
    total = np.cumprod(x, axis)
    return np.concatenate((np.take(x, [0], axis) * 0 + 1, total), axis) if include_initial else total


@convert_on_call
def conjugate_product(x1: Any, x2: Any, axis: Any = -1) -> Any:
    """np.linalg.vecdot."""
    return np.sum(np.conjugate(x1) * x2, axis)


@convert_on_call
def vector_times_matrix(x1: Any, x2: Any) -> Any:
    """np.vecmat."""
    return np.sum(np.expand_dims(np.conjugate(x1), -1) * x2, -2)


@convert_on_call
def between_points(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """np.interp through any number of points."""
    xp, fp, n = np.asarray(xp, float), np.asarray(fp), np.size(xp)
    if n == 0:
        raise ValueError("array of sample points is empty")
    if np.size(fp) != n:
        raise ValueError("fp and xp are not of the same length.")
    place = np.clip(np.searchsorted(stop_gradient(xp), stop_gradient(x), "right") - 1, 0, max(n - 2, 0))
    after = np.minimum(place + 1, n - 1)
    gap = xp[after] - xp[place]
    slope = (fp[after] - fp[place]) / np.where(gap == 0, 1.0, gap)
    inside = np.where(x == xp[-1], fp[-1], slope * (x - xp[place]) + fp[place])
    below = np.where(x < xp[0], fp[0] if left is None else left, inside)
    return np.where(x > xp[-1], fp[-1] if right is None else right, below) * 1


@convert_on_call
def in_period(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """np.interp: with a period, the points are sorted within it, and a neighbour stands at either end."""
    if period is None:
        return between_points(x, xp, fp, left, right)
    x, xp = x % period, xp % period
    order = np.argsort(stop_gradient(xp))
    xp, fp = xp[order], fp[order]
    return np.interp(x, np.concatenate((xp[-1:] - period, xp, xp[:1] + period)), np.concatenate((fp[-1:], fp, fp[:1])))


@convert_on_call
def rows_of_function(func1d: Any, axis: Any, arr: Any) -> Any:
    """np.apply_along_axis of a function that gives numbers or vectors."""
    moved = np.moveaxis(arr, axis, -1)
    rows = np.reshape(moved, (-1, np.shape(moved)[-1]))
    found = [func1d(row) for row in rows]
    stacked = np.stack(found)
    if np.ndim(stacked) == 1:
        return np.reshape(stacked, np.shape(moved)[:-1])
    return np.moveaxis(np.reshape(stacked, np.shape(moved)[:-1] + np.shape(stacked)[1:]), -1, axis)


def vectorized(function: np.vectorize) -> Callable[..., Any] | None:
    """The equivalent of a function made by np.vectorize that takes numbers one by one and gives one number."""
    if function.signature is not None or function.excluded or function.otypes not in (None, "d", "f", "D", "F"):
        return None
    each = function.pyfunc

    @convert_on_call
    def elements(*args: Any) -> Any:
        arrays = np.broadcast_arrays(*args)
        flat = [np.ravel(array) for array in arrays]
        result = np.zeros(np.size(arrays[0]), dtype=np.result_type(*flat, 1.0))
        for i in range(np.size(arrays[0])):
            result[i] = each(*[array[i] for array in flat])
        return np.reshape(result, np.shape(arrays[0]))

    return elements


def reduction_along_axis(ufunc: np.ufunc) -> Callable[..., Any]:
    """The equivalent of `ufunc.reduce` along one axis."""

    @convert_on_call
    def reduce(array: Any, axis: Any = 0) -> Any:
        moved = np.moveaxis(array, axis, 0)
        total = moved[0] * 1
        for i in range(1, np.shape(moved)[0]):
            total = ufunc(total, moved[i])
        return total

    return reduce


def accumulation(ufunc: np.ufunc) -> Callable[..., Any]:
    """The equivalent of `ufunc.accumulate`."""

    @convert_on_call
    def accumulate(array: Any, axis: Any = 0) -> Any:
        moved = np.moveaxis(array, axis, 0) * 1
        for i in range(1, np.shape(moved)[0]):
            moved[i] = ufunc(moved[i - 1], moved[i])
        return np.moveaxis(moved, 0, axis)

    return accumulate


def stretches(ufunc: np.ufunc) -> Callable[..., Any]:
    """The equivalent of `ufunc.reduceat`: from each index up to the next one, that element alone where the next one is not behind it."""

    @convert_on_call
    def reduceat(array: Any, indices: Any, axis: Any = 0) -> Any:
        moved = np.moveaxis(array, axis, 0)
        count, starts = np.shape(moved)[0], np.asarray(indices)
        result = moved[starts] * 1
        for i in range(np.size(starts)):
            stop = starts[i + 1] if i + 1 < np.size(starts) else count
            for k in range(starts[i] + 1, stop):
                result[i] = ufunc(result[i], moved[k])
        return np.moveaxis(result, 0, axis)

    return reduceat


# The ufuncs whose reductions are those that their names say. (NumPy's arctan2.reduce is not: it depends on the first and last item.)
FOLDED = {
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.logaddexp, np.logaddexp2,
}  # fmt: skip
# Python's functions of complex numbers, which take real ones too.
COMPLEX: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "log10": np.log10, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "phase": np.angle,
}  # fmt: skip


def of_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy, of a number as a complex one."""

    @convert_on_call
    def complexified(z: Any) -> Any:
        return function(z + 0j)

    return complexified


@convert_on_call
def complex_logarithm(z: Any, base: Any = None) -> Any:
    """cmath.log."""
    return np.log(z + 0j) if base is None else np.log(z + 0j) / np.log(base + 0j)


# NumPy's own source says it in terms of others, and computes nothing but their values and the places of elements.
WRITTEN_IN_PYTHON: tuple[Any, ...] = (
    np.apply_over_axes, np.astype, np.cov, np.diag_indices_from, np.dsplit, np.geomspace, np.polyfit, np.resize, np.sort_complex,
    np.tril_indices_from, np.triu_indices_from, np.union1d, series.polyvalfromroots,
)  # fmt: skip
UFUNC_METHODS: dict[str, Callable[[np.ufunc], Callable[..., Any]]] = {
    "reduce": reduction_along_axis,
    "accumulate": accumulation,
    "reduceat": stretches,
}
EQUIVALENTS: dict[Any, Callable[..., Any]] = {
    **{getattr(cmath, name): of_complex(function) for name, function in COMPLEX.items()},
    cmath.log: complex_logarithm,
    np.asarray_chkfinite: same,
    np.asfortranarray: same,
    np.apply_along_axis: rows_of_function,
    np.kaiser: window,
    np.i0: modified_bessel,
    np.partition: partitioned,
    np.delete: without,
    np.unique: unique,
    np.unique_values: unique_values,
    np.setdiff1d: difference,
    np.ediff1d: ends_and_differences,
    np.linalg.vecdot: conjugate_product,
    np.interp: in_period,
    **{function: convert_on_call(function) for function in WRITTEN_IN_PYTHON},
    **POLYNOMIALS,
    **SIGNALS,
    **STATISTICS,
}
for _name, _equivalent in (("cumulative_sum", cumulative_sum), ("cumulative_prod", cumulative_prod), ("vecmat", vector_times_matrix)):
    if hasattr(np, _name):  # NumPy 2.1 and 2.2
        EQUIVALENTS[getattr(np, _name)] = _equivalent
