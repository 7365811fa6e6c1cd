"""Numbers that loops of triangles keep have places in an array: the gradients are those of central differences, whatever the bounds."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.ir.printer import print_graph
from tests.autodiff.test_pullback import central_difference


def eliminated(a):
    u, n, d = a.copy(), len(a), 0.0
    for k in range(n):
        d += u[k, k] * u[k, k]
        for i in range(k + 1, n):
            f = u[i, k] / u[k, k]
            for j in range(k, n):
                u[i, j] -= f * u[k, j]
    return d


def backwards(a):
    u, n = a.copy(), len(a)
    for k in range(n - 1, 0, -1):
        for i in range(k - 1, -1, -1):
            for j in range(i, k):
                u[i, j] = u[i, j] * u[k, j] + u[i, k]
    return np.sum(u)


def bands(a):
    u, n = a.copy(), len(a)
    for i in range(2, n):
        for j in range(i - 2, i + 1):
            for k in range(j, i):
                u[i, j] = u[i, j] * u[i, k] + u[k, j]
    return np.sum(u)


def often_no_trips(a):
    u, n = a.copy(), len(a)
    for i in range(n):
        for j in range(2 - i, n - i - i):
            if_any = u[i, j] * u[j, i]
            for k in range(j + 1, i):
                u[i, k] = u[i, k] * if_any
            u[i, j] = if_any
    return np.sum(u)


def from_an_inner_index(a):
    u, n = a.copy(), len(a)
    for i in range(n):
        for j in range(i, n):
            for k in range(j - i, j + 1 - (n - 1 - j)):
                u[k, j] = u[k, j] * u[i, j]
    return np.sum(u)


def in_steps_of_two(a):
    u, n = a.copy(), len(a)
    for i in range(0, n, 2):
        for j in range(i + 1, n):
            for k in range(j, n, 3):
                u[i, k] = u[i, k] * u[j, k]
    return np.sum(u)


def squared_bounds(a):
    u, n = a.copy(), len(a)
    for i in range(n):
        for j in range(i * i % n, n):
            u[i, j] = u[i, j] * u[j, i] * u[i, i]
    return np.sum(u)


def of_rows(a):
    u, n = a.copy(), len(a)
    for i in range(n):
        for j in range(i):
            u[i] = u[i] * u[j]
    return np.sum(u)


PROGRAMS = [eliminated, backwards, bands, often_no_trips, from_an_inner_index, in_steps_of_two, squared_bounds, of_rows]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("size", [0, 1, 2, 5, 11])
def test_gradients_are_those_of_central_differences(function, size):
    a = np.random.default_rng(size).uniform(0.8, 1.2, (size, size)) + np.eye(size)
    expected = central_difference(function, a)
    for _ in range(2):
        found = ag.grad(ag.compile(function, fallback="error"))(a.copy())
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.max(np.abs(expected), initial=1.0))


@pytest.mark.parametrize("function", [eliminated, backwards])
def test_gradients_of_gradients(function):
    def norm(a):
        g = ag.grad(function)(a)
        return np.sum(g * g)

    a = np.random.default_rng(3).uniform(0.8, 1.2, (5, 5)) + np.eye(5)
    expected = central_difference(norm, a, 1e-5)
    np.testing.assert_allclose(ag.grad(norm)(a.copy()), expected, rtol=1e-4, atol=1e-6 * np.max(np.abs(expected)))


@pytest.mark.native
@pytest.mark.parametrize("function, lists", [(eliminated, False), (backwards, False), (bands, False), (squared_bounds, True)])
def test_what_is_kept_has_places(function, lists, monkeypatch):
    graphs = []
    original = driver.mark_literal_indices
    monkeypatch.setattr(driver, "mark_literal_indices", lambda graph: (graphs.append(print_graph(graph)), original(graph))[1])
    ag.grad(ag.compile(function, fallback="error"))(np.eye(12) + 1.0)
    assert ("list_push" in graphs[-1]) == lists


def test_a_triangle_over_the_budget_is_cut():
    a = np.random.default_rng(4).uniform(0.8, 1.2, (20, 20)) + np.eye(20)
    expected = ag.grad(ag.compile(eliminated, fallback="error"))(a.copy())
    with ag.config(saved_bytes=20000):
        found = ag.grad(ag.compile(lambda a: eliminated(a), fallback="error"))(a.copy())
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_empty_ranges_with_ends_far_apart_keep_nothing():
    def far(x, n):
        y = x * 1.0
        for i in range(3):
            for _ in range(n - i, i - n):
                y = y * x
        return y

    assert ag.grad(ag.compile(far, fallback="error"))(1.5, 2**62) == 1.0
