"""Gradients of rotations: cotangents are rotated back, also where the place is beyond the ends; what only looks like one is none."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag


def periodic(x):
    for _ in range(3):
        x = x + 0.1 * (np.roll(x, 1) - 2 * x + np.roll(x, -1)) * x
    return np.sum(x * x)


def with_four_neighbours(x):
    for _ in range(3):
        a, b, c, d = np.roll(x, -1), np.roll(x, 1), np.roll(x, -2), np.roll(x, 2)
        x = x - 0.1 * x * (a - b) - 0.05 * (c - 2 * a + 2 * b - d)
    return np.sum(x**3)


def joined_by_hand(x):
    return np.sum(np.sin(np.concatenate([x[-1:], x[:-1]])) * x)


def beyond_the_end(x):
    return np.sum(np.concatenate([x[7:], x[:7]]) * x * np.arange(len(x)))


def beyond_the_start(x):
    return np.sum(np.concatenate([x[-9:], x[:-9]]) * x * np.arange(len(x)))


def along_two_axes(x):
    z = x.reshape(2, -1)
    z = np.roll(z, (1, 2), axis=(0, 1)) * z
    return np.sum(z * np.arange(z.size).reshape(z.shape))


def written_afterwards(x):
    y = np.roll(x, 2)
    x[0] = 3 * x[1]
    y[1] *= x[2]
    return np.sum(y * x)


def by_the_trip(x):
    k = 0
    while np.sum(x) < 20 and k < 5:
        x = np.roll(x, k) * 1.5 + x
        k += 1
    return np.sum(x * np.arange(len(x)))


def in_branches(x):
    y = x.copy()
    for k in range(4):
        if x[k % len(x)] > 0.4:
            y = np.roll(y, k) + y
        else:
            y = y * np.roll(x, -k)
    return np.sum(y * np.arange(len(x)))


def of_a_view_that_is_written(x):
    v = x[1:]
    w = np.concatenate([v[1:], v[:1]])
    v[0] = 2 * v[0]
    return np.sum(w * w * np.arange(len(w)) + v)


def parts_used_twice(x):
    behind, before = x[2:], x[:2]
    return np.sum(np.concatenate([behind, before]) * x) + np.sum(behind * behind) * np.sum(before)


PROGRAMS = (
    periodic,
    with_four_neighbours,
    joined_by_hand,
    beyond_the_end,
    beyond_the_start,
    along_two_axes,
    written_afterwards,
    by_the_trip,
    in_branches,
    of_a_view_that_is_written,
    parts_used_twice,
)


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("size", [4, 6])
def test_gradients_of_rotations(function, size):
    x = np.random.default_rng(size).uniform(0.1, 1.0, size)
    found = ag.compile(ag.grad(function), fallback="error")(x.copy())
    step = 1e-6
    expected = [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(size)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ag.grad(function)(x.copy()), found, rtol=1e-12, atol=1e-12)


def test_states_are_read_through_rotations():
    """The reverse of a trip needs the neighbours of the state: it turns the state once more, of which one row a trip is kept."""
    x, trips = np.ones(6), 5

    def advance(x, trips):
        for _ in range(trips):
            a, b, c, d = np.roll(x, -1), np.roll(x, 1), np.roll(x, -2), np.roll(x, 2)
            x = x - 0.1 * x * (a - b) - 0.05 * (c - 2 * a + 2 * b - d)
        return np.sum(x**3)

    text = ag.compile(lambda x, trips: ag.grad(advance)(x, trips), fallback="error").graph(x, trips)
    assert len(re.findall(r"empty\(%\w+, %\w+\)", str(text))) == 1


def test_a_second_derivative_of_a_rotation():
    def slope(x):
        return np.sum(ag.grad(periodic)(x) ** 2)

    x = np.random.default_rng(1).uniform(0.1, 1.0, 5)
    found = ag.compile(ag.grad(slope), fallback="error")(x.copy())
    expected = [(slope(x + 1e-5 * e) - slope(x - 1e-5 * e)) / 2e-5 for e in np.eye(5)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.native
def test_the_reverse_of_a_periodic_scheme_is_one_nest():
    def smoothed(x):
        for _ in range(20):
            x = x + 0.1 * (np.roll(x, 1) - 2 * x + np.roll(x, -1))
        return np.sum(x)

    text = ag.compile(lambda x: ag.grad(smoothed)(x), fallback="error").kernels(np.ones(50))
    assert text.count("~i0") == 2 and "kernel concat" not in text and "kernel assign" not in text
