"""The vocabulary of the vectorised functions: fused arithmetic, polynomials, numbers taken apart into exponent and significand."""

from __future__ import annotations

import math

import numpy as np

from autograph_jit.ir.scalar import Expr, and_, bitcast, const, fma, lift, lt, select, shl, xor
from autograph_jit.records import dataclass

Coefficients = dict[str, tuple[float, ...]]  # by dtype, "f8" and "f4", the constant term first


@dataclass(frozen=True, slots=True)
class Format:
    """A binary float format: significand bits, exponent bias, the integers of its width, constants of reductions."""

    dtype: np.dtype
    fraction: int  # stored bits of the significand
    bias: int
    word: np.dtype  # the unsigned integer of the same width

    @property
    def exponent_bits(self) -> int:
        return self.bias.bit_length() + 1

    @property
    def magic(self) -> float:
        """1.5 * 2**fraction: a small number plus this has the number, rounded to an integer, in its low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def plain(self) -> float:
        """2**fraction: its bits, or those of a small integer, are the bits of their sum."""
        return 2.0**self.fraction

    @property
    def plain_bits(self) -> int:
        return (self.bias + self.fraction) << self.fraction

    @property
    def smallest(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def sign(self) -> int:
        return 1 << (8 * self.dtype.itemsize - 1)


F64 = Format(np.dtype("f8"), 52, 1023, np.dtype("u8"))
F32 = Format(np.dtype("f4"), 23, 127, np.dtype("u4"))
FORMATS = (F64, F32)
LONGEST_CHAIN = 6  # as many fused operations in a row as a processor overlaps well


def format_of(x: Expr) -> Format:
    return F64 if x.dtype == F64.dtype else F32


def number(value: float, like: Expr) -> Expr:
    """A literal of the dtype of another expression."""
    return const(value, like.dtype)


def fused(x: Expr, y: Expr | float, z: Expr | float) -> Expr:
    """x * y + z, rounded once."""
    return fma(x, lift(y, x.dtype), lift(z, x.dtype))


def clamp(x: Expr, low: float, high: float) -> Expr:
    """The nearest number between two bounds; NaN stays."""
    least, most = number(low, x), number(high, x)
    x = select(lt(most, x), most, x)
    return select(lt(x, least), least, x)


def polynomial(x: Expr, coefficients: Coefficients) -> Expr:
    """c[0] + x * (c[1] + ...), the inner part by Horner's rule in x**2 or x**4 over groups of terms: fewer steps wait for each other."""
    constant, *parts = (number(term, x) for term in coefficients[x.dtype.str[1:]])
    power = x
    while len(parts) > LONGEST_CHAIN:
        parts = [fused(power, *parts[i : i + 2][::-1]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
        power = power * power
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = fused(total, power, part)
    return fused(total, x, constant)


def split_constant(text: str, format: Format, parts: int, trimmed: int = 0) -> tuple[float, ...]:
    """A number given by its decimal digits as a sum of floats of the format, the largest first, without overlap.

    The first has `trimmed` bits less than the format holds, so that its product with a small integer is exact.
    """
    digits, point = text.replace(".", ""), text.index(".")
    rest, scale = int(digits), 10 ** (len(digits) - point)
    found: list[float] = []
    numerator, denominator = rest, scale
    for index in range(parts):
        part = float(format.dtype.type(numerator / denominator))
        if trimmed and index == 0:
            step = 2.0 ** (math.frexp(part)[1] - format.fraction - 1 + trimmed)
            part = math.floor(part / step) * step
        found.append(part)
        top, bottom = part.as_integer_ratio()
        numerator, denominator = numerator * bottom - top * denominator, denominator * bottom
    return tuple(found)


def bits(x: Expr) -> Expr:
    """The bits of a float as an unsigned integer."""
    return bitcast(x, format_of(x).word)


def from_bits(word: Expr) -> Expr:
    """The float of these bits."""
    return bitcast(word, np.dtype(f"f{word.dtype.itemsize}"))


def sign_of(x: Expr) -> Expr:
    """The sign bit, alone, as an unsigned integer."""
    return and_(bits(x), format_of(x).sign)


def with_sign(x: Expr, sign: Expr) -> Expr:
    """A float whose sign is flipped where a sign bit is set."""
    return from_bits(xor(bits(x), sign))


def round_by_magic(x: Expr, factor: float) -> tuple[Expr, Expr]:
    """The integer n nearest to x * factor, |n| < 2**(fraction - 1): as a float, and as a word that holds n modulo 2**fraction."""
    format = format_of(x)
    shifted = fused(x, factor, format.magic)
    return shifted - format.magic, bits(shifted)


def power_of_two(exponent: Expr, format: Format) -> Expr:
    """2.0 ** n of a word that holds n + bias, modulo 2**(bits of the exponent)."""
    return from_bits(shl(exponent, format.fraction))


# Constants as sums of floats of each format; what is multiplied by an exponent is trimmed.
LOG_2_DIGITS = "0.6931471805599453094172321214581765680755001343602552541206800094933936"
LOG2_OF_E_DIGITS = "1.442695040888963407359924681001892137426645954152985934135449406931109"
LOG10_OF_2_DIGITS = "0.3010299956639811952137388947244930267681898814621085413104274611271082"
LOG10_OF_E_DIGITS = "0.4342944819032518276511289189166050822943970058036665661144537831658646"
PI_DIGITS = "3.141592653589793238462643383279502884197169399375105820974944592307816"
LOG_2 = {format: split_constant(LOG_2_DIGITS, format, 2) for format in FORMATS}
LOG2_OF_E = {format: split_constant(LOG2_OF_E_DIGITS, format, 2) for format in FORMATS}
LOG10_OF_2 = {format: split_constant(LOG10_OF_2_DIGITS, format, 2, trimmed=format.exponent_bits) for format in FORMATS}
LOG10_OF_E = {format: split_constant(LOG10_OF_E_DIGITS, format, 2) for format in FORMATS}
PI = {format: split_constant(PI_DIGITS, format, 4) for format in FORMATS}
