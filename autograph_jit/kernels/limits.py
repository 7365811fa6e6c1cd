"""The least and the greatest number that an integer can be by the operation that gives it alone."""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ArrayType, ScalarType


def limits_of(operation: Operation, operands: list[Size]) -> tuple[int, int] | None:
    """The least and the greatest number that small integers widened to 64 bits, numbers under a mask and remainders can be."""
    literals = [operand for operand in operands if isinstance(operand, int)]
    if operation.name == "cast":
        source = operation.operands[0].type
        assert isinstance(source, ScalarType | ArrayType)
        if source.dtype.kind in "iu" and source.dtype.itemsize < 8:
            return int(np.iinfo(source.dtype).min), int(np.iinfo(source.dtype).max)
        return (0, 1) if source.dtype.kind == "b" else None
    if operation.name == "bitwise_and" and literals and max(literals) >= 0:
        return 0, min(literal for literal in literals if literal >= 0)
    if operation.name == "remainder" and len(operands) == 2 and isinstance(operands[1], int) and operands[1] > 0:
        return 0, operands[1] - 1
    return None
