"""Arrays that a trip makes and changes in place: made again in the reverse sweep where all that they are made of is kept, else kept."""

from __future__ import annotations

import linecache

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


def twice_in_a_trip(u, n):
    for _ in range(n):
        flux = 0.5 * u * u
        u[1:] = u[1:] - 0.1 * (flux[1:] - flux[:-1])
        flux = 0.5 * u * u
        u[1:] = u[1:] - 0.1 * (flux[1:] - flux[:-1])
    return np.sum(u * u)


def three_times_in_a_trip(u, n):
    for _ in range(n):
        u[1:] *= u[:-1]
        u[:-1] *= u[1:]
        u[2:] += u[:-2] * u[1:-1]
    return np.sum(u * u)


def of_older_products(u, n):
    for _ in range(n):
        t = u * u
        u[1:] -= 0.1 * t[:-1] * u[1:]
        u[:-1] += 0.2 * t[1:] * u[:-1]
        s = t * u
        u[1:-1] += 0.1 * s[2:] * u[1:-1]
    return np.sum(u**3)


def two_fields(u, n):
    v = u[::-1] * 0.5
    for k in range(n):
        u[1:] += 0.1 * v[1:] * u[:-1]
        v[:-1] -= 0.2 * u[1:] * v[1:]
        u[k:] *= v[k:]
        v[1:] += u[:-1] * u[1:]
    return np.sum(u * v)


def halved_in_between(u, n):
    for _ in range(n):
        u[1:] *= u[:-1]
        u[0] = np.sin(u[-1])
        if u[1] > 0:
            u *= 0.5
        u[:-1] *= u[1:]
    return np.sum(u * u)


PROGRAMS = [of_what_is_kept, asked_in_two_states, of_an_array_that_is_written, written_in_a_branch, filled_by_a_loop, two_of_each_other]
PROGRAMS += [twice_in_a_trip, three_times_in_a_trip, of_older_products, two_fields, halved_in_between]


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("trips", [0, 1, 4])
def test_gradients_of_arrays_that_a_trip_changes(function, trips):
    p = np.random.default_rng(0).standard_normal(7) * 0.5

    def on_a_copy(p, n):
        return function(p.copy(), n)

    ag.testing.check_grads(on_a_copy, (p, trips), order=2, modes="rev")


def kept(function):
    """How many arrays a gradient keeps for all trips."""
    graph = str(ag.compile(lambda p: ag.grad(function)(p, 5), fallback="error").graph(np.ones(50)))
    return graph.count("empty(")


def test_of_two_states_in_a_trip_one_is_kept():
    def on_a_copy(u, n):
        return twice_in_a_trip(u.copy(), n)

    def on_copies(u, n):
        return three_times_in_a_trip(u.copy(), n)

    assert kept(on_a_copy) == 1
    assert kept(on_copies) == 2  # one for pairs of trips, one for the fifth


def once_in_a_trip(u, n):
    for _ in range(n):
        u[1:] -= 0.1 * u[1:] * u[:-1]
    return np.sum(u * u)


def from_elsewhere(u, n):
    for k in range(2, n + 2):
        u[1:] *= 1.0 - 0.1 * k * u[:-1]
        u[0] += 0.1 * k
    return np.sum(u * u)


def linear(u, n):
    w = np.arange(1.0, len(u))
    for _ in range(n):
        u[1:] -= 0.1 * w * u[:-1]
    return np.sum(u * u)


def with_roots(u, n):
    for _ in range(n):
        u[1:] -= 0.1 * u[1:] * np.sqrt(1.0 + u[:-1] * u[:-1])
    return np.sum(u * u)


def two_arrays(u, n):
    v = u * 0.5
    for _ in range(n):
        u[1:] -= 0.1 * v[1:] * u[:-1]
        v[:-1] += 0.1 * u[1:] * v[:-1]
    return np.sum(u * v)


@pytest.mark.parametrize("function", [once_in_a_trip, from_elsewhere, linear, with_roots, two_arrays])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 6, 7])
def test_gradients_of_paired_trips(function, trips):
    def on_a_copy(u):
        return function(u.copy(), trips)

    def of_any_number(u, n):
        return function(u.copy(), n)

    u = np.random.default_rng(trips).standard_normal(6) * 0.5
    ag.testing.check_grads(on_a_copy, (u,), order=2, modes="rev")
    compiled = ag.compile(lambda u, n: ag.grad(of_any_number)(u, n), fallback="error")
    np.testing.assert_allclose(compiled(u, trips), ag.grad(on_a_copy)(u), rtol=1e-13)


@pytest.mark.parametrize(("function", "states"), [(once_in_a_trip, 20), (with_roots, 40), (two_arrays, 40)])
def test_of_paired_trips_one_state_is_kept(function, states):
    def on_a_copy(u):
        return function(u.copy(), 40)

    graph = str(ag.compile(lambda u: ag.grad(on_a_copy)(u), fallback="error").graph(np.ones(50)))
    assert f"f64[{states}, s:arg0.0] = empty(" in graph
    assert graph.count("for_loop(") == 2


def random_program(seed):
    """Statements that change parts of an array by products of parts of it and of what was computed of it."""
    rng = np.random.default_rng(seed)
    part = lambda name: f"{name}[{(k := int(rng.integers(0, 3))) or ''}:{k - 2 or ''}]"  # noqa: E731
    lines = ["def program(u):", "    for k in range(3):", "        t = 0.5 * u * u"]
    for _ in range(int(rng.integers(2, 5))):
        lines.append(f"        {part('u')} {rng.choice(['+=', '-=', '='])} 0.3 * {part(rng.choice(['u', 't']))} * {part('u')}")
        if rng.random() < 0.3:
            lines.append(f"        t = {rng.choice(['t * u', 'u - t', 'np.cos(u)'])}")
    source, name = "\n".join([*lines, "    return np.sum(u * u)"]) + "\n", f"<states {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"np": np}
    exec(compile(source, name, "exec"), namespace)  # noqa: S102
    return namespace["program"]


@pytest.mark.parametrize("seed", range(20))
def test_random_statements(seed):
    program = random_program(seed)
    gradient = ag.compile(lambda u: ag.grad(program)(u), fallback="error")
    u, direction = np.random.default_rng(seed).standard_normal((2, 9)) * 0.5
    slope = (program(u + 1e-6 * direction) - program(u - 1e-6 * direction)) / 2e-6
    assert np.sum(gradient(u) * direction) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_what_is_made_again_is_not_kept():
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
