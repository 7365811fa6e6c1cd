"""abs, sqrt, log and pow of complex numbers; those of very large or very small numbers, infinities and NaN are left out."""

from __future__ import annotations

import math

import numpy as np

from autograph_jit.ir.scalar import Expr, absolute, and_, cast, complex_, const, eq, imag, lt, not_, or_, real, select, shr, sqrt
from autograph_jit.kernels.vecmath.arithmetic import F32, F64, bits, format_of, from_bits, fused, number, sign_of, with_sign
from autograph_jit.kernels.vecmath.complex_exponential import exp, is_beyond, scaled
from autograph_jit.kernels.vecmath.inverse import atan2
from autograph_jit.kernels.vecmath.logarithm import log_of_sum
from autograph_jit.kernels.vecmath.power import Pair
from autograph_jit.kernels.vecmath.roots import hypot

# Between these the squares of the larger part, and sums of such squares, are normal numbers.
SQUARE_FITS = {F64: (2.0**-480, 2.0**480), F32: (2.0**-50, 2.0**60)}
LARGEST_POWER = 2000.0  # as an exponent of two, well within the range of the exponential
MOST_FACTORS = 100  # NumPy multiplies up to this whole exponent


def larger_first(z: Expr) -> tuple[Expr, Expr]:
    """The sizes of the parts."""
    x, y = absolute(real(z)), absolute(imag(z))
    is_swapped = lt(x, y)
    return select(is_swapped, y, x), select(is_swapped, x, y)


def is_extreme(z: Expr) -> Expr:
    """Whether squares overflow or vanish, or a part is NaN."""
    x, y = absolute(real(z)), absolute(imag(z))
    least, most = SQUARE_FITS[format_of(x)]
    return or_(or_(is_beyond(x, most), is_beyond(y, most)), and_(lt(x, number(least, x)), lt(y, number(least, x))))


def magnitude(z: Expr) -> Expr:
    return hypot(real(z), imag(z))


def sqrt_is_outside(z: Expr) -> Expr:
    """Zero is not."""
    x, y = absolute(real(z)), absolute(imag(z))
    return and_(is_extreme(z), not_(and_(eq(x, number(0.0, x)), eq(y, number(0.0, y)))))


def square_root(z: Expr) -> Expr:
    """The larger part is the root of (|x| + |z|) / 2, the other |y| / 2 divided by it."""
    x, y = real(z), imag(z)
    height = absolute(y)
    large = sqrt((absolute(x) + hypot(x, y)) * 0.5)
    small = select(eq(large, number(0.0, x)), height, height / (large + large))
    is_left = lt(x, number(0.0, x))
    return complex_(select(is_left, small, large), with_sign(select(is_left, large, small), sign_of(y)))


def two_sum(x: Expr, y: Expr) -> Pair:
    """x + y and its rounding error (Knuth, The Art of Computer Programming 2, 4.2.2)."""
    total = x + y
    moved = total - x
    return total, (x - (total - moved)) + (y - moved)


def square(x: Expr) -> Pair:
    high = x * x
    return high, fused(x, x, -high)


def log_of_size(z: Expr) -> Expr:
    """log(x**2 + y**2) / 2: the sum in two parts, which near 1 is 1 + (x**2 - 1 + y**2)."""
    (first, first_rest), (second, second_rest) = map(square, larger_first(z))
    total = first + second
    rest, rest_of_rest = two_sum(first_rest, second_rest)
    lost = (first - total + second) + rest
    one = number(1.0, total)
    below = first - one
    difference, missing = two_sum(below, second)
    missing = missing + (first - (below + 1.0)) + rest_of_rest
    difference = (difference + rest) + missing
    moved = difference + 1.0
    is_near = and_(lt(number(0.5, total), total), lt(total, number(2.0, total)))
    return log_of_sum(select(is_near, moved, total), select(is_near, (one - moved) + difference, lost)) * 0.5


def log(z: Expr) -> Expr:
    return complex_(log_of_size(z), atan2(imag(z), real(z)))


def log2(z: Expr) -> Expr:
    return scaled(log(z), math.log2(math.e))


def log10(z: Expr) -> Expr:
    return scaled(log(z), math.log10(math.e))


def increased(z: Expr) -> Expr:
    return complex_(real(z) + 1.0, imag(z))


def log1p(z: Expr) -> Expr:
    """As NumPy computes it: the logarithm of 1 + z."""
    return log(increased(z))


def log1p_is_outside(z: Expr) -> Expr:
    return is_extreme(increased(z))


def known_exponent(y: Expr) -> int | None:
    """A whole exponent that is written in the program, for which NumPy multiplies."""
    if y.op != "const" or y.value.imag != 0 or not 2 <= abs(y.value.real) < MOST_FACTORS or y.value.real != int(y.value.real):
        return None
    return int(y.value.real)


def repeated_product(z: Expr, exponent: int) -> Expr:
    """z**n by squares, as NumPy multiplies; zero where z is, whatever its signs, and for a negative exponent NaN."""
    result, power, rest = None, z, abs(exponent)
    while rest:
        if rest % 2:
            result = power if result is None else result * power
        power, rest = power * power, rest // 2
    assert result is not None
    one, is_zero = const(1, z.dtype), eq(z, 0)
    if exponent > 0:
        return select(is_zero, const(0, z.dtype), result)
    return select(is_zero, const(complex(math.nan, math.nan), z.dtype), one / result)


def wide(z: Expr) -> Expr:
    return cast(z, np.dtype(np.complex128))


def exponent_of_power(z: Expr, y: Expr) -> Expr:
    """y * log(z), in double precision."""
    return wide(y) * log(wide(z))


def pow_(z: Expr, y: Expr) -> Expr:
    """exp(y * log(z)) as C has it; 1 for y == 0."""
    exponent = known_exponent(y)
    if exponent is not None:
        return repeated_product(z, exponent)
    result = cast(exp(exponent_of_power(z, y)), z.dtype)
    return select(eq(y, 0), const(1, z.dtype), result)


def pow_is_outside(z: Expr, y: Expr) -> Expr | None:
    """Besides extreme numbers where y * log(z) may be large, by the exponent of the larger part of z."""
    if known_exponent(y) is not None:
        return None
    z, y = wide(z), wide(y)
    size, _ = larger_first(z)
    exponent = absolute(from_bits(or_(shr(bits(size), F64.fraction), F64.plain_bits)) - (F64.plain + F64.bias)) + 1.5
    most = absolute(real(y)) * exponent + absolute(imag(y)) * 5.0
    return or_(is_extreme(z), is_beyond(most, LARGEST_POWER))
