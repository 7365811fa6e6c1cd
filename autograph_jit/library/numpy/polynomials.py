"""Polynomials by their coefficients: sums, derivatives, integrals, values."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.library.numpy.creation import arange, zeros
from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.library.numpy.statistics import ufunc
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import take_slice
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.values.abstract import StagedArray, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import is_number


def coefficients(p: Any) -> tuple[StagedArray, int]:
    """A vector of coefficients of known length."""
    x = as_array(p)
    x = x[None] if x.ndim == 0 else x
    refuse(x.ndim != 1 or not isinstance(x.type.dims[0], int), x.dtype.kind == "b")
    return x, x.type.dims[0]  # type: ignore[return-value]


def with_leading_zeros(x: StagedArray, count: int, wanted: int) -> StagedArray:
    """Coefficients with zeros in front, for powers that are missing."""
    return concatenate([zeros(wanted - count, x.dtype), x]) if count < wanted else x


@implements(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    return combined(np.add, a1, a2)


@implements(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    return combined(np.subtract, a1, a2)


def combined(function: np.ufunc, a1: Any, a2: Any) -> Any:
    """Coefficients of equal powers combined."""
    (x, n), (y, m) = coefficients(a1), coefficients(a2)
    return ufunc(function, with_leading_zeros(x, n, max(n, m)), with_leading_zeros(y, m, max(n, m)))


@implements(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    x, n = coefficients(p)
    refuse(not isinstance(m, int) or m < 0)
    for _ in range(m):
        x = as_array(ufunc(np.multiply, take_slice(x, 0, None, -1), arange(n - 1, 0, -1)))
        n = max(n - 1, 0)
        if n == 0:
            break
    return x


@implements(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    x, n = coefficients(p)
    refuse(not isinstance(m, int) or m < 1, k is not None)
    for _ in range(m):
        raised = as_array(ufunc(np.true_divide, x, arange(n, 0, -1)))
        x, n = concatenate([raised, zeros(1, raised.dtype)]), n + 1
    return x


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """Horner's rule from the highest power, which comes first: written out for a few coefficients, else a loop."""
    terms, point = as_array(p), content_of(x)
    refuse(terms.ndim != 1 or (lower_bound(terms.type.dims[0]) or 0) < 1)
    point = point if is_number(point) else as_array(point)
    count = terms.type.dims[0]
    start: Any = language.numpy(np.zeros_like, (point,), {}) if isinstance(point, StagedArray) else 0
    result = ufunc(np.add, ufunc(np.multiply, start, point), terms[0])
    if not isinstance(count, int):
        assert calls.converter is not None
        return calls.converter(horner)(terms, point, result)
    for k in range(1, count):
        result = ufunc(np.add, ufunc(np.multiply, result, point), terms[k])
    return result


def horner(p: Any, x: Any, result: Any) -> Any:
    """The rest of Horner's rule; this is converted."""
    for k in range(1, len(p)):
        result = result * x + p[k]
    return result


@implements(np.polynomial.polynomial.polyval)
def value_of_series(x: Any, c: Any, tensor: bool = True) -> Any:
    """Horner's rule from the highest power, which comes last."""
    terms, n = coefficients(c)
    refuse(n == 0, terms.dtype.kind not in "fc")
    point = content_of(x)
    point = point if is_number(point) else as_array(point)
    result = ufunc(np.add, terms[n - 1], ufunc(np.multiply, point, 0))
    for k in range(n - 2, -1, -1):
        result = ufunc(np.add, terms[k], ufunc(np.multiply, result, point))
    return result
