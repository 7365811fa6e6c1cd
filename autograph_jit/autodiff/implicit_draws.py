"""How a gamma number moves with its shape: implicit reparametrisation.

The number z keeps its probability P(a, z) while the shape a moves, so dz/da = -(dP/da) / (dP/dz) (Figurnov, Mohamed and Mnih 2018,
equation 6). P, the regularised incomplete gamma function, and its derivative by a are a series for small z and a continued fraction for
large z (Moore 1982, algorithm AS 187).
"""

from __future__ import annotations

import math

from autograph_jit.ops.derivatives.elementwise import digamma
from autograph_jit.ops.random import MOVES
from autograph_jit.tracing.expressions.register import builtin, convert_on_call

SMALLEST_CHANGE = 1e-16  # of a sum, beside the sum
LARGEST = 1e200  # of a denominator, before both parts of a fraction are scaled


def move_of_gamma(z: float, a: float) -> float:
    """The derivative of a gamma number by its shape. With x^(a-1) e^-x / gamma(a), the density, taken out of everything."""
    if z <= 0.0:
        return 0.0
    slope = math.log(z) - float(digamma(a))
    if z <= a + 1.0:
        value, by_shape = series(z, a)
        return -z * (value * slope + by_shape)
    value, by_shape = fraction(z, a)
    return z * (value * slope + by_shape)


def series(z: float, a: float) -> tuple[float, float]:
    """The lower integral and its derivative by a: the sum of z^n / (a (a + 1) ... (a + n))."""
    term, n = 1.0 / a, 0.0
    by_shape = -term / a
    value, total = term, by_shape
    while term > SMALLEST_CHANGE * value or -by_shape > -SMALLEST_CHANGE * total:
        n += 1.0
        by_shape = (by_shape - term / (a + n)) * z / (a + n)
        term *= z / (a + n)
        value += term
        total += by_shape
    return value, total


def fraction(z: float, a: float) -> tuple[float, float]:
    """The upper integral and its derivative by a: 1 / (z + 1 - a - 1 (1 - a) / (z + 3 - a - 2 (2 - a) / ...))."""
    upper, lower, upper_before, lower_before = 1.0, z + 1.0 - a, 0.0, 1.0
    upper_slope, lower_slope, upper_slope_before, lower_slope_before = 0.0, -1.0, 0.0, 0.0
    value, by_shape, change, n = upper / lower, upper / (lower * lower), 1.0, 0.0
    while change > SMALLEST_CHANGE * 100.0:
        n += 1.0
        b, c = z + 2.0 * n + 1.0 - a, n * (a - n)
        upper_slope, upper_slope_before = b * upper_slope - upper + c * upper_slope_before + n * upper_before, upper_slope
        lower_slope, lower_slope_before = b * lower_slope - lower + c * lower_slope_before + n * lower_before, lower_slope
        upper, upper_before = b * upper + c * upper_before, upper
        lower, lower_before = b * lower + c * lower_before, lower
        if abs(lower) > LARGEST or abs(lower_slope) > LARGEST:
            upper, upper_before, lower, lower_before = upper / LARGEST, upper_before / LARGEST, lower / LARGEST, lower_before / LARGEST
            upper_slope, upper_slope_before = upper_slope / LARGEST, upper_slope_before / LARGEST
            lower_slope, lower_slope_before = lower_slope / LARGEST, lower_slope_before / LARGEST
        before, before_by_shape = value, by_shape
        value = upper / lower
        by_shape = (upper_slope - value * lower_slope) / lower
        change = max(abs(value / before - 1.0), abs(by_shape - before_by_shape) / max(abs(by_shape), abs(value)))
    return value, by_shape


for _function in (series, fraction):
    builtin(_function)(convert_on_call(_function))
builtin(digamma)(digamma)
converted = convert_on_call(move_of_gamma)
MOVES["standard_gamma"] = (converted,)
MOVES["chisquare"] = (lambda z, df: converted(0.5 * z, 0.5 * df),)  # twice a gamma number of half the shape
