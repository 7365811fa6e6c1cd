"""sin, cos and tan: a multiple of pi is taken off in three parts by fused multiply-add (Cody and Waite, 1980), then one polynomial.

The multiple's first product cancels exactly, so the remainder is right to its last bits as long as the multiple is small enough
for the third part to hold what matters: up to `limit`, beyond which a loop calls the C library.
"""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, and_, eq, lt, select, shl, shr, xor
from autograph_jit.kernels.vecmath.arithmetic import F32, F64, PI, Format, bits, format_of, fused, number, polynomial, sign_of, with_sign
from autograph_jit.kernels.vecmath.coefficients import COS_QUARTER, SIN_HALF, SIN_QUARTER

LIMIT = {F64: 2.0**47, F32: 2.0**19}


def is_outside(x: Expr) -> Expr:
    """Whether an argument is too large for the reduction."""
    return lt(number(LIMIT[format_of(x)], x), absolute(x))


def take_off(x: Expr, n: Expr, factor: float) -> Expr:
    """x - n * factor * pi; `factor` is a power of two."""
    for part in PI[format_of(x)][:3]:
        x = fused(n, -part * factor, x)
    return x


def parity_as_sign(word: Expr, format: Format) -> Expr:
    """The sign bit, set where an integer is odd."""
    return shl(word, 8 * format.dtype.itemsize - 1)


def sine_of_remainder(r: Expr) -> Expr:
    """sin(r) for |r| <= pi / 2."""
    z = r * r
    return fused(r * z, polynomial(z, SIN_HALF), r)


def sin(x: Expr) -> Expr:
    """Of |x|, so that zeros keep their sign."""
    format, size = format_of(x), absolute(x)
    shifted = fused(size, 1 / math.pi, format.magic)
    value = sine_of_remainder(take_off(size, shifted - format.magic, 1.0))
    return with_sign(value, xor(parity_as_sign(bits(shifted), format), sign_of(x)))


def cos(x: Expr) -> Expr:
    """sin(x - (n + 1/2) * pi), negative for even n."""
    format, size = format_of(x), absolute(x)
    shifted = fused(size, 1 / math.pi, -0.5) + format.magic
    value = sine_of_remainder(take_off(size, (shifted - format.magic) + 0.5, 1.0))
    return with_sign(value, parity_as_sign(bits(shifted) + 1, format))


def quarters(x: Expr) -> tuple[Expr, Expr, Expr]:
    """The sine and cosine of what is left of |x| after multiples of pi / 2, and a word that holds the number of these."""
    format, size = format_of(x), absolute(x)
    shifted = fused(size, 2 / math.pi, format.magic)
    r = take_off(size, shifted - format.magic, 0.5)
    z = r * r
    return fused(r * z, polynomial(z, SIN_QUARTER), r), fused(z, polynomial(z, COS_QUARTER), 1.0), bits(shifted)


def tan(x: Expr) -> Expr:
    """sin / cos of the remainder after multiples of pi / 2, or -cos / sin after an odd one."""
    sine, cosine, word = quarters(x)
    is_even = eq(and_(word, 1), 0)
    ratio = select(is_even, sine, cosine) / select(is_even, cosine, sine)
    return with_sign(ratio, xor(parity_as_sign(word, format_of(x)), sign_of(x)))


def sin_cos(x: Expr) -> tuple[Expr, Expr]:
    """Both of one remainder; their signs are the second bits of the number of quarters and of the next number."""
    sine, cosine, word = quarters(x)
    format, is_even = format_of(x), eq(and_(word, 1), 0)
    sign = xor(parity_as_sign(shr(word, 1), format), sign_of(x))
    return (
        with_sign(select(is_even, sine, cosine), sign),
        with_sign(select(is_even, cosine, sine), parity_as_sign(shr(word + 1, 1), format)),
    )
