"""Defines elementwise operations: one rule for types, broadcasting and eager evaluation, shared by the families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Derivative
from autograph_jit.ir.opdef import Attributes, OpDef, Pointwise
from autograph_jit.ir.scalar import Expr
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED
from autograph_jit.ops.inference import Types, broadcast_may_fail, elementwise_type, expect_count, expect_numeric, ndarray, ufunc_dtype
from autograph_jit.ops.registry import define_op


def define_ufunc(name: str, expression: Callable[..., Expr], derivative: Derivative, ufunc: np.ufunc | None = None) -> OpDef:
    """Define an operation that is a NumPy ufunc, at the dtypes for which the ufunc has a loop."""
    function: np.ufunc = ufunc or getattr(np, name)

    def infer_dtype(dtypes: tuple[np.dtype, ...]) -> np.dtype:
        return ufunc_dtype(function, dtypes)

    return define_pointwise(name, function.nin, infer_dtype, function, expression, derivative)


def define_pointwise(
    name: str,
    arity: int,
    infer_dtype: Callable[[tuple[np.dtype, ...]], np.dtype],
    compute: Callable[..., Any],
    expression: Callable[..., Expr],
    derivative: Derivative,
) -> OpDef:
    """Define an elementwise operation without attributes; `infer_dtype` maps the operands' dtypes to the result's or raises GraphError."""

    def infer(types: Types, attributes: Attributes) -> Types:
        expect_count(name, types, arity)
        dtypes = tuple(expect_numeric(name, type).dtype for type in types)
        return (elementwise_type(name, types, infer_dtype(dtypes)),)

    def eager(*operands: Any) -> Any:
        token = ignore(IGNORED)
        try:
            result = compute(*operands)
        finally:
            reset(token)
        if type(result) is array_type and result.flags.c_contiguous:
            return result
        for operand in operands:
            if isinstance(operand, np.ndarray):
                return ndarray(result)
        return result

    ignore, reset, array_type = FLOAT_ERRORS.set, FLOAT_ERRORS.reset, np.ndarray
    may_fail = arity > 1
    return define_op(
        name,
        infer=infer,
        eager=eager,
        kernel=Pointwise(expression),
        may_fail=may_fail,
        derivative=derivative,
        fails=broadcast_may_fail if may_fail else None,
    )
