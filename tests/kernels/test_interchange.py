"""Sums that outer loops share become sums of their own: gradients are those of single operations, whatever the sizes and the indices."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.ir.printer import print_graph
from tests.interpretation import compiled_and_interpreted


def filtered(w, x):
    n, m = len(x), len(w)
    y = np.zeros(n)
    for i in range(m - 1, n):
        s = 0.0
        for k in range(m):
            s += w[k] * x[i - k]
        y[i] = s
    return np.sum(y * y)


def wrapped(w, x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        for k in range(len(w)):
            y[i] += w[k] * x[i - k]
    return np.sum(y * y)


def convolved(w, x):
    n, m = len(x) - len(w) + 1, len(w)
    y = np.zeros(max(n, 0))
    for i in range(n):
        for k in range(m):
            y[i] += np.sin(w[k] * x[i + k]) * w[m - 1 - k]
    return np.sum(y * y)


def layers(w, x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        for k in range(len(w)):
            y[i] += np.tanh(w[k]) + 0.0 * x[i]
    return np.sum(y * x)


FILTERS = [filtered, wrapped, convolved, layers]


def window(w, x):
    n, m = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    y = np.zeros((max(n, 0), max(m, 0)))
    for i in range(n):
        for j in range(m):
            s = 0.0
            for p in range(w.shape[0]):
                for q in range(w.shape[1]):
                    s += w[p, q] * x[i + p, j + q]
            y[i, j] = s
    return np.sum(y * y)


def product(w, x):
    y = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            for k in range(w.shape[0]):
                y[i, j] += x[i, k] * w[k, j]
    return np.sum(y * y)


def square(w, x):
    n = min(w.shape)
    y = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += w[i, k] * w[k, j]
            y[i, j] = s * x[0, 0]
    return np.sum(y * y)


WINDOWS = [(window, (3, 2), (30, 25)), (window, (1, 1), (2, 17)), (window, (4, 3), (3, 40))]
PRODUCTS = [(product, (7, 20), (5, 7)), (product, (3, 0), (4, 3)), (square, (19, 19), (1, 1)), (square, (2, 3), (1, 1))]


def check(function, w, x):
    found, expected = compiled_and_interpreted(lambda w, x: ag.grad(function, argnums=(0, 1))(w, x), w, x)
    tolerance = 1e-12 if w.dtype == np.float64 else 1e-4
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * max(1, np.max(np.abs(other), initial=0)))


@pytest.mark.parametrize("function", FILTERS)
@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (3, 20), (5, 200), (30, 40), (5, 4)])
def test_gradients_of_filters_are_those_of_single_operations(function, sizes):
    rng = np.random.default_rng(3)
    check(function, *(rng.standard_normal(size) for size in sizes))


@pytest.mark.parametrize("function, size, other", [*WINDOWS, *PRODUCTS])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_in_planes_are_those_of_single_operations(function, size, other, dtype):
    rng = np.random.default_rng(4)
    check(function, rng.standard_normal(size).astype(dtype), rng.standard_normal(other).astype(dtype))


def test_a_zero_cotangent_stays_zero_beside_an_infinite_factor():
    def masked(w, x):
        total = 0.0
        y = np.zeros(len(x))
        for i in range(len(x)):
            for k in range(len(w)):
                y[i] += w[k] * x[i]
        for i in range(len(x)):
            if x[i] < 10.0:
                total += y[i]
        return total

    x = np.where(np.arange(40) % 7 == 0, np.inf, 1.0)
    w = np.ones(4)
    np.testing.assert_array_equal(ag.grad(ag.compile(masked, fallback="error"))(w, x), np.full(4, np.sum(x == 1.0)))


@pytest.mark.parametrize("function", [filtered, convolved])
def test_the_loops_change_places(function, monkeypatch):
    graphs = []
    original = driver.mark_literal_indices
    monkeypatch.setattr(driver, "mark_literal_indices", lambda graph: (graphs.append(print_graph(graph)), original(graph))[1])
    rng = np.random.default_rng(5)
    w, x = (rng.standard_normal(size) for size in (5, 200))
    ag.grad(ag.compile(function, fallback="error"))(w, x)
    assert any("d:swap" in graph for graph in graphs)
