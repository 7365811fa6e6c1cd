"""Loops that add to several elements in each trip: which become statements on parts of arrays, and that the result stays the same."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.interpretation import compiled_and_interpreted


def line(u):
    v = u.copy()
    for i in range(1, len(u) - 1):
        v[i] = 0.5 * u[i - 1] * u[i + 1] - u[i]
    return np.sum(v * v)


def downwards(u):
    v = np.zeros(len(u))
    for i in range(len(u) - 3, 1, -1):
        v[i - 1] = np.sin(u[i - 2]) + u[i + 2] * u[i]
    return np.sum(v * v * v)


def in_steps(u):
    for _ in range(3):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def every_other(u):
    v = u.copy()
    for i in range(1, len(u) - 1, 2):
        v[i] = 0.5 * u[i - 1] * u[i + 1] - u[i]
    return np.sum(v * v)


def plane(u):
    n, m = u.shape
    v = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = u[i - 1, j] * u[i + 1, j] + u[i, j - 1] - u[i, j + 1] * 0.5 + u[i - 1, j - 1]
    return np.sum(v * v)


def triangle(u):
    n = u.shape[0]
    v = np.zeros((n, n))
    for i in range(1, n - 1):
        for j in range(1, i):
            v[i, j] = u[i, j - 1] * 3 - u[i, j + 1] * u[i, j]
    return np.sum(v * v)


def rows(u):
    n, m = u.shape
    v = np.zeros((n, m))
    for i in range(n):
        for j in range(m - 2):
            v[i, j] = u[i, j] * u[i, j + 1] * u[i, j + 2] + u[0, j] - u[i, m - 1]
    return np.sum(v * v)


def with_weights(u):
    n, m = u.shape
    across, down, v = np.cos(np.arange(1.0 * m)), np.sin(np.arange(1.0 * n)), u * 1.0
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = across[j] * u[i, j - 1] + down[i] * (u[i, j + 1] - u[i - 1, j] * across[3])
    return np.sum(v * v)


def in_place(u):
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1])
    return np.sum(u * u)


def of_the_index(u):
    v = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        v[i] = i * u[i - 1] + u[i + 1]
    return np.sum(v * v)


def with_a_branch(u):
    v = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        v[i] = u[i - 1] + u[i + 1] if u[i] > 0 else u[i]
    return np.sum(v * v)


def number_of_a_row(u):
    n, m = u.shape
    v = np.zeros((n, m))
    for i in range(n):
        weight = np.sqrt(1.0 + i)
        for j in range(1, m - 1):
            v[i, j] = weight * (u[i, j - 1] + u[i, j + 1])
    return np.sum(v * v)


def solid(u):
    a, b, c = u.shape
    v = u.copy()
    for i in range(1, a - 1):
        for j in range(1, b - 1):
            for k in range(1, c - 1):
                v[i, j, k] = u[i - 1, j, k] + u[i, j + 1, k] * u[i, j, k - 1] - u[i + 1, j, k + 1]
    return np.sum(v * v)


def two_fields(s):
    u, v = s[0].copy(), s[1].copy()
    n, m = u.shape
    for _ in range(2):
        x, y = u.copy(), v.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                r = x[i, j] * y[i, j] * y[i, j]
                u[i, j] = x[i, j] + 0.16 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j]) - r + 0.03 * (1 - x[i, j])
                v[i, j] = y[i, j] + 0.08 * (y[i - 1, j] + y[i + 1, j] + y[i, j - 1] + y[i, j + 1] - 4 * y[i, j]) + r - 0.09 * y[i, j]
    return np.sum(u * v)


CASES = [
    (line, (2,)),
    (line, (3,)),
    (line, (50,)),
    (downwards, (4,)),
    (downwards, (40,)),
    (in_steps, (2,)),
    (in_steps, (33,)),
    (every_other, (2,)),
    (every_other, (41,)),
    (plane, (2, 7)),
    (plane, (20, 31)),
    (triangle, (20, 20)),
    (rows, (2, 2)),
    (rows, (9, 21)),
    (with_weights, (12, 18)),
    (in_place, (20,)),
    (of_the_index, (20,)),
    (with_a_branch, (20,)),
    (number_of_a_row, (5, 20)),
    (solid, (6, 5, 20)),
    (two_fields, (2, 7, 20)),
]


@pytest.mark.parametrize("function, sizes", CASES)
def test_gradients_of_index_loops_are_those_of_single_operations(function, sizes):
    u = np.random.default_rng(1).standard_normal(sizes)
    found, expected = compiled_and_interpreted(lambda u: ag.grad(function)(u), u)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    direction = np.random.default_rng(2).standard_normal(sizes)
    slope = (function(u + 1e-6 * direction) - function(u - 1e-6 * direction)) / 2e-6
    assert np.sum(found * direction) == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("function, sizes", [(line, (50,)), (plane, (20, 31)), (solid, (10, 9, 20)), (two_fields, (2, 9, 20))])
def test_adjoints_of_stencils_by_index_become_updates(function, sizes):
    assert "kernel update" in ag.compile(lambda u: ag.grad(function)(u), fallback="error").kernels(np.ones(sizes))


def test_loops_whose_trips_depend_on_each_other_stay():
    kernels = ag.compile(lambda u: ag.grad(in_place)(u), fallback="error").kernels(np.ones(50))
    assert "s:arg0.0-2" not in kernels


def scatter(s, x, y):
    for i in range(2, len(x) - 2):
        s[i + 2] += x[i]
        s[i - 1] += x[i] * y[i]
        s[i] = s[i] - x[i]
        s[i + 1] += y[i - 2]


def scatter_downwards(s, x, y):
    for i in range(len(x) - 3, 1, -1):
        s[i - 2] += x[i]
        s[i + 1] += x[i] * y[i + 1]


def scatter_in_steps(s, x, y):
    for i in range(2, len(x) - 2, 2):
        s[i + 2] += x[i]
        s[i - 1] += x[i] * y[i]


def scatter_in_steps_downwards(s, x, y):
    for i in range(len(x) - 3, 1, -3):
        s[i - 2] += x[i]
        s[i + 2] += x[i] * y[i + 1]


def scatter_in_steps_of_the_data(s, x, y):
    for i in range(2, len(x) - 2, int(abs(y[0])) % 3 + 1):
        s[i - 2] += x[i]
        s[i + 2] += x[i] * y[i + 1]


@pytest.mark.parametrize(
    "function", [scatter, scatter_downwards, scatter_in_steps, scatter_in_steps_downwards, scatter_in_steps_of_the_data]
)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 20, 200])
def test_sums_reach_an_element_in_the_order_of_the_trips(function, size):
    rng = np.random.default_rng(size)
    x, y = 10.0 ** rng.integers(-8, 8, size) * rng.standard_normal(size), rng.standard_normal(size)
    expected, found = x * 0, x * 0

    def program(x, y):
        s = np.zeros(len(x))
        function(s, x, y)
        return s

    assert ag.compile(program, fallback="error")(x, y).tobytes() == program(x, y).tobytes()
    function(expected, x, y)
    ag.compile(function, fallback="error")(found, x, y)
    assert found.tobytes() == expected.tobytes()


def test_powers_with_literal_exponents_have_derivatives_without_powers():
    kernels = ag.compile(lambda u: ag.grad(lambda u: np.sum(u**2 * np.sin(u)))(u), fallback="error").kernels(np.ones(50))
    assert "pow(" not in kernels and "where" not in kernels
    ag.testing.check_grads(lambda u: np.sum(u**2 + u**3 + u**0 + 2.0**u), (np.array([0.0, 1.0, -2.0]),), order=1)


def test_increments_by_slices_of_unknown_size_hand_their_cotangent_on():
    def convolve(x):
        k = np.array([0.1, 0.2, 0.4])
        y = np.zeros(len(x) - len(k) + 1)
        for j in range(len(k)):
            y += k[j] * x[j : j + len(x) - len(k) + 1]
        return np.sum(y * y)

    def in_windows(x, y, width):
        for j in range(3):
            y += x[j : j + width] * 2
        return np.sum(y * y * y)

    ag.testing.check_grads(convolve, (np.random.default_rng(3).standard_normal(20),), order=2)
    rng = np.random.default_rng(4)
    for size, width in ((6, 6), (6, 1), (1, 1)):
        ag.testing.check_grads(in_windows, (rng.standard_normal(9), rng.standard_normal(size), width), order=2)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_loops_by_longer_steps_stay(step):
    def program(factor):
        s, x = np.zeros(64), np.arange(64.0) * factor
        for i in range(2, 60, step):
            s[i + 2] += x[i]
            s[i - 1] += x[i] * 0.5
        return s

    compiled = ag.compile(program, fallback="error")
    assert compiled(0.1).tobytes() == program(0.1).tobytes()
    assert ("kernel update" in compiled.kernels(0.1)) == (step == 1)
