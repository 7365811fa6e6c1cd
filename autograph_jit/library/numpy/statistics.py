"""Means, variances and what is built of them; comparisons of whole arrays; differences, gradients and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.library.numpy.linalg import root
from autograph_jit.library.numpy.outputs import expect_reduced
from autograph_jit.library.numpy.reductions import count_of, finish, normalize_axes, reduce_ufunc
from autograph_jit.library.numpy.selection import choose_where
from autograph_jit.library.numpy.sorting import order_statistics
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence, wrap_result
from autograph_jit.tracing.arrays.register import NO_VALUE, implements, is_given, method, refuse
from autograph_jit.tracing.arrays.views import flat, take_index, take_slice
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, is_number, scalar, shape_of
from autograph_jit.tracing.values.trace import constant, emit

FLOAT, INT, BOOL = np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)

MOST_DIFFERENCES = 3  # of which all intermediate ones are computed anew for each element


def ufunc(function: np.ufunc, *operands: Any) -> Any:
    """`function(*operands)`."""
    return language.ufunc(function, "__call__", operands, {})


def kept(keepdims: Any) -> bool:
    """Whether keepdims is set."""
    return keepdims is not NO_VALUE and bool(keepdims)


def count_selected(x: StagedArray, axes: tuple[int, ...], where: Any, keepdims: bool) -> Any:
    """How many elements enter a mean."""
    if where is True or where is NO_VALUE:
        return count_of(x, axes) if axes else 1
    mask = language.numpy(np.broadcast_to, (where, shape_of(x)), {})
    return reduce_ufunc(np.add, mask, axes, np.int64, None, keepdims, NO_VALUE, True)


def mean_dtype(dtype: np.dtype, wanted: Any) -> np.dtype:
    """The dtype that a mean is computed in."""
    if wanted is not None:
        return np.dtype(wanted)
    return FLOAT if dtype.kind in "biu" else dtype


@implements(np.mean)
@method("mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE) -> Any:
    x = as_array(a)
    axes = mean_axes(axis, x.ndim)
    expect_reduced(out, x, axes, kept(keepdims))
    total = reduce_ufunc(np.add, x, axes, mean_dtype(x.dtype, dtype), None, kept(keepdims), NO_VALUE, where)
    return finish(divided(total, count_selected(x, axes, where, kept(keepdims))), out)


def mean_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes of a mean, which a rank-0 array does not have."""
    if rank == 0 and axis is not None and axis != ():
        raise np.exceptions.AxisError(axis if isinstance(axis, int) else axis[0], 0)
    return normalize_axes(axis, rank)


def divided(total: Any, count: Any) -> Any:
    """A sum over a count, in the dtype of the sum."""
    result = ufunc(np.true_divide, total, count)
    dtype = dtype_of(total)
    return result if dtype_of(result) == dtype else wrap_result(cast(result.value, dtype))


@implements(np.var)
@method("var")
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    ddof = ddof if correction is NO_VALUE else correction
    x = as_array(a)
    refuse(mean is not NO_VALUE, dtype is not None and np.dtype(dtype).kind not in "fc")
    axes = mean_axes(axis, x.ndim)
    expect_reduced(out, x, axes, kept(keepdims))
    wanted = mean_dtype(x.dtype, dtype)
    center = reduce_ufunc(np.add, x, axes, wanted, None, True, NO_VALUE, where)
    center = divided(center, count_selected(x, axes, where, True))
    deviation = ufunc(np.subtract, x, center)
    squares = square_magnitude(as_array(deviation))
    total = reduce_ufunc(np.add, squares, axes, dtype, None, kept(keepdims), NO_VALUE, where)
    degrees = count_selected(x, axes, where, kept(keepdims)) - ddof
    return finish(divided(total, at_least_zero(degrees)), out)


def at_least_zero(count: Any) -> Any:
    """`max(count, 0)`, a Python int where count is one."""
    if isinstance(count, (int, float)):
        return max(count, 0)
    if isinstance(count, StagedScalar):
        zero = constant(count.scalar_dtype.type(0))
        return scalar(emit("maximum", count.value, zero).result, count.weak)
    return ufunc(np.maximum, count, 0)


