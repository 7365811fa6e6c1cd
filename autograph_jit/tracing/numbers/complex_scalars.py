"""Arithmetic of staged Python complex numbers, as the running Python computes it where a part is zero, infinite or no number.

NumPy's complex numbers have other corners, and those of Python's have changed: quotients that computed as NaN regain their infinities
and zeros in later versions, and from Python 3.14 on products do, too, and a real operand leaves the other part of a number alone.
What this Python does is not looked up but asked. The formulas are those of C11, annex G, and of R. L. Smith (CACM 5, 1962).
"""

from __future__ import annotations

import cmath
import math
import sys
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.python_texts import division_text
from autograph_jit.tracing.values.abstract import PYTHON_TYPES, StagedScalar, check
from autograph_jit.tracing.values.checks import nonzero
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dtype_of, lift_number, scalar
from autograph_jit.tracing.values.trace import constant, emit

COMPLEX, FLOAT, INT = np.dtype(np.complex128), np.dtype(np.float64), np.dtype(np.int64)
KEEPS_PARTS = math.copysign(1.0, (0.0 + complex(0.0, -0.0)).imag) < 0
RECOVERS_PRODUCTS = cmath.isinf(complex(math.inf, math.inf) * 1j)
RECOVERS_QUOTIENTS = 1j / complex(math.inf, math.inf) == 0
DIVIDES_LENGTHS = sys.version_info < (3, 14)  # in powers; the last digit tells
MAX_MULTIPLIED_EXPONENT = 100
Parts = tuple[Any, Any]  # the real and the imaginary part, NumPy's numbers


def binary(symbol: str, x: Any, y: Any) -> StagedScalar:
    """`x symbol y` for two Python numbers of which one is complex, at least one of them staged."""
    if symbol in ("+", "-"):
        return total(symbol, x, y)
    if symbol == "*":
        return product(x, y)
    if symbol == "/":
        check(nonzero(lift_number(y, COMPLEX)), ZeroDivisionError, division_text("/", complex))
        return quotient(x, y)
    if symbol == "**":
        return power(x, y)
    types = " and ".join(f"'{PYTHON_TYPES[dtype_of(number).kind].__name__}'" for number in (x, y))
    raise TypeError(f"unsupported operand type(s) for {'divmod()' if symbol == 'divmod' else symbol}: {types}")


def is_alone(x: Any) -> bool:
    """Whether an operand is a real number that meets one part of the other operand only."""
    return KEEPS_PARTS and dtype_of(x).kind != "c"


def parts(x: Any) -> Parts:
    """The parts of a number; a real number has the imaginary part 0.0."""
    value = lift_number(x, COMPLEX)
    return scalar(emit("real", value).result), scalar(emit("imag", value).result)


def real_number(x: Any) -> Any:
    """A Python number as NumPy's float64."""
    return scalar(lift_number(x, FLOAT))


def joined(re: Any, im: Any) -> StagedScalar:
    """A Python complex number of its parts."""
    return scalar(emit("complex", lift_number(re, FLOAT), lift_number(im, FLOAT)).result, True)


def total(symbol: str, x: Any, y: Any) -> StagedScalar:
    """A sum or difference."""
    if is_alone(x):
        re, im = parts(y)
        return joined(real_number(x) + re, im) if symbol == "+" else joined(real_number(x) - re, -im)
    if is_alone(y):
        re, im = parts(x)
        return joined(re + real_number(y) if symbol == "+" else re - real_number(y), im)
    return scalar(emit("add" if symbol == "+" else "subtract", lift_number(x, COMPLEX), lift_number(y, COMPLEX)).result, True)


def product(x: Any, y: Any) -> StagedScalar:
    """A product; the parts of one with a real number are products of real numbers."""
    for other, factor in ((x, y), (y, x)):
        if is_alone(factor):
            re, im = parts(other)
            return joined(re * real_number(factor), im * real_number(factor))
    found = scalar(emit("multiply", lift_number(x, COMPLEX), lift_number(y, COMPLEX)).result, True)
    if not RECOVERS_PRODUCTS:
        return found
    return language.if_exp(is_lost(found), lambda: recovered_product(found, parts(x), parts(y)), lambda: found)


def recovered_product(lost: StagedScalar, x: Parts, y: Parts) -> StagedScalar:
    """What stands for a product that came out as NaN: it is infinite where a factor, or a product of their parts, is infinite."""
    infinite = is_infinite(*x, *y, *(one * other for one in x for other in y))
    (a, b), (c, d) = boxed_or_cleared(x), boxed_or_cleared(y)
    return either(infinite, joined(np.inf * (a * c - b * d), np.inf * (a * d + b * c)), lost)


def boxed_or_cleared(x: Parts) -> Parts:
    """The parts of a number without infinities and NaNs: of an infinite number, which ones are infinite."""
    infinite = is_infinite(*x)
    re, im = (np.where(infinite, boxed(part), np.where(np.isnan(part), np.copysign(0.0, part), part)) for part in x)
    return re, im


def is_infinite(*numbers: Any) -> Any:
    """Whether one of them is."""
    answer = np.isinf(numbers[0])
    for number in numbers[1:]:
        answer = answer | np.isinf(number)
    return answer


def is_lost(x: StagedScalar) -> Any:
    """Whether both parts are NaN."""
    return np.isnan(np.real(x)) & np.isnan(np.imag(x))


def boxed(part: Any) -> Any:
    """1 for an infinity and 0 for other numbers, with the sign of the part."""
    return np.copysign(np.where(np.isinf(part), 1.0, 0.0), part)


