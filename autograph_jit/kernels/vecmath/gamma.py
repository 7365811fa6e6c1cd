"""lgamma of numbers that are not negative: (x - 1) * (x - 2) * p about its zeros, below -log(x) more, above Stirling's formula."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, eq, lt, select
from autograph_jit.kernels.vecmath.arithmetic import LOG_2, format_of, fused, number, polynomial
from autograph_jit.kernels.vecmath.coefficients import LGAMMA, STIRLING
from autograph_jit.kernels.vecmath.logarithm import quotient_part, split_positive

LEAST, MOST = 0.75, 3.0  # where the polynomial about the zeros holds
CENTRE = 1.5
STIRLING_CONSTANT = 0.5 * math.log(2 * math.pi) - 0.5


def is_outside(x: Expr) -> Expr:
    """Whether an argument is negative, where the function has infinitely many zeros and poles."""
    return lt(x, number(0.0, x))


def log_in_two(x: Expr) -> tuple[Expr, Expr]:
    """log(x) and what its last rounding lost, for positive x."""
    parts = split_positive(x)
    high, low = LOG_2[format_of(x)]
    s, t = quotient_part(parts.f)
    rest = parts.f - fused(s, t, parts.k * -low)
    total = fused(parts.k, high, rest)
    return total, fused(parts.k, high, -total) + rest


def about_zeros(x: Expr, log: Expr) -> Expr:
    """For 0 <= x < 3; below 3/4 lgamma(x + 1) - log(x)."""
    is_small = lt(x, number(LEAST, x))
    moved = select(is_small, x + 1.0, x)
    zeros = select(is_small, x, x - 1.0) * select(is_small, x - 1.0, x - 2.0)
    value = zeros * polynomial((moved - CENTRE) / (moved + CENTRE), LGAMMA)
    return select(is_small, value - select(eq(x, number(0.0, x)), number(-math.inf, x), log), value)


def by_stirling(x: Expr, log: tuple[Expr, Expr]) -> Expr:
    """(x - 1/2) * (log(x) - 1) + log(2 * pi) / 2 - 1/2 + p(1 / x**2) / x, for x >= 3."""
    factor, decreased, inverse = x - 0.5, log[0] - 1.0, number(1.0, x) / x
    product = factor * decreased
    lost = fused(factor, decreased, -product)
    total = (product + STIRLING_CONSTANT) + fused(inverse, polynomial(inverse * inverse, STIRLING), fused(factor, log[1], lost))
    return select(lt(product, number(math.inf, x)), total, product)


def lgamma(x: Expr) -> Expr:
    """Infinite at zero and at infinity."""
    log = log_in_two(x)
    return select(lt(x, number(MOST, x)), about_zeros(x, log[0]), by_stirling(x, log))
