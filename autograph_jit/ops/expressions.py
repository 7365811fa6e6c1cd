"""Scalar expressions of the elementwise operations whose meaning differs by dtype or takes more than one node."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from autograph_jit.ir.scalar import (
    Expr,
    and_,
    call,
    cast,
    complex_,
    const,
    eq,
    floordiv,
    imag,
    isnan,
    le,
    lt,
    mod,
    mul,
    ne,
    neg,
    not_,
    or_,
    real,
    select,
    shl,
    shr,
    signbit,
    xor,
)
from autograph_jit.ir.scalar import absolute as magnitude
from autograph_jit.ir.scalar import add as plus
from autograph_jit.ir.scalar import floor as floor_of
from autograph_jit.ir.scalar import maximum as larger
from autograph_jit.ir.scalar import minimum as smaller
from autograph_jit.ir.scalar import rint as rint_of


def add(x: Expr, y: Expr) -> Expr:
    """`x + y`; of bools, their disjunction."""
    return or_(x, y) if x.dtype.kind == "b" else plus(x, y)


def multiply(x: Expr, y: Expr) -> Expr:
    """`x * y`; of bools, their conjunction."""
    return and_(x, y) if x.dtype.kind == "b" else mul(x, y)


def absolute(x: Expr) -> Expr:
    """`|x|`; unsigned numbers and bools as they are."""
    return x if x.dtype.kind in "ub" else magnitude(x)


def conjugate(x: Expr) -> Expr:
    """The complex conjugate; real numbers as they are."""
    return complex_(real(x), neg(imag(x))) if x.dtype.kind == "c" else x


def reciprocal(x: Expr) -> Expr:
    """`1 / x`; of integers truncated, where 0 gives what NumPy's conversion of infinity gives."""
    if x.dtype.kind in "fc":
        return const(1, x.dtype) / x
    if x.dtype.kind == "u":
        return select(eq(x, 1), x, 0)
    of_zero = np.iinfo(x.dtype).min if x.dtype.itemsize >= 4 else 0
    return select(is_zero(x), const(of_zero, x.dtype), select(or_(eq(x, 1), eq(x, -1)), x, const(0, x.dtype)))


