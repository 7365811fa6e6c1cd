"""Rearranging arrays: reshapes, axis permutations, joining, splitting, repeating, padding, rolling, flipping."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, atom, lower_bound
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.ops.inference import common_dims
from autograph_jit.tracing.arrays.array_like import as_array, fresh_copy, has_staged_form, is_sequence, size_operand, unwrap
from autograph_jit.tracing.arrays.indexing import numbers_in
from autograph_jit.tracing.arrays.register import implements, method, refuse
from autograph_jit.tracing.arrays.views import (
    add_axes,
    basic_view,
    broadcast_arrays,
    broadcast_to_operands,
    diagonal_view,
    flat,
    flatten_view,
    permute,
    reshape,
    shape_entries,
    shape_operands,
    take_slice,
)
from autograph_jit.tracing.plain.python_texts import division_text
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, dtype_of, index_value, is_number, scalar, shape_of
from autograph_jit.tracing.values.memory_order import elementwise, order_of_operands, turned
from autograph_jit.tracing.values.trace import constant, emit

Full = ("full",)


def reshape_order(x: StagedArray, shape: Any, order: Any) -> StagedArray:
    """Reshape in C or Fortran order."""
    if order in ("C", None):
        return reshape(x, shape)
    refuse(order != "F")
    entries = shape_entries(shape)
    turned = reshape(permute(x, range(x.ndim)[::-1]), tuple(entries[::-1]))
    return permute(turned, range(turned.ndim)[::-1])


@implements(np.reshape)
def reshape_array(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    x = as_array(a)
    result = reshape_order(x, shape if newshape is None else newshape, order)
    return fresh_copy(result) if copy else result


@method("reshape")
def reshape_method(x: StagedArray, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    return reshape_array(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@implements(np.ravel)
@method("ravel")
def ravel(a: Any, order: Any = "C") -> Any:
    x = as_array(a)
    refuse(order == "A")
    if order == "K":
        return flatten_view(array(turned(x.value, order_of_operands([x.value]) or tuple(range(x.ndim)))))
    return flatten_view(x if order == "C" else permute(x, range(x.ndim)[::-1]))


@method("flatten")
def flatten(x: StagedArray, order: Any = "C") -> Any:
    return fresh_copy(reshape_order(x, (-1,), order))


@implements(np.transpose, np.permute_dims)
def transpose(a: Any, axes: Any = None) -> Any:
    x = as_array(a)
    if axes is None:
        return permute(x, range(x.ndim)[::-1])
    if len(axes) != x.ndim:
        raise ValueError("axes don't match array")
    perm = [normalize_axis(axis, x.ndim) for axis in axes]
    if len(set(perm)) != x.ndim:
        raise ValueError("repeated axis in transpose")
    return permute(x, perm)


@method("transpose")
def transpose_method(x: StagedArray, *axes: Any) -> Any:
    return transpose(x, None if not axes or axes == (None,) else axes[0] if len(axes) == 1 and is_sequence(axes[0]) else axes)


@implements(np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    refuse(as_array(x).ndim < 2)
    return swapaxes(x, -1, -2)


@implements(np.swapaxes)
@method("swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    x = as_array(a)
    perm = list(range(x.ndim))
    one, two = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    perm[one], perm[two] = two, one
    return permute(x, perm)


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    x = as_array(a)
    source, destination = numbers_in(source), numbers_in(destination)
    sources = [normalize_axis(axis, x.ndim) for axis in (source if is_sequence(source) else (source,))]
    targets = [normalize_axis(axis, x.ndim) for axis in (destination if is_sequence(destination) else (destination,))]
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    for name, axes in (("source", sources), ("destination", targets)):
        if len(set(axes)) != len(axes):
            raise ValueError(f"repeated axis in `{name}` argument")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return permute(x, order)


@implements(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    x = as_array(a)
    axes = axis if is_sequence(axis) else (axis,)
    rank = x.ndim + len(axes)
    positions = [normalize_axis(one, rank) for one in axes]
    if len(set(positions)) != len(positions):
        raise ValueError("repeated axis")
    return add_axes(x, positions)


@implements(np.squeeze)
@method("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    x = as_array(a)
    if axis is None:
        refuse(not all(isinstance(size, int) or is_above_one(size) for size in x.type.dims))
        axes = [k for k, size in enumerate(x.type.dims) if size == 1]
    else:
        axes = [normalize_axis(one, x.ndim) for one in (axis if is_sequence(axis) else (axis,))]
    for k in axes:
        size = x.type.dims[k]
        if isinstance(size, int) and size != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        if not isinstance(size, int):
            one = emit("equal", size_operand(x, k), constant(np.int64(1))).result
            check(one, ValueError, "cannot select an axis to squeeze out which has size not equal to one")
    return basic_view(x, [("int", 0) if k in axes else Full for k in range(x.ndim)]) if axes else x


def is_above_one(size: Size) -> bool:
    """Whether a size is known not to be 1."""
    found = lower_bound(size)
    return found is not None and found >= 2


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    operands, dims = shape_operands(shape)
    return broadcast_to_operands(as_array(array), operands, dims)


@implements(np.broadcast_arrays)
def broadcast_all(*args: Any, subok: bool = False) -> Any:
    arrays = [as_array(x) for x in args]
    refuse(common_dims([x.type.dims for x in arrays]) is None)
    return tuple(broadcast_arrays(arrays))


def rows(x: StagedArray) -> list[Any]:
    """The rows of an array of static length."""
    size = x.type.dims[0] if x.ndim else None
    refuse(not isinstance(size, int))
    return [x[k] for k in range(size)]  # type: ignore[arg-type]


def split_bounds(x: StagedArray, sections: Any, axis: int, exact: bool) -> list[tuple[Any, Any]]:
    """The bounds of each part."""
    sections = content_of(sections)
    if isinstance(sections, StagedArray) and sections.ndim == 1:
        sections = rows(sections)
    refuse(isinstance(sections, (StagedArray, StagedObject)) or has_staged_form(sections))
    if is_sequence(sections) or isinstance(sections, np.ndarray):
        cuts = [content_of(cut) for cut in sections]
        return list(zip([0, *cuts], [*cuts, None]))
    count = sections.__index__()
    if count == 0 and exact:
        raise ZeroDivisionError(division_text("%", int))
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    n = shape_of(x)[axis]
    if isinstance(n, int):
        if exact and n % count:
            raise ValueError("array split does not result in an equal division")
        ends = np.cumsum([0] + [n // count + 1] * (n % count) + [n // count] * (count - n % count)).tolist()
        return list(zip(ends[:-1], ends[1:]))
    refuse(not exact)
    check((n % count == 0).value, ValueError, "array split does not result in an equal division")
    part = n // count
    part.size = atom(f"d:div({n.size},{count})")
    return [(part * k if k else 0, part * (k + 1)) for k in range(count)]


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    return parts_of(ary, indices_or_sections, axis, True)


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    return parts_of(ary, indices_or_sections, axis, False)


def parts_of(ary: Any, sections: Any, axis: Any, exact: bool) -> list[StagedArray]:
    """Views of consecutive parts."""
    x = as_array(ary)
    axis = normalize_axis(axis, x.ndim)
    return [take_slice(x, axis, start, stop) for start, stop in split_bounds(x, sections, axis, exact)]


@implements(np.unstack)
def unstack(x: Any, /, *, axis: Any = 0) -> Any:
    return tuple(rows(moveaxis(x, axis, 0)))


@implements(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    x, axis = as_array(m), numbers_in(axis)
    if x.ndim == 0 and axis is None:
        return unwrap(x)
    axes = range(x.ndim) if axis is None else [normalize_axis(one, x.ndim) for one in (axis if is_sequence(axis) else (axis,))]
    return basic_view(x, [("slice", None, None, -1) if k in axes else Full for k in range(x.ndim)])


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    x = as_array(a)
    shift, axis = numbers_in(content_of(shift)), numbers_in(axis)
    refuse(any(is_number(by) and dtype_of(by).kind not in "biu" for by in (shift if is_sequence(shift) else (shift,))))
    if axis is None and x.ndim == 1 and not is_sequence(shift):
        axis = 0
    if axis is None:
        rolled = flat(x)
        for by in shift if is_sequence(shift) else (shift,):
            rolled = roll_axis(rolled, by, 0)
        return reshape(rolled, shape_of(x))
    axes = axis if is_sequence(axis) else (axis,)
    shifts = shift if is_sequence(shift) else (shift,) * len(axes)
    refuse(len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)))
    length = max(len(axes), len(shifts))
    for one, by in zip(axes if len(axes) == length else axes * length, shifts if len(shifts) == length else shifts * length):
        x = roll_axis(x, by, normalize_axis(one, x.ndim))
    return x


def roll_axis(x: StagedArray, shift: Any, axis: int) -> StagedArray:
    """The last `shift` elements come first."""
    n = shape_of(x)[axis]
    if isinstance(n, int) and n == 0:
        return array(emit("copy", x.value).result)
    if isinstance(n, StagedScalar):
        n = language.numpy(np.maximum, (n, 1), {})
        cut = scalar(emit("subtract", n.value, emit("remainder", index_value(shift), n.value).result).result, True)
    elif isinstance(shift, StagedScalar):
        cut = scalar(
            emit("subtract", constant(np.int64(n)), emit("remainder", index_value(shift), constant(np.int64(n))).result).result, True
        )
    else:
        cut = n - shift.__index__() % n
    parts = take_slice(x, axis, cut, None), take_slice(x, axis, None, cut)
    dims = x.type.dims
    return array(emit("concat", *(part.value for part in parts), axis=axis, dims=dims).result)


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    x = as_array(m)
    refuse(isinstance(k, StagedScalar))
    one, two = (normalize_axis(axis, x.ndim) for axis in axes)
    if one == two:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 2:
        return flip(x, (one, two))
    if turns == 0:
        return basic_view(x, [Full] * x.ndim)
    return swapaxes(flip(x, two), one, two) if turns == 1 else flip(swapaxes(x, one, two), two)


@implements(np.diagonal)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = as_array(a)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    one, two = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    if one == two:
        raise ValueError("axis1 and axis2 cannot be the same")
    view = diagonal_view(x, offset, one, two)
    view.writeable = False
    return view


method("diagonal")(diagonal)


@method("copy")
def copy_method(x: StagedArray, order: Any = "C") -> Any:
    refuse(order == "F")
    return fresh_copy(x) if order == "C" else array(elementwise("copy", x.value))
