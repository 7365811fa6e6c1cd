"""Tests of ops/reduction.py and ops/linalg.py against NumPy."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import atom
from autograph_jit.ir.scalar import operand
from autograph_jit.ir.scalar_eager import evaluate_expression
from autograph_jit.ir.types import SHORT_NAMES, ArrayType, ScalarType
from autograph_jit.ops.registry import get
from tests.tables import table

N, M = atom("s0"), atom("d1")
NUMPY = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
REDUCTIONS = {
    "b": "any all and or xor",
    "i": "sum prod min max and or xor",
    "u": "sum prod min max and or xor",
    "f": "sum prod min max",
    "c": "sum prod",
}
LOGIC = {"any": np.logical_or, "all": np.logical_and, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
CASES = [(op, dtype) for dtype in SHORT_NAMES for op in REDUCTIONS[np.dtype(dtype).kind].split()]


def values(dtype, shape):
    numbers = np.random.default_rng(0).integers(0, 4, shape)
    return numbers.astype(dtype)


def array_type(*dims, dtype=float):
    return ArrayType(np.dtype(dtype), dims)


@table(("op", "dtype"), CASES)
@table(("axes", "keepdims"), [((0, 1), False), ((0, 1), True), ((0,), False), ((1,), True), ((), False), ((-1,), False)])
def test_reduce_is_numpys_in_the_dtype_of_the_array(op, dtype, axes, keepdims):
    array = values(dtype, (3, 4))[:, ::2]
    result = get("reduce").eager(array, op=op, axes=axes, keepdims=keepdims)
    expected = {**NUMPY, **LOGIC}[op].reduce(array, axis=axes, dtype=array.dtype, keepdims=keepdims)
    np.testing.assert_array_equal(result, expected)
    (type,) = get("reduce").infer((array_type(*array.shape, dtype=dtype),), {"op": op, "axes": axes, "keepdims": keepdims})
    if isinstance(type, ScalarType):
        assert isinstance(result, np.generic) and result.dtype == type.dtype
    else:
        assert isinstance(result, np.ndarray) and array_type(*result.shape, dtype=result.dtype) == type


@table(("op", "dtype"), CASES)
def test_kernel_folds_to_the_same_number(op, dtype):
    array = values(dtype, 6)
    kernel = get("reduce").kernel
    x, y = operand(0, array.dtype), operand(1, array.dtype)
    identity = kernel.init(op, array.dtype)
    total, rest = (array[0], array[1:]) if identity is None else (identity.value, array)
    for item in rest:
        total = evaluate_expression(kernel.combine(op, x, y), total, item)
    assert total == get("reduce").eager(array, op=op, axes=(0,), keepdims=False)


@table("op", ["sum", "prod"])
def test_sum_of_nothing_is_the_identity(op):
    assert get("reduce").eager(np.zeros((0, 3)), op=op, axes=(0, 1), keepdims=False) == {"sum": 0, "prod": 1}[op]


def test_maximum_of_nothing_fails():
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        get("reduce").eager(np.zeros(0), op="max", axes=(0,), keepdims=False)


@table(
    ("dims", "op", "expected"), [((N,), "max", False), ((3,), "min", False), ((M,), "max", True), ((M,), "sum", False), ((0,), "max", True)]
)
def test_reduce_fails_only_where_an_extremum_may_be_of_nothing(dims, op, expected):
    assert get("reduce").can_fail((array_type(*dims),), {"op": op, "axes": (0,), "keepdims": False}) == expected


@table("op", ["argmin", "argmax"])
@table(("axis", "keepdims"), [(None, False), (None, True), (0, False), (1, True), (-1, False)])
def test_arg_reduce_finds_the_first_extremum(op, axis, keepdims):
    array = values(float, (4, 5))
    result = get("arg_reduce").eager(array, op=op, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(result, getattr(np, op)(array, axis=axis, keepdims=keepdims))
    (type,) = get("arg_reduce").infer((array_type(4, 5),), {"op": op, "axis": axis, "keepdims": keepdims})
    assert np.shape(result) == getattr(type, "dims", ()) and result.dtype == np.int64


def test_arg_reduce_of_nothing_fails():
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        get("arg_reduce").eager(np.zeros(0), op="argmax", axis=None, keepdims=False)
    assert get("arg_reduce").can_fail((array_type(M),), {"op": "argmax", "axis": None, "keepdims": False})


@table("op", sorted(NUMPY))
@table("axis", [0, 1, -1])
def test_scan_accumulates(op, axis):
    array = values(float, (3, 4)).T
    result = get("scan").eager(array, op=op, axis=axis)
    np.testing.assert_array_equal(result, NUMPY[op].accumulate(array, axis))
    assert result.flags.c_contiguous


@table("dtype", ["int64", "float64", "complex64"])
@table(
    ("x", "y"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (1, 3, 4)), ((2, 0), (0, 3))],
)
def test_matmul_is_numpys(x, y, dtype):
    a, b = values(dtype, x), values(dtype, y)
    result = get("matmul").eager(a, b)
    np.testing.assert_array_equal(result, np.matmul(a, b))
    (type,) = get("matmul").infer((array_type(*x, dtype=dtype), array_type(*y, dtype=dtype)), {})
    assert np.shape(result) == getattr(type, "dims", ()) and isinstance(result, np.generic) == isinstance(type, ScalarType)


def test_matmul_fails_only_where_the_inner_sizes_may_differ():
    can_fail = get("matmul").can_fail
    assert not can_fail((array_type(3, N), array_type(N, 2)), {})
    assert can_fail((array_type(3, N), array_type(M, 2)), {})
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        get("matmul").eager(np.zeros((2, 3)), np.zeros((2, 3)))


@table(
    ("name", "types", "attributes"),
    [
        ("reduce", (array_type(N),), {"op": "mean", "axes": (0,), "keepdims": False}),
        ("reduce", (array_type(N),), {"op": "any", "axes": (0,), "keepdims": False}),
        ("reduce", (array_type(N),), {"op": "xor", "axes": (0,), "keepdims": False}),
        ("reduce", (array_type(N, N),), {"op": "sum", "axes": (0, -2), "keepdims": False}),
        ("scan", (array_type(N),), {"op": "sum", "axis": 1}),
        ("matmul", (array_type(2, 3), array_type(2, 3)), {}),
        ("matmul", (array_type(), array_type(3)), {}),
        ("matmul", (array_type(3), array_type(3, dtype=np.float32)), {}),
    ],
)
def test_types_that_do_not_fit_are_refused(name, types, attributes):
    with pytest.raises(GraphError):
        get(name).infer(types, attributes)
