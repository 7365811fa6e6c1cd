"""Reductions, scans, and the positions of extrema."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT, Derivative
from autograph_jit.ir.dims import lower_bound
from autograph_jit.ir.opdef import Attributes, Library, Reduction
from autograph_jit.ir.scalar import Expr
from autograph_jit.ir.types import I64, ArrayType, ScalarType
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.derivatives.reduction import recurrence_jvp, recurrence_vjp, reduce_jvp, reduce_vjp, scan_jvp, scan_vjp
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED
from autograph_jit.ops.inference import Types, expect_array, expect_count, ndarray, normalize_axis
from autograph_jit.ops.registry import define_op

UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "any": np.logical_or,
    "all": np.logical_and,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
NO_IDENTITY = frozenset({"min", "max"})

IDENTITIES: dict[str, int] = {"sum": 0, "prod": 1, "any": 0, "all": 1, "and": -1, "or": 0, "xor": 0}
COMBINE = {
    "sum": ex.add,
    "prod": ex.multiply,
    "min": ex.minimum_or_nan,
    "max": ex.maximum_or_nan,
    "any": scalar.or_,
    "all": scalar.and_,
    "and": scalar.and_,
    "or": scalar.or_,
    "xor": scalar.xor,
}


def identity_of(op: str, dtype: np.dtype) -> Expr | None:
    """The value that a reduction starts from; None where an empty reduction is an error."""
    if op in NO_IDENTITY:
        return None
    if op == "and":
        return scalar.const(np.bitwise_not(dtype.type(0)), dtype)
    return scalar.const(IDENTITIES[op], dtype)


def combine(op: str, total: Expr, x: Expr) -> Expr:
    """One step of the reduction."""
    return COMBINE[op](total, x)


def expect_reducible(name: str, op: str, array: ArrayType) -> None:
    """Refuse dtypes that the reduction has no meaning for."""
    if op not in UFUNCS:
        raise GraphError(f"{name}: no reduction is named {op!r}")
    if op in ("any", "all") and array.dtype.kind != "b":
        raise GraphError(f"{name} {op} takes bools, not {array}")
    if op in ("and", "or", "xor") and array.dtype.kind not in "biu":
        raise GraphError(f"{name} {op} takes integers, not {array}")


def infer_reduce(types: Types, attributes: Attributes) -> Types:
    """A scalar if every axis goes, otherwise the axes that stay."""
    expect_count("reduce", types, 1)
    array = expect_array("reduce", types[0])
    expect_reducible("reduce", attributes["op"], array)
    axes = {normalize_axis("reduce", axis, array.rank) for axis in attributes["axes"]}
    if len(axes) != len(attributes["axes"]):
        raise GraphError(f"reduce: duplicate axes {attributes['axes']}")
    if attributes["keepdims"]:
        return (ArrayType(array.dtype, tuple(1 if axis in axes else size for axis, size in enumerate(array.dims))),)
    if len(axes) == array.rank:
        return (ScalarType(array.dtype),)
    return (ArrayType(array.dtype, tuple(size for axis, size in enumerate(array.dims) if axis not in axes)),)


def reduce_array(array: np.ndarray, op: str, axes: tuple[int, ...], keepdims: bool) -> Any:
    """NumPy's reduction in the array's own dtype."""
    token = FLOAT_ERRORS.set(IGNORED)
    try:
        result = UFUNCS[op].reduce(array, axis=tuple(axes), dtype=array.dtype, keepdims=keepdims)
    finally:
        FLOAT_ERRORS.reset(token)
    return ndarray(result) if keepdims or len(axes) < array.ndim else result[()]


def reduce_fails(types: Types, attributes: Attributes) -> bool:
    """Only minimum and maximum of axes that may be empty."""
    if attributes["op"] not in NO_IDENTITY:
        return False
    array = expect_array("reduce", types[0])
    return any((lower_bound(array.dims[axis]) or 0) < 1 for axis in attributes["axes"])


def infer_arg_reduce(types: Types, attributes: Attributes) -> Types:
    """Positions as i64: one of the flat array where axis is None."""
    expect_count("arg_reduce", types, 1)
    array, axis = expect_array("arg_reduce", types[0]), attributes["axis"]
    if axis is None:
        return (ArrayType(I64.dtype, (1,) * array.rank),) if attributes["keepdims"] else (I64,)
    axis = normalize_axis("arg_reduce", axis, array.rank)
    if attributes["keepdims"]:
        return (ArrayType(I64.dtype, array.dims[:axis] + (1,) + array.dims[axis + 1 :]),)
    rest = array.dims[:axis] + array.dims[axis + 1 :]
    return (ArrayType(I64.dtype, rest),) if rest else (I64,)


def find_extremum(array: np.ndarray, op: str, axis: int | None, keepdims: bool) -> Any:
    """The first position of the extremum."""
    result = getattr(np, op)(array, axis=axis, keepdims=keepdims)
    return ndarray(result) if keepdims or (axis is not None and array.ndim > 1) else np.int64(result)


def arg_reduce_fails(types: Types, attributes: Attributes) -> bool:
    """Whether an axis that is searched may be empty."""
    array = expect_array("arg_reduce", types[0])
    dims = array.dims if attributes["axis"] is None else (array.dims[attributes["axis"]],)
    return any((lower_bound(size) or 0) < 1 for size in dims)


def infer_scan(types: Types, attributes: Attributes) -> Types:
    """The operand's type."""
    expect_count("scan", types, 1)
    array = expect_array("scan", types[0])
    expect_reducible("scan", attributes["op"], array)
    normalize_axis("scan", attributes["axis"], array.rank)
    return (array,)


