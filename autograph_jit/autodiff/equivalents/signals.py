"""Equivalents of NumPy's sums over shifted elements, for arrays of which only the run knows that they are not empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.expressions.register import convert_on_call


@convert_on_call
def convolution(a: Any, v: Any, mode: Any = "full") -> Any:
    """np.convolve: each element of the shorter array times the longer one, at its place."""
    a, v = np.ravel(a), np.ravel(v)
    if np.size(v) > np.size(a):
        a, v = v, a
    n, m = np.size(a), np.size(v)
    result = np.zeros(n + m - 1, dtype=np.result_type(a, v))
    for k in range(m):
        result[k : k + n] += a * v[k]
    if mode == "same":
        return result[m - 1 - m // 2 : m - 1 - m // 2 + n]
    return result[m - 1 : n] if mode == "valid" else result


@convert_on_call
def correlation(a: Any, v: Any, mode: Any = "valid") -> Any:
    """np.correlate: the convolution with the conjugate backwards; of a shorter first array, that of the two exchanged, backwards."""
    a, v = np.ravel(a), np.conjugate(np.ravel(v))
    if np.size(v) > np.size(a):
        return np.convolve(v, a[::-1], mode)[::-1]
    return np.convolve(a, v[::-1], mode)


SIGNALS: dict[Any, Callable[..., Any]] = {np.convolve: convolution, np.correlate: correlation}
