"""Scalar expressions as LLVM instructions on registers; nothing traps, and only what an expression says is contracted.

A register holds one number, or one in each lane: of constants, calls and complex numbers only single ones are made here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic import mathematics
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.values import Complex, Emitted, constant_of, literal, register_type
from autograph_jit.errors import LoweringError
from autograph_jit.ir.scalar import Expr, in_order, real_dtype

FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "mod": "frem"}
BIT_OPS = {"and_": "and_", "or_": "or_", "xor": "xor"}
COMPARISONS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
ROUNDINGS = ("floor", "ceil", "trunc", "rint", "sqrt")


def emit_expression(e: Emitter, expression: Expr, operands: list[Emitted]) -> Emitted:
    """The value of an expression, its shared parts computed once."""
    done: dict[int, Emitted] = {}
    for node in in_order(expression):
        done[id(node)] = operands[node.value] if node.op == "operand" else emit_node(e, node, [done[id(arg)] for arg in node.args])
    return done[id(expression)]


def emit_node(e: Emitter, node: Expr, args: list[Emitted]) -> Emitted:
    dtype = node.args[0].dtype if node.args else node.dtype
    if node.op == "const":
        return literal(node.value, node.dtype)
    if node.op == "select":
        return select(e, *args)
    if node.op == "cast":
        return cast(e, args[0], dtype, node.dtype)
    if node.op == "bitcast":
        return e.b.bitcast(args[0], like(args[0], register_type(node.dtype)))
    if node.op == "real":
        return args[0].re if isinstance(args[0], Complex) else args[0]
    if node.op == "imag":
        return args[0].im
    if node.op == "complex":
        return Complex(*args)
    if node.op == "call":
        return mathematics.call(e, node, args)
    if node.op in COMPARISONS:
        return compare(e, node.op, dtype, *args)
    emit: Callable[..., Emitted] = {"c": emit_complex, "f": emit_float}.get(dtype.kind, emit_integer)
    return emit(e, node.op, dtype, *args)


def like(register: ir.Value, type: ir.Type) -> ir.Type:
    """The type of a register with numbers of a type in as many lanes as another register has."""
    return ir.VectorType(type, register.type.count) if isinstance(register.type, ir.VectorType) else type


def lanes_text(register: ir.Value) -> str:
    """How the name of an intrinsic gives the number of lanes."""
    return f"v{register.type.count}" if isinstance(register.type, ir.VectorType) else ""


def width_of(register: ir.Value) -> int:
    """Bits of an integer, or of each of a register's integers."""
    bits: int = (register.type.element if isinstance(register.type, ir.VectorType) else register.type).width
    return bits


def select(e: Emitter, condition: ir.Value, x: Emitted, y: Emitted) -> Emitted:
    if isinstance(x, Complex):
        return Complex(e.b.select(condition, x.re, y.re), e.b.select(condition, x.im, y.im))
    return e.b.select(condition, x, y)


def compare(e: Emitter, op: str, dtype: np.dtype, x: Emitted, y: Emitted) -> ir.Value:
    sign = COMPARISONS[op]
    if dtype.kind == "c":
        parts = [compare(e, op, real_dtype(dtype), getattr(x, part), getattr(y, part)) for part in ("re", "im")]
        return e.b.and_(*parts) if op == "eq" else e.b.or_(*parts)
    if dtype.kind == "f":
        return e.b.fcmp_unordered(sign, x, y) if op == "ne" else e.b.fcmp_ordered(sign, x, y)
    return e.b.icmp_signed(sign, x, y) if dtype.kind == "i" else e.b.icmp_unsigned(sign, x, y)


def emit_float(e: Emitter, op: str, dtype: np.dtype, *args: ir.Value) -> Emitted:
    if op in FLOAT_OPS:
        return getattr(e.b, FLOAT_OPS[op])(*args)
    if op == "neg":
        return e.b.fneg(args[0])
    if op in ("min", "max"):
        x, y = args
        first = e.b.or_(e.b.fcmp_ordered("<=" if op == "min" else ">=", x, y), e.b.fcmp_unordered("uno", x, x))
        return e.b.select(first, x, y)
    name = {"abs": "fabs", "fma": "fma"}.get(op, op if op in ROUNDINGS else None)
    if name is None:
        raise LoweringError(f"scalar operation {op} has no meaning for {dtype}")
    return e.intrinsic(f"llvm.{name}.{lanes_text(args[0])}f{8 * dtype.itemsize}", args[0].type, *args)


