"""log, log1p, log2 and log10: the argument is 2**k * (1 + f), and log(1 + f) = f - s * (f - s**2 * g(s**2)) with s = f / (2 + f).

The scheme is that of fdlibm (K. C. Ng, Sun Microsystems, 1993), with fused multiply-add in the place of trimmed constants.
"""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, and_, const, eq, lt, or_, select, shl, shr
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    LOG2_OF_E,
    LOG10_OF_2,
    LOG10_OF_E,
    LOG_2,
    bits,
    format_of,
    from_bits,
    fused,
    number,
    polynomial,
)
from autograph_jit.kernels.vecmath.coefficients import LOG
from autograph_jit.kernels.vecmath.exponential import is_tiny
from autograph_jit.records import dataclass

ROOT_HALF_BITS = {F64: 0x3FE6A09E667F3BCD, F32: 0x3F3504F3}  # sqrt(1/2)
ONE_BITS = {F64: 0x3FF0000000000000, F32: 0x3F800000}


@dataclass(frozen=True, slots=True)
class Split:
    """A positive normal number as 2**k * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); `biased` is the word of k + bias."""

    k: Expr
    f: Expr
    biased: Expr


def split(x: Expr, offset: Expr | None = None) -> Split:
    """`offset` is what is taken off the biased exponent and 2**fraction, the bias unless given."""
    format = format_of(x)
    shifted = bits(x) + (ONE_BITS[format] - ROOT_HALF_BITS[format])
    biased = shr(shifted, format.fraction)
    significand = from_bits(and_(shifted, (1 << format.fraction) - 1) + ROOT_HALF_BITS[format])
    k = from_bits(or_(biased, format.plain_bits)) - (number(format.plain + format.bias, x) if offset is None else offset)
    return Split(k, significand - 1.0, biased)


def split_positive(x: Expr) -> Split:
    """Of any positive number, subnormal ones too."""
    format = format_of(x)
    is_small = lt(x, number(format.smallest, x))
    shift, plain = format.fraction + 1, format.plain + format.bias
    return split(select(is_small, x * 2.0**shift, x), select(is_small, number(plain + shift, x), number(plain, x)))


def quotient_part(f: Expr) -> tuple[Expr, Expr]:
    """s and t so that log(1 + f) = f - s * t."""
    s = f / (f + 2.0)
    z = s * s
    return s, f - z * polynomial(z, LOG)


def combine_logarithm(k: Expr, f: Expr, error: Expr | None = None) -> Expr:
    """k * log(2) + log(1 + f) - error."""
    high, low = LOG_2[format_of(f)]
    s, t = quotient_part(f)
    return fused(k, high, f - fused(s, t, k * -low if error is None else fused(k, -low, error)))


def at_borders(x: Expr, result: Expr, least: float = 0.0) -> Expr:
    """A logarithm that is minus infinity at `least` and NaN below."""
    nan, minus_infinity = number(math.nan, x), number(-math.inf, x)
    bounded = select(lt(x, number(math.inf, x)), result, x)
    return select(lt(number(least, x), x), bounded, select(eq(x, number(least, x)), minus_infinity, nan))


def log(x: Expr) -> Expr:
    parts = split_positive(x)
    return at_borders(x, combine_logarithm(parts.k, parts.f))


def log2(x: Expr) -> Expr:
    parts = split_positive(x)
    return at_borders(x, in_base(parts.k, parts.f, LOG2_OF_E[format_of(x)], None))


def log10(x: Expr) -> Expr:
    format, parts = format_of(x), split_positive(x)
    high, low = LOG10_OF_2[format]
    return at_borders(x, in_base(parts.k * high, parts.f, LOG10_OF_E[format], parts.k * low))


def in_base(whole: Expr, f: Expr, factor: tuple[float, ...], rest: Expr | None) -> Expr:
    """whole + rest + factor * log(1 + f), the rounding error of whole + factor * f made good."""
    high, low = factor
    s, t = quotient_part(f)
    total = fused(f, high, whole)
    error = fused(f, high, whole - total)
    small = fused(f, low, error if rest is None else error + rest)
    return total + fused(s * t, -high, small)


def log_of_sum(total: Expr, lost: Expr) -> Expr:
    """log(total + lost) for a positive normal total and a much smaller rest.

    The rest, divided by 2**k, is added to f; what this addition rounds off is taken off the result.
    """
    format = format_of(total)
    parts = split(total)
    shrunk = from_bits(shl(const(2 * format.bias + 1, format.word) - parts.biased, format.fraction))  # 2**(1 - k)
    f = fused(lost * 0.5, shrunk, parts.f)
    error = fused(lost * -0.5, shrunk, f - parts.f)
    return combine_logarithm(parts.k, f, error)


def log1p(x: Expr) -> Expr:
    """log(1 + x), the rounding error of 1 + x taken along."""
    total = x + 1.0
    rounded = total - 1.0
    lost = (number(1.0, x) - (total - rounded)) + (x - rounded)
    return select(is_tiny(x), x, at_borders(x, log_of_sum(total, lost), -1.0))
