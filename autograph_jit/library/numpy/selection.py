"""Choosing elements: where, select, choose, clip, take, compress, repeat, nonzero and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import I64
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.creation import arange, filled
from autograph_jit.library.numpy.outputs import expect_castable, expect_output, expect_outputs_fit, writable_outputs
from autograph_jit.library.numpy.reductions import finish, is_writable, out_dtype
from autograph_jit.ops.indexing import LARGEST, TOO_BIG
from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence, size_operand, strong, wrap_result
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.indexing import getitem, nonzero, numbers_in
from autograph_jit.tracing.arrays.register import implements, is_given, method, refuse
from autograph_jit.tracing.arrays.views import add_axes, basic_view, expect_fitting, flat, reshape
from autograph_jit.tracing.values.abstract import NumberArray, StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, element, index_value, is_number, is_weak, lift_number, scalar, shape_of
from autograph_jit.tracing.values.memory_order import elementwise
from autograph_jit.tracing.values.shape_checks import shape_of as sizes_of
from autograph_jit.tracing.values.trace import active, constant, emit

BOOL, FLOAT = np.dtype(bool), np.dtype(np.float64)
CLIP = np._core.umath.clip  # type: ignore[attr-defined]
FEW = 1 << 16  # times that any array can be repeated


def operand(x: Any) -> Any:
    """A number, or an array of any rank."""
    x = content_of(x)
    return x if is_number(x) else as_array(x)


def number_or_array(x: Any) -> Any:
    """A number, or an array of rank 1 or more."""
    x = operand(x)
    return element(x) if isinstance(x, StagedArray) and x.ndim == 0 else x


def lifted(x: Any, dtype: np.dtype) -> Value:
    """An operand as a graph value of `dtype`."""
    return cast(x.value, dtype) if isinstance(x, StagedArray) else element_value(x, dtype) if is_weak(x) else lift_number(x, dtype)


def wrapped(x: Any, dtype: np.dtype) -> Value:
    """An operand as a graph value of `dtype`; a Python int beyond its range wraps, as that of an array does."""
    return cast(x.value if isinstance(x, StagedArray) else lift_number(x), dtype)


def promote(*operands: Any) -> np.dtype:
    """NumPy's common dtype; Python numbers are weak."""
    tokens = [ufuncs.dtype_token(x) for x in operands]
    samples = [np.zeros((), token) if isinstance(token, np.dtype) else token(0) for token in tokens]
    return np.result_type(*samples)


def choose_where(condition: Any, x: Any, y: Any) -> Any:
    """`where` over operands that broadcast."""
    mask, x, y = number_or_array(condition), number_or_array(x), number_or_array(y)
    expect_fitting(mask, x, y)
    dtype = promote(x, y)
    return wrap_result(elementwise("where", lifted(mask, BOOL), side_of_where(x, dtype), side_of_where(y, dtype)))


def side_of_where(x: Any, dtype: np.dtype) -> Value:
    """A side of `where` as a graph value of `dtype`: there a Python int of 64 bits wraps, as that of an array does."""
    is_wide = isinstance(x, int) and not -(2**63) <= x < 2**63
    return wrapped(x, dtype) if is_weak(x) and dtype.kind in "iu" and not is_wide else lifted(x, dtype)


def as_rank_zero(x: Any) -> Any:
    """A result that is an array of rank 0 in NumPy where compiled code has a number."""
    return NumberArray(x.value, False) if isinstance(x, StagedScalar) else x


@implements(np.where)
def where(condition: Any, *choices: Any) -> Any:
    if not choices:
        return positions(condition)
    refuse(len(choices) != 2, any(choice is None for choice in choices))
    return as_rank_zero(choose_where(condition, *choices))


@implements(np.nonzero)
@method("nonzero")
def positions(a: Any) -> Any:
    x = as_array(a)
    if x.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. "
            "If the context of this error is of the form `arr[nonzero(cond)]`, "
            "just use `arr[cond]`."
        )
    return nonzero(x)


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    index = as_array(a)
    options = [
        number_or_array(c)
        for c in (choices if is_sequence(choices) else [content_of(choices)[k] for k in range(shape_of(as_array(choices))[0])])
    ]
    refuse(out is not None)
    dtype = promote(*options)
    count = len(options)
    index = bounded_index(array(cast(index.value, I64.dtype)), count, mode, "invalid entry in choice array")
    result = wrapped(options[-1], dtype)
    for k in reversed(range(count - 1)):
        mask = emit("equal", index.value, constant(np.int64(k))).result
        result = emit("where", mask, wrapped(options[k], dtype), result).result
    return wrap_result(result)


