"""`while` loops that count are counted loops, and give and leave behind what Python's do."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.kernels import loop_passes


def up(x, n, k):
    i = 0
    while i < n:
        x[i] += 1.0
        i += 1
    return i


def up_to(x, n, k):
    i = 2
    while i <= n - 1:
        x[i] += i
        i = i + 1
    return i


def down(x, n, k):
    i = n - 1
    while i >= 0:
        x[i] = x[i] + i
        i -= 1
    return i


def multiples(x, n, k):
    for p in range(2, 5):
        j = p * p
        while j < n:
            x[j] = p
            j += p
    return x.sum()


def by_threes(x, n, k):
    total, i = 0.0, n
    while i > 2:
        total += x[i - 3]
        i -= 3
    return total


def counter_read_after_a_step(x, n, k):
    i = 0
    while i < n:
        x[i] = i
        i += 4
    return i


def bound_moves(x, n, k):
    i = 0
    while i < n:
        n -= 1
        i += 1
    return i, n


def step_from_outside(x, n, k):
    i = total = 0
    while i < n:
        total += x[i]
        i += max(k, 1)
    return total


def step_may_be_zero(x, n, k):
    i = trips = 0
    while i < n:
        i += k
        trips += 1
        if trips > 50:
            break
    return trips


def caught(x, n, k):
    i = 0
    try:
        while i < n:
            x[i + k] = i
            i += 1
    except IndexError as error:
        return i, str(error)
    return i, ""


def queue(x, n, k):
    waiting, i = [1], 0
    while i < len(waiting):
        if waiting[i] < n:
            waiting += [2 * waiting[i], 3 * waiting[i]]
        i += 1
    return waiting


def bound_in_memory(x, n, k):
    x[1], i = n, 0
    while i < x[1]:
        x[1] -= 0.5
        i += 1
    return i


def bound_in_a_copy(x, n, k):
    y, i = x.copy(), 0
    y[1] = n
    while i < y[1]:
        z = y
        z[1] -= 1
        i += 1
    return i


FUNCTIONS = [up, up_to, down, multiples, by_threes, counter_read_after_a_step, bound_moves, step_from_outside, step_may_be_zero, caught]
FUNCTIONS += [queue, bound_in_memory, bound_in_a_copy]


def outcome(function, n, k):
    x = np.ones(12)
    try:
        return function(x, n, k), x.tolist()
    except IndexError as error:
        return str(error), x.tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_give_what_python_gives(function):
    compiled = ag.compile(function, fallback="error")
    for n in (-3, 0, 1, 2, 3, 7, 11, 12, 13, 30):
        for k in (0, 1, 2, 5, -20):
            assert outcome(compiled, n, k) == outcome(function, n, k), (n, k)


@pytest.mark.parametrize("function", [up, up_to, down, multiples, by_threes, step_from_outside])
def test_loops_that_count_are_turned(function, monkeypatch):
    turned = []
    plain = loop_passes.count_loops
    monkeypatch.setattr(loop_passes, "count_loops", lambda graph, ranges: turned.append(plain(graph, ranges)))
    with ag.config(cache=False):
        ag.compile(function, fallback="error")(np.ones(12), 5, 2)
    assert turned == [True]


@pytest.mark.parametrize("function", [counter_read_after_a_step, bound_moves, step_may_be_zero, queue, bound_in_memory])
def test_others_are_left(function, monkeypatch):
    turned = []
    plain = loop_passes.count_loops
    monkeypatch.setattr(loop_passes, "count_loops", lambda graph, ranges: turned.append(plain(graph, ranges)))
    with ag.config(cache=False):
        ag.compile(function, fallback="error")(np.ones(12), 5, 2)
    assert turned == [False]
