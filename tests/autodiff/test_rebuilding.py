"""Arrays that a trip makes and changes in place: made again in the reverse sweep where all that they are made of is kept, else kept."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def of_what_is_kept(p, n):
    total = 0.0
    for _ in range(n):
        q = 3.0 * p
        q[1:] -= p[:-1]
        q[:-1] -= 0.5 * p[1:]
        total += p @ q
        p = p + q / (1.0 + q @ q)
    return total + np.sum(p * p)


def asked_in_two_states(p, n):
    total = 0.0
    for _ in range(n):
        q = p * p
        q[1:] *= p[:-1]
        total += q @ p
        q[:-1] += 0.1 * p[1:]
        p = p * 0.5 + np.sin(q) * q
        total += q @ q
    return total


def of_an_array_that_is_written(p, n):
    total = 0.0
    for k in range(n):
        q = 2.0 * p
        q[1:] += p[:-1]
        p[k] = 0.5
        total += (q * q) @ (p * p)
        p = p + 0.1 * q
    return total


def written_in_a_branch(p, n):
    total = 0.0
    for k in range(n):
        q = p * 2.0
        if k % 2:
            q[1:] -= p[:-1]
        total += q @ q
        p = 0.5 * p + 0.1 * q
    return total


def filled_by_a_loop(p, n):
    total = 0.0
    for k in range(n):
        q = np.zeros(len(p))
        q[:] = p
        for i in range(1, len(p)):
            q[i] += q[i - 1] * 0.5
        total += q @ q
        p = np.cos(q) * p
    return total


def two_of_each_other(p, n):
    total = 0.0
    for _ in range(n):
        a = p * 2.0
        b = p * 3.0
        a[1:] += b[:-1]
        b[1:] += a[:-1]
        total += (a * b) @ (a * p)
        p = p - 0.05 * a
    return total


PROGRAMS = [of_what_is_kept, asked_in_two_states, of_an_array_that_is_written, written_in_a_branch, filled_by_a_loop, two_of_each_other]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("trips", [0, 1, 4])
def test_gradients_of_arrays_that_a_trip_changes(function, trips):
    p = np.random.default_rng(0).standard_normal(7) * 0.5

    def on_a_copy(p, n):
        return function(p.copy(), n)

    ag.testing.check_grads(on_a_copy, (p, trips), order=2, modes="rev")


def test_what_is_made_again_is_not_kept():
    def kept(function):
        graph = str(ag.compile(lambda p: ag.grad(function)(p, 5), fallback="error").graph(np.ones(50)))
        return graph.count("empty(")

    def without_changes(p, n):
        total = 0.0
        for _ in range(n):
            q = 3.0 * p
            total += p @ q
            p = p + q / (1.0 + q @ q)
        return total + np.sum(p * p)

    assert kept(of_what_is_kept) == kept(without_changes) > 0
    assert kept(of_an_array_that_is_written) > 1


def test_states_that_begin_equal_are_separate():
    def pair(x):
        a = b = x * 1.0
        for _ in range(4):
            a[1:] += b[:-1]
            b = b * 0.5 + a
        return np.sum(a * b)

    def momentum(x):
        v, u = x * 1.0, x * 1.0
        for _ in range(5):
            u = u + 0.1 * v
            v = v - 0.1 * np.sin(u)
        return np.sum(u * v)

    x = np.random.default_rng(1).standard_normal(6)
    for function in (momentum,):
        ag.testing.check_grads(function, (x,), order=2)
    assert ag.compile(momentum, fallback="error")(x) == pytest.approx(momentum(x), rel=1e-14)
    assert ag.compile(pair)(x) == pytest.approx(pair(x), rel=1e-14)
