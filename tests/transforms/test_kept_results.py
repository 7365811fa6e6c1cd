"""What a loop computes where it is kept: gradients, and what the program sees of the arrays that are handed on."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def conjugate_gradient(b, n):
    x = np.zeros(len(b))
    r = b.copy()
    p = r
    rr = r @ r
    for _ in range(n):
        q = 3.0 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        alpha = rr / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new = r @ r
        p = r + new / rr * p
        rr = new
    return np.sum(x * x)


def handed_on_and_used_afterwards(b, n):
    v, total = b, 0.0
    for k in range(n):
        v = np.sin(v) * b + 0.1 * k
        total += np.sum(v * v)
    return total + np.sum(v[1:] * v[:-1])


def written_afterwards(b, n):
    v = b
    for _ in range(n):
        v = v * v * 0.5
    v[0] = 2.0 * v[1]
    return np.sum(v * v)


def written_in_the_trip(b, n):
    v = b * 1.0
    for _ in range(n):
        w = v * v
        v = np.sin(w)
        v[0] = v[1] * 0.5
    return np.sum(v * v)


def swapped(b, n):
    u, v = b * 1.0, np.cos(b)
    for _ in range(n):
        u, v = v, u * v - 0.1 * u * u
    return np.sum(u * v)


def two_steps_back(b, n):
    u, v = b * 1.0, np.cos(b)
    for _ in range(n):
        w = u * v - 0.1 * np.roll(u, 1)
        u, v = v, w
    return np.sum(u * v)


def in_two_loops(b, n):
    v = b * 1.0
    for _ in range(3):
        for _ in range(n):
            v = v * np.cos(v)
        v = v + 0.5 * b
    return np.sum(v * v)


def in_planes(b, n):
    v = np.outer(b, b)
    for _ in range(n):
        s = np.sum(v * v)
        v = v * v / s + v.T * 0.5
    return np.sum(v * v)


def stepped_by_index(b, n):
    u = b
    for _ in range(n):
        v = u.copy()
        for i in range(1, len(u) - 1):
            if u[i] > 1.0:
                v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1])
            else:
                v[i] = u[i] - 0.1 * u[i] * (u[i + 1] - u[i])
        u = v
    return np.sum(u * u * b)


def made_of_zeros(b, n):
    u, first = b, b[0]
    for k in range(n):
        v = np.zeros(len(b))
        v[1:] = np.sin(u[:-1])
        front = v[:1]
        front += first + 0.1 * k
        v *= 1.5
        u = v
    first = np.sum(b)
    return np.sum(u * u) * first


def made_and_copied_afterwards(b, n):
    u = b
    for _ in range(n):
        v = u.copy()
        v[1:-1] = u[1:-1] * u[:-2]
        u = v
    w = u.copy()
    w[0] = 2.0 * u[1]
    return np.sum(w * w * u) + np.sum(b * b)


def made_and_the_older_written(b, n):
    u = b * 1.0
    for _ in range(n):
        v = u.copy()
        v[1:-1] = u[1:-1] * u[:-2]
        u[0] = 3.0 * v[1]
        v[0] += np.sin(u[0])
        u = v
    return np.sum(u * u)


def made_under_two_names(b, n):
    u, w = b * 1.0, b * 0.5
    for _ in range(n):
        v = u.copy()
        v[1:] *= w[:-1]
        w = v[::-1] * 0.5
        front = v[:1]
        front += w[:1]
        u = v
    return np.sum(u * w)


PROGRAMS = (
    stepped_by_index,
    made_of_zeros,
    made_and_copied_afterwards,
    made_and_the_older_written,
    made_under_two_names,
    conjugate_gradient,
    handed_on_and_used_afterwards,
    written_afterwards,
    written_in_the_trip,
    swapped,
    two_steps_back,
    in_two_loops,
    in_planes,
)


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("size", [2, 5, 30])
def test_gradients_and_arguments(function, size):
    rng = np.random.default_rng(size)
    b, direction, gradient = 0.5 + rng.random(size), rng.standard_normal(size), ag.grad(function)
    for n in (0, 1, 2, 3, 6):
        if function is conjugate_gradient and n >= size:
            continue  # it divides by a residual that is nothing but rounding
        mine, written = b.copy(), b.copy()
        found = np.sum(np.asarray(gradient(mine, n)) * direction)
        function(written, n)
        np.testing.assert_allclose(mine, written, rtol=1e-13)
        ends = [function(b + sign * 1e-6 * direction, n) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


def test_what_is_handed_on_is_returned():
    def last(b, n):
        v = b
        for _ in range(n):
            v = np.sin(v) * 2.0
        return np.sum(v * v), v

    b = np.linspace(0.1, 1.0, 6)
    for n in (0, 1, 5):
        gradient, found = ag.grad(last, has_aux=True)(b, n)
        np.testing.assert_allclose(found, last(b, n)[1], rtol=1e-13)
        assert len(gradient) == 6


def test_second_derivatives():
    ag.testing.check_grads(lambda b: conjugate_gradient(b, 3), (0.5 + np.random.default_rng(1).random(7),), order=2, modes=("rev",))
