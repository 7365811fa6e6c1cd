"""Short loops over a window are written out where a loop over elements adds to neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.interpretation import compiled_and_interpreted

WEIGHTS = np.array([0.1, 0.2, 0.4, 0.2, 0.15])


def filtered(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(2, n - 2):
        s = 0.0
        for k in range(5):
            s += WEIGHTS[k] * x[i + k - 2]
        y[i] = s
    return np.sum(y * y)


def clipped(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(2, n - 2):
        s = 0.0
        for k in range(-2, 3):
            s += x[i + k] * 0.2
        y[i] = min(max(s, -0.3), 0.3)
    return np.sum(y * y)


def means(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(4, n):
        s = 0.0
        for k in range(4, -1, -1):
            s += x[i - k] if x[i] > 0 else 0.5 * x[i - k]
        y[i] = s / 5
    return np.sum(y**3)


def in_a_plane(x):
    w = np.array([[0.0, 1, 0.5], [1, -4, 1], [0, 1, 0.2]])
    n, m = x.shape
    y = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for a in range(3):
                for b in range(3):
                    s += w[a, b] * x[i + a - 1, j + b - 1]
            y[i, j] = s
    return np.sum(y * y)


@pytest.mark.parametrize("function, sizes", [(filtered, (40,)), (filtered, (4,)), (clipped, (900,)), (means, (60,)), (in_a_plane, (9, 20))])
def test_gradients_are_those_of_single_operations(function, sizes):
    x = np.random.default_rng(1).standard_normal(sizes)
    found, expected = compiled_and_interpreted(lambda x: ag.grad(function)(x), x)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("function", [filtered, clipped, means])
def test_adjoints_of_windows_become_updates(function):
    assert "kernel update" in ag.compile(lambda x: ag.grad(function)(x), fallback="error").kernels(np.ones(50))


def spread(s, x):
    for i in range(3, len(x) - 3):
        for k in range(-3, 4, 2):
            s[i + k] += x[i] * (k + 1)


def spread_and_counted(s, x):
    for i in range(3, len(x) - 3):
        t = x[i]
        for k in range(4):
            s[i - k] += t
            t = t * 0.5 + k
        s[i] += t


def spread_until(s, x):
    for i in range(3, len(x) - 3):
        for k in range(4):
            if x[i] > k:
                break
            s[i - k] += x[i]


@pytest.mark.parametrize("function", [spread, spread_and_counted, spread_until])
@pytest.mark.parametrize("size", [2, 7, 60, 700])
def test_sums_reach_an_element_in_the_order_of_the_trips(function, size):
    rng = np.random.default_rng(size)
    x = 10.0 ** rng.integers(-8, 8, size) * rng.standard_normal(size)
    expected, found = np.zeros(size), np.zeros(size)
    function(expected, x)
    ag.compile(function, fallback="error")(found, x)
    assert found.tobytes() == expected.tobytes()
