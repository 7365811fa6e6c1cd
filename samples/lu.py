"""LU factorization with partial pivoting, in place, on slices that shrink to a triangle."""

from __future__ import annotations

import numpy as np


def lu(a):
    """Overwrite `a` by L (below the diagonal) and U; return the row order, or None where `a` is singular."""
    n = a.shape[0]
    order = np.arange(n)
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        if a[p, k] == 0.0:
            return None
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
            order[k], order[p] = order[p], order[k]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, np.newaxis] * a[k, k + 1 :]
    return order


def example(size: int = 600) -> tuple:
    """A random matrix of `size` rows; the seed is fixed."""
    return (np.random.default_rng(1).standard_normal((size, size)),)
