"""Reductions and scans of staged arrays: sum to median, with NumPy's accumulator dtypes, axes, keepdims, where and initial."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.products import product
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.outputs import expect_reduced
from autograph_jit.tracing.arrays.array_like import as_array, size_operand, wrap_result
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.register import NO_VALUE, NotNative, implements, is_given, method, refuse
from autograph_jit.tracing.arrays.views import expect_fitting, flat
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, index_value, scalar
from autograph_jit.tracing.values.memory_order import along_axis, reduced
from autograph_jit.tracing.values.trace import active, block_of, constant, emit

REDUCTIONS: dict[Any, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.minimum: "min",
    np.maximum: "max",
    np.logical_and: "all",
    np.logical_or: "any",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
}
SCANS: dict[Any, str] = {np.add: "sum", np.multiply: "prod", np.minimum: "min", np.maximum: "max"}
COUNTS_ARE_PYTHON_INTS = isinstance(np.count_nonzero(np.zeros(1)), int)
BOOL, INT, UINT, FLOAT = np.dtype(bool), np.dtype(np.int64), np.dtype(np.uint64), np.dtype(np.float64)


def normalize_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that a reduction removes."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(normalize_axis(one, rank) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))) if rank else ()
    if rank == 0 and axis not in ((), 0, -1, (0,), (-1,)):
        raise np.exceptions.AxisError(axis if isinstance(axis, int) else axis[0], 0)
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(axes))


def accumulator(op: str, dtype: np.dtype, out: Any = None) -> np.dtype:
    """The dtype that a reduction computes in: sums and products of small integers are int64, or the output's dtype where one is given
    that holds the elements."""
    given = out_dtype(out)
    if given is not None and op not in ("any", "all") and np.can_cast(dtype, given):
        return given
    if op in ("sum", "prod"):
        if dtype.kind in "bi" and dtype.itemsize < 8:
            return INT
        return UINT if dtype.kind == "u" else dtype
    return BOOL if op in ("any", "all") else dtype


def reduce_ufunc(ufunc: np.ufunc, x: StagedArray, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """`ufunc.reduce(x, axis, ...)`."""
    op = REDUCTIONS.get(ufunc)
    if ufunc in COMPOSED:
        refuse(dtype is not None, is_given(initial), where is not True and where is not NO_VALUE, x.dtype.kind != "f")
        return finish(COMPOSED[ufunc](x, normalize_axes(axis, x.ndim), keepdims is not NO_VALUE and bool(keepdims)), out)
    if op is None:
        raise NotNative
    refuse(is_given(out) and not is_writable(out))
    wanted = accumulator(op, x.dtype, out) if dtype is None else np.dtype(dtype)
    refuse(op in ("and", "or", "xor") and wanted.kind not in "biu", wanted.name == "float16")
    axes = normalize_axes(axis, x.ndim)
    keep = keepdims is not NO_VALUE and bool(keepdims)
    expect_reduced(out, x, axes, keep)
    value = cast(x.value, wanted)
    if where is not True and where is not NO_VALUE:
        value = masked(op, x, value, where, wanted, initial)
    result = reduce_value(op, value, axes, keep, initial if is_given(initial) else None)
    return finish(wrap_result(result), out)


def log_of_summed_exponentials(x: StagedArray, axes: tuple[int, ...], keepdims: bool) -> Any:
    """`logaddexp.reduce`: the largest exponent is taken out of the sum, unless it is infinite."""
    lowest = constant(x.dtype.type(-np.inf))
    largest = extremum_with_initial("max", x.value, axes, True, lowest, x.type.dims) if axes else x.value
    zero = constant(x.dtype.type(0))
    shift = emit("where", emit("isfinite", largest).result, largest, zero).result
    powers = emit("exp", emit("subtract", x.value, shift).result).result
    total = emit("log", emit("reduce", powers, op="sum", axes=axes, keepdims=True).result).result
    found = array(emit("add", total, shift).result)
    if keepdims:
        return found
    return wrap_result(emit("reduce", found.value, op="sum", axes=axes, keepdims=False).result)


COMPOSED = {np.logaddexp: log_of_summed_exponentials}


def masked(op: str, x: StagedArray, value: Value, where: Any, dtype: np.dtype, initial: Any) -> Value:
    """The elements that `where` leaves out replaced by the neutral element."""
    selected = as_array(where)
    expect_fitting(x, selected)
    mask = cast(selected.value, BOOL)
    neutral = {"sum": 0, "prod": 1, "any": False, "all": True, "or": 0, "xor": 0}
    if op in ("min", "max"):
        if not is_given(initial):
            name = "minimum" if op == "min" else "maximum"
            raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify 'initial'")
        other = element_value(initial, dtype)
    elif op == "and":
        other = constant(np.invert(dtype.type(0)))
    else:
        other = constant(dtype.type(neutral[op]))
    return emit("where", mask, value, other).result


def reduce_value(op: str, value: Value, axes: tuple[int, ...], keepdims: bool, initial: Any) -> Value:
    """The reduction of a graph value that has its accumulator dtype."""
    dims = value.type.dims  # type: ignore[union-attr]
    dtype = value.type.dtype  # type: ignore[union-attr]
    if initial is None or op not in ("min", "max"):
        result = reduced(value, axes, keepdims, op=op)
        if initial is None:
            return result
        names = {
            "sum": "add",
            "prod": "multiply",
            "any": "logical_or",
            "all": "logical_and",
            "and": "bitwise_and",
            "or": "bitwise_or",
            "xor": "bitwise_xor",
        }
        return emit(names[op], result, element_value(initial, dtype)).result
    if dtype.kind in "iub" and len(axes) == len(dims) and not keepdims:
        return extremum_of_all(op, value, axes, element_value(initial, dtype))
    return extremum_with_initial(op, value, axes, keepdims, element_value(initial, dtype), dims)


def extremum_with_initial(op: str, value: Value, axes: tuple[int, ...], keepdims: bool, initial: Value, dims: tuple[Size, ...]) -> Value:
    """Minimum or maximum of axes that may be empty: axis by axis, the initial value is put in front."""
    if all(isinstance(dims[axis], int) and dims[axis] > 0 for axis in axes):  # type: ignore[operator]
        found = emit("reduce", value, op=op, axes=axes, keepdims=keepdims).result if axes else value
        return emit("minimum" if op == "min" else "maximum", found, initial).result
    axis = max(axes)
    source = array(value)
    sizes = [constant(np.int64(1)) if k == axis else size_operand(source, k) for k in range(source.ndim)]
    lead = emit("full", initial, *sizes, dims=(*dims[:axis], 1, *dims[axis + 1 :])).result
    joined = emit("concat", lead, value, axis=axis, dims=(*dims[:axis], dims[axis] + 1, *dims[axis + 1 :])).result
    found = emit("reduce", joined, op=op, axes=(axis,), keepdims=keepdims).result
    rest = tuple(other for other in axes if other != axis)
    return extremum_with_initial(op, found, rest, keepdims, initial, found.type.dims) if rest else found  # type: ignore[union-attr]


def extremum_of_all(op: str, value: Value, axes: tuple[int, ...], initial: Value) -> Value:
    """Minimum or maximum of all integers of an array, which may have none, and of the initial value."""
    found, nothing = Block(), Block()
    nothing.yields = [initial]
    with block_of(active(), found):
        extremum = emit("reduce", value, op=op, axes=axes, keepdims=False).result
        found.yields = [emit("minimum" if op == "min" else "maximum", extremum, initial).result]
    count = index_value(array(value).size)
    is_any = emit("not_equal", count, constant(np.int64(0))).result
    return emit("cond", is_any, regions=[found, nothing], results=(initial.type,)).result


def is_writable(out: Any) -> bool:
    """Whether the output that is given is an array that may be written: everything else NumPy itself refuses."""
    (given,) = out if isinstance(out, tuple) else (out,)
    return isinstance(given, (StagedArray, np.ndarray)) and as_array(given).writeable


def out_dtype(out: Any) -> np.dtype | None:
    """The dtype of the output that is given; None without one."""
    (given,) = out if isinstance(out, tuple) else (out,)
    return getattr(given, "dtype", None)


def finish(result: Any, out: Any) -> Any:
    """Write into `out` where it is given; NumPy knows what becomes of a result of another dtype."""
    if isinstance(out, tuple):
        (out,) = out
    if out is None or out is NO_VALUE:
        return result
    rank = result.ndim if isinstance(result, StagedArray) else 0
    refuse(not is_writable(out), np.ndim(out) != rank, out_dtype(out) != dtype_of(result))
    return (
        language.ufunc(np.positive, "__call__", (result,), {"out": (out,)})
        if dtype_of(result).kind != "b"
        else language.ufunc(np.logical_or, "__call__", (result, result), {"out": (out,)})
    )


def accumulate_ufunc(ufunc: np.ufunc, x: StagedArray, axis: Any, dtype: Any, out: Any) -> Any:
    """`ufunc.accumulate(x, axis)`."""
    op = SCANS.get(ufunc)
    refuse(op is None, x.ndim == 0, is_given(out) and not is_writable(out))
    wanted = accumulator(op or "", x.dtype, out) if dtype is None else np.dtype(dtype)
    place = normalize_axis(axis, x.ndim)
    return finish(array(along_axis("scan", cast(x.value, wanted), place, op=op)), out)


def reduction(ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """A reduction function of NumPy's namespace."""
    return reduce_ufunc(ufunc, as_array(x), axis, dtype, out, keepdims, initial, where)


