"""Views: new descriptors of the same memory, and the sizes and strides of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE, FLAT
from autograph_jit.ir.opdef import Attributes, Effect, OpDef, ViewMap
from autograph_jit.ir.products import is_positive, product
from autograph_jit.ir.scalar import real_dtype
from autograph_jit.ir.types import I64, ArrayType, Type
from autograph_jit.ops.inference import Types, dims_of, expect_array, expect_count, expect_indices, normalize_axis
from autograph_jit.ops.registry import define_op


def define_view(name: str, infer: Any, eager: Any, may_fail: bool = False, fails: Any = None) -> OpDef:
    """Define an operation whose result is, or may be, a view of operand 0."""
    return define_op(
        name,
        infer=infer,
        eager=eager,
        kernel=ViewMap(),
        effect=Effect.VIEW,
        may_fail=may_fail,
        derivative=BY_STRUCTURE,
        fails=fails,
    )


def infer_basic_index(types: Types, attributes: Attributes) -> Types:
    """The items cover every axis, the i64 operands serve the items in order."""
    array = expect_array("basic_index", types[0])
    items = attributes["items"]
    expect_indices("basic_index", types[1:])
    needed = sum(1 if item[0] == "int" else sum(map(bool, item[1:])) if item[0] == "slice" else 0 for item in items)
    if needed != len(types) - 1:
        raise GraphError(f"basic_index: the items need {needed} integers, {len(types) - 1} are given")
    covered = sum(item[0] != "newaxis" for item in items)
    if covered != array.rank:
        raise GraphError(f"basic_index: the items cover {covered} axes of an array of rank {array.rank}")
    rank = sum(item[0] != "int" for item in items)
    return (ArrayType(array.dtype, dims_of("basic_index", attributes, rank)),)


def index_key(items: tuple[tuple[Any, ...], ...], integers: tuple[Any, ...]) -> tuple[Any, ...]:
    """The Python subscript that the items describe."""
    rest = iter(integers)
    key: list[Any] = []
    for item in items:
        if item[0] == "int":
            key.append(int(next(rest)))
        elif item[0] == "slice":
            key.append(slice(*(int(next(rest)) if present else None for present in item[1:])))
        else:
            key.append(None if item[0] == "newaxis" else slice(None))
    return tuple(key)


def take_basic_index(
    array: np.ndarray, *integers: Any, items: tuple[tuple[Any, ...], ...], dims: Any = None, proved: bool = False
) -> np.ndarray:
    """The view that a basic subscript selects; rank 0 where all items are integers."""
    return array[(*index_key(items, integers), ...)]


def basic_index_fails(types: Types, attributes: Attributes) -> bool:
    """Integers may be out of bounds, a step may be zero; other slices cannot fail, nor what is `proved`."""
    return not attributes.get("proved", False) and any(item[0] == "int" or (item[0] == "slice" and item[3]) for item in attributes["items"])


def infer_transpose(types: Types, attributes: Attributes) -> Types:
    """The axes in the order of `perm`."""
    expect_count("transpose", types, 1)
    array, perm = expect_array("transpose", types[0]), tuple(attributes["perm"])
    if sorted(perm) != list(range(array.rank)):
        raise GraphError(f"transpose: perm {perm} does not order {array.rank} axes")
    return (ArrayType(array.dtype, tuple(array.dims[axis] for axis in perm)),)


def infer_shaped(name: str) -> Any:
    """The rule of operations whose i64 operands are the shape and whose `dims` describe it."""

    def infer(types: Types, attributes: Attributes) -> Types:
        array = expect_array(name, types[0])
        expect_indices(name, types[1:])
        return (ArrayType(array.dtype, dims_of(name, attributes, len(types) - 1)),)

    return infer


def reshape_array(array: np.ndarray, *shape: Any, dims: Any = None, dense: bool = False) -> np.ndarray:
    """A view where the strides allow it, else a fresh copy in C order; `dense`: a view only where the memory is contiguous."""
    return (np.ascontiguousarray(array) if dense and not array.flags.c_contiguous else array).reshape(tuple(int(size) for size in shape))


def broadcast_array(array: np.ndarray, *shape: Any, dims: Any = None) -> np.ndarray:
    """A view with stride 0 along repeated axes."""
    return np.lib.stride_tricks.as_strided(array, *broadcast_layout(array, tuple(int(size) for size in shape)))


def broadcast_layout(array: np.ndarray, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and strides of the broadcast view; NumPy's own error where there is none."""
    view = np.broadcast_to(array, shape)
    return view.shape, view.strides


