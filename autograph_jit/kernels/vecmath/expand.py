"""Replaces calls of elementary functions by expressions that a loop evaluates for many elements at once."""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.ir.scalar import Expr, in_order, or_, with_arguments
from autograph_jit.kernels.vecmath import (
    complex_exponential,
    complex_inverse,
    complex_logarithm,
    error_function,
    exponential,
    gamma,
    hyperbolic,
    inverse,
    logarithm,
    power,
    roots,
    trigonometric,
)
from autograph_jit.records import dataclass

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": exponential.exp,
    "exp2": exponential.exp2,
    "expm1": exponential.expm1,
    "log": logarithm.log,
    "log1p": logarithm.log1p,
    "log2": logarithm.log2,
    "log10": logarithm.log10,
    "sinh": hyperbolic.sinh,
    "cosh": hyperbolic.cosh,
    "tanh": hyperbolic.tanh,
    "asinh": hyperbolic.asinh,
    "acosh": hyperbolic.acosh,
    "atanh": hyperbolic.atanh,
    "sin": trigonometric.sin,
    "cos": trigonometric.cos,
    "tan": trigonometric.tan,
    "asin": inverse.asin,
    "acos": inverse.acos,
    "atan": inverse.atan,
    "atan2": inverse.atan2,
    "pow": power.pow_,
    "cbrt": roots.cbrt,
    "hypot": roots.hypot,
    "erf": error_function.erf,
    "erfc": error_function.erfc,
    "lgamma": gamma.lgamma,
}
# For functions that are not expanded everywhere: whether the arguments lie outside.
OUTSIDE: dict[str, Callable[..., Expr]] = {**dict.fromkeys(("sin", "cos", "tan"), trigonometric.is_outside), "lgamma": gamma.is_outside}
# Of complex numbers, each with where it does not hold.
COMPLEX_FUNCTIONS: dict[str, tuple[Callable[..., Expr], Callable[..., Expr | None] | None]] = {
    "abs": (complex_logarithm.magnitude, None),
    "exp": (complex_exponential.exp, complex_exponential.exp_is_outside),
    "exp2": (complex_exponential.exp2, complex_exponential.exp2_is_outside),
    "expm1": (complex_exponential.expm1, complex_exponential.expm1_is_outside),
    "sin": (complex_exponential.sin, complex_exponential.sin_is_outside),
    "cos": (complex_exponential.cos, complex_exponential.sin_is_outside),
    "tan": (complex_exponential.tan, complex_exponential.tan_is_outside),
    "sinh": (complex_exponential.sinh, complex_exponential.sinh_is_outside),
    "cosh": (complex_exponential.cosh, complex_exponential.sinh_is_outside),
    "tanh": (complex_exponential.tanh, complex_exponential.tanh_is_outside),
    "log": (complex_logarithm.log, complex_logarithm.is_extreme),
    "log2": (complex_logarithm.log2, complex_logarithm.is_extreme),
    "log10": (complex_logarithm.log10, complex_logarithm.is_extreme),
    "log1p": (complex_logarithm.log1p, complex_logarithm.log1p_is_outside),
    "sqrt": (complex_logarithm.square_root, complex_logarithm.sqrt_is_outside),
    "pow": (complex_logarithm.pow_, complex_logarithm.pow_is_outside),
    "asin": (complex_inverse.asin, complex_inverse.asin_is_outside),
    "acos": (complex_inverse.acos, complex_inverse.asin_is_outside),
    "acosh": (complex_inverse.acosh, complex_inverse.asin_is_outside),
    "asinh": (complex_inverse.asinh, complex_inverse.asinh_is_outside),
    "atan": (complex_inverse.atan, complex_inverse.asinh_is_outside),
    "atanh": (complex_inverse.atanh, complex_inverse.asin_is_outside),
}
TYPES = ("f8", "f4", "c16", "c8")


@dataclass(frozen=True, slots=True)
class Expansion:
    """An expression without calls; where `outside` is true of an element, only the `original` is right."""

    expression: Expr
    original: Expr
    outside: Expr | None = None

    @property
    def is_expanded(self) -> bool:
        return self.expression is not self.original


def expand(original: Expr) -> Expansion:
    """Expand the calls of `FUNCTIONS` on floats and of `COMPLEX_FUNCTIONS`; shared parts stay shared."""
    done: dict[int, Expr] = {}
    calls: dict[tuple[str, tuple[int, ...]], Expr] = {}
    outside: list[Expr] = []

    def expand_call(name: str, args: tuple[Expr, ...]) -> Expr:
        key = name, tuple(map(id, args))
        if key not in calls:
            function, is_outside = rule_of(name, args[0].dtype.kind)
            calls[key] = function(*args)
            condition = None if is_outside is None else is_outside(*args)
            if condition is not None:
                outside.append(condition)
        return calls[key]

    for node in in_order(original):
        args = tuple(done[id(arg)] for arg in node.args)
        done[id(node)] = expand_call(name_of(node), args) if is_expandable(node) else with_arguments(node, args)
    total = outside[0] if outside else None
    for condition in outside[1:]:
        total = condition if total is None else or_(total, condition)
    return Expansion(done[id(original)], original, total)


def name_of(node: Expr) -> str:
    """The function that a node computes."""
    return node.value if node.op == "call" else node.op


def rule_of(name: str, kind: str) -> tuple[Callable[..., Expr], Callable[..., Expr | None] | None]:
    """The expression of a function of floats or complex numbers, and of where it does not hold."""
    return COMPLEX_FUNCTIONS[name] if kind == "c" else (FUNCTIONS[name], OUTSIDE.get(name))


def is_expandable(node: Expr) -> bool:
    """Whether a node computes a function of floats or complex numbers that has an expression."""
    if not node.args or node.args[0].dtype.str[1:] not in TYPES:
        return False
    if node.args[0].dtype.kind == "c":
        return node.op in ("call", "abs") and name_of(node) in COMPLEX_FUNCTIONS
    return node.op == "call" and node.value in FUNCTIONS
