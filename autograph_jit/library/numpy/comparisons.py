"""Comparisons of whole arrays, and reductions that leave out what is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.library.numpy.reductions import finish, reduce_ufunc
from autograph_jit.library.numpy.selection import choose_where
from autograph_jit.library.numpy.statistics import kept, ufunc
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import NO_VALUE, implements, is_given, refuse
from autograph_jit.tracing.values.abstract import StagedArray, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import dtype_of, index_value, is_number
from autograph_jit.tracing.values.trace import constant, emit


@implements(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    a = content_of(x)
    a = a if is_number(a) else as_array(a)
    kind = dtype_of(a).kind
    refuse(kind not in "f", not copy)
    limits = np.finfo(dtype_of(a))
    result = choose_where(ufunc(np.isnan, a), nan, a)
    result = choose_where(ufunc(np.equal, a, np.inf), dtype_of(a).type(limits.max) if posinf is None else posinf, result)
    return choose_where(ufunc(np.equal, a, -np.inf), dtype_of(a).type(limits.min) if neginf is None else neginf, result)


@implements(np.nansum)
def nansum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE
) -> Any:
    return reduce_ufunc(np.add, without_nan(a, 0), axis, dtype, out, keepdims, initial, where)


@implements(np.nanprod)
def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE
) -> Any:
    return reduce_ufunc(np.multiply, without_nan(a, 1), axis, dtype, out, keepdims, initial, where)


def without_nan(a: Any, other: Any) -> StagedArray:
    """The array with its NaNs replaced."""
    x = as_array(a)
    return as_array(choose_where(ufunc(np.isnan, x), other, x)) if x.dtype.kind in "fc" else x


@implements(np.nanmean)
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE) -> Any:
    x = as_array(a)
    refuse(x.dtype.kind not in "f", where is not NO_VALUE, dtype is not None)
    count = reduce_ufunc(np.add, as_array(ufunc(np.logical_not, ufunc(np.isnan, x))), axis, np.int64, None, kept(keepdims), NO_VALUE, True)
    return finish(
        ufunc(np.true_divide, reduce_ufunc(np.add, without_nan(x, 0), axis, None, None, kept(keepdims), NO_VALUE, True), count).astype(
            x.dtype
        ),
        out,
    )


def nan_extremum(fold: np.ufunc, pick: float, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    """The extremum of what is a number; NaN where nothing is."""
    x = as_array(a)
    refuse(axis is not None and 0 in x.type.dims)
    if axis is None and x.ndim:
        size = index_value(x.size)
        text = f"zero-size array to reduction operation {'fmax' if fold is np.maximum else 'fmin'} which has no identity"
        check(emit("not_equal", size, constant(np.int64(0))).result, ValueError, text)
    if x.dtype.kind not in "f":
        return reduce_ufunc(fold, x, axis, None, out, keepdims, NO_VALUE, True)
    result = reduce_ufunc(fold, without_nan(x, pick), axis, None, None, keepdims, NO_VALUE, True)
    empty = language.numpy(np.all, (ufunc(np.isnan, x),), {"axis": axis, "keepdims": kept(keepdims)})
    return finish(choose_where(empty, np.nan, result), out)


@implements(np.nanmax)
def nanmax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE) -> Any:
    refuse(is_given(initial), is_given(where))
    return nan_extremum(np.maximum, -np.inf, a, axis, out, keepdims)


@implements(np.nanmin)
def nanmin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE) -> Any:
    refuse(is_given(initial), is_given(where))
    return nan_extremum(np.minimum, np.inf, a, axis, out, keepdims)