def infer_part(types: Types, attributes: Attributes) -> Types:
    """The same dims with the dtype of the parts."""
    expect_count("real_view", types, 1)
    array = expect_array("real_view", types[0])
    if array.dtype.kind != "c":
        raise GraphError(f"real_view and imag_view take complex arrays, not {array}")
    return (ArrayType(real_dtype(array.dtype), array.dims),)


def infer_diagonal(types: Types, attributes: Attributes) -> Types:
    """The remaining axes, then the diagonal."""
    expect_count("diagonal", types, 1)
    array = expect_array("diagonal", types[0])
    axes = {normalize_axis("diagonal", attributes[key], array.rank) for key in ("axis1", "axis2")}
    if len(axes) != 2:
        raise GraphError("diagonal: axis1 and axis2 are the same")
    return (ArrayType(array.dtype, dims_of("diagonal", attributes, array.rank - 1)),)


def take_diagonal(array: np.ndarray, offset: int, axis1: int, axis2: int, dims: Any = None) -> np.ndarray:
    """The diagonal as a writable view."""
    view = array.diagonal(offset, axis1, axis2)
    if array.flags.writeable:
        view.flags.writeable = True
    return view


def infer_as_strided(types: Types, attributes: Attributes) -> Types:
    """Shape, then strides in bytes."""
    array = expect_array("as_strided", types[0])
    expect_indices("as_strided", types[1:])
    if len(types) % 2 == 0:
        raise GraphError("as_strided takes a stride for each size")
    return (ArrayType(array.dtype, dims_of("as_strided", attributes, (len(types) - 1) // 2)),)


def stride_array(array: np.ndarray, *layout: Any, dims: Any = None) -> np.ndarray:
    """The view with the given shape and strides, unchecked: tracing makes layouts that stay inside the array."""
    rank = len(layout) // 2
    sizes = [int(number) for number in layout]
    return np.lib.stride_tricks.as_strided(array, sizes[:rank], sizes[rank:])


def infer_axis_number(types: Types, attributes: Attributes) -> Types:
    """An i64 about one axis."""
    expect_count("dim", types, 1)
    normalize_axis("dim", attributes["axis"], expect_array("dim", types[0]).rank)
    return (I64,)


def reshape_fails(types: Types, attributes: Attributes) -> bool:
    """Whether a reshape to `dims` needs a check: not where it keeps its dims or adds and drops axes of size 1, nor where both have
    provably as many elements, of which there are some: beside an axis of size 0 NumPy does not infer another."""
    (array, *_) = types
    assert isinstance(array, ArrayType)
    dims = attributes["dims"]
    if [size for size in array.dims if size != 1] == [size for size in dims if size != 1]:
        return False
    return product(array.dims) != product(dims) or not all(map(is_positive, dims))


def broadcast_to_fails(types: Types, attributes: Attributes) -> bool:
    """Whether some axis of the operand is neither 1 nor provably the axis that it becomes."""
    array: Type = types[0]
    assert isinstance(array, ArrayType)
    dims = tuple(attributes["dims"])
    if array.rank > len(dims):
        return True
    return any(size not in (1, target) for size, target in zip(array.dims, dims[len(dims) - array.rank :], strict=True))


basic_index = define_view("basic_index", infer_basic_index, take_basic_index, True, basic_index_fails)
transpose = define_view("transpose", infer_transpose, lambda array, perm: array.transpose(perm))
reshape = define_view("reshape", infer_shaped("reshape"), reshape_array, True, reshape_fails)
broadcast_to = define_view("broadcast_to", infer_shaped("broadcast_to"), broadcast_array, True, broadcast_to_fails)
real_view = define_view("real_view", infer_part, lambda array: array.real)
imag_view = define_view("imag_view", infer_part, lambda array: array.imag)
diagonal = define_view("diagonal", infer_diagonal, take_diagonal)
as_strided = define_view("as_strided", infer_as_strided, stride_array)

dim = define_op("dim", infer=infer_axis_number, eager=lambda array, axis: np.int64(array.shape[axis]), derivative=FLAT)
stride = define_op("stride", infer=infer_axis_number, eager=lambda array, axis: np.int64(array.strides[axis]), derivative=FLAT)
