"""Literals and fresh arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT, Derivative
from autograph_jit.ir.opdef import Attributes, Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.ops.derivatives.arrays import arange_jvp, arange_vjp, concat_jvp, concat_vjp, full_jvp, full_vjp
from autograph_jit.ops.inference import Types, dims_of, expect_array, expect_count, expect_indices, ndarray
from autograph_jit.ops.registry import define_op


def infer_constant(types: Types, attributes: Attributes) -> Types:
    """The type of the NumPy scalar `value`."""
    expect_count("constant", types, 0)
    if not isinstance(attributes["value"], np.generic):
        raise GraphError(f"constant takes a NumPy scalar, not {attributes['value']!r}")
    return (ScalarType(attributes["value"].dtype),)


def shape_ints(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes as Python ints."""
    return tuple(int(size) for size in shape)


def infer_empty(types: Types, attributes: Attributes) -> Types:
    """The sizes are the operands."""
    expect_indices("empty", types)
    return (ArrayType(np.dtype(attributes["dtype"]), dims_of("empty", attributes, len(types))),)


def make_empty(*shape: Any, dtype: np.dtype, dims: Any = None, checked: bool = False) -> np.ndarray:
    """Memory that nothing was written to; checked: the sizes are known not to be negative."""
    return np.empty(shape_ints(shape), dtype)


def infer_full(types: Types, attributes: Attributes) -> Types:
    """A scalar, then the sizes."""
    if not types or not isinstance(types[0], ScalarType):
        raise GraphError("full takes a scalar and sizes")
    expect_indices("full", types[1:])
    return (ArrayType(types[0].dtype, dims_of("full", attributes, len(types) - 1)),)


def make_full(value: Any, *shape: Any, dims: Any = None, checked: bool = False) -> np.ndarray:
    """An array of one value; checked: the sizes are known not to be negative."""
    return np.full(shape_ints(shape), value, value.dtype)


def negative_size_fails(types: Types, attributes: Attributes) -> bool:
    """Whether a size may be negative: constant dims are checked when the graph is made."""
    return not attributes.get("checked") and not all(isinstance(size, int) and size >= 0 for size in attributes["dims"])


def infer_array_constant(types: Types, attributes: Attributes) -> Types:
    """The type of the array `value`."""
    expect_count("array_constant", types, 0)
    value = attributes["value"]
    return (ArrayType(value.dtype, tuple(value.shape)),)


def infer_arange(types: Types, attributes: Attributes) -> Types:
    """Start and step of one dtype and an i64 count."""
    expect_count("arange", types, 3)
    start, step, count = types
    if not isinstance(start, ScalarType) or start != step:
        raise GraphError(f"arange takes start and step of one dtype, not {start} and {step}")
    expect_indices("arange", (count,))
    return (ArrayType(start.dtype, dims_of("arange", attributes, 1)),)


def make_arange(start: Any, step: Any, count: Any, dims: Any = None) -> np.ndarray:
    """`start`, then `start + step * k` for k below count, in the dtype of start."""
    dtype = start.dtype
    with np.errstate(all="ignore"):
        result = (start + step * np.arange(max(int(count), 0)).astype(dtype)).astype(dtype)
    result[:1] = start  # which a step that is infinite, and a zero that is added, would change
    return result


def infer_concat(types: Types, attributes: Attributes) -> Types:
    """Arrays of one dtype and rank."""
    arrays = [expect_array("concat", type) for type in types]
    if not arrays:
        raise GraphError("concat takes at least one array")
    if any(array.dtype != arrays[0].dtype or array.rank != arrays[0].rank for array in arrays):
        raise GraphError(f"concat takes arrays of one dtype and rank, not {', '.join(map(str, arrays))}")
    return (ArrayType(arrays[0].dtype, dims_of("concat", attributes, arrays[0].rank)),)


def join_arrays(*arrays: np.ndarray, axis: int, dims: Any = None) -> np.ndarray:
    """The arrays end to end along the axis."""
    return ndarray(np.concatenate(arrays, axis))


def concat_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the sizes of the other axes are not provably equal."""
    axis = attributes["axis"] % len(attributes["dims"])
    others = {type.dims[:axis] + type.dims[axis + 1 :] for type in types}  # type: ignore[union-attr]
    return len(others) > 1


constant = define_op(
    "constant",
    infer=infer_constant,
    eager=lambda value: value,
    kernel=Pointwise(lambda value: scalar.const(value, value.dtype)),
    derivative=FLAT,
)
array_constant = define_op("array_constant", infer=infer_array_constant, eager=lambda value: np.array(value, order="C"), derivative=FLAT)
empty = define_op("empty", infer=infer_empty, eager=make_empty, may_fail=True, derivative=FLAT, fails=negative_size_fails)
full = define_op(
    "full", infer=infer_full, eager=make_full, may_fail=True, derivative=Derivative(full_vjp, full_jvp), fails=negative_size_fails
)
arange = define_op("arange", infer=infer_arange, eager=make_arange, derivative=Derivative(arange_vjp, arange_jvp))
concat = define_op(
    "concat", infer=infer_concat, eager=join_arrays, may_fail=True, derivative=Derivative(concat_vjp, concat_jvp), fails=concat_fails
)
