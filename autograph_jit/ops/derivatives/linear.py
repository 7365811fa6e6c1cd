"""Derivatives of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import ByOperand, Derivative
from autograph_jit.ops.derivatives.shared import conjugated, total_of_terms
from autograph_jit.ops.derivatives.triangles import adjoint


def rows(x: Any) -> Any:
    """All matrices of a stack below each other."""
    shape = np.shape(x)
    count = 1
    for size in shape[:-1]:
        count = count * size
    return np.reshape(x, (count, shape[-1]))


def matmul_by_x(ct: Any, result: Any, x: Any, y: Any) -> Any:
    """The product with the adjoint of y; axes that were broadcast are left to be summed."""
    if np.ndim(y) == 1:
        return ct * conjugated(y) if np.ndim(x) == 1 else np.expand_dims(ct, -1) * conjugated(y)
    if np.ndim(x) == 1:
        return np.matmul(conjugated(y), np.expand_dims(ct, -1))[..., 0]
    return np.matmul(ct, adjoint(y))


def matmul_by_y(ct: Any, result: Any, x: Any, y: Any) -> Any:
    """The product with the adjoint of x; a matrix that was broadcast gets the product of all rows."""
    if np.ndim(x) == 1:
        return ct * conjugated(x) if np.ndim(y) == 1 else np.expand_dims(conjugated(x), -1) * np.expand_dims(ct, -2)
    if np.ndim(y) == 1:
        return np.matmul(np.ravel(ct), rows(conjugated(x)))
    if np.ndim(y) == 2 and np.ndim(x) > 2:
        return np.matmul(adjoint(rows(x)), rows(ct))
    return np.matmul(adjoint(x), ct)


def matmul_jvp(tangents: tuple[Any, Any], result: Any, x: Any, y: Any) -> Any:
    """The product rule."""
    terms = [] if tangents[0] is None else [np.matmul(tangents[0], y)]
    return total_of_terms(terms if tangents[1] is None else [*terms, np.matmul(x, tangents[1])])


MATMUL = Derivative(ByOperand((matmul_by_x, matmul_by_y)), matmul_jvp)
