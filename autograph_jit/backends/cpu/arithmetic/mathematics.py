"""Mathematical functions: LLVM's intrinsics where it has one, the C library's symbols elsewhere, small routines for integers."""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I32
from autograph_jit.backends.cpu.values import F32, F64, Complex, Emitted, register_type
from autograph_jit.errors import LoweringError
from autograph_jit.ir.scalar import Expr

INTRINSICS = frozenset("exp exp2 log log2 log10 sin cos pow copysign sqrt".split())


def call(e: Emitter, node: Expr, args: list[Emitted]) -> Emitted:
    """A named function at the dtype of its first argument."""
    name, dtype = node.value, node.args[0].dtype
    if dtype.kind == "c":
        return call_complex(e, name, dtype, args)
    if dtype.kind == "f":
        if name == "fmod":
            return e.b.frem(*args)
        if name == "ldexp":
            return call_ldexp(e, dtype, *args)
        return call_libm(e, name, dtype, *args)
    if name in ("pow", "gcd", "lcm"):
        return e.b.call(integer_routine(e.module, name, dtype), args)
    raise LoweringError(f"scalar function {name} has no meaning for {dtype}")


def call_libm(e: Emitter, name: str, dtype: np.dtype, *args: ir.Value) -> ir.Value:
    """A function of floats: the intrinsic, or the C library's symbol with its `f` for 32 bits."""
    if name in INTRINSICS:
        return e.intrinsic(f"llvm.{name}.f{8 * dtype.itemsize}", args[0].type, *args)
    return e.intrinsic(name if dtype.itemsize == 8 else f"{name}f", args[0].type, *args, attributes=("nounwind",))


def call_ldexp(e: Emitter, dtype: np.dtype, x: ir.Value, exponent: ir.Value) -> ir.Value:
    """The exponent is brought into 32 bits by saturation: beyond 5000 nothing changes."""
    if exponent.type.width > 32:
        low, high = exponent.type(-5000), exponent.type(5000)
        exponent = e.b.select(e.b.icmp_signed("<", exponent, low), low, exponent)
        exponent = e.b.trunc(e.b.select(e.b.icmp_signed(">", exponent, high), high, exponent), I32)
    elif exponent.type.width < 32:
        exponent = e.b.sext(exponent, I32)
    return e.intrinsic("ldexp" if dtype.itemsize == 8 else "ldexpf", x.type, x, exponent, attributes=("nounwind",))


def call_complex(e: Emitter, name: str, dtype: np.dtype, args: list[Complex]) -> Complex:
    """C's complex functions, in double precision; those that C lacks are composed of others as NumPy does."""
    if dtype.itemsize == 8:
        wide = [Complex(e.b.fpext(x.re, F64), e.b.fpext(x.im, F64)) for x in args]
        result = call_complex(e, name, np.dtype(np.complex128), wide)
        return Complex(e.b.fptrunc(result.re, F32), e.b.fptrunc(result.im, F32))
    x, f64 = args[0], np.dtype(np.float64)
    if name == "exp2":
        return call_complex(e, "exp", dtype, [scaled(e, x, math.log(2.0))])
    if name in ("log2", "log10"):
        return scaled(e, call_complex(e, "log", dtype, args), math.log2(math.e) if name == "log2" else math.log10(math.e))
    if name == "log1p":
        shifted = e.b.fadd(x.re, F64(1.0))
        return Complex(call_libm(e, "log", f64, call_libm(e, "hypot", f64, shifted, x.im)), call_libm(e, "atan2", f64, x.im, shifted))
    if name == "expm1":
        half_sine = call_libm(e, "sin", f64, e.b.fmul(x.im, F64(0.5)))
        grown = call_libm(e, "expm1", f64, x.re)
        re = e.b.fsub(e.b.fmul(grown, call_libm(e, "cos", f64, x.im)), e.b.fmul(F64(2.0), e.b.fmul(half_sine, half_sine)))
        return Complex(re, e.b.fmul(call_libm(e, "exp", f64, x.re), call_libm(e, "sin", f64, x.im)))
    pair = ir.LiteralStructType([F64, F64])
    result = e.intrinsic(f"c{name}", pair, *(part for arg in args for part in (arg.re, arg.im)), attributes=("nounwind",))
    re, im = e.b.extract_value(result, 0), e.b.extract_value(result, 1)
    if name == "pow":  # powers of 0, and to the power 0, which C's logarithm of 0 does not know
        of_zero, none = (e.b.and_(*(e.b.fcmp_ordered("==", part, F64(0.0)) for part in (z.re, z.im))) for z in args)
        nothing = e.b.select(e.b.fcmp_ordered(">", args[1].re, F64(0.0)), F64(0.0), F64(math.nan))
        re, im = e.b.select(of_zero, nothing, re), e.b.select(of_zero, nothing, im)
        re, im = e.b.select(none, F64(1.0), re), e.b.select(none, F64(0.0), im)
    return Complex(re, im)


