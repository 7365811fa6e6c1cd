"""Arrays that change places in a loop: gradients, and what is left in all arrays."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def by_index(u, n):
    v = u.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1]) + 0.2 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def ends_by_themselves(u, n):
    v = np.full_like(u, 0.3)
    for _ in range(n):
        for i in range(2, len(u) - 3):
            v[i] = u[i] * u[i - 2] + 0.1 * u[i + 3] * u[i]
        u, v = v, u
    return np.sum(u * v)


def all_places(u, n):
    v, w = np.zeros(len(u)), np.cos(u)
    for _ in range(n):
        for i in range(len(u)):
            v[i] = u[i] * w[i] + 0.1 * u[i] * u[i]
        u, v = v, u
    return np.sum(u * u)


def by_slices(u, n):
    v = 0.5 * u
    for _ in range(n):
        v[1:-1] = u[1:-1] * (1.0 - 0.1 * u[2:] * u[:-2])
        u, v = v, u
    return np.sum(u * u) - np.sum(v * v)


def wave(u, n):
    before, after = u.copy(), np.zeros_like(u)
    for _ in range(n):
        for i in range(1, len(u) - 1):
            after[i] = 2 * u[i] - before[i] + 0.3 * (u[i + 1] - 2 * u[i] + u[i - 1]) * u[i]
        before, u, after = u, after, before
    return np.sum(u * u) + np.sum(before) + 0.5 * np.sum(after)


def wave_by_slices(u, n):
    before, after = 0.9 * u, np.zeros_like(u)
    for _ in range(n):
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.1 * np.sin(u[2:] * u[:-2]) * before[1:-1]
        before, u, after = u, after, before
    return np.sum(u * u)


def in_planes(u, n):
    a = np.outer(u, np.cos(u))
    b = a.copy()
    for _ in range(n):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = a[i, j] * (0.5 + 0.1 * (a[i - 1, j] + a[i + 1, j] - a[i, j - 1] * a[i, j + 1]))
        a, b = b, a
    return np.sum(a * a) + np.sum(b)


def with_bounds_inside(u, n):
    a = np.outer(u, np.cos(u))
    b = a.copy()
    for _ in range(n):
        for i in range(1, a.shape[0] - 1):
            last = b.shape[1] - 1
            for j in range(1, last):
                b[i, j] = a[i, j] * (0.5 + 0.1 * (a[i - 1, j] + a[i + 1, j]))
        a, b = b, a
    return np.sum(a * a) + np.sum(b)


def in_two_loops(u, n):
    v = u.copy()
    for k in range(3):
        for _ in range(n):
            for i in range(1, len(u) - 1):
                v[i] = u[i] * (0.6 + 0.1 * k) + 0.2 * np.cos(u[i - 1] * u[i + 1])
            u, v = v, u
        u[0] = 0.5 * u[0]
    return np.sum(u * u) + np.sum(v)


def what_is_written_is_read(u, n):
    v = u.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * v[i] + u[i] * u[i - 1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def by_branches(u, n):
    v = u.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            if u[i] > 0.9:
                v[i] = u[i] * u[i - 1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def changed_before(u, n):
    v = u.copy()
    for _ in range(n):
        u[0] = u[0] * 0.9
        for i in range(1, len(u) - 1):
            v[i] = u[i] * u[i - 1] + 0.2 * u[i + 1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


FUNCTIONS = (
    *(by_index, ends_by_themselves, all_places, by_slices, wave, wave_by_slices, in_planes, in_two_loops, with_bounds_inside),
    *(what_is_written_is_read, by_branches, changed_before),
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 2, 3, 6, 17])
def test_gradients_and_arguments(function, size):
    rng = np.random.default_rng(size)
    u, direction, gradient = 0.5 + rng.random(size), rng.standard_normal(size), ag.grad(function)
    for n in (0, 1, 2, 3, 4, 7):
        mine, written = u.copy(), u.copy()
        found = np.sum(np.asarray(gradient(mine, n)) * direction)
        function(written, n)
        np.testing.assert_allclose(mine, written, rtol=1e-12)
        ends = [function(u + sign * 1e-6 * direction, n) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-7)


@pytest.mark.native
@pytest.mark.parametrize("function", [by_index, wave, in_planes])
def test_known_numbers_of_trips(function):
    u = 0.5 + np.random.default_rng(1).random(12)
    direction = np.cos(np.arange(12.0))
    for n in (3, 4, 5, 6):
        mine, written = u.copy(), u.copy()
        found = np.sum(ag.grad(lambda u, n=n: function(u, n))(mine) * direction)
        function(written, n)
        np.testing.assert_allclose(mine, written, rtol=1e-12)
        ends = [function(u + sign * 1e-6 * direction, n) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_arrays_of_the_caller():
    def step(u, v):
        for _ in range(5):
            for i in range(1, len(u) - 1):
                v[i] = u[i] * (1.0 - 0.1 * u[i - 1] * u[i + 1])
            u, v = v, u
        return np.sum(u * u)

    gradient = ag.grad(step, argnums=(0, 1))
    for places in (slice(0, 12), slice(0, 24, 2)):
        (mine, theirs), (mine_too, theirs_too) = ([np.linspace(start, 1.5, 24) for _ in range(2)] for start in (0.5, 0.7))
        found = gradient(mine[places], mine_too[places])
        step(theirs[places], theirs_too[places])
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)
        np.testing.assert_allclose(mine_too, theirs_too, rtol=1e-13)
        assert np.count_nonzero(found[0]) == 12 and np.count_nonzero(found[1]) == 2


def test_second_derivatives():
    ag.testing.check_grads(lambda u: wave(u.copy(), 4), (0.5 + np.random.default_rng(1).random(7),), order=2, modes=("rev",))
