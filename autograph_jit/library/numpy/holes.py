"""Order statistics and running sums that leave out elements that are not a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.library.numpy.aliases import call
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.comparisons import without_nan
from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.library.numpy.order_statistics import OF_ONE, OF_PERCENT, by_shares, checked_share, interpolated
from autograph_jit.library.numpy.reductions import finish
from autograph_jit.library.numpy.selection import choose_where
from autograph_jit.library.numpy.sorting import order_statistics, sort
from autograph_jit.library.numpy.statistics import ufunc
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence
from autograph_jit.tracing.arrays.register import FUNCTIONS, NO_VALUE, implements, refuse
from autograph_jit.tracing.arrays.views import flat, take_index
from autograph_jit.tracing.values.abstract import StagedArray, content_of
from autograph_jit.tracing.values.lift import array, is_number, shape_of
from autograph_jit.tracing.values.trace import emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)


@implements(np.nancumsum)
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return call(np.cumsum, without_nan(a, 0), axis, dtype, out)


@implements(np.nancumprod)
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return call(np.cumprod, without_nan(a, 1), axis, dtype, out)


@implements(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = NO_VALUE) -> Any:
    """The mean of the two in the middle of those that are numbers."""
    refuse(overwrite_input is not False, keepdims is not NO_VALUE)
    x, count, place = with_counts(a, axis)
    low, high = elements_at(x, floor_half(ufunc(np.subtract, count, 1)), floor_half(count), place)
    low = ufunc(np.add, low, 0.0)  # of -0.0, NumPy's mean is 0.0
    return finish(choose_where(ufunc(np.equal, low, high), low, ufunc(np.true_divide, ufunc(np.add, low, high), 2)), out)


def floor_half(count: Any) -> Any:
    """Half of a count, 0 for -1."""
    return ufunc(np.maximum, ufunc(np.floor_divide, count, 2), 0)


def quantile_of_numbers(a: Any, q: Any, whole: float, axis: Any, text: str, method: str) -> Any:
    """Linear interpolation between the sorted neighbours of `q * (n - 1)`, n numbers in each line."""
    refuse(not is_number(content_of(q)), as_array(a).dtype != FLOAT)
    x, count, place = with_counts(a, axis)
    last = ufunc(np.maximum, ufunc(np.subtract, count, 1), 0)
    where = ufunc(np.multiply, checked_share(content_of(q), whole, text), last)
    low = ufunc(np.floor, where)
    first = as_array(low).astype(INT)
    second = as_array(ufunc(np.minimum, ufunc(np.add, first, 1), last))
    weight = ufunc(np.subtract, where, low)
    weight = call(np.squeeze, weight, place) if isinstance(weight, StagedArray) else weight
    weight = weight[()] if isinstance(weight, StagedArray) and weight.ndim == 0 else weight
    return interpolated(*elements_at(x, first, second, place), weight)


FUNCTIONS[np.nanquantile], FUNCTIONS[np.nanpercentile] = (
    by_shares(quantile_of_numbers, ("linear",), *shares) for shares in (OF_ONE, OF_PERCENT)
)


def with_counts(a: Any, axis: Any) -> tuple[StagedArray, StagedArray, int]:
    """The array; how many numbers there are along the axis, which is kept; and the axis."""
    x = as_array(a)
    refuse(x.ndim == 0, x.dtype.kind != "f", is_sequence(axis))
    if axis is None:
        x, axis = flat(x), 0
    place = normalize_axis(axis, x.ndim)
    refuse((lower_bound(x.type.dims[place]) or 0) < 1)
    numbers = array(emit("cast", as_array(ufunc(np.logical_not, ufunc(np.isnan, x))).value, dtype=INT).result)
    return x, call(np.sum, numbers, axis=place, keepdims=True), place


def elements_at(x: StagedArray, first: Any, second: Any, axis: int) -> tuple[Any, Any]:
    """The elements of two ranks of each line, what is no number behind. Lines may differ in their ranks: several are sorted."""
    if x.ndim == 1:
        found = order_statistics(x, concatenate([as_array(first), as_array(second)]), 0)
        return take_index(found, 0, 0), take_index(found, 0, 1)
    ordered = sort(x, axis)
    return element_at(ordered, first, axis), element_at(ordered, second, axis)


def element_at(ordered: StagedArray, index: Any, axis: int) -> Any:
    """The element at an index of each line."""
    places = as_array(index)
    shape = tuple(1 if k == axis else size for k, size in enumerate(shape_of(ordered)))
    found = call(np.take_along_axis, ordered, call(np.broadcast_to, places, shape), axis)
    found = call(np.squeeze, found, axis)
    return found[()] if isinstance(found, StagedArray) and found.ndim == 0 else found
