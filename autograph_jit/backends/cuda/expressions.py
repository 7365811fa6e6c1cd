"""Scalar expressions as statements of Python that numba compiles for the device: one assignment for each node, shared parts once.

Numbers keep their dtype by explicit conversions: numba, unlike NumPy, widens the arithmetic of small integers. Functions whose
names stand in the text are given by `namespace`, for the device or for the simulator.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph_jit.errors import LoweringError
from autograph_jit.ir.scalar import Expr, real_dtype

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "and_": "&", "or_": "|", "xor": "^", "shl": "<<", "shr": ">>"}
COMPARISONS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
COMPLEX_CALLS = frozenset("exp log log1p expm1 sin cos tan sinh cosh tanh acosh sqrt asin acos atan asinh atanh pow".split())
COMPLEX_SCALES = {"exp2": "0.6931471805599453", "log2": "1.4426950408889634", "log10": "0.4342944819032518"}


class Statements:
    """Collects the assignments of one expression, one name for each distinct text."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.lines: list[str] = []
        self.names: dict[str, str] = {}

    def name(self, text: str) -> str:
        """The name of a value; equal texts are computed once."""
        if text not in self.names:
            self.names[text] = f"{self.prefix}{len(self.names)}"
            self.lines.append(f"{self.names[text]} = {text}")
        return self.names[text]

    def emit(self, expression: Expr, operands: list[str]) -> str:
        """Add the statements of an expression over named operands; the name of its value."""
        done: dict[int, str] = {}

        def visit(node: Expr) -> str:
            if node.op == "operand":
                return operands[node.value]
            if id(node) not in done:
                done[id(node)] = self.name(node_text(node, [visit(arg) for arg in node.args]))
            return done[id(node)]

        return visit(expression)


def dtype_name(dtype: np.dtype) -> str:
    """How a conversion to a dtype is called in kernels."""
    return "bool_" if dtype.kind == "b" else dtype.name


def literal(value: np.generic) -> str:
    """A number of its dtype as text."""
    dtype = value.dtype
    if dtype.kind == "b":
        return str(bool(value))
    if dtype.kind == "c":
        return f"{dtype.name}(complex({float_text(value.real)}, {float_text(value.imag)}))"
    return f"{dtype.name}({int(value) if dtype.kind in 'iu' else float_text(value)})"


def float_text(value: np.generic) -> str:
    """A float as text; infinities and NaN by name."""
    number = float(value)
    if number != number:
        return "nan"
    return {float("inf"): "inf", float("-inf"): "-inf"}.get(number, repr(number))


def node_text(node: Expr, args: list[str]) -> str:
    """The expression of one node."""
    dtype = node.args[0].dtype if node.args else node.dtype
    if node.op == "const":
        return literal(node.value)
    if node.op == "select":
        return f"({args[1]} if {args[0]} else {args[2]})"
    if node.op == "cast":
        return cast_text(args[0], dtype, node.dtype)
    if node.op == "bitcast":
        return f"bits_{dtype.name}_{node.dtype.name}({args[0]})"
    if node.op in ("real", "imag"):
        return f"{args[0]}.{node.op}"
    if node.op == "complex":
        return complex_text(node.dtype, f"complex({args[0]}, {args[1]})")
    if node.op == "call":
        return call_text(node, dtype, args)
    if node.op in COMPARISONS:
        return compare_text(node.op, dtype, args)
    rule: Callable[[str, np.dtype, list[str]], str | None]
    rule = {"c": complex_node, "f": float_node, "b": bool_node}.get(dtype.kind, integer_node)
    text = rule(node.op, dtype, args)
    if text is None:
        raise LoweringError(f"scalar operation {node.op} of {dtype} has no form on the device")
    return text


def complex_text(dtype: np.dtype, text: str) -> str:
    """A complex number in double precision, as the dtype."""
    return text if dtype.itemsize == 16 else f"{dtype.name}({text})"


