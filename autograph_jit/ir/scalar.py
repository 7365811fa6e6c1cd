"""Scalar expressions: a small immutable language in which elementwise operations and reductions describe one element.

Every node has a dtype; the arguments of arithmetic and of comparisons agree in dtype (cast in between). Meaning, by node:

    operand(k), const(value)              the k-th operand of the kernel; a literal
    add sub mul div neg abs               wrap on overflow for integers; complex too, where abs gives the real dtype; div not for integers
    floordiv mod                          integers: rounded to minus infinity, 0 where the divisor is 0, never a trap
    min max                               NumPy's minimum and maximum: NaN if either is NaN; either zero for two zeros
    lt le eq ne                           to bool; False < True; complex in eq and ne only
    and_ or_ xor not_                     bits of integers, truth of bools
    shl shr                               count between 0 and the width less 1; shr keeps the sign of signed integers
    select(c, x, y)                       x where c, else y; both may be evaluated
    cast(x, dtype)                        C conversion: float to int truncates, complex to real takes the real part, to bool is x != 0
    bitcast(x, dtype)                     the same bits, dtypes of one width
    floor ceil trunc rint sqrt            floats; rint rounds halves to even
    fma(x, y, z)                          x * y + z rounded once
    real imag complex(re, im)             parts of a complex number
    call(name, *args)                     a function of `CALLS` by its C name
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.records import dataclass

BOOL = np.dtype(bool)

# C names; those in COMPLEX_CALLS take complex arguments too. `pow`, `gcd` and `lcm` take integers (pow: exponent >= 0, wraps).
COMPLEX_CALLS = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt pow".split()
)
CALLS = COMPLEX_CALLS | frozenset("cbrt atan2 hypot fmod copysign nextafter ldexp gcd lcm erf erfc lgamma".split())


@dataclass(frozen=True, slots=True)
class Expr:
    """One node: `op` and its arguments, the dtype of its value; `value` is an operand's number, a literal or the name of a call."""

    op: str
    args: tuple[Expr, ...]
    dtype: np.dtype
    value: Any = None

    def __add__(self, other: Operand) -> Expr:
        return add(self, other)

    def __sub__(self, other: Operand) -> Expr:
        return sub(self, other)

    def __mul__(self, other: Operand) -> Expr:
        return mul(self, other)

    def __truediv__(self, other: Operand) -> Expr:
        return div(self, other)

    def __neg__(self) -> Expr:
        return neg(self)

    def __and__(self, other: Operand) -> Expr:
        return and_(self, other)

    def __or__(self, other: Operand) -> Expr:
        return or_(self, other)

    def __str__(self) -> str:
        if self.op == "operand":
            return f"x{self.value}"
        if self.op == "const":
            return str(self.value)
        name = self.value if self.op == "call" else f"{self.op}<{self.dtype}>" if self.op in ("cast", "bitcast") else self.op
        return f"{name}({', '.join(map(str, self.args))})"


Operand = Expr | complex | float | int | bool


def operand(index: int, dtype: np.dtype) -> Expr:
    """The element of the kernel's operand number `index`."""
    return Expr("operand", (), np.dtype(dtype), index)


def const(value: Any, dtype: np.dtype) -> Expr:
    """A literal; kept as a NumPy scalar of that dtype."""
    dtype = np.dtype(dtype)
    return Expr("const", (), dtype, dtype.type(value))


def lift(x: Operand, dtype: np.dtype) -> Expr:
    """An expression as it is; a Python number as a literal."""
    return x if isinstance(x, Expr) else const(x, dtype)


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the parts of a complex dtype; other dtypes unchanged."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def complex_dtype(dtype: np.dtype) -> np.dtype:
    """The complex dtype with parts of this float dtype."""
    return np.dtype(f"c{dtype.itemsize * 2}")


def binary(op: str, x: Operand, y: Operand, dtype: np.dtype | None = None) -> Expr:
    """A node over two arguments of one dtype; at least one is an expression."""
    common = x.dtype if isinstance(x, Expr) else y.dtype  # type: ignore[union-attr]
    first, second = lift(x, common), lift(y, common)
    if first.dtype != second.dtype:
        raise TypeError(f"{op}: arguments of {first.dtype} and {second.dtype}; cast one of them")
    return Expr(op, (first, second), common if dtype is None else dtype)


def add(x: Operand, y: Operand) -> Expr:
    return binary("add", x, y)


def sub(x: Operand, y: Operand) -> Expr:
    return binary("sub", x, y)


def mul(x: Operand, y: Operand) -> Expr:
    return binary("mul", x, y)


def div(x: Operand, y: Operand) -> Expr:
    return binary("div", x, y)


def floordiv(x: Operand, y: Operand) -> Expr:
    return binary("floordiv", x, y)


