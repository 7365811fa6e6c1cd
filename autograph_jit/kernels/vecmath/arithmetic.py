"""The vocabulary of the vectorised functions: fused arithmetic, polynomials, numbers taken apart into exponent and significand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autograph_jit.ir.scalar import Expr, and_, bitcast, const, fma, lift, lt, select, shl, xor

Coefficients = dict[str, tuple[float, ...]]  # by dtype, "f8" and "f4", the constant term first


@dataclass(frozen=True, slots=True)
class Format:
    """A binary float format: significand bits, exponent bias, the integers of its width, constants of reductions."""

    dtype: np.dtype
    fraction: int  # stored bits of the significand
    bias: int
    word: np.dtype  # the unsigned integer of the same width

    @property
    def magic(self) -> float:
        """1.5 * 2**fraction: a small number plus this has the number, rounded to an integer, in its low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def smallest(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def sign(self) -> int:
        return 1 << (8 * self.dtype.itemsize - 1)


F64 = Format(np.dtype("f8"), 52, 1023, np.dtype("u8"))
F32 = Format(np.dtype("f4"), 23, 127, np.dtype("u4"))


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


def polynomial(x: Expr, coefficients: Coefficients | Sequence[float]) -> Expr:
    """c[0] + c[1] * x + ... by Horner's rule."""
    terms = coefficients[x.dtype.str[1:]] if isinstance(coefficients, dict) else tuple(coefficients)
    total = number(terms[-1], x)
    for term in reversed(terms[:-1]):
        total = fused(total, x, term)
    return total


def split_constant(text: str, format: Format, parts: int) -> tuple[float, ...]:
    """A number given by its decimal digits as a sum of floats of the format, the largest first, without overlap."""
    digits, point = text.replace(".", ""), text.index(".")
    rest, scale = int(digits), 10 ** (len(digits) - point)
    found: list[float] = []
    numerator, denominator = rest, scale
    for _ in range(parts):
        part = float(format.dtype.type(numerator / denominator))
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


def is_positive_finite(x: Expr) -> Expr:
    """Whether 0 < x < infinity."""
    return and_(lt(number(0, x), x), lt(x, number(math.inf, x)))

