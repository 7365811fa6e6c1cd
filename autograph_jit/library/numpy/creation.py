"""Fresh arrays: np.array and np.asarray, zeros to full_like, arange, eye, diag, meshgrid, indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, atom, lower_bound
from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import COPIED
from autograph_jit.library.numpy.movement import reshape_order
from autograph_jit.ops.indexing import LARGEST
from autograph_jit.tracing.arrays.array_like import (
    as_array,
    fresh_copy,
    has_staged_form,
    is_sequence,
    require_dtype,
    scalar_array,
    size_operands,
)
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.indexing import assign
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.sizes import slice_size
from autograph_jit.tracing.arrays.views import (
    dense_view,
    permute,
    prepend_axes,
    shape_entries,
    shape_operands,
)
from autograph_jit.tracing.expressions.list_arguments import fill_rows
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, index_value, is_array, is_number, lift_number
from autograph_jit.tracing.values.memory_order import elementwise, inverse, order_of_operands, turned
from autograph_jit.tracing.values.trace import active, constant, emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)
NEGATIVE = "negative dimensions are not allowed"


@implements(np.array)
def make_array(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
) -> Any:
    """A copy, unless `copy` says otherwise; a number becomes a rank-0 array."""
    refuse(like is not None, order not in ("K", "A", "C", "F", None))
    x = content_of(object)
    wanted = None if dtype is None else require_dtype(dtype)
    result = as_array(x, wanted)
    refuse(copy is False and (not is_array(x) or result.dtype != dtype_of(x) or order in ("C", "F")))
    if is_array(x) and result is not None and copy and (wanted is None or result.dtype == dtype_of(x)):
        result = fresh_copy(result) if order == "C" else array(elementwise("copy", result.value))
    if order == "F" and result.ndim > 1:
        result = permute(dense_view(permute(result, range(result.ndim)[::-1])), range(result.ndim)[::-1])
    return prepend_axes(result, ndmin)


@implements(np.asarray, np.asanyarray)
def as_staged(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None) -> Any:
    return make_array(a, dtype, copy=copy, order=order or "K", like=like)


@implements(np.fromiter)
def from_items(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    """The array of a list of the items, which are numbers."""
    wanted = require_dtype(dtype)
    refuse(like is not None, type(count) is not int or count != -1)
    items = language.call(list, (iter,), None)
    result = as_array(items, wanted)
    refuse(result is None or result.ndim != 1)
    return result


@implements(np.ascontiguousarray)
def contiguous(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return prepend_axes(dense_view(as_array(a, None if dtype is None else require_dtype(dtype))), 1)


@implements(np.asfortranarray)
def fortran_contiguous(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return prepend_axes(as_staged(a, dtype, "F"), 1)


@implements(np.copy)
def copy(a: Any, order: Any = "K", subok: bool = False) -> Any:
    refuse(order == "F")
    if is_number(content_of(a)):
        return scalar_array(content_of(a))
    x = as_array(a)
    return fresh_copy(x) if order == "C" else array(elementwise("copy", x.value))


def filled(shape: Any, value: Value) -> StagedArray:
    """A fresh array of one value."""
    operands, dims = shape_operands(shape)
    return array(emit("full", value, *operands, dims=dims).result)


def reversed_axes(shape: Any, order: Any, make: Callable[[Any], StagedArray]) -> StagedArray:
    """An array of this shape in C or in Fortran order."""
    if order != "F":
        return make(shape)
    result = make(tuple(shape_entries(shape)[::-1]))
    return permute(result, range(result.ndim)[::-1]) if result.ndim > 1 else result


@implements(np.zeros)
def zeros(shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    refuse(like is not None)
    return reversed_axes(shape, order, lambda shape: filled(shape, constant(require_dtype(float if dtype is None else dtype).type(0))))


@implements(np.ones)
def ones(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    refuse(like is not None)
    return reversed_axes(shape, order, lambda shape: filled(shape, constant(require_dtype(float if dtype is None else dtype).type(1))))


@implements(np.empty)
def empty(shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    refuse(like is not None)
    return reversed_axes(shape, order, lambda shape: unfilled(shape, require_dtype(float if dtype is None else dtype)))


def unfilled(shape: Any, dtype: np.dtype) -> StagedArray:
    """A fresh array whose elements nobody has written."""
    operands, dims = shape_operands(shape)
    return array(emit("empty", *operands, dtype=dtype, dims=dims).result)


@implements(np.full)
def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    refuse(like is not None)
    value = content_of(fill_value)
    if is_array(value) or is_sequence(value) or has_staged_form(value):
        result = empty(shape, as_array(value).dtype if dtype is None else dtype, order)
        assign(result, value)
        return result
    refuse(not is_number(value))
    wanted = dtype_of(value) if dtype is None else require_dtype(dtype)
    refuse(is_no_number(value) and wanted.kind in "iu")
    return reversed_axes(shape, order, lambda shape: filled(shape, element_value(value, wanted)))


def in_order_of(x: StagedArray, make: Callable[[list[Value], tuple[Size, ...]], Value]) -> StagedArray:
    """A fresh array of the shape of another one, with its axes in the same order in memory."""
    operands, dims = size_operands(x), x.type.dims
    order = order_of_operands([x.value])
    if order is None:
        return array(make(operands, dims))
    fresh = make([operands[axis] for axis in order], tuple(dims[axis] for axis in order))
    return array(turned(fresh, inverse(order)))


def is_no_number(value: Any) -> bool:
    """Whether a constant is NaN or infinite: which integer stands for it is NumPy's business."""
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)


