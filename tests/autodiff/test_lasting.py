"""Arrays that loops read from end to end are kept once for each run of the loops."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def in_turns(u):
    n = len(u)
    v = u.copy()
    for _ in range(11):
        for i in range(1, n - 1):
            v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1]) + 0.2 * u[i + 1]
        u, v = v, u
    return np.sum(u * u)


def downwards(u):
    n = len(u)
    v = u.copy()
    for _ in range(11):
        for i in range(n - 2, 0, -1):
            v[i] = 0.5 * u[i] * u[i + 1] - 0.3 * u[i - 1]
        u, v = v, u
    return np.sum(u * u)


def planes(u):
    n = int(np.sqrt(len(u)))
    a = u[: n * n].reshape(n, n).copy()
    b = a.copy()
    for _ in range(9):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * a[i, j] * (a[i - 1, j] + a[i + 1, j] - a[i, j - 1] * a[i, j + 1])
        a, b = b, a
    return np.sum(a * a)


def in_place(u):
    for _ in range(9):
        for i in range(1, len(u) - 1):
            u[i] = u[i] * 0.5 + u[i - 1] * u[i + 1] * 0.3
    return np.sum(u * u)


def a_few_elements(u):
    for k in range(9):
        for i in range(3):
            u[5] += 0.1 * u[i] * u[i + 1]
        u[k % 3] *= 0.9 * u[5]
    return np.sum(u)


def written_between(u):
    total = 0.0
    for k in range(9):
        for i in range(len(u)):
            total += u[i] * u[i] * (k + 1)
        u[k % 4] = 0.5 * u[k % 4 + 1] * total / (1 + total * total)
        for i in range(len(u)):
            total += np.sin(u[i]) * u[i]
    return total


def in_branches(u):
    for _ in range(11):
        v = u.copy()
        for i in range(1, len(u) - 1):
            if u[i] > 0.5:
                v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1])
            else:
                v[i] = u[i] * u[i + 1]
        u = v
    return np.sum(u * u)


def every_pair(u):
    n = len(u)
    d = u * 1.0
    for t in range(11):
        e = np.zeros(n)
        for j in range(n):
            s = 0.1 * t
            for i in range(n):
                s += np.sin(d[i] * d[j]) * u[i]
            e[j] = s / n
        d = e
    return np.sum(d * d)


def best_way(u):
    n = len(u)
    d = u * 1.0
    for t in range(11):
        e = np.zeros(n)
        for j in range(n):
            best = d[0] - 0.1 * j
            for i in range(1, n):
                v = d[i] - 0.13 * abs(i - j)
                if v > best:
                    best = v
            e[j] = best * (1.0 + 0.01 * t) + u[j]
        d = e
    return np.sum(d * d)


PROGRAMS = (in_turns, downwards, planes, in_place, a_few_elements, written_between, in_branches, every_pair, best_way)


@pytest.mark.parametrize("size", [9, 16, 30])
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_agree_with_central_differences(function, size):
    rng = np.random.default_rng(size)
    u, direction = 0.5 + 0.4 * rng.random(size), rng.standard_normal(size)
    found = np.sum(ag.grad(function)(u.copy()) * direction)
    ends = [function(u + sign * 1e-6 * direction) for sign in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("function", [in_turns, written_between])
def test_second_derivatives(function):
    ag.testing.check_grads(lambda u: function(u.copy()), (0.5 + 0.4 * np.random.default_rng(1).random(8),), order=2, modes=("rev",))


def kept_of(function):
    """What the forward sweep makes for the trips of loops, as lines of the graph."""
    graph = str(ag.compile(lambda u: ag.grad(function)(u), fallback="error").graph(np.full(30, 0.5)))
    return [line.strip() for line in graph.splitlines() if " empty(" in line]


def types_of(function):
    return [line.split(" = ")[0].split(": ", 1)[1] for line in kept_of(function)]


@pytest.mark.parametrize("function", [in_turns, downwards, in_branches])
def test_an_array_is_kept_once_for_each_run_of_the_loop(function):
    (line,) = kept_of(function)
    assert "f64[11, s:arg0.0]" in line


def test_an_array_is_kept_once_for_a_loop_over_its_pairs():
    assert [type_ for type_ in types_of(every_pair) if type_.startswith("f64")] == ["f64[11, s:arg0.0]"]


def test_a_condition_is_kept_where_what_it_compares_is_not():
    def limited(u):
        s = 0.0
        for i in range(len(u)):
            s = s * s + u[i]
            if s > 1.0:
                s = 0.5 * s
        return s

    def largest(u):
        s = total = 0.0
        for i in range(len(u)):
            t = np.sqrt(u[i]) * 0.5 + i
            if t > s:
                s = t
            total += s
        return total

    assert [type_[:3] for type_ in types_of(limited)] == ["f64"]
    assert [type_[:2] for type_ in types_of(largest)] == ["b1"]


def test_a_loop_over_few_elements_does_not_keep_the_array():
    assert not any("s:arg0.0" in line for line in kept_of(a_few_elements))


def test_a_loop_that_reads_elements_makes_no_array_in_a_trip():
    def read(a):
        total = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                total += np.exp(a[i, j]) * a[j, i]
        return total

    graph = str(ag.compile(lambda a: ag.grad(read)(a), fallback="error").graph(np.ones((12, 12))))
    makers = ("full(", "empty(", "copy(", "add(%arg", "zeros")
    inside = [line for line in graph.splitlines() if line.startswith(" " * 8) and "f64[s" in line.partition("=")[0]]
    assert not [line for line in inside if any(maker in line for maker in makers)]
