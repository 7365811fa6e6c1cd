"""Derivatives of elementwise operations that take more than a line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Derivative
from autograph_jit.ops.derivatives.shared import chain, conjugated, derivative_of_linear, elementwise, is_complex, tangent_or_zero

SLOPE_OF_ERF = 2 / math.sqrt(math.pi)
DIGAMMA_SHIFT = 8
# Coefficients of x**-2, x**-4, ... in the asymptotic series of digamma: B(2k) / 2k (Abramowitz and Stegun 1964, 6.3.18).
DIGAMMA_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def digamma(x: Any) -> Any:
    """The derivative of lgamma: reflection below 1/2, recurrence up to 8, then the asymptotic series."""
    reflect = x < 0.5
    z = np.where(reflect, 1 - x, x)
    shift = 0.0
    for k in range(DIGAMMA_SHIFT):
        shift = shift + 1 / (z + k)
    z = z + DIGAMMA_SHIFT
    power = 1 / (z * z)
    series = 0.0
    for coefficient in reversed(DIGAMMA_SERIES):
        series = (series + coefficient) * power
    value = np.log(z) - 0.5 / z - series - shift
    return np.where(reflect, value - math.pi / np.tan(math.pi * np.where(reflect, x, 0.25)), value)


def power_by_base(r: Any, x: Any, y: Any) -> Any:
    """y x^(y-1); 0 for x = y = 0."""
    return y * np.power(x, np.where((x == 0) & (y == 0), 1, y - 1))


def power_by_exponent(r: Any, x: Any, y: Any) -> Any:
    """x^y log(x); 0 for x = 0, NaN for a negative x of a real power."""
    return r * np.log(np.where(x == 0, 1, x))


def arcsin_slope(r: Any, x: Any) -> Any:
    """1 / sqrt(1 - x^2), without cancellation near 1 and on the right sheet for complex x."""
    return 1 / (np.sqrt(1 - x) * np.sqrt(1 + x)) if is_complex(x) else 1 / np.sqrt((1 - x) * (1 + x))


def over_length(x: Any, length: Any) -> Any:
    """x / length; 0 where the length is 0."""
    return x / np.where(length == 0, 1, length)


def share_of_exponential(x: Any, r: Any) -> Any:
    """exp(x - r); 1 where they are equal, infinite ones too."""
    return np.exp(np.where(x == r, 0, x - r))


def share2(x: Any, r: Any) -> Any:
    """2^(x - r); 1 where they are equal, infinite ones too."""
    return np.exp2(np.where(x == r, 0, x - r))


def absolute_jvp(tangents: tuple[Any], result: Any, z: Any) -> Any:
    """The part of the tangent along z."""
    (t,) = tangents
    if t is None:
        return None
    return np.real(t * conjugated(over_length(z, result))) if is_complex(z) else t * np.sign(z)


def turn(t: Any, result: Any, z: Any) -> Any:
    """How z / |z| changes with z: the part of t across z, over |z|. This linear map is its own adjoint; real signs are flat."""
    if not is_complex(z):
        return None
    return over_length(t - result * np.real(np.conjugate(result) * t), np.absolute(z))


def angle_vjp(ct: Any, result: Any, z: Any) -> tuple[Any]:
    """ct i z / |z|^2; real angles are flat."""
    if not is_complex(z):
        return (None,)
    return (chain(ct * 1j, np.conjugate(z) / (np.real(z) ** 2 + np.imag(z) ** 2)),)


def is_inexact(x: Any) -> bool:
    """Whether the dtype of a value is a float or complex one."""
    return x.dtype.kind in "fc"


def cast_part(t: Any, dtype: Any) -> Any:
    """Convert a cotangent or tangent: complex to real takes the real part."""
    return (np.real(t) if is_complex(t) and dtype.kind != "c" else t).astype(dtype)


def cast_jvp(tangents: tuple[Any], result: Any, x: Any, dtype: Any) -> Any:
    """The tangent in the result's dtype."""
    return None if tangents[0] is None or not (is_inexact(x) and is_inexact(result)) else cast_part(tangents[0], result.dtype)


