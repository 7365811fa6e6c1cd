"""exp, exp2 and expm1: the argument is n * log(2) + r, a polynomial in r, then powers of two (Tang, ACM TOMS 15, 1989, without tables)."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, lt, select, shr
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    LOG_2,
    Coefficients,
    clamp,
    format_of,
    fused,
    number,
    polynomial,
    power_of_two,
    round_by_magic,
)
from autograph_jit.kernels.vecmath.coefficients import EXP, EXP2, EXPM1
from autograph_jit.records import dataclass

LOG2_E = 1 / math.log(2)
# Beyond these arguments a result is 0 (-1 for expm1) or infinity.
EXP_RANGE = {F64: (-746.0, 710.0), F32: (-104.0, 89.0)}
EXP2_RANGE = {F64: (-1076.0, 1025.0), F32: (-151.0, 129.0)}
EXPM1_RANGE = {F64: (-40.0, 710.0), F32: (-20.0, 89.0)}


@dataclass(frozen=True, slots=True)
class Reduced:
    """An argument as n * log(2) + head + tail, and `word`, which holds n in its low bits."""

    n: Expr
    word: Expr
    head: Expr
    tail: Expr


def reduce(x: Expr) -> Reduced:
    n, word = round_by_magic(x, LOG2_E)
    high, low = LOG_2[format_of(x)]
    return Reduced(n, word, fused(n, -high, x), n * -low)


def exp_in_parts(x: Expr) -> tuple[Expr, Expr]:
    """exp(x) / 2**n, which is about 1, and a word that holds n."""
    n, word = round_by_magic(x, LOG2_E)
    high, low = LOG_2[format_of(x)]
    r = fused(n, -low, fused(n, -high, x))
    return fused(r * r, polynomial(r, EXP), r) + 1.0, word


def exp(x: Expr) -> Expr:
    return scale(*exp_in_parts(clamp(x, *EXP_RANGE[format_of(x)])))


def exp2(x: Expr) -> Expr:
    x = clamp(x, *EXP2_RANGE[format_of(x)])
    n, word = round_by_magic(x, 1.0)
    r = x - n
    return scale(fused(r, polynomial(r, EXP2), 1.0), word)


def scale(x: Expr, word: Expr) -> Expr:
    """x * 2**n, rounded once where it is subnormal; `word` holds n, which may be twice the least or the largest exponent."""
    format = format_of(x)
    doubled = word + 2 * format.bias
    half = shr(doubled, 1)
    return x * power_of_two(half, format) * power_of_two(doubled - half, format)


def expm1(x: Expr) -> Expr:
    """Scaled by a quarter, so that nothing overflows early."""
    return select(is_tiny(x), x, expm1_bounded(clamp(x, *EXPM1_RANGE[format_of(x)]), 2, EXPM1) * 4.0)


def is_tiny(x: Expr) -> Expr:
    """Whether x is so near to zero that x + x * x rounds to x."""
    return lt(absolute(x), number(2.0 ** -(format_of(x).fraction + 2), x))


def expm1_bounded(x: Expr, scale_bits: int, coefficients: Coefficients) -> Expr:
    """exp(x) - 1 in the range where it is neither -1 nor infinite, divided by 2**scale_bits.

    It is s - 1 + s * (head + rest) with s = 2**n, where `s - 1` is nearly exact.
    """
    parts = reduce(x)
    r = parts.head + parts.tail
    rest = fused(r * r, polynomial(r, coefficients), parts.tail)
    s = power_of_two(parts.word + (format_of(x).bias - scale_bits), format_of(x))
    return fused(s, rest, fused(s, parts.head, s - 2.0**-scale_bits))