def emit_integer(e: Emitter, op: str, dtype: np.dtype, *args: ir.Value) -> Emitted:
    if op in ("add", "sub", "mul") and dtype.kind != "b":
        return getattr(e.b, op)(*args)
    if op in BIT_OPS:
        return getattr(e.b, BIT_OPS[op])(*args)
    if op == "not_":
        return e.b.not_(args[0])
    if op == "neg":
        return e.b.neg(args[0])
    if op in ("min", "max"):
        return e.b.select(compare(e, "le", dtype, *(args if op == "min" else args[::-1])), *args)
    if op == "abs":
        return args[0] if dtype.kind != "i" else e.b.select(e.b.icmp_signed("<", args[0], args[0].type(0)), e.b.neg(args[0]), args[0])
    if op == "shl":
        return e.b.shl(*args)
    if op == "shr":
        return e.b.ashr(*args) if dtype.kind == "i" else e.b.lshr(*args)
    if op in ("floordiv", "mod"):
        quotient, remainder = floor_division(e, dtype, *args)
        return quotient if op == "floordiv" else remainder
    raise LoweringError(f"scalar operation {op} has no meaning for {dtype}")


def floor_division(e: Emitter, dtype: np.dtype, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Quotient to minus infinity and its remainder; both 0 where y is 0; the lowest number over -1 wraps."""
    b, zero, one = e.b, x.type(0), x.type(1)
    is_zero = b.icmp_unsigned("==", y, zero)
    if dtype.kind != "i":
        divisor = b.select(is_zero, one, y)
        return b.select(is_zero, zero, b.udiv(x, divisor)), b.select(is_zero, zero, b.urem(x, divisor))
    power = power_of_two(y)
    if power is not None:
        return b.ashr(x, x.type(power)), b.and_(x, x.type((1 << power) - 1))
    is_minus_one = b.icmp_signed("==", y, x.type(-1))  # asked of the divisor alone: it stays the same in loops, the dividend may come late
    divisor = b.select(b.or_(is_zero, is_minus_one), one, y)
    quotient, remainder = b.sdiv(x, divisor), b.srem(x, divisor)
    adjust = b.and_(b.icmp_signed("!=", remainder, zero), b.icmp_signed("<", b.xor(remainder, divisor), zero))
    quotient = b.select(adjust, b.sub(quotient, one), quotient)
    remainder = b.select(adjust, b.add(remainder, divisor), remainder)
    return b.select(is_zero, zero, b.select(is_minus_one, b.neg(x), quotient)), remainder


def power_of_two(value: ir.Value) -> int | None:
    """k, where a value is the literal 2**k."""
    known = constant_of(value.constant[0] if is_splat(value) else value)
    return known.bit_length() - 1 if known is not None and known > 0 and known & (known - 1) == 0 else None


def is_splat(value: ir.Value) -> bool:
    """Whether a value is the same literal in all lanes."""
    return isinstance(value, ir.Constant) and isinstance(value.type, ir.VectorType) and len({each.constant for each in value.constant}) == 1


def emit_complex(e: Emitter, op: str, dtype: np.dtype, *args: Complex) -> Emitted:
    b, x = e.b, args[0]
    if op == "neg":
        return Complex(b.fneg(x.re), b.fneg(x.im))
    if op == "abs":
        return mathematics.call_libm(e, "hypot", real_dtype(dtype), x.re, x.im)
    y = args[1]
    if op in ("add", "sub"):
        each = b.fadd if op == "add" else b.fsub
        return Complex(each(x.re, y.re), each(x.im, y.im))
    if op == "mul":
        return Complex(b.fsub(b.fmul(x.re, y.re), b.fmul(x.im, y.im)), b.fadd(b.fmul(x.re, y.im), b.fmul(x.im, y.re)))
    if op == "div":
        return divide_complex(e, real_dtype(dtype), x, y)
    raise LoweringError(f"scalar operation {op} has no meaning for {dtype}")


def divide_complex(e: Emitter, part: np.dtype, x: Complex, y: Complex) -> Complex:
    """Smith's division (CACM 5, 1962), with NumPy's treatment of a zero divisor."""
    b = e.b
    zero, one = register_type(part)(0.0), register_type(part)(1.0)
    re_abs, im_abs = (emit_float(e, "abs", part, value) for value in (y.re, y.im))
    by_re = b.fcmp_ordered(">=", re_abs, im_abs)
    by_zero = b.and_(b.fcmp_ordered("==", re_abs, zero), b.fcmp_ordered("==", im_abs, zero))
    large, small = b.select(by_re, y.re, y.im), b.select(by_re, y.im, y.re)
    ratio = b.fdiv(small, large)
    scale = b.fdiv(one, b.fadd(large, b.fmul(small, ratio)))
    re = b.select(by_re, b.fadd(x.re, b.fmul(x.im, ratio)), b.fadd(b.fmul(x.re, ratio), x.im))
    im = b.select(by_re, b.fsub(x.im, b.fmul(x.re, ratio)), b.fsub(b.fmul(x.im, ratio), x.re))
    return Complex(b.select(by_zero, b.fdiv(x.re, re_abs), b.fmul(re, scale)), b.select(by_zero, b.fdiv(x.im, re_abs), b.fmul(im, scale)))


def cast(e: Emitter, value: Emitted, source: np.dtype, target: np.dtype) -> Emitted:
    """C's conversion, as ndarray.astype; a float that does not fit an integer gives what x86 gives."""
    if source == target:
        return value
    if target.kind == "c":
        part = real_dtype(target)
        if isinstance(value, Complex):
            return Complex(*(cast(e, each, real_dtype(source), part) for each in (value.re, value.im)))
        return Complex(cast(e, value, source, part), register_type(part)(0.0))
    if target.kind == "b":
        return compare(e, "ne", source, value, literal(0, source) if source.kind == "c" else value.type(0))
    if isinstance(value, Complex):
        return cast(e, value.re, real_dtype(source), target)
    to = like(value, register_type(target))
    if source.kind == "f":
        if target.kind == "f":
            return e.b.fpext(value, to) if target.itemsize > source.itemsize else e.b.fptrunc(value, to)
        return float_to_integer(e, value, source, target)
    if target.kind == "f":
        return e.b.sitofp(value, to) if source.kind == "i" else e.b.uitofp(value, to)
    if target.itemsize * 8 > width_of(value):
        return e.b.sext(value, to) if source.kind == "i" else e.b.zext(value, to)
    return value if value.type == to else e.b.trunc(value, to)


def float_to_integer(e: Emitter, value: ir.Value, source: np.dtype, target: np.dtype) -> ir.Value:
    """Through a signed integer that is wide enough; out of its range the lowest number, never poison. Numbers of 2**63 and more become
    unsigned by way of what they exceed 2**63 by, which is out of range from 2**64 on."""
    b = e.b
    width = 64 if target.itemsize == 8 or target == np.uint32 else 32
    wide = like(value, ir.IntType(width))
    limit = value.type(float(2 ** (width - 1)))
    lowest = wide(-(1 << (width - 1)))
    above = b.fcmp_ordered(">=", value, value.type(-float(2 ** (width - 1))))
    fits = b.and_(above, b.fcmp_ordered("<", value, limit))
    number = b.select(fits, b.fptosi(value, wide), lowest)
    if target == np.uint64:
        excess = b.fsub(value, limit)
        rest = b.select(b.fcmp_ordered("<", excess, limit), b.fptosi(excess, wide), lowest)
        number = b.select(b.fcmp_ordered(">=", value, limit), b.xor(rest, lowest), number)
    return number if width == 8 * target.itemsize else b.trunc(number, like(value, register_type(target)))
