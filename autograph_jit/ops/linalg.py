"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.opdef import Attributes, Library
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.ops.derivatives.linear import MATMUL
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED
from autograph_jit.ops.inference import Types, broadcast_dims, broadcasts_surely, expect_array, expect_count, ndarray
from autograph_jit.ops.registry import define_op


def infer_matmul(types: Types, attributes: Attributes) -> Types:
    """NumPy's rule: the last axis of x against the last but one of y, leading axes broadcast, vectors lose their axis."""
    expect_count("matmul", types, 2)
    x, y = expect_array("matmul", types[0]), expect_array("matmul", types[1])
    if x.dtype != y.dtype or x.rank == 0 or y.rank == 0:
        raise GraphError(f"matmul takes arrays of one dtype and of rank 1 or more, not {x} and {y}")
    inner_x, inner_y = x.dims[-1], y.dims[-2 if y.rank > 1 else -1]
    if isinstance(inner_x, int) and isinstance(inner_y, int) and inner_x != inner_y:
        raise GraphError(f"matmul: {inner_x} columns against {inner_y} rows")
    batch = broadcast_dims("matmul", [x.dims[:-2], y.dims[:-2]])
    dims = batch + (x.dims[-2:-1] if x.rank > 1 else ()) + (y.dims[-1:] if y.rank > 1 else ())
    return (ScalarType(x.dtype),) if x.rank == y.rank == 1 else (ArrayType(x.dtype, dims),)


def multiply_matrices(x: np.ndarray, y: np.ndarray) -> Any:
    """NumPy's matmul; a scalar for two vectors."""
    token = FLOAT_ERRORS.set(IGNORED)
    try:
        result = np.matmul(x, y)
    finally:
        FLOAT_ERRORS.reset(token)
    return result[()] if x.ndim == y.ndim == 1 else ndarray(result)


def matmul_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the inner sizes or the batch sizes are not provably fit."""
    x, y = expect_array("matmul", types[0]), expect_array("matmul", types[1])
    inner_y = y.dims[-2 if y.rank > 1 else -1]
    return x.dims[-1] != inner_y or not broadcasts_surely([x.dims[:-2], y.dims[:-2]])


matmul = define_op(
    "matmul", infer=infer_matmul, eager=multiply_matrices, kernel=Library(), may_fail=True, derivative=MATMUL, fails=matmul_fails
)
