"""Views of staged arrays: basic subscripts, reshapes, permutations and broadcasts, with their size labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, atom, lower_bound
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.products import product
from autograph_jit.ops.inference import common_dims
from autograph_jit.tracing.arrays.array_like import is_fresh, size_operand
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.arrays.sizes import quotient, slice_size
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, shape_of, size_of
from autograph_jit.tracing.values.trace import active, constant, emit

FULL = ("full",)
NEW_AXIS = ("newaxis",)


def view_of(x: StagedArray, value: Value) -> StagedArray:
    """A view of x: writable as x is."""
    return StagedArray(value, x.writeable)


def bound_label(x: Any) -> Size | None:
    """The label of a slice bound, a new one where it has none; None for a bound that is left out."""
    if x is None:
        return None
    size = size_of(x)
    if size is None:
        size = x.size = active().fresh_atom("v")
    return size


def index_parts(entries: Sequence[tuple[Any, ...]], x: StagedArray) -> tuple[tuple[Any, ...], list[Value], tuple[Size, ...]]:
    """The items, operands and dims of a basic subscript. Entries: ("full",), ("newaxis",), ("int", i), ("slice", start, stop, step)."""
    items: list[tuple[Any, ...]] = []
    operands: list[Value] = []
    dims: list[Size] = []
    axis = 0
    for entry in entries:
        if entry[0] == "newaxis":
            items.append(NEW_AXIS)
            dims.append(1)
            continue
        size = x.type.dims[axis]
        axis += 1
        if entry[0] == "int":
            items.append(("int",))
            operands.append(index_value(entry[1]))
        elif entry[0] == "full":
            items.append(FULL)
            dims.append(size)
        else:
            parts = entry[1:]
            start, stop, step = (bound_label(part) for part in parts)
            dims.append(slice_size(start, stop, step, size))
            items.append(("slice", *(part is not None for part in parts)))
            operands += [index_value(part) for part in parts if part is not None]
    return tuple(items), operands, tuple(dims)


def basic_view(x: StagedArray, entries: Sequence[tuple[Any, ...]]) -> StagedArray:
    """The view that a basic subscript gives; rank 0 where every entry is an int."""
    items, operands, dims = index_parts(entries, x)
    return view_of(x, emit("basic_index", x.value, *operands, items=items, dims=dims).result)


def take_index(x: StagedArray, axis: int, i: Any) -> StagedArray:
    """`x[..., i, ...]` as a view, `i` on the given axis."""
    return basic_view(x, [("int", i) if k == axis else FULL for k in range(x.ndim)])


def take_slice(x: StagedArray, axis: int, start: Any, stop: Any, step: Any = None) -> StagedArray:
    """`x[..., start:stop:step, ...]` on the given axis."""
    return basic_view(x, [("slice", start, stop, step) if k == axis else FULL for k in range(x.ndim)])


def add_axes(x: StagedArray, positions: Sequence[int]) -> StagedArray:
    """New axes of size 1 at these positions of the result."""
    if not positions:
        return x
    rank = x.ndim + len(positions)
    return basic_view(x, [NEW_AXIS if k in positions else FULL for k in range(rank)])


def prepend_axes(x: StagedArray, rank: int) -> StagedArray:
    """New axes of size 1 in front, up to the given rank."""
    return add_axes(x, range(rank - x.ndim)) if x.ndim < rank else x


def permute(x: StagedArray, perm: Sequence[int]) -> StagedArray:
    """`x.transpose(perm)`."""
    return view_of(x, emit("transpose", x.value, perm=tuple(perm)).result)


def move_axis(x: StagedArray, source: int, target: int) -> StagedArray:
    """One axis moved to another place."""
    order = [axis for axis in range(x.ndim) if axis != source]
    order.insert(target, source)
    return x if order == list(range(x.ndim)) else permute(x, order)


def shape_entries(shape: Any) -> list[Any]:
    """The entries of a shape argument: an int, a sequence of ints, a rank-1 array of known length."""
    shape = content_of(shape)
    if isinstance(shape, StagedObject):
        raise NotNative
    if isinstance(shape, StagedArray) and shape.ndim == 1:
        count = shape.type.dims[0]
        if isinstance(count, int):
            return [StagedScalar(emit("load", shape.value, constant(np.int64(i))).result, False) for i in range(count)]
    if isinstance(shape, (list, tuple)) or (isinstance(shape, np.ndarray) and shape.ndim == 1):
        entries = [content_of(entry) for entry in shape]
        return [language.integer_of(entry) if isinstance(entry, StagedObject) else entry for entry in entries]
    return [shape]


def expect_not_negative(count: Any, text: str) -> Any:
    """An int argument, which may not be negative; `{0}` in the text stands for it."""
    if not isinstance(count, StagedScalar):
        count = count.__index__()
        if count < 0:
            raise ValueError(text.format(count))
        return count
    size = bound_label(count) if count.scalar_dtype.kind in "iu" else None
    bound = lower_bound(size) if size is not None else None
    if size is not None and (bound is None or bound < 0):
        check(emit("greater_equal", index_value(count), constant(np.int64(0))).result, ValueError, text, index_value(count))
    return count


def length_label(x: Any) -> Size:
    """The label of a length; negative lengths are refused, at once or by the run."""
    size = bound_label(x)
    assert size is not None
    bound = lower_bound(size)
    if bound is not None and bound >= 0:
        return size
    if isinstance(size, int):
        raise ValueError("negative dimensions are not allowed")
    check(emit("greater_equal", index_value(x), constant(np.int64(0))).result, ValueError, "negative dimensions are not allowed")
    return size if isinstance(size, int) else atom(f"d:len({size})")


def shape_operands(shape: Any) -> tuple[list[Value], tuple[Size, ...]]:
    """The i64 values and the labels of a shape."""
    if shape is None:
        raise TypeError("Use () not None as shape arguments")
    entries = shape_entries(shape)
    dims = tuple(length_label(entry) for entry in entries)
    return [index_value(entry) for entry in entries], dims


def reshape(x: StagedArray, shape: Any) -> StagedArray:
    """`x.reshape(shape)` in C order."""
    entries = shape_entries(shape)
    unknown = [k for k, entry in enumerate(entries) if is_minus_one(entry)]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    labels: list[Size] = [0 if k in unknown else length_label(entry) for k, entry in enumerate(entries)]
    if unknown:
        labels[unknown[0]] = inferred_size(x, [size for k, size in enumerate(labels) if k not in unknown], entries)
    total, wanted = product(x.type.dims), product(tuple(labels))
    if isinstance(total, int) and isinstance(wanted, int) and total != wanted:
        raise reshape_error(total, entries)
    operands = [index_value(entry) for entry in entries]
    result = emit("reshape", x.value, *operands, dims=tuple(labels)).result
    return StagedArray(result, x.writeable or (len(labels) == 1 and is_scattered(x, joins_repeated=True)))


def is_minus_one(entry: Any) -> bool:
    """Whether a shape's entry is the size to be inferred."""
    return not isinstance(entry, StagedScalar) and entry.__index__() == -1


