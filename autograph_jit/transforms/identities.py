"""Identities of scalar operations that hold for every value of the dtype, NaN, infinities and signed zeros included.

Each rule takes an operation and gives the value that it equals, a number, or None. `x + 0.0` has no rule (it turns -0.0 into 0.0), nor has
`x * 0.0`; complex numbers have none, since `(x + 0j) * 1` is not `x` where x is infinite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph_jit.ir.graph import Operation, Value, constant_of
from autograph_jit.ir.types import ScalarType

Simplified = Value | np.generic | None
Rule = Callable[[Operation], Simplified]


def dtype_of(value: Value) -> np.dtype:
    """The dtype of a scalar."""
    assert isinstance(value.type, ScalarType)
    return value.type.dtype


def is_number(value: Value, number: float) -> bool:
    """Whether a value is this constant; a zero of either sign is zero."""
    found = constant_of(value)
    return found is not None and bool(found == number)


def is_positive_zero(value: Value) -> bool:
    """Whether a value is the constant 0 or 0.0."""
    found = constant_of(value)
    return found is not None and bool(found == 0) and not np.signbit(found.astype(np.float64))


def is_exact(value: Value) -> bool:
    """Whether arithmetic on the value's dtype is that of integers."""
    return dtype_of(value).kind in "iu"


def simplify_add(operation: Operation) -> Simplified:
    """`x + 0` of integers; `x + -0.0`."""
    for x, y in both_orders(operation):
        if dtype_of(x).kind in "iu" and is_number(y, 0):
            return x
        if dtype_of(x).kind == "f" and is_number(y, 0) and not is_positive_zero(y):
            return x
    return None


def simplify_subtract(operation: Operation) -> Simplified:
    """`x - 0`, `x - 0.0`; `x - x` of integers."""
    x, y = operation.operands
    if dtype_of(x).kind in "iuf" and is_positive_zero(y):
        return x
    return dtype_of(x).type(0) if x is y and is_exact(x) else None


def simplify_multiply(operation: Operation) -> Simplified:
    """`x * 1`; `x * 0` of integers; `x and y` of bools."""
    if dtype_of(operation.operands[0]).kind == "b":
        return simplify_and(operation)
    for x, y in both_orders(operation):
        if dtype_of(x).kind in "iuf" and is_number(y, 1):
            return x
        if is_exact(x) and is_number(y, 0):
            return y
    return None


def simplify_divide(operation: Operation) -> Simplified:
    """`x / 1` of floats, `x // 1` of integers."""
    x, y = operation.operands
    kinds = "iu" if operation.name == "floor_divide" else "f"
    return x if dtype_of(x).kind in kinds and is_number(y, 1) else None


def simplify_involution(operation: Operation) -> Simplified:
    """`-(-x)`, `not (not x)`, `~~x`."""
    inner = operation.operands[0].owner
    if isinstance(inner, Operation) and inner.name == operation.name and dtype_of(operation.operands[0]).kind != "c":
        return inner.operands[0]
    return None


def simplify_and(operation: Operation, zero_stays: bool = True) -> Simplified:
    """`x and x`, `x and True`, `x and False`, of which zero stays, and the like of `or`; of integers `x & x`, `x & 0`."""
    x, y = operation.operands
    if x is y:
        return x
    for first, second in both_orders(operation):
        if is_number(second, 0):
            return second if zero_stays else first
        if dtype_of(first).kind == "b" and is_number(second, 1):
            return first if zero_stays else second
    return None


def simplify_or(operation: Operation) -> Simplified:
    """The same where one stays."""
    return simplify_and(operation, False)


def simplify_xor(operation: Operation) -> Simplified:
    """`x xor 0`."""
    return next((x for x, y in both_orders(operation) if is_number(y, 0)), None)


def simplify_shift(operation: Operation) -> Simplified:
    """`x << 0`, `x >> 0`."""
    x, y = operation.operands
    return x if is_number(y, 0) else None


def simplify_where(operation: Operation) -> Simplified:
    """A known condition, or equal branches."""
    condition, x, y = operation.operands
    if x is y:
        return x
    known = constant_of(condition)
    return None if known is None else x if known else y


def simplify_cast(operation: Operation) -> Simplified:
    """A cast to the dtype that is there; a bool cast to a number and back."""
    x = operation.operands[0]
    dtype = np.dtype(operation.attributes["dtype"])
    if dtype_of(x) == dtype:
        return x
    inner = x.owner
    if dtype.kind == "b" and isinstance(inner, Operation) and inner.name == "cast" and inner.operands[0].type == ScalarType(dtype):
        return inner.operands[0]
    return None


def simplify_equal(operation: Operation) -> Simplified:
    """`b == True`, `b != False`."""
    wanted = operation.name == "equal"
    for x, y in both_orders(operation):
        if dtype_of(x).kind == "b" and is_number(y, wanted):
            return x
    return None


def both_orders(operation: Operation) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """The operands of a commutative operation, either one first."""
    x, y = operation.operands
    return (x, y), (y, x)


RULES: dict[str, Rule] = {
    "add": simplify_add,
    "pyint_add": simplify_add,
    "subtract": simplify_subtract,
    "pyint_subtract": simplify_subtract,
    "multiply": simplify_multiply,
    "pyint_multiply": simplify_multiply,
    "divide": simplify_divide,
    "floor_divide": simplify_divide,
    "negative": simplify_involution,
    "logical_not": simplify_involution,
    "invert": simplify_involution,
    "logical_and": simplify_and,
    "bitwise_and": simplify_and,
    "logical_or": simplify_or,
    "bitwise_or": simplify_or,
    "logical_xor": simplify_xor,
    "bitwise_xor": simplify_xor,
    "left_shift": simplify_shift,
    "right_shift": simplify_shift,
    "where": simplify_where,
    "cast": simplify_cast,
    "equal": simplify_equal,
    "not_equal": simplify_equal,
    "is_same": lambda operation: np.True_ if operation.operands[0] is operation.operands[1] else None,
    "positive": lambda operation: operation.operands[0],
}
