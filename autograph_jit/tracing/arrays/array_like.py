"""Arrays from anything that NumPy takes as one: numbers, nested sequences with staged items, real arrays; `np.array`'s dtype rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType, is_supported
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.hosting.host_calls import host_array
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of, is_staged
from autograph_jit.tracing.values.lift import array, cast, dtype_of, element, is_number, is_weak, lift_array, lift_number, scalar
from autograph_jit.tracing.values.shape_checks import length_of
from autograph_jit.tracing.values.trace import active, constant, emit
from autograph_jit.tracing.values.types import PYTHON_OBJECT, Array, ValueType

INHOMOGENEOUS = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
    "The detected shape was ({},) + inhomogeneous part."
)


def as_array(x: Any, dtype: np.dtype | None = None) -> StagedArray:
    """`np.asarray(x, dtype)`: the array itself where nothing must change."""
    x = content_of(x)
    if isinstance(x, np.ndarray):
        if not is_supported(x.dtype):
            raise NotNative
        x = lift_array(x)
    if isinstance(x, StagedArray):
        return x if dtype is None or dtype == x.dtype else array(cast(x.value, dtype))
    if is_number(x):
        return scalar_array(x, dtype)
    if has_staged_form(x):
        return as_array(staged_form(x), dtype)
    if is_sequence(x):
        return from_sequence(x, dtype)
    raise NotNative


def is_sequence(x: Any) -> bool:
    """Whether NumPy makes an array of its items."""
    return isinstance(x, (list, tuple, range)) and not is_run_time_list(x)


def is_run_time_list(x: Any) -> bool:
    """Whether x is a list whose elements only the run knows."""
    return isinstance(x, list) and getattr(x, "dynamic", None) is not None


def has_staged_form(x: Any) -> bool:
    """Whether x is a container that only the run can turn into an array: a run-time list, a range with staged bounds."""
    if is_staged(x):
        return False
    return (isinstance(x, Dynamic) and x.dynamic is not None) or hasattr(type(x), "__staged_array__")


def staged_form(x: Any) -> StagedArray:
    """The array of a container of the run."""
    if hasattr(type(x), "__staged_array__"):
        return x.__staged_array__()
    kind: ValueType = x.kind if is_run_time_list(x) else PYTHON_OBJECT  # type: ignore[attr-defined]
    if kind.dtype_alone is not None:
        return array(emit("list_to_array", x.dynamic, dims=(active().fresh_atom("d", "list"),)).result)
    if not isinstance(kind, Array):
        raise NotNative
    dims = tuple(active().fresh_atom("d", "list") for _ in (None, *kind.dims))
    return host_array(np.array, (x.dynamic,), None, kind.dtype, dims, "np.array")


def scalar_array(x: Any, dtype: np.dtype | None = None) -> StagedArray:
    """A number as a fresh rank-0 array."""
    value = lift_number(x) if dtype is None else element_value(x, dtype)
    return array(emit("full", value, dims=()).result)


def unwrap(x: StagedArray) -> Any:
    """What a NumPy function returns: a NumPy scalar in the place of a rank-0 array."""
    return element(x) if x.ndim == 0 else x


def wrap_result(value: Value) -> Any:
    """The stand-in of an operation's result, a scalar for rank 0."""
    return unwrap(array(value)) if hasattr(value.type, "dims") else scalar(value)


def from_sequence(x: Sequence[Any], dtype: np.dtype | None) -> StagedArray:
    """An array of nested lists and tuples."""
    items = nested_items(x)
    dtype = dtype if dtype is not None else common_dtype(items)
    if not is_supported(dtype):
        raise NotNative
    shape = scalar_shape(items)
    if shape is not None:
        return from_numbers(items, shape, dtype)
    return stack_arrays([as_array(item, dtype) for item in items], 0)


def nested_items(x: Sequence[Any]) -> list[Any]:
    """The items, rank-0 arrays read as numbers, sequences as lists."""
    items: list[Any] = []
    for item in x:
        item = content_of(item)
        if isinstance(item, np.ndarray) and is_supported(item.dtype):
            item = lift_array(item)
        if has_staged_form(item):
            item = staged_form(item)
        if isinstance(item, StagedArray):
            items.append(element(item) if item.ndim == 0 else item)
        elif is_number(item):
            items.append(item)
        elif is_sequence(item):
            items.append(nested_items(item))
        else:
            raise NotNative
    return items


def common_dtype(items: list[Any]) -> np.dtype:
    """The dtype that NumPy finds for nested items: Python numbers count with their default dtypes."""
    dtypes = set(leaf_dtypes(items))
    return np.result_type(*dtypes) if dtypes else np.dtype(np.float64)


def leaf_dtypes(items: list[Any]) -> list[np.dtype]:
    """The dtypes of the numbers and arrays in nested lists."""
    found: list[np.dtype] = []
    for item in items:
        if isinstance(item, list):
            found += leaf_dtypes(item)
        elif isinstance(item, int) and not -(2**63) <= item < 2**63:
            raise NotNative
        else:
            found.append(dtype_of(item))
    return found


