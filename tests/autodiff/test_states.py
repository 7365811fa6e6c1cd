"""States of written arrays that are kept in the place of what is read or computed of them."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def burgers(u):
    for _ in range(4):
        u[1:-1] = u[1:-1] - 0.01 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.02 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def products_of_neighbours(u):
    for _ in range(3):
        u[1:-1] *= 0.5 * u[2:] * u[:-2]
    return np.sum(u)


def two_arrays(u):
    v = np.cos(u)
    for _ in range(3):
        u[1:] = u[1:] * v[:-1] - 0.1 * (u[1:] - u[:-1]) * v[1:]
        v[:-1] -= 0.2 * u[1:] * v[1:] * v[:-1]
    return np.sum(u * v)


def states_in_between(u):
    for _ in range(3):
        a = u[1:] * u[:-1]
        u[1:] = 0.5 * a
        b = u[1:] * u[:-1]
        u[:-1] = u[:-1] * b - a * a
    return np.sum(u)


def with_sines(u):
    for _ in range(3):
        u[1:-1] = np.sin(u[2:]) * u[:-2] - np.exp(-u[1:-1] * u[2:])
    return np.sum(u)


def nested(u):
    for i in range(3):
        for j in range(i + 2):
            u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[2:] - u[:-2]) * (j + 1)
    return np.sum(u * u)


def until(u):
    k = 0
    while k < 5 and u[1] < 100.0:
        u[1:-1] = u[1:-1] * (u[2:] - 0.5 * u[:-2])
        k += 1
    return np.sum(u)


def in_a_branch(u):
    for k in range(4):
        if u[k] > 0.9:
            u[1:-1] = u[1:-1] * (u[2:] - 0.5 * u[:-2])
        else:
            u[1:] = u[1:] * u[:-1]
    return np.sum(u)


def a_small_part(u):
    for _ in range(3):
        u[:2] = u[:2] * (u[2:4] - u[:2])
    return np.sum(u)


def moving_parts(u):
    for k in range(3):
        u[k : k + 4] = u[k : k + 4] * (u[k + 1 : k + 5] - 0.3 * u[k : k + 4])
    return np.sum(u)


def slopes(u):
    for _ in range(3):
        d = u[1:] - u[:-1]
        s = np.where(d[1:] * d[:-1] > 0, np.minimum(np.abs(d[1:]), np.abs(d[:-1])), 0.0)
        u[1:-1] = u[1:-1] - 0.1 * d[:-1] + 0.05 * s
    return np.sum(u * u)


def copied_states(u):
    v = np.cos(u)
    for _ in range(3):
        x, y = u.copy(), v.copy()
        u[1:-1] = x[1:-1] - 0.1 * x[1:-1] * (x[1:-1] - x[:-2]) - 0.1 * y[1:-1] * (x[2:] - x[1:-1])
        v[1:-1] = y[1:-1] - 0.1 * x[1:-1] * (y[1:-1] - y[:-2]) - 0.1 * y[1:-1] * (y[2:] - y[1:-1])
    return np.sum(u * v)


def views_of_views(u):
    for _ in range(3):
        d = (u * u)[1:]
        e = d[1:][:-1] * d[2:]
        u[1:-2] = 0.5 * u[1:-2] + 0.1 * e * d[:-2]
    return np.sum(u)


PROGRAMS = (
    burgers,
    products_of_neighbours,
    two_arrays,
    states_in_between,
    with_sines,
    nested,
    until,
    in_a_branch,
    a_small_part,
    moving_parts,
    slopes,
    copied_states,
    views_of_views,
)


@pytest.mark.native
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_agree_with_central_differences(function):
    gradient = ag.grad(function)
    for size in (9, 40):
        rng = np.random.default_rng(size)
        u, direction = 0.5 + rng.random(size), rng.standard_normal(size)
        found = np.sum(gradient(u.copy()) * direction)
        ends = [function(u + sign * 1e-6 * direction) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("function", [burgers, two_arrays, states_in_between])
def test_second_derivatives(function):
    ag.testing.check_grads(lambda u: function(u.copy()), (0.5 + np.random.default_rng(1).random(8),), order=2, modes=("rev",))


def heat(u):
    for _ in range(3):
        u[1:-1, 1:-1] += 0.1 * u[1:-1, 1:-1] * (u[2:, 1:-1] + u[:-2, 1:-1] - u[1:-1, 2:] * u[1:-1, :-2])
    return np.sum(u * u)


def test_planes():
    ag.testing.check_grads(lambda u: heat(u.copy()), (0.5 + np.random.default_rng(2).random((6, 7)),), order=1, modes=("rev",))


def kept_arrays(function, u):
    """How many arrays the forward sweep keeps for the trips of its loop."""
    text = str(ag.compile(lambda u: ag.grad(function)(u), fallback="error").graph(u))
    return sum("empty(" in line for line in text.splitlines())


@pytest.mark.parametrize(
    "function, count", [(burgers, 1), (products_of_neighbours, 1), (two_arrays, 3), (states_in_between, 2), (slopes, 1), (copied_states, 2)]
)
def test_no_more_is_kept_than_states(function, count):
    assert kept_arrays(function, np.ones(20)) <= count


def distances(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            total += 1 / (np.sum(d * d) + 0.5)
    return total


def test_what_is_cheaply_computed_of_rows_that_nothing_writes_is_not_kept():
    x = np.random.default_rng(2).standard_normal((12, 3))
    text = str(ag.compile(lambda x: ag.grad(distances)(x), fallback="error").graph(x))
    assert "list_extend" not in text and "list_take" not in text
    ag.testing.check_grads(distances, (x,), order=2, modes=("rev",))