def inferred_size(x: StagedArray, others: list[Size], entries: list[Any]) -> Size:
    """The size that -1 stands for."""
    total, part = product(x.type.dims), product(tuple(others))
    if isinstance(total, int) and isinstance(part, int) and (part == 0 or total % part):
        raise reshape_error(total, entries)
    return quotient(x.type.dims, tuple(others))


def reshape_error(total: int, entries: list[Any]) -> ValueError:
    """NumPy's error for sizes that do not fit: it writes -1 as newaxis, but in front, where it leaves it out."""
    shape = [entry if isinstance(entry, int) else size_of(entry) for entry in entries]
    while shape and is_minus_one(shape[0]):
        shape = shape[1:]
    parts = ["newaxis" if is_minus_one(entry) else str(entry) for entry in shape]
    text = f"{parts[0]}," if len(entries) == 1 and parts else ",".join(parts)
    return ValueError(f"cannot reshape array of size {total} into shape ({text})")


def flatten_view(x: StagedArray) -> StagedArray:
    """`x.ravel()`: a view of contiguous memory, otherwise a copy; `reshape` views more than that."""
    if is_fresh(x.value):
        return x if x.ndim == 1 else reshape(x, (-1,))
    result = emit("reshape", x.value, constant(np.int64(-1)), dims=(product(x.type.dims),), dense=True).result
    return StagedArray(result, x.writeable or is_scattered(x))


def dense_view(x: StagedArray) -> StagedArray:
    """The array itself where its memory is contiguous, otherwise a copy."""
    if is_fresh(x.value) or not x.ndim:
        return x
    return view_of(x, emit("reshape", x.value, *map(index_value, shape_of(x)), dims=x.type.dims, dense=True).result)


