"""pow: 2**(y * log2(|x|)) with the logarithm as a sum of two floats (Dekker, Numer. Math. 18, 1971; the series as in `logarithm`)."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, and_, eq, lt, ne, or_, rint, select, sqrt
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    LOG2_OF_E,
    clamp,
    format_of,
    fused,
    number,
    polynomial,
    round_by_magic,
    sign_of,
    split_constant,
    with_sign,
)
from autograph_jit.kernels.vecmath.coefficients import EXP2, POW_LOG
from autograph_jit.kernels.vecmath.exponential import scale
from autograph_jit.kernels.vecmath.logarithm import split_positive

TWO_THIRDS = {format: split_constant("0.66666666666666666666666666666666666666666666666666", format, 2) for format in (F64, F32)}
# An exponent beyond this makes every power but those of 1 overflow or vanish.
LARGEST_EXPONENT = {F64: 2.0**70, F32: 2.0**40}
OVERFLOWS = {F64: 1100.0, F32: 160.0}  # as exponents of two
MOST_FACTORS = 6  # as many multiplications keep within the bound of error
Pair = tuple[Expr, Expr]  # an unevaluated sum, the second much smaller


def product(x: Pair, y: Pair) -> Pair:
    high = x[0] * y[0]
    return high, fused(x[0], y[1], fused(x[1], y[0], fused(x[0], y[0], -high)))


def fast_sum(x: Expr, y: Expr, rest: Expr) -> Pair:
    """x + y + rest for |x| >= |y|."""
    total = x + y
    return total, ((x - total) + y) + rest


def rounded_power(x: Expr, exponent: int) -> Expr:
    """x to a whole power from 3, rounded as the C library rounds it but for one in a thousand: products in twice the precision."""
    result: Expr | Pair | None = None
    power: Expr | Pair = x
    while exponent:
        if exponent % 2:
            result = power if result is None else longer_product(power, result)
        exponent //= 2
        power = longer_product(power, power) if exponent else power
    assert isinstance(result, tuple)
    high, low = result
    return select(and_(lt(absolute(high), number(math.inf, x)), ne(high, number(0.0, x))), high + low, high)


def longer_product(x: Expr | Pair, y: Expr | Pair) -> Pair:
    """A product of which each factor is one float or a sum of two."""
    if not isinstance(x, tuple):
        x, y = y, x
    if isinstance(x, tuple) and isinstance(y, tuple):
        return product(x, y)
    first, rest = (x, None) if isinstance(x, Expr) else x
    assert isinstance(y, Expr)
    high = first * y
    low = fused(first, y, -high)
    return high, low if rest is None else fused(rest, y, low)


def log2_in_two(x: Expr) -> Pair:
    """log2 of a positive finite number."""
    parts = split_positive(x)
    f = parts.f
    below = f + 2.0
    inverse = number(1.0, f) / below
    s = f * inverse
    missing = fused(-s, f - (below - 2.0), fused(-s, below, f))
    head: Pair = s, missing * inverse
    square = s * s
    z: Pair = square, fused(s, head[1] + head[1], fused(s, s, -square))
    high, low = TWO_THIRDS[format_of(x)]
    series = fast_sum(number(high, f), square * polynomial(square, POW_LOG), number(low, f))
    cubic = product(product(head, z), series)
    natural = fast_sum(s + s, cubic[0], fused(head[1], 2.0, cubic[1]))
    factor = LOG2_OF_E[format_of(x)]
    binary = product(natural, (number(factor[0], f), number(factor[1], f)))
    return fast_sum(parts.k, binary[0], binary[1])


def pow_of_size(x: Expr, y: Expr) -> Expr:
    """|x| ** y, for y not too large; NaN for 0 to the power of 0, and for finite x < 0 where y is a fraction."""
    size, zero, infinity = absolute(x), number(0.0, y), number(math.inf, y)
    high, low = log2_in_two(size)
    # A comparison of the result's sign with infinities after all would cost as much as a third of the function.
    high = select(and_(lt(x, zero), ne(rint(y), y)), number(math.nan, x), high)
    high = select(lt(size, infinity), select(eq(size, zero), -infinity, high), size)
    exponent = y * high
    most = OVERFLOWS[format_of(y)]
    rest = select(lt(absolute(exponent), number(most, y)), fused(y, low, fused(y, high, -exponent)), zero)
    exponent = clamp(exponent, -most, most)
    n, word = round_by_magic(exponent, 1.0)
    r = (exponent - n) + rest
    return scale(fused(r, polynomial(r, EXP2), 1.0), word)


def known_power(x: Expr, y: float) -> Expr | None:
    """Small whole exponents as products, and the root."""
    if y == 0.5:
        return select(eq(x, number(-math.inf, x)), number(math.inf, x), sqrt(x + 0.0))
    if y == -1:
        return number(1.0, x) / x
    if y not in range(MOST_FACTORS + 1):
        return None
    result, power, rest = None, x, int(y)
    while rest:
        if rest % 2:
            result = power if result is None else result * power
        power, rest = power * power, rest // 2
    return number(1.0, x) if result is None else result


def pow_(x: Expr, y: Expr) -> Expr:
    """NumPy's power: 1 for x == 1 and for y == 0, NaN for x < 0 and a fraction y."""
    if y.op == "const":
        known = known_power(x, float(y.value))
        if known is not None:
            return known
    largest, zero, one = LARGEST_EXPONENT[format_of(x)], number(0.0, x), number(1.0, x)
    half = y * 0.5
    is_odd = eq(absolute(half - rint(half)), number(0.5, x))
    size = pow_of_size(x, clamp(y, -largest, largest))
    signed = with_sign(size, select(is_odd, sign_of(x), sign_of(absolute(x))))
    return select(or_(eq(y, zero), eq(x, one)), one, signed)
