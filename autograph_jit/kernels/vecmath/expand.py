"""Replaces calls of elementary functions by expressions that a loop evaluates for many elements at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograph_jit.ir.scalar import Expr, in_order, or_, with_arguments
from autograph_jit.kernels.vecmath import error_function, exponential, gamma, hyperbolic, inverse, logarithm, power, roots, trigonometric

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
FLOATS = ("f8", "f4")


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
    """Expand the calls of `FUNCTIONS` on floats; shared parts stay shared."""
    done: dict[int, Expr] = {}
    calls: dict[tuple[str, tuple[int, ...]], Expr] = {}
    outside: list[Expr] = []

    def expand_call(name: str, args: tuple[Expr, ...]) -> Expr:
        key = name, tuple(map(id, args))
        if key not in calls:
            calls[key] = FUNCTIONS[name](*args)
            if name in OUTSIDE:
                outside.append(OUTSIDE[name](*args))
        return calls[key]

    for node in in_order(original):
        args = tuple(done[id(arg)] for arg in node.args)
        done[id(node)] = expand_call(node.value, args) if is_expandable(node) else with_arguments(node, args)
    total = outside[0] if outside else None
    for condition in outside[1:]:
        total = condition if total is None else or_(total, condition)
    return Expansion(done[id(original)], original, total)


def is_expandable(node: Expr) -> bool:
    """Whether a node calls a function of floats that has an expression."""
    return node.op == "call" and node.value in FUNCTIONS and node.dtype.str[1:] in FLOATS