def scaled(e: Emitter, x: Complex, factor: float) -> Complex:
    return Complex(e.b.fmul(x.re, F64(factor)), e.b.fmul(x.im, F64(factor)))


def integer_routine(module: ir.Module, name: str, dtype: np.dtype) -> ir.Function:
    """A function of this module: pow by squaring, or gcd and lcm by Euclid's algorithm."""
    symbol = f"ag_{name}_{dtype.name}"
    if symbol in module.globals:
        return module.globals[symbol]
    type = register_type(dtype)
    function = ir.Function(module, ir.FunctionType(type, [type, type]), symbol)
    function.linkage = "internal"
    b = ir.IRBuilder(function.append_basic_block("entry"))
    (build_power if name == "pow" else build_gcd)(b, function, dtype, name == "lcm")
    return function


def build_power(b: ir.IRBuilder, function: ir.Function, dtype: np.dtype, _: bool) -> None:
    """x ** n, wrapping: one multiplication for each set bit of n."""
    entry, loop, body, done = b.block, *(function.append_basic_block(name) for name in ("loop", "body", "done"))
    type = function.args[0].type
    b.branch(loop)
    b.position_at_end(loop)
    total, base, left = (b.phi(type) for _ in range(3))
    b.cbranch(b.icmp_unsigned("==", left, type(0)), done, body)
    b.position_at_end(body)
    odd = b.icmp_unsigned("==", b.and_(left, type(1)), type(1))
    steps = b.select(odd, b.mul(total, base), total), b.mul(base, base), b.lshr(left, type(1))
    for phi, start, step in zip((total, base, left), (type(1), *function.args), steps):
        phi.add_incoming(start, entry)
        phi.add_incoming(step, body)
    b.branch(loop)
    b.position_at_end(done)
    b.ret(total)


def build_gcd(b: ir.IRBuilder, function: ir.Function, dtype: np.dtype, least_multiple: bool) -> None:
    """The greatest common divisor of the absolute values, or the least common multiple (0 if either is 0)."""
    type = function.args[0].type
    x, y = (b.select(b.icmp_signed("<", arg, type(0)), b.neg(arg), arg) if dtype.kind == "i" else arg for arg in function.args)
    entry, loop, body, done = b.block, *(function.append_basic_block(name) for name in ("loop", "body", "done"))
    b.branch(loop)
    b.position_at_end(loop)
    p, q = b.phi(type), b.phi(type)
    b.cbranch(b.icmp_unsigned("==", q, type(0)), done, body)
    b.position_at_end(body)
    following = b.urem(p, q)
    for phi, start, step in ((p, x, q), (q, y, following)):
        phi.add_incoming(start, entry)
        phi.add_incoming(step, body)
    b.branch(loop)
    b.position_at_end(done)
    if not least_multiple:
        b.ret(p)
        return
    safe = b.select(b.icmp_unsigned("==", p, type(0)), type(1), p)
    b.ret(b.mul(b.udiv(x, safe), y))
