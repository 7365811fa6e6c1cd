"""Windows and strides: sliding_window_view, as_strided, pad."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from autograph_jit.ir.dims import lower_bound
from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.creation import diagonal_matrix, empty, filled
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence
from autograph_jit.tracing.arrays.indexing import assign, numbers_in
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import diagonal_view, expect_not_negative, length_label, shape_entries, take_slice
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.lift import cast, dtype_of, index_value, is_number, lift_number, shape_of
from autograph_jit.tracing.values.trace import constant, emit


@implements(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    x = as_array(v)
    if x.ndim == 1:
        return diagonal_matrix(x, k)
    if x.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    view = diagonal_view(x, k, 0, 1)
    view.writeable = False
    return view


@implements(stride_tricks.sliding_window_view)
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Any:
    """The windows as extra axes at the end; a read-only view."""
    a = as_array(x)
    windows = [expect_not_negative(size, "`window_shape` cannot contain negative values") for size in shape_entries(window_shape)]
    axes = range(a.ndim) if axis is None else [normalize_axis(one, a.ndim) for one in (axis if is_sequence(axis) else (axis,))]
    if len(windows) != len(axes):
        raise ValueError(
            f"Since axis is None, must provide window_shape for all dimensions of `x`; got {len(windows)} window_shape elements "
            f"and `x.ndim` is {a.ndim}."
        )
    refuse(len(set(axes)) != len(axes))
    shape = list(shape_of(a))
    strides = [emit("stride", a.value, axis=k).result for k in range(a.ndim)]
    for k, window in zip(axes, windows):
        shape[k] = shape[k] - window + 1
        expect_window_fits(shape[k])
    layout = [index_value(size) for size in (*shape, *windows)] + strides + [strides[k] for k in axes]
    dims = tuple(length_label(size) for size in (*shape, *windows))
    return StagedArray(emit("as_strided", a.value, *layout, dims=dims).result, bool(writeable) and a.writeable)


def expect_window_fits(count: Any) -> None:
    """There must be room for the window."""
    text = "window shape cannot be larger than input array shape"
    if isinstance(count, StagedScalar):
        check(emit("greater_equal", count.value, constant(np.int64(1))).result, ValueError, text)
    elif count < 1:
        raise ValueError(text)


@implements(stride_tricks.as_strided)
def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True) -> Any:
    """Any layout over the memory of x; the run checks that it stays inside."""
    refuse(strides is None and shape is not None)  # those of an array that lies in memory like this, if x is contiguous, or x's own
    a = as_array(x)
    sizes = list(shape_of(a)) if shape is None else shape_entries(shape)
    steps = (
        [emit("stride", a.value, axis=k).result for k in range(a.ndim)]
        if strides is None
        else [index_value(step) for step in shape_entries(strides)]
    )
    if len(sizes) != len(steps):
        raise ValueError("mismatch in length of strides and shape")
    dims = tuple(length_label(size) for size in sizes)
    values = [index_value(size) for size in sizes]
    expect_inside(a, values, steps)
    return StagedArray(emit("as_strided", a.value, *values, *steps, dims=dims).result, bool(writeable) and a.writeable)


def reach(sizes: list[Value], steps: list[Value]) -> tuple[Value, Value]:
    """The lowest and the highest offset in bytes that a layout touches."""
    zero, one = constant(np.int64(0)), constant(np.int64(1))
    low = high = zero
    for size, step in zip(sizes, steps, strict=True):
        last = emit("multiply", emit("maximum", emit("subtract", size, one).result, zero).result, step).result
        low = emit("add", low, emit("minimum", last, zero).result).result
        high = emit("add", high, emit("maximum", last, zero).result).result
    return low, high


def expect_inside(a: StagedArray, sizes: list[Value], steps: list[Value]) -> None:
    """The layout may only touch bytes between the first and the last element of the array."""
    own = [emit("dim", a.value, axis=k).result for k in range(a.ndim)], [emit("stride", a.value, axis=k).result for k in range(a.ndim)]
    low, high = reach(sizes, steps)
    lowest, highest = reach(*own)
    inside = emit("logical_and", emit("less_equal", lowest, low).result, emit("less_equal", high, highest).result).result
    check(inside, ValueError, "as_strided: the shape and strides reach outside the array")


def pad_widths(width: Any, rank: int) -> list[tuple[Any, Any]]:
    """The widths before and after each axis."""
    width = numbers_in(content_of(width))
    if is_number(width):
        return [(width, width)] * rank
    refuse(not is_sequence(width))
    parts = list(width)
    if all(is_number(part) for part in parts):
        refuse(len(parts) not in (1, 2))
        return [(parts[0], parts[-1])] * rank
    pairs = [(part[0], part[-1]) for part in parts]
    refuse(len(pairs) not in (1, rank))
    return pairs * rank if len(pairs) == 1 else pairs


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    x = as_array(array)
    refuse(
        mode not in ("constant", "edge", "wrap", "reflect", "symmetric"),
        bool(set(kwargs) - {"constant_values"}),
        mode not in ("constant", "edge"),
    )
    refuse(mode == "edge" and any((lower_bound(size) or 0) < 1 for size in x.type.dims))
    widths = pad_widths(pad_width, x.ndim)
    values = kwargs.get("constant_values", 0)
    refuse(not is_number(content_of(values)), any(dtype_of(width).kind not in "iu" for pair in widths for width in pair))
    for width in itertools.chain(*widths):
        expect_not_negative(width, "index can't contain negative values")
    shape = shape_of(x)
    wide = tuple(before + size + after for (before, after), size in zip(widths, shape))
    result = filled(wide, cast(lift_number(content_of(values)), x.dtype)) if mode == "constant" else empty(wide, x.dtype)
    target = result
    for k, (before, _) in enumerate(widths):
        target = take_slice(target, k, before, before + shape[k])
    assign(target, x)
    if mode == "edge":
        fill_edges(result, widths, shape)
    return result


def fill_edges(result: StagedArray, widths: list[tuple[Any, Any]], shape: tuple[Any, ...]) -> None:
    """Each axis in turn repeats its first and last slice outwards; earlier axes are complete then."""
    for k, (before, after) in enumerate(widths):
        inner = result
        for later in range(k + 1, result.ndim):
            inner = take_slice(inner, later, widths[later][0], widths[later][0] + shape[later])
        if not (isinstance(before, int) and before == 0):
            assign(take_slice(inner, k, None, before), take_slice(inner, k, before, before + 1))
        if not (isinstance(after, int) and after == 0):
            assign(take_slice(inner, k, before + shape[k], None), take_slice(inner, k, before + shape[k] - 1, before + shape[k]))
