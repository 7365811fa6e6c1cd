"""Elements that nothing writes after they are read: gradients, and that one array is kept in the place of each element."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag


def elimination(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    total = 0.0
    for i in range(n):
        total += np.log(np.abs(a[i, i]))
    return total


def cholesky(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                a[i, j] -= a[i, k] * a[j, k]
        a[j, j] = np.sqrt(np.abs(a[j, j]) + 1.0)
        for i in range(j + 1, n):
            a[i, j] = a[i, j] / a[j, j]
    return np.sum(np.tril(a))


def substitution(a):
    n = a.shape[0]
    x = np.ones(n)
    for i in range(n):
        for j in range(i):
            x[i] -= a[i, j] * x[j]
        x[i] = x[i] / a[i, i]
    return np.sum(x * x)


def recurrence(a):
    n = a.shape[0]
    x = np.zeros(n)
    x[0] = a[0, 0]
    for i in range(1, n):
        x[i] = np.sin(x[i - 1]) * a[i, 0] + x[i - 1] * x[i - 1] * 0.1
    return np.sum(x)


def table(a):
    n, m = a.shape
    t = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            t[i, j] = a[i - 1, j - 1] * t[i - 1, j] * 0.5 + t[i, j - 1] * t[i - 1, j - 1] + 0.1
    return np.sum(t)


def again_and_again(a):
    x = a[0].copy()
    total = 0.0
    for _ in range(3):
        for i in range(1, len(x)):
            x[i] = x[i] * x[i - 1] + 0.5
        total += np.sum(x)
    return total


def overwritten(a):
    x = a[0].copy()
    for i in range(1, len(x) - 1):
        x[i] = x[i - 1] * x[i + 1] + 0.3 * x[i] * x[i]
    return np.sum(x)


def overwritten_from_behind(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] * a[n - 1 - i, j] + 0.1
    return np.sum(a)


def by_the_counter_of_another_loop(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            a[i, j] = a[j, i] * a[i, j] + 0.2
    return np.sum(a * a)


def behind_the_front(a):
    n = a.shape[0]
    x = a[0].copy()
    for i in range(n):
        x[i] = x[i - 1] * 0.5 + x[i] * x[i - 2]
    return np.sum(x)


SETTLED = [elimination, cholesky, substitution, recurrence, table]
OTHERS = [again_and_again, overwritten, overwritten_from_behind, by_the_counter_of_another_loop, behind_the_front]


@pytest.mark.parametrize("function", [*SETTLED, *OTHERS])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_gradients_agree_with_central_differences(function, size):
    rng = np.random.default_rng(size)
    a, direction = 0.5 + rng.random((size, size)) + 2.0 * np.eye(size), rng.standard_normal((size, size))
    found = np.sum(ag.grad(function)(a.copy()) * direction)
    ends = [function(a + sign * 1e-6 * direction) for sign in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


def in_segments(a):
    n, total = a.shape[0], 0.0
    for _ in ag.loop_options(range(3), checkpoint=True):
        b = a * (1.0 + 0.1 * np.tanh(total))
        for k in ag.loop_options(range(n), checkpoint=True):
            for i in range(k + 1, n):
                b[i, k] = b[i, k] / b[k, k]
                for j in range(k + 1, n):
                    b[i, j] -= b[i, k] * b[k, j]
        total += np.sum(np.tanh(b))
    return total


def test_loops_in_segments():
    rng = np.random.default_rng(3)
    a, direction = rng.random((6, 6)) + 4.0 * np.eye(6), rng.standard_normal((6, 6))
    ends = [in_segments(a + sign * 1e-6 * direction) for sign in (1, -1)]
    assert np.sum(ag.grad(in_segments)(a) * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_second_derivatives():
    a = 0.5 + np.random.default_rng(1).random((3, 3)) + 2.0 * np.eye(3)
    ag.testing.check_grads(lambda a: elimination(a.copy()), (a,), order=2, modes=("rev",))


def ranks_kept(function) -> list[int]:
    """The ranks of the arrays of residuals that a gradient fills."""
    text = str(ag.compile(lambda a: ag.grad(function)(a)).graph(np.eye(5) + 0.1))
    return sorted(sizes.count(",") + 1 for sizes in re.findall(r"f64\[(.*)\] = empty", text))


@pytest.mark.parametrize(("function", "ranks"), [(elimination, [1, 2]), (recurrence, []), (table, []), (substitution, [1])])
def test_the_array_is_kept_in_the_place_of_elements(function, ranks):
    assert ranks_kept(function) == ranks
