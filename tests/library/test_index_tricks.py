"""Arrays and indices that a subscript builds, `np.r_`, `np.c_`, `np.mgrid` and their like: compiled, as NumPy's, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.differential.harness import Program, differences

X, M, K = np.array([0.5, -1.0, 2.0, 0.25]), np.arange(8.0).reshape(4, 2), np.arange(4)
NATIVE = {
    "rows": lambda x, m, k: np.r_[x, 1.0],
    "rows of slices": lambda x, m, k: np.r_[-1 : len(x) : 2, x[0], 0 : len(x)],
    "rows of a matrix": lambda x, m, k: np.r_[m, m[:1]],
    "rows of several kinds": lambda x, m, k: (np.r_[x > 0, True], np.r_[k, 1.5], np.r_[k.astype(np.int8), 3]),
    "columns": lambda x, m, k: np.c_[x, np.ones(len(x)), m],
    "columns of numbers": lambda x, m, k: np.c_[x[0], x[1]],
    "grid": lambda x, m, k: np.mgrid[0 : len(x), 1:3] * 2,
    "grid with steps": lambda x, m, k: np.mgrid[len(x) : -1 : -2, k[1] : len(x) : 2],
    "grid of one axis": lambda x, m, k: np.mgrid[1 : len(x)],
    "open grid": lambda x, m, k: np.ogrid[: len(x), 0 : len(m) : 3],
    "constant grid": lambda x, m, k: x[:, None] + np.mgrid[0:4, 0:3][0],
    "index": lambda x, m, k: x[np.s_[1 : len(x) - 1]],
    "index of several axes": lambda x, m, k: m[np.index_exp[: len(x) - 2, None, 0]],
    "index of one axis": lambda x, m, k: m[np.index_exp[: len(x) - 2]],
}
REFUSED = {  # by NumPy
    "rows of the wrong rank": lambda x, m, k: np.r_[m, x],
    "columns of the wrong length": lambda x, m, k: np.c_[x[:2], m],
    "grid of a negative size": lambda x, m, k: np.mgrid[len(x) : 1, 0:2],
}
HOSTED = {
    "rows by a text": lambda x, m, k: np.r_["0,2", x, x],
    "points between the ends": lambda x, m, k: np.mgrid[0 : len(x) : 5j, 0:1:3j],
    "grid of floats": lambda x, m, k: np.ogrid[0:1:0.25, : x[0]],
}


@pytest.mark.parametrize("name", [*NATIVE, *REFUSED, *HOSTED])
def test_a_subscript_builds_what_numpy_builds(name: str) -> None:
    function = (NATIVE | REFUSED | HOSTED)[name]
    assert differences(Program(function, (lambda: (X.copy(), M, K), lambda: (X[::-1][:3], M[:3], K + 1)), lambda: None, "")) is None


@pytest.mark.native
@pytest.mark.parametrize("name", list(NATIVE))
def test_a_subscript_is_compiled(name: str) -> None:
    assert "host calls    none" in ag.compile(NATIVE[name], fallback="error").explain(X, M, K)


def written_through_an_index(x):
    n = 0
    while x[n] > -0.5:
        n += 1
    chosen = np.s_[n:]
    x[chosen] = x[chosen] ** 2
    return np.sum(x * np.c_[x, 2 * x][:, 1]) + np.sum(np.r_[x[0], x * x, 3.0] ** 3)


def test_joined_and_indexed_arrays_have_derivatives() -> None:
    ag.testing.check_grads(written_through_an_index, (X.copy(),), order=2)