def is_scattered(x: StagedArray, joins_repeated: bool = False) -> bool:
    """Whether an array repeats elements along an axis, so that its elements in one row are a copy, which can be written. `joins_repeated`:
    one element repeated along all axes may be viewed as one row of stride 0. What has no elements is contiguous, and viewed."""
    owner = x.value.owner
    if not isinstance(owner, Operation) or owner.name != "broadcast_to":
        return False
    dims = x.type.dims
    source = (1,) * (len(dims) - owner.operands[0].type.rank) + owner.operands[0].type.dims  # type: ignore[union-attr]
    is_repeated = any(old == 1 and is_above(new, 1) for old, new in zip(source, dims))
    return is_repeated and all(is_above(size, 0) for size in dims) and not (joins_repeated and all(old == 1 for old in source))


def is_above(size: Size, bound: int) -> bool:
    """Whether a size is certainly larger than a number."""
    least = lower_bound(size)
    return least is not None and least > bound


def flat(x: StagedArray) -> StagedArray:
    """The elements in C order as one axis, for reading only."""
    if x.ndim == 1:
        return x
    return view_of(x, emit("reshape", x.value, constant(np.int64(-1)), dims=(product(x.type.dims),)).result)


def broadcast_dims(shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...]:
    """The dims that shapes broadcast to; NumPy's error where they provably do not."""
    dims = common_dims(shapes)
    if dims is None:
        raise ValueError(f"operands could not be broadcast together with shapes {' '.join(map(shape_text, shapes))} ")
    return dims


def expect_fitting(*operands: Any) -> None:
    """NumPy's error where shapes provably do not broadcast; numbers have their place among them."""
    broadcast_dims([x.type.dims if isinstance(x, StagedArray) else () for x in operands])


def shape_text(shape: Sequence[Size | str]) -> str:
    """A shape as NumPy's errors print it."""
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def broadcast_to_operands(x: StagedArray, operands: list[Value], dims: tuple[Size, ...], writeable: bool = False) -> StagedArray:
    """A view with stride 0 along repeated axes."""
    if x.ndim > len(dims):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for size, target in zip(reversed(x.type.dims), reversed(dims)):
        if isinstance(size, int) and isinstance(target, int) and size not in (1, target):
            raise ValueError(
                f"operands could not be broadcast together with remapped shapes [original->remapped]: {shape_text(x.type.dims)}  "
                f"and requested shape {shape_text(dims)}"
            )
    return StagedArray(emit("broadcast_to", x.value, *operands, dims=dims).result, writeable)


def broadcast_shape(arrays: Sequence[StagedArray]) -> tuple[list[Value], tuple[Size, ...]]:
    """The i64 values and labels of the shape that arrays broadcast to; the run checks what is not proved."""
    dims = broadcast_dims([x.type.dims for x in arrays])
    operands: list[Value] = []
    for axis, size in enumerate(dims):
        found = [(x, axis - len(dims) + x.ndim) for x in arrays if axis - len(dims) + x.ndim >= 0]
        operands.append(broadcast_operand(found, size))
    return operands, dims


def broadcast_operand(found: list[tuple[StagedArray, int]], size: Size) -> Value:
    """The size that one axis of several arrays broadcasts to."""
    if isinstance(size, int):
        return constant(np.int64(size))
    for x, axis in found:
        if x.type.dims[axis] == size:
            return size_operand(x, axis)
    total: Value | None = None
    one = constant(np.int64(1))
    for x, axis in found:
        part = size_operand(x, axis)
        total = part if total is None else emit("where", emit("equal", total, one).result, part, total).result
    assert total is not None
    return total


def broadcast_arrays(arrays: Sequence[StagedArray]) -> list[StagedArray]:
    """Views of one shape."""
    operands, dims = broadcast_shape(arrays)
    return [x if x.type.dims == dims else broadcast_to_operands(x, operands, dims) for x in arrays]


def diagonal_view(x: StagedArray, offset: int, axis1: int, axis2: int) -> StagedArray:
    """The diagonal of two axes, as the last axis of a view."""
    rest = tuple(size for axis, size in enumerate(x.type.dims) if axis not in (axis1, axis2))
    rows, columns = x.type.dims[axis1], x.type.dims[axis2]
    length = diagonal_length(rows, columns, offset)
    return view_of(x, emit("diagonal", x.value, offset=offset, axis1=axis1, axis2=axis2, dims=(*rest, length)).result)


def diagonal_length(rows: Size, columns: Size, offset: int) -> Size:
    """The number of elements of a diagonal."""
    left = slice_size(None, None, None, slice_size(max(-offset, 0), None, None, rows))
    right = slice_size(max(offset, 0), None, None, columns)
    return slice_size(None, right, None, left) if left != right else left
