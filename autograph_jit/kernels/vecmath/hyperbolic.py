"""sinh, cosh, tanh and their inverses."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, const, lt, select, sqrt
from autograph_jit.kernels.vecmath.arithmetic import F32, F64, clamp, format_of, fused, number, polynomial, power_of_two, sign_of, with_sign
from autograph_jit.kernels.vecmath.coefficients import COSH, EXP, SINH
from autograph_jit.kernels.vecmath.exponential import expm1_bounded, is_tiny, reduce
from autograph_jit.kernels.vecmath.logarithm import log1p

TANH_IS_ONE = {F64: 20.0, F32: 10.0}
SINH_RANGE = {F64: 711.0, F32: 90.0}
SQUARE_FITS = {F64: 1e150, F32: 1e18}


def tanh(x: Expr) -> Expr:
    """t / (t + 2) for t = expm1(2 * |x|)."""
    size = absolute(x)
    most = number(TANH_IS_ONE[format_of(x)], x)
    bounded = select(lt(most, size), most, size)
    t = expm1_bounded(bounded + bounded, 0, EXP)
    return with_sign(t / (t + 2.0), sign_of(x))


def sinh_cosh(x: Expr, wants_sinh: bool) -> Expr:
    """Of |x| = n * log(2) + r, by the addition theorems: sinh and cosh of n * log(2) are sums of two powers of two.

    Everything is a quarter of what is meant until the end, so that nothing overflows early.
    """
    format = format_of(x)
    parts = reduce(clamp(absolute(x), 0.0, SINH_RANGE[format]))
    grown = power_of_two(parts.word + (format.bias - 3), format)
    shrunk = select(lt(parts.n, number(64.0, x)), power_of_two(const(format.bias - 3, format.word) - parts.word, format), number(0.0, x))
    first, second = grown - shrunk, grown + shrunk
    if not wants_sinh:
        first, second = second, first
    r = parts.head + parts.tail
    z = r * r
    rest = fused(first * z, polynomial(z, COSH), second * fused(r * z, polynomial(z, SINH), parts.tail))
    return (fused(second, parts.head, first) + rest) * 4.0


def sinh(x: Expr) -> Expr:
    return select(is_tiny(x), x, with_sign(sinh_cosh(x, wants_sinh=True), sign_of(x)))


def cosh(x: Expr) -> Expr:
    return sinh_cosh(x, wants_sinh=False)


def asinh(x: Expr) -> Expr:
    """log1p(|x| + x**2 / (1 + sqrt(1 + x**2))); for large x log(x) + log(2)."""
    size = absolute(x)
    is_large = lt(number(SQUARE_FITS[format_of(x)], x), size)
    square = size * size
    argument = size + square / (sqrt(square + 1.0) + 1.0)
    return with_sign(log1p_of_double(size, argument, is_large), sign_of(x))


def acosh(x: Expr) -> Expr:
    """log1p(t + sqrt(2 * t + t**2)) for t = x - 1, NaN where that is negative."""
    is_large = lt(number(SQUARE_FITS[format_of(x)], x), x)
    t = x - 1.0
    t = select(lt(t, number(0.0, x)), number(math.nan, x), t)
    return log1p_of_double(x, t + sqrt(fused(t, t, t + t)), is_large)


def log1p_of_double(x: Expr, argument: Expr, is_large: Expr) -> Expr:
    """log1p(argument); where x is large log(2 * x)."""
    return log1p(select(is_large, x, argument)) + select(is_large, number(math.log(2), x), number(0.0, x))


def atanh(x: Expr) -> Expr:
    """log1p(2 * |x| / (1 - |x|)) / 2."""
    size = absolute(x)
    return with_sign(log1p((size + size) / (number(1.0, x) - size)) * 0.5, sign_of(x))
