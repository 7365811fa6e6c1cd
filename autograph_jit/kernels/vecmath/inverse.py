"""asin, acos, atan and atan2: arguments are mapped to where an odd polynomial is short, multiples of pi / 4 added in two parts."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, and_, eq, isnan, le, lt, or_, select, signbit, sqrt
from autograph_jit.kernels.vecmath.arithmetic import PI, format_of, fused, number, polynomial, sign_of, with_sign
from autograph_jit.kernels.vecmath.coefficients import ASIN, ATAN

EIGHTH_TURN, THREE_EIGHTHS_TURN = math.tan(math.pi / 8), math.tan(3 * math.pi / 8)


def multiple_of_pi(like: Expr, factor: float) -> tuple[Expr, Expr]:
    """factor * pi in two parts, for a power of two or zero."""
    high, low = PI[format_of(like)][:2]
    return number(high * factor, like), number(low * factor, like)


def choose(condition: Expr, first: tuple[Expr, Expr], second: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    return select(condition, first[0], second[0]), select(condition, first[1], second[1])


def odd(x: Expr, coefficients: dict[str, tuple[float, ...]], z: Expr) -> Expr:
    """x + x * z * p(z)."""
    return fused(x * z, polynomial(z, coefficients), x)


def angle_of_ratio(y: Expr, x: Expr) -> Expr:
    """atan(y / x) for y, x >= 0, not both zero or infinite: of y / x, of (y - x) / (y + x) or of -x / y."""
    is_low, is_middle = le(y, x * EIGHTH_TURN), le(y, x * THREE_EIGHTHS_TURN)
    above = select(is_low, y, select(is_middle, y - x, number(0.0, x) - x))
    below = select(is_low, x, select(is_middle, y + x, y))
    upper = choose(is_middle, multiple_of_pi(x, 0.25), multiple_of_pi(x, 0.5))
    high, low = choose(is_low, multiple_of_pi(x, 0.0), upper)
    t = above / below
    z = t * t
    return high + (fused(t * z, polynomial(z, ATAN), low) + t)


def atan(x: Expr) -> Expr:
    return with_sign(angle_of_ratio(absolute(x), number(1.0, x)), sign_of(x))


def atan2(y: Expr, x: Expr) -> Expr:
    """The angle of (|x|, |y|), mirrored; numbers near overflow are halved twice, two infinities or two zeros replaced."""
    height, width = absolute(y), absolute(x)
    format, infinity = format_of(x), number(math.inf, x)
    is_diagonal = and_(eq(height, infinity), eq(width, infinity))
    factor = select(lt(number(2.0 ** (format.bias - 3), x), select(lt(height, width), width, height)), number(0.25, x), number(1.0, x))
    height = select(is_diagonal, number(1.0, x), height * factor)
    width = select(or_(is_diagonal, eq(height, number(0.0, x))), number(1.0, x), width * factor)
    angle = angle_of_ratio(height, width)
    high, low = multiple_of_pi(x, 1.0)
    result = with_sign(select(signbit(x), high - (angle - low), angle), sign_of(y))
    return select(or_(isnan(x), isnan(y)), x + y, result)


def half_arc(size: Expr) -> tuple[Expr, Expr]:
    """Whether |x| > 1/2; asin(|x|), where that is so the arc of (1 - |x|) / 2's root, which is half of the arc left to pi / 2."""
    is_large = lt(number(0.5, size), size)
    z = select(is_large, (number(1.0, size) - size) * 0.5, size * size)
    return is_large, odd(select(is_large, sqrt(z), size), ASIN, z)


def asin(x: Expr) -> Expr:
    is_large, arc = half_arc(absolute(x))
    high, low = multiple_of_pi(x, 0.5)
    return with_sign(select(is_large, high - (arc * 2.0 - low), arc), sign_of(x))


def acos(x: Expr) -> Expr:
    """pi / 2 - asin(x); near 1 twice the half arc, near -1 pi less that."""
    is_large, arc = half_arc(absolute(x))
    signed = with_sign(select(is_large, arc + arc, arc), sign_of(x))
    high, low = choose(is_large, choose(lt(x, number(0.0, x)), multiple_of_pi(x, 1.0), multiple_of_pi(x, 0.0)), multiple_of_pi(x, 0.5))
    return high + (select(is_large, signed, number(0.0, x) - signed) + low)
