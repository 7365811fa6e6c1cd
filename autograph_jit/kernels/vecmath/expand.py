"""Replaces calls of elementary functions by expressions that a loop evaluates for many elements at once."""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.vecmath import exponential, hyperbolic, logarithm

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
}
FLOATS = ("f8", "f4")


def expand(expression: Expr) -> Expr:
    """The expression without calls of `FUNCTIONS` on floats; shared parts stay shared."""
    done: dict[int, Expr] = {}
    calls: dict[tuple[str, tuple[int, ...]], Expr] = {}

    def visit(node: Expr) -> Expr:
        if not node.args:
            return node
        if id(node) not in done:
            args = tuple(map(visit, node.args))
            if is_expandable(node):
                key = node.value, tuple(map(id, args))
                if key not in calls:
                    calls[key] = FUNCTIONS[node.value](*args)
                done[id(node)] = calls[key]
            else:
                unchanged = all(old is new for old, new in zip(node.args, args, strict=True))
                done[id(node)] = node if unchanged else Expr(node.op, args, node.dtype, node.value)
        return done[id(node)]

    return visit(expression)


def is_expandable(node: Expr) -> bool:
    """Whether a node calls a function of floats that has an expression."""
    return node.op == "call" and node.value in FUNCTIONS and node.dtype.str[1:] in FLOATS