def bounded_index(index: StagedArray, count: Any, mode: str, text: str) -> StagedArray:
    """Positions made to lie in range(count): wrapped, clipped, or checked."""
    size = index_value(count)
    zero = constant(np.int64(0))
    if mode == "wrap":
        return array(emit("remainder", index.value, size).result)
    if mode == "clip":
        last = emit("subtract", size, constant(np.int64(1))).result
        return array(emit("maximum", emit("minimum", index.value, last).result, zero).result)
    inside = emit("logical_and", emit("greater_equal", index.value, zero).result, emit("less", index.value, size).result).result
    check(emit("reduce", inside, op="all", axes=tuple(range(index.ndim)), keepdims=False).result, ValueError, text)
    return index


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: Any = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
    dtype: Any = None,
    **kwargs: Any,
) -> Any:
    refuse((a_min is np._NoValue) != (a_max is np._NoValue))  # NumPy raises
    refuse(a_min is not np._NoValue and not (min is np._NoValue and max is np._NoValue))
    low = min if a_min is np._NoValue else a_min
    high = max if a_max is np._NoValue else a_max
    refuse(dtype is not None, bool(kwargs))
    x = strong(number_or_array(a))
    bounds = [number_or_array(bound) for bound in (low, high) if is_given(bound)]
    expect_fitting(x, *(bounds if not is_given(out) else ()))
    if dtype_of(x).kind in "iu":
        limits = np.iinfo(dtype_of(x))
        low, high = binding(low, int(limits.min), np.maximum), binding(high, int(limits.max), np.minimum)
    if is_given(out):
        expect_clipped_output(x, bounds, CLIP if len(bounds) == 2 else np.maximum if is_given(low) else np.minimum, out)
    if is_given(low):
        x = language.ufunc(np.maximum, "__call__", (x, low), {})
    if is_given(high):
        x = language.ufunc(np.minimum, "__call__", (x, high), {})
    if not is_given(low) and not is_given(high):
        x = language.ufunc(np.positive, "__call__", (x,), {})
    return finish(x, out)


def expect_clipped_output(x: Any, bounds: list[Any], ufunc: np.ufunc, out: Any) -> None:
    """The output of `clip` as that of the ufunc of so many bounds; what has no bound is left to NumPy."""
    refuse(not bounds)
    targets = writable_outputs(out if isinstance(out, tuple) else (out,))
    expect_castable(ufunc, ufuncs.resolve(ufunc, (x, *bounds))[ufunc.nin :], targets)
    expect_outputs_fit(targets, (x, *bounds), True)
    expect_fitting(x, *bounds)


def binding(bound: Any, limit: int, tighter: np.ufunc) -> Any:
    """A bound of `clip`; a Python int at or beyond the limit of the array's integers binds nothing, where others of that size overflow."""
    if type(bound) is int:
        return None if (bound >= limit if tighter is np.minimum else bound <= limit) else bound
    if isinstance(bound, StagedScalar) and bound.weak and bound.scalar_dtype.kind == "i" and abs(limit) < 2**62:
        return scalar(emit(tighter.__name__, bound.value, constant(np.int64(limit))).result, weak=True)
    return bound


