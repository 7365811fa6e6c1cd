"""What sorting makes easy: quantiles, percentiles, distinct values; and elements put in or left out by position."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.creation import filled
from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.library.numpy.reductions import finish
from autograph_jit.library.numpy.selection import choose_where
from autograph_jit.library.numpy.sorting import order_statistics, sort
from autograph_jit.library.numpy.statistics import ufunc
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.indexing import getitem, setitem
from autograph_jit.tracing.arrays.register import FUNCTIONS, NO_VALUE, implements, refuse
from autograph_jit.tracing.arrays.views import flat, move_axis, take_index, take_slice
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.lift import array, cast, is_number, lift_number, shape_of
from autograph_jit.tracing.values.trace import constant, emit

FLOAT, INT, BOOL = np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)


# By the method: the weight of the upper neighbour, given how far the place lies behind the lower one.
SHARES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda rest: rest,
    "lower": lambda rest: ufunc(np.multiply, rest, 0.0),
    "higher": lambda rest: ufunc(np.ceil, rest),
    "midpoint": lambda rest: ufunc(np.multiply, ufunc(np.ceil, rest), 0.5),
}


def sorted_quantile(a: Any, q: Any, whole: float, axis: Any, text: str, method: str) -> Any:
    """Between the sorted neighbours of `q * (n - 1)`: linear interpolation, one of them, or their mean."""
    x = as_array(a)
    refuse(x.ndim == 0, x.dtype not in (FLOAT, INT), x.dtype == INT and method in ("lower", "higher"))
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.ndim)
    refuse((lower_bound(x.type.dims[axis]) or 0) < 1)
    share = content_of(q)
    share = share if is_number(share) else as_array(share)
    refuse(isinstance(share, StagedArray) and (share.ndim != 1 or share.dtype.kind == "c"))
    share = checked_share(share, whole, text)
    n = shape_of(x)[axis]
    place = ufunc(np.multiply, share, n - 1)
    low = ufunc(np.floor, place)
    weight = SHARES[method](ufunc(np.subtract, place, low))
    first = integer(low)
    second = ufunc(np.minimum, ufunc(np.add, first, 1), n - 1)
    below, above, last = adjacent_elements(x, first, second, axis)
    if isinstance(weight, StagedArray):
        weight = getitem(weight, (slice(None), *(None,) * (x.ndim - 1)))
    one_of_both = method in ("lower", "higher")  # of which one may be infinite
    result = choose_where(ufunc(np.equal, weight, 0), below, above) if one_of_both else interpolated(below, above, weight)
    last = getitem(last, ()) if last.ndim == 0 else last
    return choose_where(ufunc(np.isnan, last), last, result)


def by_shares(compute: Callable[..., Any], methods: Collection[str], whole: float, text: str) -> Callable[..., Any]:
    """The form of a function of shares of `whole`, by `compute(a, q, whole, axis, text, method)` for the methods that it knows."""

    def quantile(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = NO_VALUE,
        *,
        weights: Any = None,
    ) -> Any:
        refuse(overwrite_input is not False, method not in methods, keepdims is not NO_VALUE and keepdims, weights is not None)
        refuse(is_sequence(axis))
        return finish(compute(a, q, whole, axis, text, method), out)

    return quantile


OF_ONE, OF_PERCENT = (1.0, "Quantiles must be in the range [0, 1]"), (100.0, "Percentiles must be in the range [0, 100]")
FUNCTIONS[np.quantile], FUNCTIONS[np.percentile] = (by_shares(sorted_quantile, SHARES, *shares) for shares in (OF_ONE, OF_PERCENT))


def adjacent_elements(x: StagedArray, first: Any, second: Any, axis: int) -> tuple[StagedArray, StagedArray, StagedArray]:
    """The elements of two ranks, or vectors of ranks, of each line along the axis, and the last element; the ranks stand in front."""
    n = shape_of(x)[axis]
    ends = as_array([0, n - 1], INT)  # NumPy looks at these two as well: which of equal zeros stands where depends on it
    single = not isinstance(first, StagedArray)
    ranks = concatenate([ends, as_array([first, second], INT)] if single else [ends, first, second])
    found = move_axis(array(cast(order_statistics(x, ranks, axis).value, FLOAT)), axis, 0)
    last = take_index(found, 0, 1)
    if single:
        return take_index(found, 0, 2), take_index(found, 0, 3), last
    count = shape_of(first)[0]
    halves = take_slice(found, 0, 2, count + 2), take_slice(found, 0, count + 2, None)
    below, above = (array(emit("copy", half.value).result) if half.ndim > 1 else half for half in halves)  # NumPy's are in C order
    return below, above, last


def checked_share(share: Any, whole: float, text: str) -> Any:
    """The share of 1, which must lie between 0 and 1."""
    if not isinstance(share, (StagedArray, StagedScalar)):
        if not 0 <= share <= whole:
            raise ValueError(text)
        return np.float64(share / whole)
    value = cast(share.value, FLOAT)
    inside = emit(
        "logical_and",
        emit("greater_equal", value, constant(np.float64(0))).result,
        emit("less_equal", value, constant(np.float64(whole))).result,
    )
    good = inside.result if isinstance(share, StagedScalar) else emit("reduce", inside.result, op="all", axes=(0,), keepdims=False).result
    check(good, ValueError, text)
    found = array(value) if isinstance(share, StagedArray) else StagedScalar(value, False)
    return found if whole == 1 else ufunc(np.true_divide, found, whole)


def integer(x: Any) -> Any:
    """A whole float as int64."""
    if isinstance(x, StagedArray):
        return array(cast(x.value, INT))
    return StagedScalar(lift_number(x, INT), False)


def interpolated(below: Any, above: Any, weight: Any) -> Any:
    """NumPy's own interpolation: exact at both ends, monotonic."""
    distance = ufunc(np.subtract, above, below)
    near = ufunc(np.add, below, ufunc(np.multiply, distance, weight))
    far = ufunc(np.subtract, above, ufunc(np.multiply, distance, ufunc(np.subtract, 1, weight)))
    return choose_where(ufunc(np.greater_equal, weight, 0.5), far, near)