def compare_text(op: str, dtype: np.dtype, args: list[str]) -> str:
    x, y = args
    if dtype.kind == "b" and op in ("lt", "le"):
        return f"((not {x}) and {y})" if op == "lt" else f"((not {x}) or {y})"
    if dtype.kind == "c":
        joint = "and" if op == "eq" else "or"
        return f"({x}.real {COMPARISONS[op]} {y}.real {joint} {x}.imag {COMPARISONS[op]} {y}.imag)"
    return f"({x} {COMPARISONS[op]} {y})"


def bool_node(op: str, dtype: np.dtype, args: list[str]) -> str | None:
    if op in ("and_", "or_"):
        return f"({args[0]} {op.rstrip('_')} {args[1]})"
    if op == "xor":
        return f"({args[0]} != {args[1]})"
    return f"(not {args[0]})" if op == "not_" else args[0] if op == "abs" else None


def integer_node(op: str, dtype: np.dtype, args: list[str]) -> str | None:
    convert, x = dtype.name, args[0]
    if op in INFIX and op != "div":
        return f"{convert}({x} {INFIX[op]} {args[1]})"
    if op == "neg":
        return f"{convert}({convert}(0) - {x})"
    if op == "not_":
        return f"{convert}({x} ^ {literal(np.invert(dtype.type(0)))})"
    if op in ("min", "max"):
        return f"({x} if {x} {'<=' if op == 'min' else '>='} {args[1]} else {args[1]})"
    if op == "abs":
        return x if dtype.kind == "u" else f"({convert}({convert}(0) - {x}) if {x} < 0 else {x})"
    if op in ("floordiv", "mod"):
        return division_text(op, dtype, *args)
    return None


def division_text(op: str, dtype: np.dtype, x: str, y: str) -> str:
    """Quotient to minus infinity or its remainder; 0 where y is 0, and nothing traps: dividing by -1 is done by subtraction."""
    convert, sign = dtype.name, {"floordiv": "//", "mod": "%"}[op]
    zero = f"{convert}(0)"
    divided = f"{convert}({x} {sign} {y})"
    if dtype.kind == "i":
        by_minus_one = f"{convert}({zero} - {x})" if op == "floordiv" else zero
        divided = f"({by_minus_one} if {y} == -1 else {divided})"
    return f"({zero} if {y} == 0 else {divided})"


def float_node(op: str, dtype: np.dtype, args: list[str]) -> str | None:
    x = args[0]
    if op == "mul":
        return f"multiply_{dtype.name}({x}, {args[1]})"  # a product that is not contracted into a sum
    if op in ("add", "sub", "div"):
        return f"({x} {INFIX[op]} {args[1]})"
    if op == "neg":
        return f"(-{x})"
    if op in ("min", "max"):
        return f"({x} if ({x} {'<=' if op == 'min' else '>='} {args[1]} or {x} != {x}) else {args[1]})"
    name = "fabs" if op == "abs" else "fmod" if op == "mod" else op
    return f"{name}_{dtype.name}({', '.join(args)})" if name in ("fabs", "fmod", "fma", "floor", "ceil", "trunc", "rint", "sqrt") else None


def complex_node(op: str, dtype: np.dtype, args: list[str]) -> str | None:
    if op == "neg":
        return complex_text(dtype, f"complex(-{args[0]}.real, -{args[0]}.imag)")
    if op == "abs":
        part = real_dtype(dtype).name
        return f"hypot_{part}({args[0]}.real, {args[0]}.imag)"
    if op in ("add", "sub"):
        x, y = args
        return complex_text(dtype, f"complex({x}.real {INFIX[op]} {y}.real, {x}.imag {INFIX[op]} {y}.imag)")
    if op == "mul":
        x, y = args
        times = f"multiply_{real_dtype(dtype).name}"
        re = f"{times}({x}.real, {y}.real) - {times}({x}.imag, {y}.imag)"
        return complex_text(dtype, f"complex({re}, {times}({x}.real, {y}.imag) + {times}({x}.imag, {y}.real))")
    return complex_text(dtype, f"complex_divide({wide(dtype, args[0])}, {wide(dtype, args[1])})") if op == "div" else None