def square_magnitude(x: StagedArray) -> StagedArray:
    """|x| squared: real for complex x."""
    if x.dtype.kind != "c":
        return as_array(ufunc(np.multiply, x, x))
    real, imag = array(emit("real_view", x.value).result), array(emit("imag_view", x.value).result)
    return as_array(ufunc(np.add, ufunc(np.multiply, real, real), ufunc(np.multiply, imag, imag)))


@implements(np.std)
@method("std")
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    return finish(root(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)), out)


@implements(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = NO_VALUE) -> Any:
    x = as_array(a)
    if weights is None:
        refuse(returned)
        return mean(x, axis, keepdims=keepdims)
    w = as_array(weights)
    refuse(isinstance(axis, tuple), x.ndim == 0, w.ndim == x.ndim and w.type.dims != x.type.dims)
    if w.ndim != x.ndim:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        refuse(w.ndim != 1)
        place = normalize_axis(axis, x.ndim)
        w = w[tuple(slice(None) if k == place else None for k in range(x.ndim))]
        w = language.numpy(np.broadcast_to, (w, shape_of(x)), {})
    dtype = np.result_type(x.dtype, w.dtype, FLOAT) if x.dtype.kind in "biu" else np.result_type(x.dtype, w.dtype)
    scale = reduce_ufunc(np.add, w, axis, dtype, None, kept(keepdims), NO_VALUE, True)
    present = reduce_ufunc(np.logical_and, as_array(ufunc(np.not_equal, scale, 0)), None, None, None, False, NO_VALUE, True)
    check(present.value, ZeroDivisionError, "Weights sum to zero, can't be normalized")
    total = reduce_ufunc(np.add, as_array(ufunc(np.multiply, x, w)), axis, dtype, None, kept(keepdims), NO_VALUE, True)
    result = total / scale
    return (result, scale) if returned else result