def mod(x: Operand, y: Operand) -> Expr:
    return binary("mod", x, y)


def minimum(x: Operand, y: Operand) -> Expr:
    return binary("min", x, y)


def maximum(x: Operand, y: Operand) -> Expr:
    return binary("max", x, y)


def lt(x: Operand, y: Operand) -> Expr:
    return binary("lt", x, y, BOOL)


def le(x: Operand, y: Operand) -> Expr:
    return binary("le", x, y, BOOL)


def eq(x: Operand, y: Operand) -> Expr:
    return binary("eq", x, y, BOOL)


def ne(x: Operand, y: Operand) -> Expr:
    return binary("ne", x, y, BOOL)


def and_(x: Operand, y: Operand) -> Expr:
    return binary("and_", x, y)


def or_(x: Operand, y: Operand) -> Expr:
    return binary("or_", x, y)


def xor(x: Operand, y: Operand) -> Expr:
    return binary("xor", x, y)


def shl(x: Operand, y: Operand) -> Expr:
    return binary("shl", x, y)


def shr(x: Operand, y: Operand) -> Expr:
    return binary("shr", x, y)


def unary(op: str, x: Expr) -> Expr:
    """A node over one argument, of its dtype."""
    return Expr(op, (x,), x.dtype)


def neg(x: Expr) -> Expr:
    return unary("neg", x)


def not_(x: Expr) -> Expr:
    return unary("not_", x)


def absolute(x: Expr) -> Expr:
    return Expr("abs", (x,), real_dtype(x.dtype))


def floor(x: Expr) -> Expr:
    return unary("floor", x)


def ceil(x: Expr) -> Expr:
    return unary("ceil", x)


def trunc(x: Expr) -> Expr:
    return unary("trunc", x)


def rint(x: Expr) -> Expr:
    return unary("rint", x)


def sqrt(x: Expr) -> Expr:
    return call("sqrt", x) if x.dtype.kind == "c" else unary("sqrt", x)


def real(x: Expr) -> Expr:
    return Expr("real", (x,), real_dtype(x.dtype)) if x.dtype.kind == "c" else x


def imag(x: Expr) -> Expr:
    return Expr("imag", (x,), real_dtype(x.dtype)) if x.dtype.kind == "c" else const(0, x.dtype)


def complex_(re: Operand, im: Operand) -> Expr:
    parts = binary("complex", re, im)
    return Expr("complex", parts.args, complex_dtype(parts.dtype))


def select(condition: Expr, x: Operand, y: Operand) -> Expr:
    branches = binary("select", x, y)
    return Expr("select", (condition, *branches.args), branches.dtype)


def cast(x: Expr, dtype: np.dtype) -> Expr:
    dtype = np.dtype(dtype)
    return x if x.dtype == dtype else Expr("cast", (x,), dtype)


def bitcast(x: Expr, dtype: np.dtype) -> Expr:
    return Expr("bitcast", (x,), np.dtype(dtype))


def fma(x: Expr, y: Expr, z: Expr) -> Expr:
    return Expr("fma", (x, y, z), x.dtype)


def call(name: str, *args: Expr, dtype: np.dtype | None = None) -> Expr:
    """A function of `CALLS`; its value has the dtype of the first argument unless `dtype` says otherwise."""
    if name not in CALLS:
        raise KeyError(f"no scalar function {name!r}")
    return Expr("call", args, np.dtype(dtype) if dtype is not None else args[0].dtype, name)


def isnan(x: Expr) -> Expr:
    """Whether a float is NaN."""
    return ne(x, x)


def signbit(x: Expr) -> Expr:
    """Whether the sign bit of a float is set."""
    return lt(bitcast(x, np.dtype(f"i{x.dtype.itemsize}")), 0)


def in_order(expression: Expr) -> list[Expr]:
    """Every node once, arguments before what uses them; expressions may be deeper than Python's stack."""
    found: list[Expr] = []
    seen: set[int] = set()
    stack = [(expression, False)]
    while stack:
        node, is_complete = stack.pop()
        if is_complete:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))
    return found


def substitute(expression: Expr, operands: tuple[Expr, ...]) -> Expr:
    """The expression with `operands[k]` in the place of operand k: how kernels are fused."""
    done: dict[int, Expr] = {}
    for node in in_order(expression):
        done[id(node)] = operands[node.value] if node.op == "operand" else with_arguments(node, tuple(done[id(arg)] for arg in node.args))
    return done[id(expression)]


def with_arguments(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """The node with other arguments; itself where they are the same."""
    unchanged = all(old is new for old, new in zip(node.args, args, strict=True))
    return node if unchanged else Expr(node.op, args, node.dtype, node.value)