@implements(np.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    x = as_array(a)
    index = content_of(indices)
    refuse(x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.ndim)
    if not is_number(index):
        index = as_array(index)
    refuse(dtype_of(index).kind in "fb", out is not None and (not is_writable(out) or out_dtype(out) != x.dtype))
    places_of = [] if is_number(index) else list(sizes_of(index.value))
    sizes = list(sizes_of(x.value))
    expect_output(out, [*sizes[:axis], *places_of, *sizes[axis + 1 :]], "output array does not match result of ndarray.take")
    if 0 in x.type.dims[:axis] or (mode != "raise" and 0 in x.type.dims[axis + 1 :]):
        return finish(taken_from_nothing(x, axis, index), out)
    expect_choice(x, axis, index)
    if mode != "raise":
        places = array(cast(as_array(index).value, I64.dtype))
        index = bounded_index(places, shape_of(x)[axis], mode, "")
    result = getitem(x, tuple([slice(None)] * axis + [index]))
    return finish(result if not is_number(index) or not isinstance(result, StagedArray) else array(emit("copy", result.value).result), out)


def taken_from_nothing(x: StagedArray, axis: int, index: Any) -> StagedArray:
    """What is taken where an axis before is empty: NumPy does not look at the index."""
    shape = shape_of(x)
    places = () if is_number(index) else shape_of(index)
    return filled((*shape[:axis], *places, *shape[axis + 1 :]), constant(x.dtype.type(0)))


def expect_choice(x: StagedArray, axis: int, index: Any) -> None:
    """From an axis without elements only nothing can be taken, or pieces without elements."""
    size = x.type.dims[axis]
    for other in range(x.ndim):
        if other != axis and x.type.dims[other] == 0:
            return
    if isinstance(size, int) and size > 0:
        return
    text = "cannot do a non-empty take from an empty axes."
    bare = emit("equal", size_operand(x, axis), constant(np.int64(0))).result
    if not is_number(index):
        total = index_value(index.size)
        bare = emit("logical_and", bare, emit("not_equal", total, constant(np.int64(0))).result).result
    for other in (other for other in range(x.ndim) if other != axis):
        bare = emit("logical_and", bare, emit("not_equal", size_operand(x, other), constant(np.int64(0))).result).result
    check(emit("logical_not", bare).result, IndexError, text)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    x, index = as_array(arr), as_array(indices)
    if axis is None:
        x, axis = flat(x), 0
    return getitem(x, along_key(x, index, normalize_axis(axis, x.ndim)))


def along_key(x: StagedArray, index: StagedArray, axis: int) -> tuple[Any, ...]:
    """The key that pairs an index with every position of the other axes."""
    if index.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if x.ndim != index.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    shape = shape_of(x)
    return tuple(index if k == axis else add_axes(arange(shape[k]), [j for j in range(x.ndim) if j != k]) for k in range(x.ndim))


@implements(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    x = as_array(a)
    mask = as_array(condition)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    refuse(x.ndim == 0)
    return take(x, nonzero(mask)[0], axis, out)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    return getitem(flat(as_array(arr)), nonzero(flat(as_array(condition)))[0])


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    x = as_array(a)
    count = content_of(repeats)
    refuse(x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    axis = normalize_axis(axis, x.ndim)
    if is_number(count):
        if x.type.dims[axis] == 0 and dtype_of(count).kind in "biu":  # NumPy does not look at the count
            return array(emit("copy", x.value).result)
        wide = basic_view(x, [("full",)] * (axis + 1) + [("newaxis",)] + [("full",)] * (x.ndim - axis - 1))
        shape = shape_of(x)
        spread = language.numpy(np.broadcast_to, (wide, (*shape[: axis + 1], count, *shape[axis + 1 :])), {})
        expect_repeats_fit(x, count)
        copied = array(emit("copy", spread.value).result)
        return reshape(copied, (*shape[:axis], shape[axis] * count, *shape[axis + 1 :]))
    counts = as_array(count)
    refuse(counts.ndim != 1, not np.can_cast(counts.dtype, I64.dtype))
    if counts.type.dims[0] == 1:
        return repeat(x, counts[0], axis)
    dims = (*x.type.dims[:axis], active().fresh_atom("d", "repeat"), *x.type.dims[axis + 1 :])
    return array(emit("repeat", x.value, cast(counts.value, I64.dtype), axis=axis, dims=dims).result)


def expect_repeats_fit(x: StagedArray, count: Any) -> None:
    """An array of more bytes than an i64 counts is an error."""
    if isinstance(count, int) and count < FEW:
        return
    size, times = (cast(index_value(number), FLOAT) for number in (x.size, count))
    elements = emit("multiply", size, times).result
    check(emit("less", elements, constant(np.float64(LARGEST / x.dtype.itemsize))).result, ValueError, TOO_BIG)


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    x, reps = as_array(A), numbers_in(content_of(reps))
    given = list(reps) if is_sequence(reps) else [reps]
    refuse(not all(is_number(count) and dtype_of(count).kind in "biu" for count in given))
    rank = max(x.ndim, len(given))
    counts = [1] * (rank - len(given)) + given
    x = basic_view(x, [("newaxis",)] * (rank - x.ndim) + [("full",)] * x.ndim)
    if all(isinstance(count, int) and count == 1 for count in counts):
        return language.numpy(np.array, (x,), {})
    shape, wide = shape_of(x), add_axes(x, range(0, 2 * rank, 2))
    pairs = [entry for count, size in zip(counts, shape) for entry in (count, size)]
    spread = language.numpy(np.broadcast_to, (wide, tuple(pairs)), {})
    return reshape(array(emit("copy", spread.value).result), tuple(count * size for count, size in zip(counts, shape)))


@implements(np.round, np.around)
def round_array(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    x = number_or_array(a)
    refuse(not isinstance(decimals, (int, np.integer)))
    kind = dtype_of(x).kind
    if kind in "iu" and decimals >= 0:
        return finish(language.ufunc(np.positive, "__call__", (x,), {}), out)
    refuse(kind not in "f")
    if decimals == 0:
        return finish(language.ufunc(np.rint, "__call__", (x,), {}), out)
    power = 10.0 ** abs(decimals)
    scaled = language.ufunc(np.rint, "__call__", (x * power if decimals > 0 else x / power,), {})
    return finish(scaled / power if decimals > 0 else scaled * power, out)
