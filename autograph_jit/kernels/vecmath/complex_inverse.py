"""asin, acos, atan, asinh, acosh and atanh of complex numbers, without cancellation (Hull, Fairgrieve and Tang, ACM TOMS 23, 1997).

With r and s the distances of z from -1 and 1, a = (r + s) / 2: asin(z) has the parts asin(x / a) and log(a + sqrt(a**2 - 1)).
"""

from __future__ import annotations

from autograph_jit.ir.scalar import Expr, absolute, and_, complex_, eq, imag, lt, or_, real, select, signbit, sqrt
from autograph_jit.kernels.vecmath.arithmetic import F32, F64, format_of, fused, number, sign_of, with_sign
from autograph_jit.kernels.vecmath.complex_exponential import is_beyond, parts
from autograph_jit.kernels.vecmath.inverse import atan2
from autograph_jit.kernels.vecmath.logarithm import log1p
from autograph_jit.kernels.vecmath.roots import hypot

# The squares of these are normal numbers.
LEAST, MOST = {F64: 2.0**-500, F32: 2.0**-60}, {F64: 2.0**500, F32: 2.0**60}


def is_outside(along: Expr, across: Expr) -> Expr:
    """Whether a part is too large or NaN, or the one across the cuts' line too small; zero is not."""
    size, height = absolute(along), absolute(across)
    format = format_of(size)
    is_small = and_(lt(height, number(LEAST[format], size)), lt(number(0.0, size), height))
    return or_(or_(is_beyond(size, MOST[format]), is_beyond(height, MOST[format])), is_small)


def asin_is_outside(z: Expr) -> Expr:
    return is_outside(real(z), imag(z))


def asinh_is_outside(z: Expr) -> Expr:
    return is_outside(imag(z), real(z))


def root_and_logarithm(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """sqrt(a**2 - x**2) and log(a + sqrt(a**2 - 1)) for x, y >= 0; a - x and a - 1 are sums of terms without sign."""
    zero, one = number(0.0, x), number(1.0, x)
    right, left = x + 1.0, absolute(x - 1.0)
    r, s = hypot(right, y), hypot(left, y)
    a = (r + s) * 0.5
    square = y * y
    first, sum_ = square / (r + right), s + left
    ratio = select(eq(sum_, zero), zero, square / sum_)
    is_beyond_one = lt(one, x)
    above_one = (first + select(is_beyond_one, sum_, ratio)) * 0.5
    above_x = (first + select(is_beyond_one, ratio, sum_)) * 0.5
    return sqrt((a + x) * above_x), log1p(above_one + sqrt(above_one * (a + 1.0)))


def asin(z: Expr) -> Expr:
    x, y = parts(z)
    root, logarithm = root_and_logarithm(absolute(x), absolute(y))
    return complex_(atan2(x, root), with_sign(logarithm, sign_of(y)))


def asinh(z: Expr) -> Expr:
    """i * asin(-i * z)."""
    x, y = parts(z)
    root, logarithm = root_and_logarithm(absolute(y), absolute(x))
    return complex_(with_sign(logarithm, sign_of(x)), atan2(y, root))


def acos(z: Expr) -> Expr:
    x, y = parts(z)
    root, logarithm = root_and_logarithm(absolute(x), absolute(y))
    return complex_(atan2(root, x), select(signbit(y), logarithm, -logarithm))


def acosh(z: Expr) -> Expr:
    """i * acos(z) or its negative, so that the real part is not negative."""
    x, y = parts(z)
    root, logarithm = root_and_logarithm(absolute(x), absolute(y))
    return complex_(logarithm, with_sign(atan2(root, x), sign_of(y)))


def area_parts(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """The parts of atanh(x + i * y): log1p(4 * |x| / ((1 - |x|)**2 + y**2)) / 4, and half an angle (Kahan 1987)."""
    size = absolute(x)
    below, square = number(1.0, x) - size, y * y
    real_part = log1p((size * 4.0) / fused(below, below, square)) * 0.25
    return with_sign(real_part, sign_of(x)), atan2(y + y, fused(below, size + 1.0, -square)) * 0.5


def atanh(z: Expr) -> Expr:
    return complex_(*area_parts(*parts(z)))


def atan(z: Expr) -> Expr:
    """-i * atanh(i * z)."""
    x, y = parts(z)
    return complex_(*area_parts(y, x)[::-1])
