"""Objects of SciPy's classes in compiled code: made there, given to it, captured and changed."""

from __future__ import annotations

import numpy as np
from scipy import interpolate, optimize, sparse, spatial, special, stats

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add

VALUES = np.array([1.0, -2.0, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0])
MATRIX = sparse.csr_matrix(np.arange(6.0).reshape(2, 3))
TREE = spatial.cKDTree(np.arange(6.0).reshape(3, 2))


def numbers(n=3, sign=1.0):
    return lambda: (sign * VALUES, n)


@program(numbers(), numbers(2, -1.0))
def matrix_filled_element_by_element(x, n):
    a = sparse.lil_matrix((3, 3))
    for i in range(3):
        a[i, i] = x[i]
        a[i, 0] += 0.5 * n
    return a.tocsr().toarray(), a.nnz


@program(numbers(), numbers(2, -1.0))
def matrix_made_and_multiplied(x, n):
    a = sparse.eye(3, format="lil")
    a[0, 1] = x[1]
    b = sparse.csr_matrix(np.outer(x[:3], x[:3]))
    return a.toarray(), (a @ b).toarray(), a.shape, b.nnz, (b * n).sum(), a.format, b @ x[:3]


@program(numbers())
def interpolation_and_neighbours(x, n):
    s = np.sort(x)
    spline = interpolate.CubicSpline(s, x)
    distance, place = spatial.cKDTree(x.reshape(-1, 1)).query(np.array([[n]]), k=2)
    return spline(0.5 * n), spline([0.1, n], 1), distance, place, stats.gaussian_kde(x)(n), interpolate.interp1d(s, x)(s[0])


@program(numbers(), numbers(4))
def objects_of_functions(x, n):
    found = optimize.minimize(lambda t: (t[0] - n) ** 2, [0.0])
    return special.legendre(2)(x), found.x.round(3), found.success


@program(numbers(), numbers(2, -1.0))
def captured_objects(x, n):
    y = MATRIX @ x[:3]
    if y[0] > n:
        y = y * 2
    return y, MATRIX.shape, MATRIX.T @ y, MATRIX.toarray() @ x[:3], TREE.query(x[:2])


class Held:
    """A matrix of the caller's, compared by what it holds."""

    def __init__(self):
        self.matrix = sparse.lil_matrix((2, 2))
        self.matrix[0, 0] = 4.0

    def __eq__(self, other):
        return np.array_equal(self.matrix.toarray(), other.matrix.toarray())


@program(lambda: (VALUES.copy(), Held()))
def matrix_of_the_caller_is_changed(x, held):
    matrix = held.matrix
    matrix[1, 1] = x[0]
    before = matrix.toarray()
    matrix[0, 1] = x[1]
    return before, matrix.toarray(), matrix.nnz
