"""Conversions between Python values, stand-ins and graph values: lifting constants and arrays, casts, loads of elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import BOOL, I64, ArrayType, ScalarType, Type, is_supported
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, TaggedScalar, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.memory_order import elementwise
from autograph_jit.tracing.values.trace import active, constant, emit, user_span

INT64_LIMIT = 2**63
WEAK_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}


def is_number(x: Any) -> bool:
    """A Python or NumPy number, or a staged one."""
    return isinstance(x, (bool, int, float, complex, np.number, np.bool_, StagedScalar))


def is_array(x: Any) -> bool:
    """A real or staged array."""
    return isinstance(x, (np.ndarray, StagedArray))


def is_weak(x: Any) -> bool:
    """A Python number, real or staged (np.float64 and np.complex128, although subclasses, are NumPy's)."""
    if isinstance(x, StagedScalar):
        return x.weak
    return isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic)


def dtype_of(x: Any) -> np.dtype:
    """The dtype that a number or array is kept in (int64, float64 for Python's)."""
    if isinstance(x, StagedScalar):
        return x.scalar_dtype
    if isinstance(x, (StagedArray, np.ndarray, np.generic)):
        return x.dtype
    return WEAK_DTYPES[bool if isinstance(x, bool) else int if isinstance(x, int) else float if isinstance(x, float) else complex]


def scalar(value: Value, weak: bool = False, size: Size | None = None, bits: int = 64) -> StagedScalar:
    """A stand-in for a scalar graph value."""
    return StagedScalar(value, weak, size, bits)


def array(value: Value, writeable: bool = True) -> StagedArray:
    """A stand-in for an array graph value."""
    return StagedArray(value, writeable)


def wrap(value: Value, weak: bool = False) -> Any:
    """The stand-in for a graph value of any type."""
    if isinstance(value.type, ScalarType):
        return scalar(value, weak)
    if isinstance(value.type, ArrayType):
        return array(value)
    return StagedObject(value)


def lift_number(x: Any, dtype: np.dtype | None = None) -> Value:
    """The graph value of a number, cast to `dtype` if given."""
    if isinstance(x, StagedScalar):
        return cast(x.value, dtype) if dtype is not None else x.value
    if isinstance(x, int) and not isinstance(x, bool) and not -INT64_LIMIT <= x < INT64_LIMIT and (dtype is None or dtype.kind in "iu"):
        if not (dtype is not None and dtype == np.uint64 and 0 <= x < 2 * INT64_LIMIT):
            raise ConversionError(
                f"the Python int {x} does not fit in 64 bits",
                user_span(),
                "ints that enter compiled code are int64",
                "use a float, or keep this part out of the compiled function",
            )
    target = dtype if dtype is not None else dtype_of(x)
    with np.errstate(all="ignore"):
        return constant(np.asarray(x).astype(target)[()])


def lift_array(x: Any) -> StagedArray:
    """The stand-in of an array: a real one becomes an input that is read at every call."""
    if isinstance(x, StagedArray):
        return x
    if isinstance(x, Maybe):
        return lift_array(content_of(x))
    assert isinstance(x, np.ndarray)
    return active().inputs.capture(x)


def cast(value: Value, dtype: np.dtype) -> Value:
    """Convert as astype does; nothing where the dtype is the same."""
    assert isinstance(value.type, (ScalarType, ArrayType))
    if value.type.dtype == dtype:
        return value
    if not is_supported(dtype):
        raise ConversionError(
            f"dtype {dtype} cannot be staged",
            user_span(),
            "compiled code knows bool, int8 to int64, uint8 to uint64, float32, float64, complex64 and complex128",
            "convert to one of these",
        )
    return elementwise("cast", value, dtype=dtype)


def index_value(x: Any) -> Value:
    """The i64 value of an index or a size: an int, a staged integer."""
    if isinstance(x, Maybe):
        return index_value(content_of(x))
    if isinstance(x, (TaggedScalar, StagedObject)):
        return language.integer_of(x).value
    if isinstance(x, StagedScalar):
        if x.scalar_dtype.kind not in ("iub" if x.weak else "iu"):
            raise TypeError(f"'{x.type_name}' object cannot be interpreted as an integer")
        return cast(x.value, I64.dtype)
    if isinstance(x, StagedArray) and x.ndim == 0 and x.dtype.kind in "iu":
        return cast(emit("load", x.value).result, I64.dtype)
    if isinstance(x, StagedArray):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    number = operator.index(x)
    if not -INT64_LIMIT <= number < INT64_LIMIT:
        raise ValueError("Maximum allowed dimension exceeded")
    return constant(np.int64(number))


def size_of(x: Any) -> Size | None:
    """The label of an integer: itself for a Python int, the stand-in's for a staged one."""
    if isinstance(x, StagedScalar):
        return x.size
    return int(x.__index__())


def size_bits(size: Size) -> int:
    """A bound on the magnitude of a size: memory has fewer than 2**48 elements."""
    return max(int(abs(size)).bit_length(), 1) if isinstance(size, int) else 48


def dimension(x: StagedArray, axis: int) -> Any:
    """`x.shape[axis]`: a Python int where it is known, a staged Python int otherwise."""
    size = x.type.dims[axis]
    if isinstance(size, int):
        return size
    return scalar(emit("dim", x.value, axis=axis).result, weak=True, size=size, bits=48)


def shape_of(x: StagedArray) -> tuple[Any, ...]:
    """`x.shape`."""
    return tuple(dimension(x, axis) for axis in range(x.ndim))


def element(x: StagedArray) -> StagedScalar:
    """The element of a rank-0 array."""
    return scalar(emit("load", x.value).result)


def nonnegative(size: Size) -> Size:
    """A label for a length: the run checks that it is not negative."""
    from_label = {f"d:len({size})": 1}
    return type(size)(tuple(from_label.items())) if not isinstance(size, int) else size


def truth(x: Any) -> Value:
    """The b1 value of a number's or one-element array's truth."""
    if isinstance(x, StagedArray):
        x = element(x)
    value = lift_number(x)
    assert isinstance(value.type, ScalarType)
    if value.type == BOOL:
        return value
    zero = constant(np.zeros((), value.type.dtype)[()])
    return emit("not_equal", value, zero).result


def result_type(value: Value) -> Type:
    """The graph type of a value."""
    return value.type
