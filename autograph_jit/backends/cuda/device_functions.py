"""Functions that kernels call, written in the Python that numba compiles for the device and that the simulator runs as it is."""

from __future__ import annotations

import cmath
import math
from typing import Any


def integer_power(x: Any, n: Any, one: Any) -> Any:
    """x ** n for n >= 0 by squaring, wrapping; `one` and the operands have one dtype."""
    total = one
    base = x
    left = n
    while left > 0:
        if left & one:
            total = total * base
        base = base * base
        left = left >> one
    return total


def greatest_divisor(x: Any, y: Any) -> Any:
    """Euclid's algorithm on numbers that are not negative."""
    while y != 0:
        x, y = y, x % y
    return x


def least_multiple(x: Any, y: Any) -> Any:
    """The least common multiple of numbers that are not negative; 0 if either is 0."""
    p = x
    q = y
    while q != 0:
        p, q = q, p % q
    if p == 0:
        return p
    return (x // p) * y


def complex_divide(x: complex, y: complex) -> complex:
    """Smith's division (CACM 5, 1962), with NumPy's treatment of a zero divisor."""
    size_re = abs(y.real)
    size_im = abs(y.imag)
    if size_re == 0.0 and size_im == 0.0:
        return complex(divide(x.real, size_re), divide(x.imag, size_re))
    if size_re >= size_im:
        ratio = y.imag / y.real
        scale = 1.0 / (y.real + y.imag * ratio)
        return complex((x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale)
    ratio = y.real / y.imag
    scale = 1.0 / (y.imag + y.real * ratio)
    return complex((x.real * ratio + x.imag) * scale, (x.imag * ratio - x.real) * scale)


def divide(x: float, y: float) -> float:
    """x / y where y is zero: infinite or NaN, never an exception."""
    if x > 0.0:
        return math.inf
    if x < 0.0:
        return -math.inf
    return math.nan


def complex_exp(z: complex) -> complex:
    """exp."""
    size = math.exp(z.real)
    if z.imag == 0.0:
        return complex(size, z.imag)
    return complex(size * math.cos(z.imag), size * math.sin(z.imag))


def complex_log(z: complex) -> complex:
    """log, with the branch cut along the negative real axis."""
    return complex(math.log(math.hypot(z.real, z.imag)), math.atan2(z.imag, z.real))


def complex_log1p(z: complex) -> complex:
    """log(1 + z), as NumPy computes it."""
    return complex(math.log(math.hypot(z.real + 1.0, z.imag)), math.atan2(z.imag, z.real + 1.0))


def complex_expm1(z: complex) -> complex:
    """exp(z) - 1 without cancellation near zero."""
    half_sine = math.sin(z.imag * 0.5)
    grown = math.expm1(z.real)
    return complex(grown * math.cos(z.imag) - 2.0 * half_sine * half_sine, math.exp(z.real) * math.sin(z.imag))


def complex_sinh(z: complex) -> complex:
    """sinh."""
    return complex(math.sinh(z.real) * math.cos(z.imag), math.cosh(z.real) * math.sin(z.imag))


def complex_cosh(z: complex) -> complex:
    """cosh."""
    return complex(math.cosh(z.real) * math.cos(z.imag), math.sinh(z.real) * math.sin(z.imag))


def complex_tanh(z: complex) -> complex:
    """tanh, by Kahan's formula (1987) away from overflow."""
    if abs(z.real) > 20.0:
        return complex(math.copysign(1.0, z.real), 4.0 * math.sin(z.imag) * math.cos(z.imag) * math.exp(-2.0 * abs(z.real)))
    tangent = math.tan(z.imag)
    beta = 1.0 + tangent * tangent
    sine = math.sinh(z.real)
    rho = math.sqrt(1.0 + sine * sine)
    return complex(beta * rho * sine / (1.0 + beta * sine * sine), tangent / (1.0 + beta * sine * sine))


def complex_sin(z: complex) -> complex:
    """sin."""
    return complex(math.sin(z.real) * math.cosh(z.imag), math.cos(z.real) * math.sinh(z.imag))


def complex_cos(z: complex) -> complex:
    """cos."""
    return complex(math.cos(z.real) * math.cosh(z.imag), -math.sin(z.real) * math.sinh(z.imag))


def complex_tan(z: complex) -> complex:
    """tan, from tanh turned by a right angle."""
    turned = complex_tanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


def complex_acosh(z: complex) -> complex:
    """acosh, by Kahan's formula (1987)."""
    below = cmath.sqrt(complex(z.real - 1.0, z.imag))
    above = cmath.sqrt(complex(z.real + 1.0, z.imag))
    re = math.asinh(below.real * above.real + below.imag * above.imag)
    return complex(re, 2.0 * math.atan2(below.imag, above.real))


def complex_pow(x: complex, y: complex) -> complex:
    """x ** y by logarithms; of zero as NumPy has it."""
    if x.real == 0.0 and x.imag == 0.0:
        if y.real == 0.0 and y.imag == 0.0:
            return complex(1.0, 0.0)
        if y.real > 0.0 and y.imag == 0.0:
            return complex(0.0, 0.0)
        return complex(math.nan, math.nan)
    log = complex(math.log(math.hypot(x.real, x.imag)), math.atan2(x.imag, x.real))
    size = math.exp(y.real * log.real - y.imag * log.imag)
    angle = y.real * log.imag + y.imag * log.real
    return complex(size * math.cos(angle), size * math.sin(angle))


def complex_scaled_log(z: complex, factor: float) -> complex:
    """log to another base, of which `factor` is the inverse natural logarithm."""
    return complex(math.log(math.hypot(z.real, z.imag)) * factor, math.atan2(z.imag, z.real) * factor)


def complex_sqrt(z: complex) -> complex:
    """sqrt."""
    return cmath.sqrt(z)


def complex_asin(z: complex) -> complex:
    """asin."""
    return cmath.asin(z)


def complex_acos(z: complex) -> complex:
    """acos."""
    return cmath.acos(z)


def complex_atan(z: complex) -> complex:
    """atan."""
    return cmath.atan(z)


def complex_asinh(z: complex) -> complex:
    """asinh."""
    return cmath.asinh(z)


def complex_atanh(z: complex) -> complex:
    """atanh."""
    return cmath.atanh(z)
