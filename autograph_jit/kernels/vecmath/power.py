"""pow, cbrt and hypot.

pow is 2**(y * log2(|x|)) with the logarithm as a sum of two floats (Dekker, Numer. Math. 18, 1971; the series as in `logarithm`).
"""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, and_, const, eq, floor, lt, ne, not_, or_, select, shl, shr, sqrt
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    LOG2_OF_E,
    bits,
    clamp,
    format_of,
    from_bits,
    fused,
    number,
    polynomial,
    power_of_two,
    round_by_magic,
    sign_of,
    split_constant,
    with_sign,
)
from autograph_jit.kernels.vecmath.coefficients import EXP2, INVERSE_CBRT, POW_LOG
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


def pow_of_size(size: Expr, y: Expr) -> Expr:
    """|x| ** y, for y not too large; 0 to the power of 0 is NaN."""
    zero, infinity = number(0.0, y), number(math.inf, y)
    high, low = log2_in_two(size)
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
    format, zero, one = format_of(x), number(0.0, x), number(1.0, x)
    largest = LARGEST_EXPONENT[format]
    result = pow_of_size(absolute(x), clamp(y, -largest, largest))
    half = y * 0.5
    is_whole = eq(floor(y), y)
    is_odd = and_(is_whole, ne(floor(half), half))
    signed = with_sign(result, select(is_odd, sign_of(x), sign_of(absolute(x))))
    is_undefined = and_(and_(lt(x, zero), lt(number(-math.inf, x), x)), not_(is_whole))
    real = select(is_undefined, number(math.nan, x), signed)
    return select(or_(eq(y, zero), eq(x, one)), one, real)


def cbrt(x: Expr) -> Expr:
    """2**q * cbrt(m) for |x| = 2**(3 * q) * m, 1/2 <= m < 4: a polynomial for m**(-1/3), a step of fourth order, one on the root itself."""
    format, size = format_of(x), absolute(x)
    is_small = lt(size, number(format.smallest, x))
    shift, plain = (format.fraction // 3 + 1) * 3, format.plain + format.bias
    scaled = bits(select(is_small, size * 2.0**shift, size))
    exponent = from_bits(or_(shr(scaled, format.fraction), format.plain_bits)) - number(plain, x)
    _, word = round_by_magic(exponent, 1 / 3)
    m = from_bits(scaled - shl(word + word + word, format.fraction))
    inverse = polynomial(m, INVERSE_CBRT)
    lacking = fused(-(m * inverse), inverse * inverse, 1.0)
    inverse = fused(inverse * lacking, fused(fused(lacking, 14 / 81, 2 / 9), lacking, 1 / 3), inverse)
    square = inverse * inverse
    root = m * square
    root = fused(fused(-(root * root), root, m), square * (1 / 3), root)
    undone = select(is_small, const(format.bias - shift // 3, format.word), const(format.bias, format.word))
    is_ordinary = and_(lt(number(0.0, x), size), lt(size, number(math.inf, x)))
    return select(is_ordinary, with_sign(root * power_of_two(word + undone, format), sign_of(x)), x)


def hypot(x: Expr, y: Expr) -> Expr:
    """sqrt(x**2 + y**2), scaled where squares would overflow or vanish; infinite if either is, NaN otherwise if either is."""
    format, x, y = format_of(x), absolute(x), absolute(y)
    is_swapped = lt(x, y)
    large, small = select(is_swapped, y, x), select(is_swapped, x, y)
    shift = 2.0 ** (format.bias * 3 // 5)
    bound = 2.0 ** (format.bias * 2 // 5)
    is_large, is_small = lt(number(bound, x), large), lt(large, number(1 / bound, x))
    one = number(1.0, x)
    factor = select(is_large, number(1 / shift, x), select(is_small, number(shift, x), one))
    back = select(is_large, number(shift, x), select(is_small, number(1 / shift, x), one))
    large, small = large * factor, small * factor
    length = sqrt(fused(large, large, small * small)) * back
    infinity = number(math.inf, x)
    return select(or_(eq(x, infinity), eq(y, infinity)), infinity, length)

