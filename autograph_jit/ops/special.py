"""Functions of scipy.special that are short expressions of elementary ones; SciPy itself is not loaded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Derivative
from autograph_jit.ir.opdef import OpDef
from autograph_jit.ir.scalar import Expr, absolute, and_, call, const, eq, le, lt, operand, select
from autograph_jit.ir.scalar_eager import evaluate_expression
from autograph_jit.ops.derivatives.shared import elementwise
from autograph_jit.ops.elementwise import one_float, same_dtype, vectorize
from autograph_jit.ops.pointwise import define_pointwise

ROOT_HALF = math.sqrt(0.5)
ROOT_TAU = math.sqrt(2 * math.pi)
LOW, HIGH = 0.3, 0.65  # about 1/2, where the logarithm of x / (1 - x) would cancel


def expit_of(x: Expr) -> Expr:
    """1 / (1 + exp(-x))."""
    one = const(1, x.dtype)
    return one / (one + call("exp", -x))


def log_expit_of(x: Expr) -> Expr:
    """-log(1 + exp(-x)), without overflow."""
    rest = call("log1p", call("exp", -absolute(x)))
    return select(lt(x, 0), x - rest, -rest)


def logit_of(x: Expr) -> Expr:
    """log(x / (1 - x))."""
    doubled = (x - 0.5) * 2
    about_half = call("log1p", doubled) - call("log1p", -doubled)
    is_middle = and_(le(const(LOW, x.dtype), x), le(x, HIGH))
    return select(is_middle, about_half, call("log", x / (const(1, x.dtype) - x)))


def entr_of(x: Expr) -> Expr:
    """-x * log(x); minus infinity below zero."""
    inside = select(eq(x, 0), const(0, x.dtype), const(-math.inf, x.dtype))
    return select(le(x, 0), inside, -x * call("log", x))


def times_logarithm(function: str) -> Callable[[Expr, Expr], Expr]:
    """x * log(y), zero where x is and y is a number."""
    return lambda x, y: select(and_(eq(x, 0), eq(y, y)), const(0, x.dtype), x * call(function, y))


def define_special(
    name: str, arity: int, expression: Callable[..., Expr], derivative: Derivative, infer_dtype: Callable[[tuple[np.dtype, ...]], np.dtype]
) -> OpDef:
    """An operation that NumPy evaluates by the expression itself."""

    def compute(*operands: Any) -> Any:
        nodes = (operand(index, x.dtype) for index, x in enumerate(operands))
        return evaluate_expression(expression(*nodes), *operands)

    return define_pointwise(name, arity, infer_dtype, compute, expression, derivative)


expit = define_special("expit", 1, expit_of, elementwise(lambda r, x: r * (1 - r), regular=True), one_float)
log_expit = define_special("log_expit", 1, log_expit_of, elementwise(lambda r, x: 1 / (1 + np.exp(x))), one_float)
logit = define_special("logit", 1, logit_of, elementwise(lambda r, x: 1 / (x * (1 - x))), one_float)
entr = define_special("entr", 1, entr_of, elementwise(lambda r, x: -np.log(x) - 1), one_float)
xlogy = define_special("xlogy", 2, times_logarithm("log"), elementwise(lambda r, x, y: np.log(y), lambda r, x, y: x / y), same_dtype)
xlog1py = define_special(
    "xlog1py", 2, times_logarithm("log1p"), elementwise(lambda r, x, y: np.log1p(y), lambda r, x, y: x / (1 + y)), same_dtype
)
ndtr = define_pointwise(
    "ndtr",
    1,
    one_float,
    vectorize(lambda x: 0.5 * math.erfc(x * -ROOT_HALF)),
    lambda x: call("erfc", x * -ROOT_HALF) * 0.5,
    elementwise(lambda r, x: np.exp(-0.5 * x * x) / ROOT_TAU, regular=True),
)