def wide(dtype: np.dtype, text: str) -> str:
    """A complex number in double precision."""
    return text if dtype.itemsize == 16 else f"complex128({text})"


def call_text(node: Expr, dtype: np.dtype, args: list[str]) -> str:
    """A named function at the dtype of its first argument."""
    name = node.value
    if dtype.kind == "f":
        if name == "ldexp":
            exponent = f"int64({args[1]})"
            limited = f"(int32(-5000) if {exponent} < -5000 else int32(5000) if {exponent} > 5000 else int32({args[1]}))"
            return f"ldexp_{dtype.name}({args[0]}, {limited})"
        return f"{name}_{dtype.name}({', '.join(args)})"
    if dtype.kind == "c":
        return complex_call_text(name, dtype, [wide(dtype, arg) for arg in args])
    if dtype.kind in "iu" and name == "pow":
        return f"{dtype.name}(integer_power({args[0]}, {args[1]}, {dtype.name}(1)))"
    if dtype.kind in "iu" and name in ("gcd", "lcm"):
        routine = "greatest_divisor" if name == "gcd" else "least_multiple"
        sizes = [arg if dtype.kind == "u" else f"({arg} if {arg} >= 0 else {dtype.name}({dtype.name}(0) - {arg}))" for arg in args]
        return f"{dtype.name}({routine}({', '.join(sizes)}))"
    raise LoweringError(f"scalar function {name} of {dtype} has no form on the device")


def complex_call_text(name: str, dtype: np.dtype, args: list[str]) -> str:
    if name in COMPLEX_CALLS:
        return complex_text(dtype, f"complex_{name}({', '.join(args)})")
    if name not in COMPLEX_SCALES:
        raise LoweringError(f"scalar function {name} of {dtype} has no form on the device")
    scale = COMPLEX_SCALES[name]
    inner = f"complex({args[0]}.real * {scale}, {args[0]}.imag * {scale})"
    if name == "exp2":
        return complex_text(dtype, f"complex_exp({inner})")
    return complex_text(dtype, f"complex_scaled_log({args[0]}, {scale})")


def cast_text(x: str, source: np.dtype, target: np.dtype) -> str:
    """C's conversion, as ndarray.astype; a float that does not fit an integer gives what x86 gives."""
    if source == target:
        return x
    if target.kind == "b":
        return f"({x}.real != 0.0 or {x}.imag != 0.0)" if source.kind == "c" else f"({x} != 0)"
    if source.kind == "b":
        x, source = f"(1 if {x} else 0)", np.dtype(np.int64)
    if target.kind == "c":
        return complex_text(target, x if source.kind == "c" else f"complex(float64({x}), 0.0)")
    if source.kind == "c":
        return cast_text(f"{x}.real", real_dtype(source), target)
    if source.kind == "f" and target.kind in "iu":
        return float_to_integer_text(x, target)
    return f"{target.name}({x})"


def float_to_integer_text(x: str, target: np.dtype) -> str:
    """Through a signed integer that is wide enough; out of its range the lowest number."""
    bits = 64 if target.itemsize == 8 or target == np.uint32 else 32
    limit, lowest = repr(2.0 ** (bits - 1)), f"int{bits}({-(1 << (bits - 1))})"
    number = f"(int{bits}({x}) if -{limit} <= {x} and {x} < {limit} else {lowest})"
    if target == np.uint64:
        large = f"{limit} <= {x} and {x} < {2.0**64!r}"
        return f"((uint64(int64({x} - {limit})) ^ uint64({1 << 63})) if {large} else uint64({number}))"
    return number if target.name == f"int{bits}" else f"{target.name}({number})"
