"""exp: the argument is n * log(2) + r, a polynomial in r, two powers of two (Tang, ACM TOMS 15, 1989, without tables)."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, shr
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    Format,
    clamp,
    format_of,
    fused,
    polynomial,
    power_of_two,
    round_by_magic,
    split_constant,
)
from autograph_jit.kernels.vecmath.coefficients import EXP

LOG_2 = "0.69314718055994530941723212145817656807550013436025525412068"
LOG_2_PARTS = {format: split_constant(LOG_2, format, 2) for format in (F64, F32)}
# Beyond these arguments the result is 0 or infinity.
EXP_RANGE = {F64: (-746.0, 710.0), F32: (-104.0, 89.0)}


def exp(x: Expr) -> Expr:
    format = format_of(x)
    low, high = EXP_RANGE[format]
    x = clamp(x, low, high)
    n, word = round_by_magic(x, 1 / math.log(2))
    high_part, low_part = LOG_2_PARTS[format]
    r = fused(n, -low_part, fused(n, -high_part, x))
    return scale(fused(r * r, polynomial(r, EXP), r) + 1.0, word, format)


def scale(x: Expr, word: Expr, format: Format) -> Expr:
    """x * 2**n, rounded once where it is subnormal; `word` holds n, between twice the least and twice the largest exponent."""
    doubled = word + 2 * format.bias
    half = shr(doubled, 1)
    return x * power_of_two(half, format) * power_of_two(doubled - half, format)
