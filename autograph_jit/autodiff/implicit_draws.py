"""How gamma numbers move with their shape, and normal vectors with their covariance: implicit reparametrisation.

The number z keeps its probability P(a, z) while the shape a moves, so dz/da = -(dP/da) / (dP/dz) (Figurnov, Mohamed and Mnih 2018,
equation 6). P, the regularised incomplete gamma function, and its derivative by a are a series for small z and a continued fraction for
large z (Moore 1982, algorithm AS 187). A normal vector x moves by dC C^-1 (x - mean) / 2 where its covariance C moves by dC: then the
covariance of what moved is C + dC, whichever root of C the vector was drawn with.
"""

from __future__ import annotations

import math
import warnings
from inspect import Parameter
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import CustomGradient, stop_gradient
from autograph_jit.library.numpy.draws import Source, is_size, special
from autograph_jit.ops.derivatives.elementwise import digamma
from autograph_jit.ops.random import MOVES
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import refuse
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.values.abstract import StagedObject

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


def normal_vectors(generator: Any, mean: Any, cov: Any, shape: Any, is_legacy: Any) -> Any:
    """Normal vectors, as a Generator and a RandomState compute them from numbers of the standard distribution."""
    if cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    mean, cov = stop_gradient(mean), stop_gradient(cov).astype(np.float64)
    numbers = generator.standard_normal(shape + mean.shape).reshape(-1, mean.shape[0])
    u, s, vh = np.linalg.svd(cov)
    if not np.allclose(np.dot(vh.T * s, vh), cov, rtol=1e-8, atol=1e-8):
        warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=2)
    if is_legacy:
        vectors = np.dot(numbers, np.sqrt(s)[:, None] * vh) + mean
    else:
        vectors = mean + numbers @ (u * np.sqrt(s)).T
    return vectors.reshape(shape + mean.shape)


def moved(vectors: Any, mean: Any, cov: Any) -> Any:
    """The vectors, and what their cotangents are for the mean and the covariance."""

    def pull(ct: Any) -> Any:
        size = mean.shape[0]
        rows, cts = (vectors - mean).reshape(-1, size), ct.reshape(-1, size)
        by_cov = cts.T @ np.linalg.solve(cov, rows.T).T
        return np.zeros_like(vectors), cts.sum(axis=0), 0.25 * (by_cov + by_cov.T)

    return vectors, pull


moving = CustomGradient(convert_on_call(moved))

GIVEN = {"mean": Parameter.empty, "cov": Parameter.empty, "size": None}


@special((np.random.Generator, "multivariate_normal"), **GIVEN)
@special((np.random.RandomState, "multivariate_normal"), **GIVEN)
def multivariate_normal(source: Source, kind: type, given: dict[str, Any]) -> Any:
    """Normal vectors with the mean and the covariance; with any option NumPy draws them."""
    refuse(any(isinstance(given[name], (StagedObject, str)) for name in ("mean", "cov")))
    mean, cov, size = as_array(given["mean"]), as_array(given["cov"]), given["size"]
    shape = () if size is None else size if isinstance(size, tuple) else (size,)
    refuse(mean.ndim != 1, cov.ndim != 2, mean.dtype.kind != "f", cov.dtype.kind != "f", not all(map(is_size, shape)))
    vectors = convert_on_call(normal_vectors)(source.generator, mean, cov, shape, kind is np.random.RandomState)
    return moving(vectors, mean, cov)


for _function in (series, fraction):
    builtin(_function)(convert_on_call(_function))
builtin(digamma)(digamma)
converted = convert_on_call(move_of_gamma)
MOVES["standard_gamma"] = (converted,)
MOVES["chisquare"] = (lambda z, df: converted(0.5 * z, 0.5 * df),)  # twice a gamma number of half the shape