def scalar_shape(items: list[Any]) -> tuple[int, ...] | None:
    """The shape of regular nested lists of numbers, or None where an array or an irregular list is among them."""
    if not items:
        return (0,)
    if all(is_number(item) for item in items):
        return (len(items),)
    if not all(isinstance(item, list) for item in items):
        return None
    shapes = {scalar_shape(item) for item in items}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(items), *inner)


def from_numbers(items: list[Any], shape: tuple[int, ...], dtype: np.dtype) -> StagedArray:
    """A fresh array of numbers: the constants at once, the staged ones by stores."""
    flat = items
    for _ in shape[1:]:
        flat = [number for part in flat for number in part]
    template = np.zeros(shape, dtype)
    staged: list[tuple[tuple[int, ...], StagedScalar]] = []
    for index, number in zip(np.ndindex(shape), flat):
        if isinstance(number, StagedScalar):
            staged.append((index, number))
        else:
            template[index] = number
    values = [element_value(number, dtype) for _, number in staged]
    result = emit("array_constant", value=template).result
    for (index, _), value in zip(staged, values):
        emit("store", result, value, *(constant(np.int64(i)) for i in index), proved=True)
    return array(result)


def strong(x: Any) -> Any:
    """What `np.asarray` makes of a Python number: a number of a dtype of its own, not one that adapts to others."""
    value = content_of(x)
    return scalar(lift_number(value)) if is_number(value) and is_weak(value) else x


def size_operand(x: StagedArray, axis: int) -> Value:
    """The i64 value of one of an array's sizes."""
    return length_of(x.value, axis)


def size_operands(x: StagedArray) -> list[Value]:
    """The i64 values of an array's shape."""
    return [size_operand(x, axis) for axis in range(x.ndim)]


def empty_like(x: StagedArray, dtype: np.dtype | None = None) -> StagedArray:
    """A fresh C-order array of the same shape."""
    return array(emit("empty", *size_operands(x), dtype=dtype or x.dtype, dims=x.type.dims).result)


def fresh_copy(x: StagedArray) -> StagedArray:
    """A fresh C-order copy."""
    return array(emit("copy", x.value).result)


def is_fresh(value: Value) -> bool:
    """Whether the value is the result of an operation that makes new memory, so that no name refers to it yet."""
    return isinstance(value.owner, Operation) and value.owner.opdef.effect is Effect.PURE


def same_shape_check(arrays: list[StagedArray], exception: type[Exception], message: str) -> tuple[Size, ...]:
    """The common dims of arrays that must have equal shapes: refused at once where they provably differ, otherwise checked by the run."""
    first = arrays[0]
    dims = list(first.type.dims)
    for other in arrays[1:]:
        if other.ndim != first.ndim:
            raise exception(message)
        for axis, (size, found) in enumerate(zip(dims, other.type.dims)):
            if size == found:
                continue
            if isinstance(size, int) and isinstance(found, int):
                raise exception(message)
            equal = emit("equal", size_operand(first, axis), size_operand(other, axis)).result
            check(equal, exception, message.replace("{", "{{").replace("}", "}}"))
            dims[axis] = found if isinstance(found, int) else size
    return tuple(dims)


def stack_arrays(arrays: list[StagedArray], axis: int, message: str | None = None) -> StagedArray:
    """Arrays of one dtype and shape along a new axis, counted in the result."""
    dims = same_shape_check(arrays, ValueError, message or INHOMOGENEOUS.format(len(arrays)))
    sizes = size_operands(arrays[0])
    sizes.insert(axis, constant(np.int64(len(arrays))))
    dims = (*dims[:axis], len(arrays), *dims[axis:])
    result = emit("empty", *sizes, dtype=arrays[0].dtype, dims=dims).result
    for k, part in enumerate(arrays):
        items = (("full",),) * axis + (("int",),) + (("full",),) * (len(dims) - axis - 1)
        place = emit("basic_index", result, constant(np.int64(k)), items=items, dims=dims[:axis] + dims[axis + 1 :]).result
        emit("assign", place, with_sizes(part.value, dims[:axis] + dims[axis + 1 :]))
    return array(result)


def with_sizes(value: Value, dims: tuple[Size, ...]) -> Value:
    """An array of which a check has said that it has these sizes, under their names: nests then know that it is not repeated."""
    assert isinstance(value.type, ArrayType)
    return value if value.type.dims == dims else emit("basic_index", value, items=(("full",),) * len(dims), dims=dims).result


def require_dtype(dtype: Any) -> np.dtype:
    """A supported dtype."""
    if isinstance(dtype, StagedObject):
        raise NotNative
    dtype = np.dtype(dtype)
    if not is_supported(dtype):
        raise NotNative
    return dtype


INDEX_DTYPE = I64.dtype
