"""Loop nests as text."""

from __future__ import annotations

import numpy as np

from autograph_jit.ir import scalar
from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.loop_nest import Operand
from autograph_jit.kernels.print_kernel import named_parts, print_expression

F64 = np.dtype(np.float64)
X = Operand(F64, "x", (0,))


def repeated(times: int) -> Expr:
    """x, doubled so many times by an addition to itself."""
    value = scalar.operand(0, F64)
    for _ in range(times):
        value = value + value
    return value


def test_a_short_expression_is_printed_in_one_line():
    assert named_parts(repeated(2)) == {}
    assert print_expression(repeated(2), (X,), {}) == "((x[i0] + x[i0]) + (x[i0] + x[i0]))"


def test_shared_parts_of_a_long_expression_are_named_once():
    expression = repeated(60)
    parts = named_parts(expression)
    lines = [f"{name} = {print_expression(part, (X,), parts, part)}" for part, name in parts.values()]
    assert lines[:2] == ["v0 = (x[i0] + x[i0])", "v1 = (v0 + v0)"] and len(lines) == 59
    assert print_expression(expression, (X,), parts) == "(v58 + v58)"