def rounding(node: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """A rounding function that leaves integers and bools as they are."""
    return lambda x: node(x) if x.dtype.kind == "f" else x


def rint(x: Expr) -> Expr:
    """The nearest integer, halves to even; of the parts of a complex number."""
    return complex_(rint_of(real(x)), rint_of(imag(x))) if x.dtype.kind == "c" else rint_of(x)


def is_zero(x: Expr) -> Expr:
    """Whether a number is zero, either sign."""
    return eq(x, 0)


def floor_divide(x: Expr, y: Expr) -> Expr:
    """NumPy's `npy_floor_divide`: from the exact remainder, not the floor of a rounded quotient."""
    if x.dtype.kind != "f":
        return floordiv(x, y)
    rest = call("fmod", x, y)
    crosses = and_(ne(rest, 0), xor(lt(y, 0), lt(rest, 0)))
    quotient = (x - rest) / y
    quotient = select(crosses, quotient - 1, quotient)
    down = floor_of(quotient)
    nearest = select(lt(const(0.5, x.dtype), quotient - down), down + 1, down)
    return select(is_zero(y), x / y, select(is_zero(quotient), call("copysign", const(0, x.dtype), x / y), nearest))


def remainder(x: Expr, y: Expr) -> Expr:
    """NumPy's `npy_remainder`: the sign of the divisor, of a zero remainder too."""
    if x.dtype.kind != "f":
        return mod(x, y)
    rest = call("fmod", x, y)
    moved = select(xor(lt(y, 0), lt(rest, 0)), rest + y, rest)
    return select(is_zero(y), rest, select(is_zero(rest), call("copysign", const(0, x.dtype), y), moved))


def fmod(x: Expr, y: Expr) -> Expr:
    """C's remainder: the sign of the dividend; 0 for an integer divisor of 0."""
    if x.dtype.kind == "f":
        return call("fmod", x, y)
    rest = mod(x, y)
    if x.dtype.kind == "u":
        return rest
    return select(and_(ne(rest, 0), xor(lt(x, 0), lt(y, 0))), rest - y, rest)


def sign(x: Expr) -> Expr:
    """-1, 0 or 1; NaN stays; a complex number divided by its magnitude."""
    if x.dtype.kind == "u":
        return select(is_zero(x), x, 1)
    if x.dtype.kind != "c":
        return select(lt(const(0, x.dtype), x), 1, select(lt(x, 0), const(-1, x.dtype), select(is_zero(x), const(0, x.dtype), x)))
    re, im, size = real(x), imag(x), magnitude(x)
    nan, zero, one = const(math.nan, re.dtype), const(0, re.dtype), const(1, re.dtype)
    re_inf, im_inf = is_infinite(re), is_infinite(im)
    unit = complex_(re / size, im / size)
    on_axis = select(re_inf, complex_(call("copysign", one, re), zero), complex_(zero, call("copysign", one, im)))
    at_infinity = select(and_(re_inf, im_inf), complex_(nan, nan), on_axis)
    finite = select(is_zero(size), complex_(zero, zero), select(isnan(size), complex_(nan, nan), unit))
    return select(is_infinite(size), at_infinity, finite)


def is_infinite(x: Expr) -> Expr:
    """Whether a float is infinite."""
    return eq(magnitude(x), math.inf)


def spacing(x: Expr) -> Expr:
    """The distance to the next float away from zero."""
    outwards = call("nextafter", x, select(lt(x, 0), const(-math.inf, x.dtype), math.inf))
    return select(is_infinite(x), const(math.nan, x.dtype), outwards - x)


def heaviside(x: Expr, at_zero: Expr) -> Expr:
    """0 below zero, `at_zero` at zero, 1 above; NaN stays."""
    zero, one = const(0, x.dtype), const(1, x.dtype)
    return select(isnan(x), x, select(is_zero(x), at_zero, select(lt(x, 0), zero, one)))


def logaddexp(x: Expr, y: Expr) -> Expr:
    """`log(exp(x) + exp(y))` without overflow; equal infinities stay."""
    shortfall = neg(magnitude(x - y))
    return select(eq(x, y), x + math.log(2), larger(x, y) + call("log1p", call("exp", shortfall)))


def logaddexp2(x: Expr, y: Expr) -> Expr:
    """`log2(2**x + 2**y)` without overflow."""
    shortfall = neg(magnitude(x - y))
    return select(eq(x, y), x + 1, larger(x, y) + call("log1p", call("exp2", shortfall)) * math.log2(math.e))


def is_nan(x: Expr) -> Expr:
    """Whether either part is NaN; never for integers."""
    if x.dtype.kind == "c":
        return or_(isnan(real(x)), isnan(imag(x)))
    return isnan(x) if x.dtype.kind == "f" else const(False, np.dtype(bool))


def is_inf(x: Expr) -> Expr:
    """Whether either part is infinite; never for integers."""
    if x.dtype.kind == "c":
        return or_(is_infinite(real(x)), is_infinite(imag(x)))
    return is_infinite(x) if x.dtype.kind == "f" else const(False, np.dtype(bool))


def is_finite(x: Expr) -> Expr:
    """Whether no part is infinite or NaN; always for integers."""
    if x.dtype.kind == "c":
        return and_(is_finite(real(x)), is_finite(imag(x)))
    return lt(magnitude(x), math.inf) if x.dtype.kind == "f" else const(True, np.dtype(bool))


def has_sign(x: Expr) -> Expr:
    """Whether the sign bit is set."""
    return signbit(x)


def less(x: Expr, y: Expr) -> Expr:
    """`x < y`; complex numbers by real part, then imaginary part, as NumPy orders them."""
    return ordered(x, y, lt) if x.dtype.kind == "c" else lt(x, y)


def less_equal(x: Expr, y: Expr) -> Expr:
    """`x <= y`; complex numbers by real part, then imaginary part."""
    return ordered(x, y, le) if x.dtype.kind == "c" else le(x, y)


def ordered(x: Expr, y: Expr, last: Callable[[Expr, Expr], Expr]) -> Expr:
    """NumPy's order of complex numbers; false where a NaN decides."""
    known = not_(or_(isnan(imag(x)), isnan(imag(y))))
    return or_(and_(lt(real(x), real(y)), known), and_(eq(real(x), real(y)), last(imag(x), imag(y))))


def maximum_or_nan(x: Expr, y: Expr) -> Expr:
    """The larger; NaN if either is."""
    if x.dtype.kind == "b":
        return or_(x, y)
    return select(or_(is_nan(x), less_equal(y, x)), x, y) if x.dtype.kind == "c" else larger(x, y)


def minimum_or_nan(x: Expr, y: Expr) -> Expr:
    """The smaller; NaN if either is."""
    if x.dtype.kind == "b":
        return and_(x, y)
    return select(or_(is_nan(x), less_equal(x, y)), x, y) if x.dtype.kind == "c" else smaller(x, y)


def fmax(x: Expr, y: Expr) -> Expr:
    """The larger; the other one if one is NaN."""
    if x.dtype.kind not in "fc":
        return maximum_or_nan(x, y)
    return select(or_(less_equal(y, x), is_nan(y)), x, y)


def fmin(x: Expr, y: Expr) -> Expr:
    """The smaller; the other one if one is NaN."""
    if x.dtype.kind not in "fc":
        return minimum_or_nan(x, y)
    return select(or_(less_equal(x, y), is_nan(y)), x, y)


def shift_left(x: Expr, count: Expr) -> Expr:
    """`x << count`; 0 for counts outside 0 .. width - 1."""
    inside = in_width(count)
    return select(inside, shl(x, select(inside, count, 0)), 0)


def shift_right(x: Expr, count: Expr) -> Expr:
    """`x >> count`; all sign bits for counts outside 0 .. width - 1."""
    inside = in_width(count)
    outside = const(0, x.dtype) if x.dtype.kind == "u" else select(lt(x, 0), const(-1, x.dtype), 0)
    return select(inside, shr(x, select(inside, count, 0)), outside)


def in_width(count: Expr) -> Expr:
    """Whether a shift count is between 0 and the width less 1."""
    return lt(cast(count, np.dtype(f"u{count.dtype.itemsize}")), 8 * count.dtype.itemsize)
