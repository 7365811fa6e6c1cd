"""Sample calls of elementwise operations, as in `samples`."""

from __future__ import annotations

import math

import numpy as np
import scipy.special


def updated(x, y):
    z = x * 1
    z += y
    z *= x
    z -= y * y
    z /= x + 1
    z **= 2
    return z


V, M, S, B = (4,), (3, 4), (3, 3), ()  # a vector, a matrix, a square matrix, a number

ELEMENTWISE = {
    "parts of a number": (lambda x: np.real(x) * x.imag + x.real**2, B),
    "angle of a number": (lambda x: np.angle(x) * np.abs(x), B),
    "add": (lambda x, y: x + y, M, V),
    "subtract": (lambda x, y: x - y, V, M),
    "multiply": (lambda x, y: x * y, M, (3, 1)),
    "divide": (lambda x, y: x / y, M, V),
    "power": (lambda x, y: x**y, V, V),
    "power of a number": (lambda x, y: x**y, B, B),
    "integer power": (lambda x: x**3 + x**-2 + x**2, V),
    "positive": (lambda x: +x * x, V),
    "negative": (lambda x: -x * x, V),
    "absolute": (lambda x: np.abs(x) ** 3, V),
    "sign": (lambda x: np.sign(x) * x, V),
    "square": (lambda x: np.square(x), V),
    "reciprocal": (lambda x: np.reciprocal(x), V),
    "conjugate": (lambda x: np.conj(x) * x * x, V),
    "sqrt": (lambda x: np.sqrt(x), V),
    "exp": (lambda x: np.exp(x), V),
    "exp2": (lambda x: np.exp2(x), V),
    "expm1": (lambda x: np.expm1(x), V),
    "log": (lambda x: np.log(x), V),
    "log2": (lambda x: np.log2(x), V),
    "log10": (lambda x: np.log10(x), V),
    "log1p": (lambda x: np.log1p(x), V),
    "sin": (lambda x: np.sin(x), V),
    "cos": (lambda x: np.cos(x), V),
    "tan": (lambda x: np.tan(x), V),
    "arcsin": (lambda x: np.arcsin(x), V),
    "arccos": (lambda x: np.arccos(x), V),
    "arctan": (lambda x: np.arctan(x), V),
    "sinh": (lambda x: np.sinh(x), V),
    "cosh": (lambda x: np.cosh(x), V),
    "tanh": (lambda x: np.tanh(x), V),
    "arcsinh": (lambda x: np.arcsinh(x), V),
    "arccosh": (lambda x: np.arccosh(x + 1.5), V),
    "arctanh": (lambda x: np.arctanh(x), V),
    "sinc": (lambda x: np.sinc(x), V),
    "where": (lambda x, y: np.where(np.abs(x) > 0.5, x * y, y**3), M, V),
    "real and imag": (lambda x: np.real(x) ** 2 * np.imag(x) + x.real, V),
    "angle": (lambda x: np.angle(x) * np.abs(x) ** 2, V),
    "imaginary unit": (lambda x: (x + 1j * x**2) ** 3, V),
    "cast": (lambda x: x.astype(np.complex128) * 2j * x, V),
    "number": (lambda x, y: np.sin(x) * y / x, B, B),
    "float_power": (lambda x, y: np.float_power(x, y), V, V),
    "reflected": (lambda x: 2.0**x + 3 / x - (1 - x), V),
    "in-place operators": (updated, V, V),
}

REAL_ELEMENTWISE = {
    "complex of parts": (lambda x, y: complex(x, y) ** 2, B, B),
    "cbrt": (lambda x: np.cbrt(x), V),
    "arctan2": (lambda y, x: np.arctan2(y, x), V, M),
    "hypot": (lambda x, y: np.hypot(x, y), M, V),
    "logaddexp": (lambda x, y: np.logaddexp(x, y), V, V),
    "logaddexp2": (lambda x, y: np.logaddexp2(x, y), V, V),
    "degrees": (lambda x: np.degrees(x) ** 2, V),
    "radians": (lambda x: np.radians(x) ** 2, V),
    "ldexp": (lambda x: np.ldexp(x * x, 3), V),
    "remainder": (lambda x, y: np.remainder(5 * x, y) ** 2, V, V),
    "fmod": (lambda x, y: np.fmod(-5 * x, y) ** 2, V, V),
    "copysign": (lambda x, y: np.copysign(x, -y) ** 3, V, V),
    "maximum": (lambda x, y: np.maximum(x, y) ** 3, V, M),
    "minimum": (lambda x, y: np.minimum(x, y) ** 3, V, M),
    "fmax": (lambda x, y: np.fmax(x, y) ** 3, V, V),
    "fmin": (lambda x, y: np.fmin(x, y) ** 3, V, V),
    "clip": (lambda x: np.clip(x, 0.4, 0.7) ** 3, M),
    "clip by arrays": (lambda x, y, z: np.clip(x, y, z + 0.5) ** 2, V, V, V),
    "heaviside": (lambda x, y: np.heaviside(x, 0.5) * y * x, V, V),
    "floor": (lambda x: (4 * x - np.floor(4 * x)) ** 2, V),
    "modf": (lambda x: np.modf(3 * x)[0] ** 2 * x, V),
    "divmod": (lambda x, y: np.divmod(5 * x, y)[1] ** 2, V, V),
    "erf": (lambda x: math.erf(x) * x, B),
    "erfc": (lambda x: math.erfc(x), B),
    "lgamma": (lambda x: math.lgamma(x + 1), B),
    "gammaln": (lambda x: scipy.special.gammaln(x + 1), V),
    "ndtr": (lambda x: scipy.special.ndtr(x) * x, V),
    "expit": (lambda x: scipy.special.expit(x) * x, V),
    "log_expit": (lambda x: scipy.special.log_expit(x - 0.5) * x, V),
    "logit": (lambda x: scipy.special.logit(x / 3), V),
    "entr": (lambda x: scipy.special.entr(x), V),
    "xlogy": (lambda x, y: scipy.special.xlogy(x, y), V, V),
    "xlog1py": (lambda x, y: scipy.special.xlog1py(x, y), V, V),
    "gamma": (lambda x: math.gamma(x + 1), B),
    "frexp": (lambda x: np.frexp(3 * x)[0] ** 2, V),
    "abs of a signed number": (lambda x: np.abs(x - 0.5) ** 3 + np.fabs(x), V),
    "nan_to_num": (lambda x: np.nan_to_num(x * x), V),
    "deg2rad": (lambda x: np.deg2rad(x) ** 2, V),
    "piecewise": (lambda x: np.piecewise(x, [x > 0.5, x <= 0.5], [lambda v: v**2, lambda v: v**3]), V),
    "select": (lambda x: np.select([x > 0.7, x > 0.4], [x**2, x**3], x), M),
    "ldexp of numbers": (lambda x: math.ldexp(x, 2) * x, B),
    "math functions": (lambda x: math.sqrt(x) + math.exp(x) * math.atan2(x, 2) + math.hypot(x, 1) + math.log(x, 3) + math.pow(x, 3), B),
}
