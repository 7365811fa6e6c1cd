"""Gradients of loops that search: only what is found is differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def nearest(x):
    n, total = len(x), 0.0
    for i in range(n):
        best = 1e9
        for j in range(n):
            if i != j:
                d = (x[i] - x[j]) ** 2 + np.sin(x[j])
                if d < best:
                    best = d
        total += np.sqrt(best + 2.0)
    return total


def by_min(x):
    low, high = x[0], -np.inf
    for i in range(1, len(x)):
        low = min(low, np.sin(x[i]) * x[0])
        high = max(high, x[i] ** 3)
    return low * high


def with_its_place(x):
    best, place = np.inf, 0
    for i in range(len(x) - 1, -1, -2):
        v = x[i] * x[i] - x[i]
        if v < best:
            best, place = v, i
    return best * x[place] + place


def two_ways(x):
    best = x[0]
    for i in range(len(x)):
        if x[i] > best:
            best = x[i] * 1.5
        elif x[i] < -best:
            best = -x[i]
    return best


def second_best(x):
    best = second = -9.0
    for i in range(len(x)):
        if x[i] > best:
            second = best
            best = x[i] * x[1]
        elif x[i] > second:
            second = x[i]
    return best * second


def used_on_the_way(x):
    best, total = x[0], 0.0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i] * x[i]
        total += best
    return total * best


def never_found(x):
    best = x[2] * 2.0
    for i in range(len(x)):
        if x[i] - 100.0 > best:
            best = x[i]
    return best * best


def no_trip(x):
    best = x[1]
    for i in range(int(x[0] * 0.0)):
        if x[i] > best:
            best = x[i]
    return best * best


def from_what_is_written(x):
    y = x * 1.0
    best = -1.0
    for i in range(len(x) - 1):
        y[i + 1] += 0.5 * y[i]
        if y[i] > best:
            best = y[i]
    return best * best


def of_sums(x):
    best = -9.0
    for i in range(len(x)):
        s = 0.0
        for j in range(i):
            s += x[j] * x[i]
        if s > best:
            best = s
    return best * best


def last_of_many(x):
    last = x[0]
    for i in range(len(x)):
        if x[i] > 0.0:
            last = x[i] * x[0]
    return last * last


PROGRAMS = (
    nearest,
    by_min,
    with_its_place,
    two_ways,
    second_best,
    used_on_the_way,
    never_found,
    no_trip,
    from_what_is_written,
    of_sums,
    last_of_many,
)


@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_agree_with_central_differences(function):
    rng = np.random.default_rng(7)
    for _ in range(4):
        x, direction = rng.standard_normal(9), rng.standard_normal(9)
        value, gradient = ag.value_and_grad(function)(x)
        assert value == function(x)
        ends = [function(x + sign * 1e-6 * direction) for sign in (1, -1)]
        assert np.sum(gradient * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("function", [nearest, by_min, with_its_place, last_of_many])
def test_second_derivatives(function):
    ag.testing.check_grads(function, (np.random.default_rng(3).standard_normal(6),), order=2, modes=("rev",))


def kept_of(function):
    graph = str(ag.compile(lambda x: ag.grad(function)(x), fallback="error").graph(np.full(30, 0.5)))
    return [line.strip() for line in graph.splitlines() if " empty(" in line]


@pytest.mark.parametrize("function", [by_min, with_its_place, never_found, last_of_many])
def test_nothing_is_kept_of_the_trips(function):
    assert kept_of(function) == []


def test_only_the_place_is_kept_in_loops_around():
    assert not any("d:trips1, d:trips2" in line for line in kept_of(nearest))


@pytest.mark.parametrize("function", [second_best, used_on_the_way, from_what_is_written])
def test_what_is_no_search_is_differentiated_trip_by_trip(function):
    assert kept_of(function) != []


def test_nan_is_found_as_python_finds_it():
    def largest(x):
        best = x[0]
        for i in range(len(x)):
            if not x[i] <= best:
                best = x[i] * 2.0
        return best

    for x in (np.array([1.0, np.nan, 5.0]), np.array([np.nan, 1.0, 0.5])):
        value, gradient = ag.value_and_grad(largest)(x)
        np.testing.assert_equal(value, largest(x))
        assert np.sum(gradient != 0) == 1