def like_shape(x: StagedArray, shape: Any) -> tuple[list[Value], tuple[Size, ...]]:
    """The shape of x, unless another is given."""
    return (size_operands(x), x.type.dims) if shape is None else shape_operands(shape)


def filled_like(a: Any, value: Any, dtype: Any, shape: Any, order: Any) -> StagedArray:
    """An array of one value with the shape and dtype of another."""
    x = as_array(a)
    operands, dims = like_shape(x, shape)
    refuse(is_no_number(value) and (x.dtype if dtype is None else np.dtype(dtype)).kind in "iu")
    number = element_value(value, x.dtype if dtype is None else require_dtype(dtype))
    if shape is not None or order not in ("K", "A"):
        return array(emit("full", number, *operands, dims=dims).result)
    return in_order_of(x, lambda operands, dims: emit("full", number, *operands, dims=dims).result)


@implements(np.zeros_like)
def zeros_like(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
    return filled_like(a, 0, dtype, shape, order)


@implements(np.ones_like)
def ones_like(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
    return filled_like(a, 1, dtype, shape, order)


@implements(np.full_like)
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Any:
    value = content_of(fill_value)
    if is_array(value) or is_sequence(value) or has_staged_form(value):
        result = empty_like(a, dtype, order, subok, shape)
        assign(result, value)
        return result
    return filled_like(a, value, dtype, shape, order)


@implements(np.empty_like)
def empty_like(prototype: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Any:
    x = as_array(prototype)
    operands, dims = like_shape(x, shape)
    kind = x.dtype if dtype is None else require_dtype(dtype)
    if shape is not None or order not in ("K", "A"):
        return array(emit("empty", *operands, dtype=kind, dims=dims).result)
    return in_order_of(x, lambda operands, dims: emit("empty", *operands, dtype=kind, dims=dims).result)


@implements(np.arange)
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None, like: Any = None) -> Any:
    """`start + k * step` below stop."""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    parts = [content_of(part) for part in (start, stop, step)]
    parts = [language.numpy(np.asarray, (part,), {})[()] if is_array(part) else part for part in parts]
    refuse(not all(is_number(part) for part in parts))
    if not any(isinstance(part, StagedScalar) for part in parts):
        value = np.arange(*parts, dtype=dtype)
        require_dtype(value.dtype)
        return array(emit("array_constant", value=value).result)
    found = np.result_type(INT, *(dtype_of(part) for part in parts))
    wanted = (INT if found.kind == "b" else found) if dtype is None else require_dtype(dtype)
    refuse(wanted.kind in "bc")
    count, size = integer_count(parts) if found.kind in "iub" else float_count(parts)
    first, by = (lift_number(part, wanted) for part in (parts[0], parts[2]))
    if found.kind == "f":  # NumPy's step is what lies between the first two elements
        by = emit("subtract", lift_number(parts[0] + parts[2], wanted), first).result
    return array(emit("arange", first, by, count, dims=(size,)).result)


def integer_count(parts: list[Any]) -> tuple[Value, Size]:
    """The number of steps between ints, with its label."""
    start, stop, step = parts
    zero, one = constant(np.int64(0)), constant(np.int64(1))
    values = [index_value(part) for part in parts]
    if not isinstance(step, StagedScalar) and step == 0:
        raise ZeroDivisionError("division by zero")
    distance = emit("subtract", values[1], values[0]).result
    if isinstance(step, StagedScalar):
        check(emit("not_equal", values[2], zero).result, ZeroDivisionError, "division by zero")
    if not isinstance(step, StagedScalar) and step == 1:
        count = distance
    else:
        opposite = emit("negative", distance).result
        count = emit("negative", emit("floor_divide", opposite, values[2]).result).result
    count = emit("maximum", count, zero).result
    assert one is not None
    return count, arange_label(start, stop, step)


def arange_label(start: Any, stop: Any, step: Any) -> Size:
    """The label of an arange's length."""
    first, last, by = (part.size if isinstance(part, StagedScalar) else int(part) for part in (start, stop, step))
    if first is None or last is None or not isinstance(by, int):
        return active().fresh_atom("d", "arange")
    length = last - first if by > 0 else first - last
    bound = lower_bound(length)
    length = length if bound is not None and bound >= 0 else atom(f"d:max0({length})")
    return slice_size(None, None, by, length)


def float_count(parts: list[Any]) -> tuple[Value, Size]:
    """The number of steps between floats: the quotient rounded up."""
    start, stop, step = parts
    distance = stop - start
    quotient, zero, one = lift_number(distance / step, FLOAT), constant(FLOAT.type(0)), constant(np.int64(1))
    check(emit("equal", quotient, quotient).result, ValueError, "arange: cannot compute length")
    fits = emit("less_equal", emit("absolute", quotient).result, constant(FLOAT.type(LARGEST))).result
    check(fits, ValueError, "Maximum allowed size exceeded")
    count = emit("maximum", cast(emit("ceil", quotient).result, INT), constant(np.int64(0))).result
    lost = emit("logical_and", emit("equal", quotient, zero).result, emit("not_equal", lift_number(distance, FLOAT), zero).result).result
    above = emit("logical_and", lost, emit("logical_not", emit("signbit", quotient).result).result).result
    count = emit("where", above, one, count).result  # a step so large that the quotient is 0 is one step, or none
    return count, active().fresh_atom("d", "arange")


@implements(np.eye)
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Any:
    M = N if M is None else M
    if not isinstance(N, StagedScalar) and not isinstance(M, StagedScalar):
        return array(emit("array_constant", value=np.eye(N, M, k, require_dtype(dtype))).result)
    shape_operands((N, M))  # refuses negative sizes, which arange takes
    return (arange(N)[:, None] == (arange(M) - k)[None, :]).astype(require_dtype(float if dtype is None else dtype))


@implements(np.identity)
def identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    return eye(n, dtype=float if dtype is None else dtype)


@implements(np.tri)
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float, *, like: Any = None) -> Any:
    M = N if M is None else M
    return (arange(N)[:, None] >= (arange(M) - k)[None, :]).astype(require_dtype(dtype))


@implements(np.diagflat)
def diagflat(v: Any, k: int = 0) -> Any:
    return diagonal_matrix(reshape_order(as_array(v), (-1,), "C"), k)


def diagonal_matrix(v: StagedArray, k: int) -> StagedArray:
    """A square matrix with v on its diagonal k."""
    (n,) = v.shape
    result = zeros((n + abs(k),) * 2, v.dtype)
    place = result[:n, k:] if k >= 0 else result[-k:, :n]
    diagonal = emit("diagonal", place.value, offset=0, axis1=0, axis2=1, dims=v.type.dims).result
    emit("assign", diagonal, v.value)
    return result


builtin(fill_rows)(for_c(convert_on_call(fill_rows), COPIED))
