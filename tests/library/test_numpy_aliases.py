"""Second names and short compositions in library/numpy/aliases.py against NumPy."""

import numpy as np
import pytest

from tests.tracing.staged_run import check_like_numpy

A = np.random.default_rng(0).normal(size=(2, 4, 3))
M, V = A[0], A[0, 0]
CALLS = {
    "amax": lambda np, a: (np.amax(a), np.amin(a, axis=1)),
    "cumulative": lambda np, a: (np.cumulative_sum(a, axis=1), np.cumulative_prod(a[0, 0])),
    "cumulative with a first element": lambda np, a: np.cumulative_sum(a[0, 0], include_initial=True),
    "array API": lambda np, a: (np.linalg.trace(a), np.linalg.diagonal(a, offset=1), np.linalg.matrix_transpose(a)),
    "products": lambda np, a: (np.linalg.outer(a[0, 0], a[0, 1]), np.linalg.tensordot(a[0], a[1], axes=2), np.linalg.matmul(a[0].T, a[1])),
    "norms": lambda np, a: (np.linalg.vector_norm(a), np.linalg.vector_norm(a, axis=1, ord=1), np.linalg.matrix_norm(a)),
    "condition": lambda np, a: np.linalg.cond(a[0]),
    "transforms": lambda np, a: (np.fft.rfft2(a), np.fft.irfft2(a), np.fft.rfft2(a, axes=(0, 2), norm="ortho")),
}


@pytest.mark.parametrize("name", CALLS)
def test_call_is_numpys(name):
    check_like_numpy(CALLS[name], A)