def scan_array(array: np.ndarray, op: str, axis: int) -> np.ndarray:
    """Running reduction along an axis, in the array's own dtype."""
    with np.errstate(all="ignore"):
        return ndarray(UFUNCS[op].accumulate(array, axis=axis, dtype=array.dtype))


def infer_recurrence(types: Types, attributes: Attributes) -> Types:
    """Factors and terms of one type."""
    expect_count("linear_recurrence", types, 2)
    factors, terms = (expect_array("linear_recurrence", type) for type in types)
    if factors.dtype != terms.dtype or factors.rank != terms.rank or terms.dtype.kind not in "fc":
        raise GraphError(f"linear_recurrence takes two arrays of one float or complex dtype and one rank, not {factors} and {terms}")
    normalize_axis("linear_recurrence", attributes["axis"], terms.rank)
    return (terms,)


def run_recurrence(factors: np.ndarray, terms: np.ndarray, axis: int) -> np.ndarray:
    """`y[i] = factors[i] * y[i - 1] + terms[i]` along the axis, y being 0 before the first."""
    if factors.shape != terms.shape:
        raise ValueError(f"linear_recurrence: factors of shape {factors.shape} against terms of shape {terms.shape}")
    result = np.array(terms, np.result_type(factors, terms), order="C")
    along, by = np.moveaxis(result, axis, 0), np.moveaxis(factors, axis, 0)
    with np.errstate(all="ignore"):
        for i in range(1, len(along)):
            along[i] += by[i] * along[i - 1]
    return result


def recurrence_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the sizes are not provably equal."""
    factors, terms = types
    return factors.dims != terms.dims  # type: ignore[union-attr]


reduce = define_op(
    "reduce",
    infer=infer_reduce,
    eager=reduce_array,
    kernel=Reduction(identity_of, combine),
    may_fail=True,
    derivative=Derivative(reduce_vjp, reduce_jvp),
    fails=reduce_fails,
)
arg_reduce = define_op(
    "arg_reduce",
    infer=infer_arg_reduce,
    eager=find_extremum,
    kernel=Library(),
    may_fail=True,
    derivative=FLAT,
    fails=arg_reduce_fails,
)
scan = define_op("scan", infer=infer_scan, eager=scan_array, kernel=Library(), derivative=Derivative(scan_vjp, scan_jvp))
linear_recurrence = define_op(
    "linear_recurrence",
    infer=infer_recurrence,
    eager=run_recurrence,
    kernel=Library(),
    may_fail=True,
    derivative=Derivative(recurrence_vjp, recurrence_jvp),
    fails=recurrence_fails,
)