@implements(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements in order, with their counts where asked for."""
    x = as_array(ar)
    refuse(return_index, return_inverse, axis is not None, not equal_nan, x.dtype.kind == "c")
    ordered = sort(flat(x) if x.ndim else getitem(x, None), 0)
    keep = filled(shape_of(ordered), constant(np.bool_(True)))
    differs = ufunc(np.not_equal, take_slice(ordered, 0, 1, None), take_slice(ordered, 0, None, -1))
    if x.dtype.kind == "f":
        differs = ufunc(np.logical_and, differs, ufunc(np.logical_not, ufunc(np.isnan, take_slice(ordered, 0, None, -1))))
    setitem(keep, slice(1, None), differs)
    values = getitem(ordered, keep)
    if not return_counts:
        return values
    starts = emit("nonzero", keep.value, dims=values.type.dims[:1]).results[0]
    ends = concatenate([array(starts), [shape_of(ordered)[0]]])
    return values, ufunc(np.subtract, take_slice(ends, 0, 1, None), take_slice(ends, 0, None, -1))


def split_place(x: StagedArray, position: Any, axis: int, last: int) -> int:
    """A position known here, counted from the front; it must lie inside an axis of known size."""
    size = x.type.dims[axis]
    refuse(not isinstance(position, (int, np.integer)) or isinstance(position, bool))
    bound = size if isinstance(size, int) else lower_bound(size) or 0
    refuse(not -bound - last < position < bound + last, position < 0 and not isinstance(size, int))
    return int(position) if position >= 0 else int(position) + bound


@implements(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    x = as_array(arr)
    refuse(x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.ndim)
    place = split_place(x, content_of(obj), axis, 0)
    return concatenate([take_slice(x, axis, None, place), take_slice(x, axis, place + 1, None)], axis)


@implements(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    x = as_array(arr)
    refuse(x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.ndim)
    place = split_place(x, content_of(obj), axis, 1)
    value = content_of(values)
    refuse(not is_number(value))
    shape = list(shape_of(x))
    shape[axis] = 1
    return concatenate(
        [take_slice(x, axis, None, place), filled(shape, element_value(value, x.dtype)), take_slice(x, axis, place, None)], axis
    )
