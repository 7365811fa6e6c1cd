"""Evaluates scalar expressions on NumPy scalars and arrays: the oracle for what a backend emits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.scalar import Expr


def call_name(name: str) -> np.ufunc:
    """The NumPy function of a C name."""
    renamed = {"atan2": "arctan2", "pow": "power", **{"a" + f: "arc" + f for f in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}}
    return getattr(np, renamed.get(name, name))


def join_complex(re: Any, im: Any) -> Any:
    """Complex numbers of two parts, whatever the parts are (no arithmetic: infinities stay)."""
    parts = np.broadcast_arrays(re, im)
    result: Any = np.empty(parts[0].shape, np.dtype(f"c{parts[0].dtype.itemsize * 2}"))
    result.real, result.imag = parts
    return result[()]


def select(c: Any, x: Any, y: Any) -> Any:
    """One of two values, element by element; a scalar where all three are."""
    chosen: Any = np.where(c, x, y)
    return chosen[()]


RULES: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.absolute,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not_": np.invert,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "sqrt": np.sqrt,
    "real": np.real,
    "imag": np.imag,
    "complex": join_complex,
    "fma": lambda x, y, z: x * y + z,
    "select": select,
}


def evaluate_expression(expression: Expr, *operands: Any) -> Any:
    """The value of an expression over NumPy scalars or arrays (broadcasting as NumPy does)."""
    done: dict[int, Any] = {}

    def visit(node: Expr) -> Any:
        if id(node) not in done:
            done[id(node)] = compute(node, [visit(arg) for arg in node.args], operands)
        return done[id(node)]

    with np.errstate(all="ignore"):
        return visit(expression)


def compute(node: Expr, args: list[Any], operands: tuple[Any, ...]) -> Any:
    """The value of one node, given those of its arguments."""
    if node.op == "operand":
        return operands[node.value]
    if node.op == "const":
        return node.value
    if node.op == "call":
        return call_name(node.value)(*args)
    if node.op == "cast":
        value = args[0].real if np.iscomplexobj(args[0]) and node.dtype.kind not in "cb" else args[0]
        return np.asarray(value).astype(node.dtype)[()]
    if node.op == "bitcast":
        return np.asarray(args[0]).view(node.dtype)[()]
    return RULES[node.op](*args)
