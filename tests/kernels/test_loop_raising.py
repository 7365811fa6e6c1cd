"""Loops that compute what they add in one loop and add it in others: the sums are the same to the bit, branches included."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.interpretation import compiled_and_interpreted


def smallest(u):
    n, m = u.shape
    v = u.copy()
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = min(u[i, j], u[i - 1, j], u[i + 1, j], u[i, j - 1], u[i, j + 1])
    return np.sum(v * v)


def upwind(u):
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            if u[i] > 0:
                v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1])
            else:
                v[i] = u[i] - 0.1 * u[i] * (u[i + 1] - u[i])
        u = v
    return np.sum(u * u)


def upwind_in_a_plane(u):
    n, m = u.shape
    v = u.copy()
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            dx = u[i, j] - u[i - 1, j] if u[i, j] > 0 else u[i + 1, j] - u[i, j]
            dy = u[i, j] - u[i, j - 1] if u[i, j] > 0.1 else u[i, j + 1] - u[i, j]
            v[i, j] = u[i, j] - 0.1 * u[i, j] * (dx + dy)
    return np.sum(v * v)


def limiter(u):
    n = len(u)
    s = np.zeros(n)
    for i in range(1, n - 1):
        a, b = u[i] - u[i - 1], u[i + 1] - u[i]
        if a * b > 0:
            s[i] = a if abs(a) < abs(b) else b
    return np.sum(s * s * u)


def of_the_index(u):
    v = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        v[i] = i * u[i - 1] * u[i + 1] if i % 3 else u[i - 1] * 2
    return np.sum(v * v)


def at_the_ends(u):
    n = len(u)
    for _ in range(2):
        v = np.zeros(n)
        for i in range(n):
            s = 0.0
            if i > 0:
                s += u[i - 1]
            if i < n - 1:
                s += u[i + 1] * u[i]
            v[i] = 0.5 * u[i] + s * u[i]
        u = v
    return np.sum(u * u)


def at_the_ends_of_a_plane(u):
    n, m = u.shape
    v = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i > 0:
                v[i, j] += u[i - 1, j] * u[i, j]
            if j < m - 1:
                v[i, j] += u[i, j + 1] * u[i, j]
    return np.sum(v * v)


def a_row_that_is_not_there(u):
    n, m = u.shape
    v = np.zeros(m)
    for j in range(1, m):
        if n > 7:
            v[j] += u[7, j] * u[7, j - 1]
        v[j] += u[0, j] * u[0, j - 1]
    return np.sum(v * v)


CASES = [
    (at_the_ends, (40,)),
    (at_the_ends, (520,)),
    (limiter, (3,)),
    (limiter, (50,)),
    (limiter, (1500,)),
    (upwind, (2,)),
    (upwind, (700,)),
    (of_the_index, (600,)),
]
PLANES = [
    (at_the_ends_of_a_plane, (20, 30)),
    (a_row_that_is_not_there, (6, 40)),
    (a_row_that_is_not_there, (9, 40)),
    (smallest, (2, 5)),
    (smallest, (3, 600)),
    (smallest, (20, 30)),
    (upwind_in_a_plane, (3, 3)),
    (upwind_in_a_plane, (6, 520)),
]


@pytest.mark.parametrize("function, sizes", [*CASES, *PLANES])
def test_gradients_are_those_of_single_operations(function, sizes):
    u = np.random.default_rng(1).standard_normal(sizes)
    found, expected = compiled_and_interpreted(lambda u: ag.grad(function)(u), u)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("function, size", [(limiter, 600), (upwind, 600), (of_the_index, 600)])
def test_loops_with_branches_run_in_strips(function, size):
    kernels = ag.compile(lambda u: ag.grad(function)(u), fallback="error").kernels(np.ones(size))
    assert "d:strip" in kernels


def upwards(s, x, y):
    for i in range(2, len(x) - 2):
        if x[i] > 0:
            s[i + 2] += x[i]
            s[i] += y[i]
            s[i] += 3 * y[i]
            s[i - 1] += x[i] * y[i]
        else:
            s[i] -= x[i]
            s[i] = s[i] + y[i] if y[i] > 0 else s[i]
            s[i + 1] += y[i - 2]
        s[i - 2] += x[i] - y[i]


def downwards(s, x, y):
    for i in range(len(x) - 3, 1, -1):
        if x[i] > y[i]:
            s[i - 2] += x[i]
        if y[i + 1] > 0:
            if x[i] < 0:
                s[i + 1] += x[i] * y[i + 1]
            s[i] += y[i]


def with_stores_of_its_own(s, x, y):
    for i in range(1, len(x) - 1):
        t = x[i] * y[i]
        x[i] = 0.0
        if t > 0:
            y[i] = t
        s[i - 1] += t
        s[i + 1] += t * t if t > 0 else 1.0


def read_elsewhere(s, x, y):
    for i in range(1, len(x) - 1):
        if y[i] > 0:
            s[i - 1] += x[i] * s[i]
        s[i + 1] += x[i]


def stored_elsewhere(s, x, y):
    for i in range(1, len(x) - 1):
        if y[i - 1] > 0:
            y[i] = x[i]
        s[i - 1] += x[i] if y[i] > 0 else 0.5
        s[i + 1] += x[i]


@pytest.mark.parametrize("function", [upwards, downwards, with_stores_of_its_own, read_elsewhere, stored_elsewhere])
@pytest.mark.parametrize("size", [2, 3, 5, 20, 514, 1100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_reach_an_element_in_the_order_of_the_trips(function, size, dtype):
    rng = np.random.default_rng(size)
    x = (10.0 ** rng.integers(-8, 8, size) * rng.standard_normal(size)).astype(dtype)
    y = rng.standard_normal(size).astype(dtype)
    expected, found = [np.full(size, -0.0, dtype), x.copy(), y.copy()], [np.full(size, -0.0, dtype), x.copy(), y.copy()]
    function(*expected)
    ag.compile(function, fallback="error")(*found)
    for array, other in zip(found, expected):
        assert array.tobytes() == other.tobytes()


def test_one_array_under_two_names_keeps_the_loop():
    def program(s, x):
        for i in range(1, len(x) - 1):
            if x[i] > 0:
                s[i - 1] += x[i]
            s[i + 1] += x[i]

    x = np.random.default_rng(3).standard_normal(80)
    expected, found = x.copy(), x.copy()
    program(expected, expected)
    ag.compile(program, fallback="error")(found, found)
    assert found.tobytes() == expected.tobytes()


def test_a_column_of_a_matrix_gets_sums_of_its_neighbours():
    def program(s, x):
        n, m = s.shape
        for j in range(m):
            for i in range(1, n - 1):
                if x[i, j] > 0:
                    s[i - 1, j] += x[i, j]
                s[i + 1, j] += 2 * x[i, j]

    x = np.random.default_rng(4).standard_normal((530, 3))
    expected, found = np.zeros((530, 3)), np.zeros((530, 3))
    program(expected, x)
    ag.compile(program, fallback="error")(found, x)
    assert found.tobytes() == expected.tobytes()