@implements(np.median)
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    """The middle of the sorted elements; not a number where one of them is not."""
    x = as_array(a)
    refuse(overwrite_input is not False, keepdims, is_sequence(axis), x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    place = normalize_axis(axis, x.ndim)
    expect_reduced(out, x, (place,))
    n = shape_of(x)[place]
    refuse(isinstance(n, int) and n == 0)
    if isinstance(n, int) or (lower_bound(x.type.dims[place]) or 0) > 0:
        return finish(middle_of(x, place, n), out)
    dtype = mean_dtype(x.dtype, None)

    def missing() -> Any:
        return ufunc(np.add, reduce_ufunc(np.add, x, place, dtype, None, False, NO_VALUE, True), np.nan)

    return finish(language.if_exp(n > 0, lambda: middle_of(x, place, n), missing), out)


def middle_of(x: StagedArray, axis: int, n: Any) -> Any:
    """The median along an axis with n elements, one at least; the last one tells whether there is what is not a number."""
    ranks = [(n - 1) // 2, n // 2] + ([n - 1] if x.dtype.kind in "fc" else [])
    found = order_statistics(x, as_array(ranks, INT), axis)
    found = array(cast(found.value, mean_dtype(x.dtype, None)))
    low, high, last = (take_index(found, axis, k) for k in (0, 1, -1))
    low = ufunc(np.add, low, 0.0)  # of -0.0, NumPy's mean is 0.0
    middle = ufunc(np.true_divide, ufunc(np.add, low, high), 2)
    result = choose_where(ufunc(np.equal, low, high), low, middle)
    return choose_where(ufunc(np.isnan, last), last, result) if x.dtype.kind in "fc" else result


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    refuse(fweights is not None, aweights is not None, dtype is not None)
    parts = [as_array(part) for part in ((m,) if y is None else (m, y))]
    wanted = np.result_type(*(x.dtype for x in parts), FLOAT)
    variables = [variables_of(array(cast(x.value, wanted)), rowvar, x is not parts[0]) for x in parts]
    rows = concatenate(variables, 0) if len(variables) > 1 else variables[0]
    ddof = (0 if bias else 1) if ddof is None else ddof
    factor = shape_of(rows)[1] - ddof
    centered = ufunc(np.subtract, rows, mean(rows, 1, keepdims=True))
    turned = language.numpy(np.transpose, (centered,), {})
    product = language.ufunc(np.matmul, "__call__", (centered, turned.conj() if wanted.kind == "c" else turned), {})
    divisor = at_least_zero(factor)
    return (
        language.numpy(np.squeeze, (ufunc(np.true_divide, product, divisor),), {})
        if static_shape(product)
        else ufunc(np.true_divide, product, divisor)
    )


def variables_of(x: StagedArray, rowvar: Any, is_second: bool) -> StagedArray:
    """One variable a row, one observation a column; of the second array, NumPy does not turn a single row."""
    refuse(x.ndim > 2, x.ndim == 0)
    if x.ndim == 1:
        return x[None]
    size = x.type.dims[0]
    refuse(is_second and not rowvar and not isinstance(size, int))
    rows = x if rowvar or (is_second and size == 1) else language.numpy(np.transpose, (x,), {})
    refuse(rows.type.dims[0] == 0)
    return rows


def static_shape(x: StagedArray) -> bool:
    """Whether the first axis may be dropped: its size is known."""
    refuse(not isinstance(x.type.dims[0], int))
    return True


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar, dtype=dtype)
    if not isinstance(c, StagedArray) or c.ndim == 0:
        return ufunc(np.true_divide, c, c)
    variance = language.numpy(np.real, (language.numpy(np.diagonal, (c,), {}),), {})
    deviation = ufunc(np.sqrt, variance)
    c = as_array(ufunc(np.true_divide, ufunc(np.true_divide, c, deviation[:, None]), deviation[None, :]))
    if c.dtype.kind != "c":
        return language.numpy(np.clip, (c, -1, 1), {})
    for part in (array(emit("real_view", c.value).result), array(emit("imag_view", c.value).result)):
        part[...] = language.numpy(np.clip, (part, -1, 1), {})
    return c


@implements(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> Any:
    refuse(not isinstance(n, int))
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = as_array(a)
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    place = normalize_axis(axis, x.ndim)
    parts = [end_part(prepend, x, place)] if is_given(prepend) else []
    parts += [x] + ([end_part(append, x, place)] if is_given(append) else [])
    x = concatenate(parts, place) if len(parts) > 1 else x
    if 2 <= n <= MOST_DIFFERENCES and x.dtype.kind != "b" and (lower_bound(x.type.dims[place]) or 0) >= n:
        return differences_of_slices(x, n, place)
    for _ in range(n):
        function = np.not_equal if x.dtype.kind == "b" else np.subtract
        x = ufunc(function, take_slice(x, place, 1, None), take_slice(x, place, None, -1))
    return x


def differences_of_slices(x: StagedArray, n: int, axis: int) -> Any:
    """The n-th differences, computed element by element from slices of the array: one nest, with the roundings of repeated differences."""
    level: list[Any] = [take_slice(x, axis, k or None, k - n or None) for k in range(n + 1)]
    for _ in range(n):
        level = [ufunc(np.subtract, after, before) for before, after in zip(level, level[1:])]
    return level[0]


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    refuse(to_end is not None, to_begin is not None, as_array(ary).ndim == 0)
    x = flat(as_array(ary))
    return ufunc(np.subtract, take_slice(x, 0, 1, None), take_slice(x, 0, None, -1))


def end_part(part: Any, x: StagedArray, axis: int) -> StagedArray:
    """What diff puts at an end: a number stands for a whole slice."""
    found = as_array(part)
    if found.ndim:
        return found
    shape = shape_of(x)
    return language.numpy(np.broadcast_to, (found, (*shape[:axis], 1, *shape[axis + 1 :])), {})


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    x = content_of(z)
    x = x if is_number(x) else as_array(x)
    if dtype_of(x).kind == "c":
        value = x.value if isinstance(x, (StagedArray, StagedScalar)) else constant(np.complex128(x))
        result = wrap_result(emit("angle", value).result)
    else:
        result = ufunc(np.arctan2, 0, x)
    return ufunc(np.multiply, result, 180 / np.pi) if deg else result


@implements(np.real)
def real(val: Any) -> Any:
    return content_of(val).real if not is_sequence(content_of(val)) else as_array(val).real


@implements(np.imag)
def imag(val: Any) -> Any:
    return content_of(val).imag if not is_sequence(content_of(val)) else as_array(val).imag