@implements(np.sum)
@method("sum")
def total(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE
) -> Any:
    return reduction(np.add, a, axis, dtype, out, keepdims, initial, where)


@implements(np.prod)
@method("prod")
def prod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE
) -> Any:
    return reduction(np.multiply, a, axis, dtype, out, keepdims, initial, where)


@implements(np.max)
@method("max")
def maximum(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE) -> Any:
    return reduction(np.maximum, a, axis, None, out, keepdims, initial, where)


@implements(np.min)
@method("min")
def minimum(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE, where: Any = NO_VALUE) -> Any:
    return reduction(np.minimum, a, axis, None, out, keepdims, initial, where)


@implements(np.any)
@method("any")
def any_true(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE) -> Any:
    return reduction(np.logical_or, a, axis, None, out, keepdims, NO_VALUE, where)


@implements(np.all)
@method("all")
def all_true(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE) -> Any:
    return reduction(np.logical_and, a, axis, None, out, keepdims, NO_VALUE, where)


@implements(np.ptp)
def peak_to_peak(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> Any:
    x = as_array(a)
    refuse(out_dtype(out) is not None and x.dtype.kind == "b")
    expect_reduced(out, x, normalize_axes(axis, x.ndim), keepdims is not NO_VALUE and bool(keepdims))
    high = reduction(np.maximum, a, axis, None, None, keepdims, NO_VALUE, True)
    return finish(high - reduction(np.minimum, a, axis, None, None, keepdims, NO_VALUE, True), out)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    x = as_array(a)
    mask = cast(x.value, BOOL)
    result = reduce_value("sum", cast(mask, INT), normalize_axes(axis, x.ndim), bool(keepdims), None)
    found = wrap_result(result)
    if isinstance(found, StagedScalar) and axis is None:
        found.weak = COUNTS_ARE_PYTHON_INTS
    return found


def arg_reduction(op: str, a: Any, axis: Any, out: Any, keepdims: Any) -> Any:
    """argmin and argmax."""
    x = as_array(a)
    keep = keepdims is not NO_VALUE and bool(keepdims)
    if x.ndim == 0:
        return scalar(constant(np.int64(0)))
    refuse(is_given(out) and (not is_writable(out) or out_dtype(out) != INT))
    place = None if axis is None else normalize_axis(axis, x.ndim)
    removed = tuple(range(x.ndim)) if place is None else (place,)
    if all(x.type.dims[one] != 0 for one in removed):  # of nothing NumPy complains first
        expect_reduced(out, x, removed, keep, f"output array does not match result of np.{op}.")
    return finish(wrap_result(emit("arg_reduce", x.value, op=op, axis=place, keepdims=keep).result), out)


@implements(np.argmax)
@method("argmax")
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    return arg_reduction("argmax", a, axis, out, keepdims)


@implements(np.argmin)
@method("argmin")
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
    return arg_reduction("argmin", a, axis, out, keepdims)


def scan(ufunc: np.ufunc, a: Any, axis: Any, dtype: Any, out: Any) -> Any:
    """cumsum and cumprod: the flat array where axis is None."""
    x = as_array(a)
    refuse(x.ndim == 0)
    if axis is None:
        x, axis = flat(x), 0
    return accumulate_ufunc(ufunc, x, axis, dtype, out)


@implements(np.cumsum)
@method("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return scan(np.add, a, axis, dtype, out)


@implements(np.cumprod)
@method("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    return scan(np.multiply, a, axis, dtype, out)


def count_of(x: StagedArray, axes: tuple[int, ...]) -> Any:
    """The number of elements over some axes: an int where it is known, otherwise a staged Python int."""
    total = product(tuple(x.type.dims[axis] for axis in axes))
    if isinstance(total, int):
        return total
    value = size_operand(x, axes[0])
    for axis in axes[1:]:
        value = emit("multiply", value, size_operand(x, axis)).result
    return scalar(value, True, total, 48)
