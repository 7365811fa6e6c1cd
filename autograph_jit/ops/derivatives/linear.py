"""Derivatives of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import conjugated, total
from autograph_jit.ops.derivatives.triangles import adjoint


def rows(x: Any) -> Any:
    """All matrices of a stack below each other."""
    shape = np.shape(x)
    count = 1
    for size in shape[:-1]:
        count = count * size
    return np.reshape(x, (count, shape[-1]))


def matmul_vjp(ct: Any, result: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Products with the adjoints; axes that were broadcast are left to be summed."""
    x_rank, y_rank = np.ndim(x), np.ndim(y)
    if x_rank == 1 and y_rank == 1:
        return ct * conjugated(y), ct * conjugated(x)
    if x_rank == 1:
        by_x = np.matmul(conjugated(y), np.expand_dims(ct, -1))[..., 0]
        return by_x, np.expand_dims(conjugated(x), -1) * np.expand_dims(ct, -2)
    if y_rank == 1:
        by_y = np.matmul(np.ravel(ct), rows(conjugated(x)))
        return np.expand_dims(ct, -1) * conjugated(y), by_y
    by_x = np.matmul(ct, adjoint(y))
    if y_rank == 2 and x_rank > 2:
        return by_x, np.matmul(adjoint(rows(x)), rows(ct))
    return by_x, np.matmul(adjoint(x), ct)


def matmul_jvp(tangents: tuple[Any, Any], result: Any, x: Any, y: Any) -> Any:
    """The product rule."""
    terms = [] if tangents[0] is None else [np.matmul(tangents[0], y)]
    return total(terms if tangents[1] is None else [*terms, np.matmul(x, tangents[1])])