def quotient(x: Any, y: Any) -> StagedScalar:
    """A quotient, by the ratio of the divisor's parts; one of its parts is not zero."""
    if is_alone(y):
        re, im = parts(x)
        return joined(re / real_number(y), im / real_number(y))
    (a, b), (c, d) = parts(x), parts(y)
    by_real = np.absolute(c) >= np.absolute(d)
    large: Any = np.where(by_real, c, d)
    small: Any = np.where(by_real, d, c)
    ratio = small / large
    scale = large + small * ratio
    if is_alone(x):
        re, im = np.where(by_real, a, a * ratio), np.where(by_real, -a * ratio, -a)
    else:
        re, im = np.where(by_real, a + b * ratio, a * ratio + b), np.where(by_real, b - a * ratio, b * ratio - a)
    found = joined(re / scale, im / scale)
    return recovered_quotient(found, (a, b), (c, d), is_alone(x)) if RECOVERS_QUOTIENTS else found


def recovered_quotient(found: StagedScalar, dividend: Parts, divisor: Parts, is_real: bool) -> StagedScalar:
    """The quotient, where it came out as NaN: zero by an infinite divisor, infinite for an infinite dividend that is not real."""
    (a, b), (c, d) = dividend, divisor
    s, t = boxed(c), boxed(d)
    zero = joined(0.0 * (a * s), 0.0 * (-a * t)) if is_real else joined(0.0 * (a * s + b * t), 0.0 * (b * s - a * t))
    result = either(is_lost(found) & is_infinite(c, d) & np.isfinite(a) & np.isfinite(b), zero, found)
    if is_real:
        return result
    s, t = boxed(a), boxed(b)
    infinity = joined(np.inf * (s * c + t * d), np.inf * (t * c - s * d))
    return either(is_lost(found) & is_infinite(a, b) & np.isfinite(c) & np.isfinite(d), infinity, result)


def power(x: Any, y: Any) -> StagedScalar:
    """A power: by products where the exponent is a whole number of at most 100, which a condition asks where only the run knows."""
    if not isinstance(y, StagedScalar):
        return known_power(x, int(y.real)) if is_whole(y) else finite(general_power(x, y))
    re, im = parts(y)
    whole = (im == 0.0) & (np.floor(re) == re) & (np.absolute(re) <= MAX_MULTIPLIED_EXPONENT)
    return finite(language.if_exp(whole, lambda: whole_power(x, scalar(cast(re.value, INT))), lambda: general_power(x, y)))


def is_whole(exponent: complex) -> bool:
    """Whether Python multiplies numbers out for an exponent."""
    return exponent.imag == 0 and abs(exponent.real) <= MAX_MULTIPLIED_EXPONENT and exponent.real == math.floor(exponent.real)


def known_power(x: Any, exponent: int) -> StagedScalar:
    """A whole power by products of squares."""
    result, square, digits = one(), number(x), abs(exponent)
    while digits:
        result = product(result, square) if digits & 1 else result
        digits >>= 1
        square = product(square, square) if digits else square
    return finite(result if exponent > 0 else inverse(result))


def whole_power(x: Any, exponent: Any) -> StagedScalar:
    """The same for an exponent of the run; squares that it does not need are 1, so that none overflows."""
    result, square, count = one(), number(x), abs(exponent)
    for digit in range(MAX_MULTIPLIED_EXPONENT.bit_length()):
        if digit:
            square = either(count >= 1 << digit, product(square, square), one())
        result = either((count >> digit) & 1 == 1, product(result, square), result)
    negative = exponent < 0
    return either(negative, inverse(either(negative, result, one())), result)


def number(x: Any) -> Any:
    """A Python number as a staged complex number."""
    return scalar(lift_number(x, COMPLEX), True)


def one() -> StagedScalar:
    """1 as a complex number."""
    return scalar(constant(np.complex128(1)), True)


def either(condition: Any, x: StagedScalar, y: StagedScalar) -> StagedScalar:
    """`x` where the condition holds, else `y`."""
    return scalar(emit("where", lift_number(condition), x.value, y.value).result, True)


def inverse(x: StagedScalar) -> StagedScalar:
    """1 divided by a power."""
    check(nonzero(x.value), ZeroDivisionError, division_text("**", complex))
    return quotient(one(), x)


def general_power(x: Any, y: Any) -> StagedScalar:
    """The power by magnitude and angle; of 0 it is 0, or an error where the exponent is negative or not real. So are infinite angles."""
    (re, im), is_zero = parts(y), number(x) == 0
    magnitude, angle = np.hypot(*parts(x)), np.arctan2(*reversed(parts(x)))
    length, phase = np.power(magnitude, re), angle * re
    turned = im != 0.0
    length = np.where(turned, length / np.exp(angle * im) if DIVIDES_LENGTHS else length * np.exp(-angle * im), length)
    phase = np.where(turned, phase + im * np.log(magnitude), phase)
    fails = np.where(is_zero, (im != 0.0) | (re < 0.0), np.isinf(phase))
    check(lift_number(~fails), ZeroDivisionError, division_text("**", complex))
    return either(is_zero, scalar(constant(np.complex128(0)), True), joined(length * np.cos(phase), length * np.sin(phase)))


def finite(power: StagedScalar) -> StagedScalar:
    """The power, where neither part is infinite: Python calls that an error."""
    check(lift_number(~is_infinite(*parts(power))), OverflowError, "complex exponentiation")
    return power
