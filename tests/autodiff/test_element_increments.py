"""`a[i] += t` in loops: the cotangent of the element stays where it is, and t gets it too; what looks alike is none."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def forces(x):
    v = np.zeros_like(x)
    for _ in range(3):
        for i in range(1, len(x) - 1):
            v[i] += 0.1 * (x[i + 1] - 2 * x[i] + x[i - 1]) - 0.05 * x[i] ** 3
        for i in range(1, len(x) - 1):
            x[i] += 0.1 * v[i]
    return np.sum(x * x) + np.sum(v * x)


def taken_away(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] -= x[i] * x[i - 1]
        y[-i] = y[-i] - np.sin(x[i])
    return np.sum(y * y)


def neighbours(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1] * x[i]
        x[i - 1] = x[i - 1] + x[i]
    return np.sum(x * x)


def element_kept(x):
    total = 0.0
    for i in range(len(x)):
        before = x[i]
        x[i] = before + 0.5
        total += before * x[i]
    return total + np.sum(x)


def sum_kept(x):
    total = 0.0
    for i in range(len(x)):
        x[i] = after = x[i] + x[0] * 0.5
        total += after * after
    return total + np.sum(x)


def written_between(x):
    for i in range(len(x)):
        old = x[i]
        x[i] = 3.0 * x[i]
        x[i] = old + x[i] * x[i]
    return np.sum(x * x)


def another_element(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + x[i] * x[i]
    return np.sum(x * x)


def doubled(x):
    for i in range(len(x)):
        x[i] = x[i] + x[i]
    return np.sum(x * x)


def by_the_data(x):
    for i in range(len(x)):
        if x[i] > 0.0:
            x[i] += x[i] * 0.25
        else:
            x[i] -= 1.5 * x[(i * 3) % len(x)]
    return np.sum(x * x * x)


def of_constants(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] += 2.0
        y[i] += x[i]
        y[i] += 1.0
    return np.sum(y * y)


def increments(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] += x[i] * x[i]
    return np.sum(y * y)


PROGRAMS = (
    increments,
    forces,
    taken_away,
    neighbours,
    element_kept,
    sum_kept,
    written_between,
    another_element,
    doubled,
    by_the_data,
    of_constants,
)


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("size", [3, 20])
def test_increments_of_elements(function, size):
    x = np.random.default_rng(size).uniform(-1.0, 1.0, size)
    compiled = ag.compile(ag.grad(function), fallback="error")(x.copy())
    step = 1e-6
    for k, direction in enumerate(np.eye(size)):
        expected = (function(x + step * direction) - function(x - step * direction)) / (2 * step)
        assert compiled[k] == pytest.approx(expected, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(ag.grad(function)(x.copy()), compiled, rtol=1e-12)


@pytest.mark.parametrize("function, stores", [(increments, 3), (element_kept, 5)])  # of element_kept, `before` is kept and `x[i]` read in x
def test_a_shadow_is_not_cleared_where_it_is_filled_again(function, stores):
    gradient = ag.compile(lambda x: ag.grad(function)(x), fallback="error")
    assert str(gradient.graph(np.ones(6))).count("store(") == stores
