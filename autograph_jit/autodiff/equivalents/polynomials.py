"""Equivalents of NumPy's functions of polynomials; see `autodiff.equivalents.functions`. Coefficients that NumPy trims must not be zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import polynomial as series

from autograph_jit.errors import NotDifferentiable
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.values.trace import user_span


@convert_on_call
def product(a1: Any, a2: Any) -> Any:
    """np.polymul."""
    return np.convolve(np.ravel(a1), np.ravel(a2))


@convert_on_call
def value(p: Any, x: Any) -> Any:
    """np.polyval of any number of coefficients."""
    result = np.asarray(x) * 0.0
    for coefficient in np.asarray(p):
        result = result * x + coefficient
    return result * 1


@convert_on_call
def from_roots(seq_of_zeros: Any) -> Any:
    """np.poly of roots: one linear factor after the other, the highest power first."""
    if np.ndim(seq_of_zeros) > 1:
        remedy = "take the eigenvalues first: np.poly(np.linalg.eigvalsh(a))"
        raise NotDifferentiable("np.poly of a matrix has no derivative", user_span(), "", remedy)
    count = np.size(seq_of_zeros)
    result = np.concatenate((np.ravel(seq_of_zeros)[:1] * 0 + 1, np.ravel(seq_of_zeros) * 0))
    for k in range(count):
        result[1 : k + 2] = result[1 : k + 2] - seq_of_zeros[k] * result[: k + 1]
    return result


@convert_on_call
def series_from_roots(roots: Any) -> Any:
    """polynomial.polyfromroots, the lowest power first."""
    return from_roots(roots)[::-1] * 1


@convert_on_call
def roots_of(p: Any) -> Any:
    """np.roots of complex coefficients: the eigenvalues of the companion matrix."""
    degree = np.size(p) - 1
    companion = np.eye(degree, k=-1) * (1 + 0j)
    companion[0] = -p[1:] / p[0]
    return np.linalg.eigvals(companion)


@convert_on_call
def series_fit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None) -> Any:
    """polynomial.polyfit, the lowest power first."""
    return np.polyfit(x, y, deg, rcond, w=w)[::-1] * 1


@convert_on_call
def aligned(c: Any, count: Any) -> Any:
    """Coefficients, the lowest power first, with zeros behind them."""
    return np.concatenate((np.ravel(c), np.zeros(count - np.size(c))))


@convert_on_call
def series_sum(c1: Any, c2: Any) -> Any:
    """polynomial.polyadd."""
    count = max(np.size(c1), np.size(c2))
    return aligned(c1, count) + aligned(c2, count)


@convert_on_call
def series_difference(c1: Any, c2: Any) -> Any:
    """polynomial.polysub."""
    count = max(np.size(c1), np.size(c2))
    return aligned(c1, count) - aligned(c2, count)


@convert_on_call
def shifted(c: Any) -> Any:
    """polynomial.polymulx."""
    return np.concatenate((c[:1] * 0, c))


@convert_on_call
def series_power(c: Any, pow: Any) -> Any:  # noqa: A002 NumPy's name
    """polynomial.polypow."""
    if pow == 0:
        return c[:1] * 0 + 1
    result = c * 1
    for _ in range(1, pow):
        result = np.convolve(result, c)
    return result


@convert_on_call
def series_derivative(c: Any, m: Any = 1) -> Any:
    """polynomial.polyder."""
    for _ in range(m):
        c = c[1:] * np.arange(1, np.size(c)) if np.size(c) > 1 else c * 0
    return c * 1


@convert_on_call
def series_integral(c: Any, m: Any = 1) -> Any:
    """polynomial.polyint."""
    for _ in range(m):
        c = np.concatenate((c[:1] * 0, c / np.arange(1, np.size(c) + 1)))
    return c


@convert_on_call
def powers_of(x: Any, deg: Any) -> Any:
    """polynomial.polyvander."""
    columns = [x * 0 + 1.0]
    for _ in range(deg):
        columns.append(columns[-1] * x)
    return np.stack(columns, -1)


@convert_on_call
def powers_of_two(x: Any, y: Any, deg: Any) -> Any:
    """polynomial.polyvander2d."""
    of_x, of_y = powers_of(x, deg[0]), powers_of(y, deg[1])
    whole = np.expand_dims(of_x, -1) * np.expand_dims(of_y, -2)
    return np.reshape(whole, np.shape(whole)[:-2] + (-1,))


@convert_on_call
def value_of_two(x: Any, y: Any, c: Any) -> Any:
    """polynomial.polyval2d."""
    of_x, of_y = powers_of(x, np.shape(c)[0] - 1), powers_of(y, np.shape(c)[1] - 1)
    return np.sum(np.expand_dims(of_x, -1) * np.expand_dims(of_y, -2) * c, (-1, -2))


@convert_on_call
def value_of_three(x: Any, y: Any, z: Any, c: Any) -> Any:
    """polynomial.polyval3d."""
    of_x, of_y, of_z = (powers_of(each, size - 1) for each, size in zip((x, y, z), np.shape(c)))
    outer = np.expand_dims(of_x, (-1, -2)) * np.expand_dims(of_y, (-1, -3)) * np.expand_dims(of_z, (-2, -3))
    return np.sum(outer * c, (-1, -2, -3))


@convert_on_call
def values_on_grid(x: Any, y: Any, c: Any) -> Any:
    """polynomial.polygrid2d of vectors."""
    return powers_of(x, np.shape(c)[0] - 1) @ c @ powers_of(y, np.shape(c)[1] - 1).T


POLYNOMIALS: dict[Any, Callable[..., Any]] = {
    np.polymul: product,
    np.polyval: value,
    np.poly: from_roots,
    np.roots: roots_of,
    series.polyfit: series_fit,
    series.polyadd: series_sum,
    series.polysub: series_difference,
    series.polymul: product,
    series.polymulx: shifted,
    series.polypow: series_power,
    series.polyder: series_derivative,
    series.polyint: series_integral,
    series.polyfromroots: series_from_roots,
    series.polyvander: powers_of,
    series.polyvander2d: powers_of_two,
    series.polyval2d: value_of_two,
    series.polyval3d: value_of_three,
    series.polygrid2d: values_on_grid,
}