def complex_jvp(tangents: tuple[Any, Any], result: Any, re: Any, im: Any) -> Any:
    """The complex number of the tangents."""
    if tangents[0] is None and tangents[1] is None:
        return None
    return tangent_or_zero(tangents[0], re) + 1j * tangent_or_zero(tangents[1], im)


def where_vjp(ct: Any, result: Any, condition: Any, x: Any, y: Any) -> tuple[None, Any, Any]:
    """Zero for the branch that was not taken."""
    return None, np.where(condition, ct, 0), np.where(condition, 0, ct)


def where_jvp(tangents: tuple[None, Any, Any], result: Any, condition: Any, x: Any, y: Any) -> Any:
    """The tangent of the branch that was taken."""
    if tangents[1] is None and tangents[2] is None:
        return None
    return np.where(condition, tangent_or_zero(tangents[1], x), tangent_or_zero(tangents[2], y))


def ldexp_jvp(tangents: tuple[Any, None], result: Any, x: Any, exponent: Any) -> Any:
    """Linear in x."""
    return None if tangents[0] is None else np.ldexp(tangents[0], exponent)


POWER = elementwise(power_by_base, power_by_exponent)
ARCSIN = elementwise(arcsin_slope)
ARCCOS = elementwise(lambda r, x: -arcsin_slope(r, x))
HYPOT = elementwise(lambda r, x, y: over_length(x, r), lambda r, x, y: over_length(y, r), regular=True)
ARCTAN2 = elementwise(lambda r, y, x: x / (x * x + y * y), lambda r, y, x: -y / (x * x + y * y))
LOGADDEXP = elementwise(lambda r, x, y: share_of_exponential(x, r), lambda r, x, y: share_of_exponential(y, r), regular=True)
LOGADDEXP2 = elementwise(lambda r, x, y: share2(x, r), lambda r, x, y: share2(y, r), regular=True)
COPYSIGN = elementwise(lambda r, x, y: np.sign(x) * np.copysign(1.0, y), None, regular=True)
ERF = elementwise(lambda r, x: SLOPE_OF_ERF * np.exp(-x * x), regular=True)
ERFC = elementwise(lambda r, x: -SLOPE_OF_ERF * np.exp(-x * x), regular=True)
LGAMMA = elementwise(lambda r, x: digamma(x))
ABSOLUTE = Derivative(lambda ct, result, z: (ct * over_length(z, result) if is_complex(z) else ct * np.sign(z),), absolute_jvp)
SIGN = Derivative(lambda ct, r, z: (turn(ct, r, z),), lambda tangents, r, z: None if tangents[0] is None else turn(tangents[0], r, z))
ANGLE = Derivative(angle_vjp, lambda tangents, result, z: None if tangents[0] is None or not is_complex(z) else np.imag(tangents[0] / z))
CAST = Derivative(lambda ct, result, x, dtype: (cast_part(ct, x.dtype) if is_inexact(x) and is_inexact(result) else None,), cast_jvp)
COMPLEX = Derivative(lambda ct, r, re, im: (np.real(ct), np.imag(ct)), complex_jvp)
WHERE = Derivative(where_vjp, where_jvp)
LDEXP = Derivative(lambda ct, r, x, exponent: (np.ldexp(ct, exponent), None), ldexp_jvp)
CONJUGATE = derivative_of_linear(lambda ct, x: conjugated(ct), lambda t, x: conjugated(t))
REAL = derivative_of_linear(lambda ct, x: ct + 0j if is_complex(x) else ct, lambda t, x: np.real(t))
IMAG = derivative_of_linear(lambda ct, x: ct * 1j if is_complex(x) else None, lambda t, x: np.imag(t) if is_complex(x) else None)
