"""Loops that read what later trips write, at distances that only the run knows: element by element the same as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.control import ahead


def downwards(a, k, top, bottom):
    for i in range(top, bottom, -1):
        a[i] = max(a[i], a[i - k] + 3)


def upwards(a, k, top, bottom):
    for i in range(bottom, top):
        a[i] = a[i + k] - a[i] % 8


def under_a_condition(a, k, top, bottom):
    for i in range(top, bottom, -1):
        if a[i - k] + 3 > a[i]:
            a[i] = a[i - k] + 3


def three_places(a, k, top, bottom):
    for i in range(bottom, top):
        a[i] = a[i + k] - a[i + k + k] + a[i]


def read_after_the_write(a, k, top, bottom):
    total = 0
    for i in range(bottom, top):
        a[i] = 2 * i
        total += a[i + k]
    return total


def written_twice(a, k, top, bottom):
    for i in range(bottom, top):
        a[i] = a[i + k] + 1
        a[i + k] = i


def reversed_reads(a, k, top, bottom):
    for i in range(bottom, top):
        a[i] = a[k - i] + 1


PROGRAMS = [downwards, upwards, under_a_condition, three_places, read_after_the_write, written_twice, reversed_reads]


@pytest.mark.parametrize("dtype", ["i8", "f8", "i4"])
@pytest.mark.parametrize("function", PROGRAMS)
def test_every_distance(function, dtype):
    compiled = ag.compile(function, fallback="error")
    numbers = np.random.default_rng(0).integers(-99, 99, 400).astype(dtype)
    for k in (-70, -33, -32, -31, -9, -8, -7, -2, -1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70):
        for bottom, top in ((140, 259), (140, 143), (140, 140), (141, 140), (0, 399)):
            mine, theirs = numbers.copy(), numbers.copy()
            results = []
            for run, array in ((compiled, mine), (function, theirs)):
                try:
                    results.append(run(array, k, top, bottom))
                except IndexError as error:
                    results.append(str(error))
            assert results[0] == results[1]
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(("function", "found"), [(each, number < 4) for number, each in enumerate(PROGRAMS)])
def test_which_loops_have_a_version_for_it(monkeypatch, function, found):
    seen = []
    emit = ahead.emit_free
    monkeypatch.setattr("autograph_jit.backends.cpu.control.versions.emit_free", lambda e, inner: (seen.append(True), emit(e, inner)))
    ag.compile(function, fallback="error")(np.arange(50), 1, 30, 5)
    assert bool(seen) is found


def test_other_arrays_that_may_overlap_wait():
    @ag.compile(fallback="error")
    def mixed(a, b, k, n):
        for i in range(n):
            a[i] = a[i + k] + b[i]

    memory, expected = np.arange(100.0), np.arange(100.0)
    mixed(memory, memory[::-1][40:90], 3, 30)
    mixed.__wrapped__(expected, expected[::-1][40:90], 3, 30)
    np.testing.assert_array_equal(memory, expected)


def test_a_knapsack():
    @ag.compile(fallback="error")
    def knapsack(weights, values, capacity):
        best = np.zeros(capacity + 1, dtype=np.int64)
        for i in range(len(weights)):
            for room in range(capacity, weights[i] - 1, -1):
                best[room] = max(best[room], best[room - weights[i]] + values[i])
        return best

    rng = np.random.default_rng(1)
    weights, values = rng.integers(1, 60, 40), rng.integers(1, 100, 40)
    np.testing.assert_array_equal(knapsack(weights, values, 500), knapsack.__wrapped__(weights, values, 500))
