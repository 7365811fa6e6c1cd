"""Loops of the reverse sweep that count down count up where their trips may come in any order, and give what they gave."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.ir.printer import print_graph
from tests.interpretation import compiled_and_interpreted


def newton(x, n):
    total = 0.0
    for i in range(len(x)):
        y = x[i]
        for _ in range(n):
            y = y - (y * y - x[i]) / (2 * y)
        total += y
    return total


def horner(c, x):
    total = 0.0
    for j in range(len(x)):
        y = 0.0
        for i in range(len(c)):
            y = y * x[j] + c[i]
        total += y * y
    return total


def neighbours(x, n):
    total = 0.0
    for i in range(1, len(x) - 1):
        y = x[i - 1]
        for k in range(n):
            y = y * x[i] + x[i + 1] * 0.5 + x[k]
        total += y
    return total


def in_a_chain(x, n):
    for i in range(1, len(x)):
        y = x[i]
        for _ in range(n):
            y = 0.5 * (y + x[i - 1] * x[i - 1])
        x[i] = y
    return np.sum(x)


def gradient_of(function):
    return ag.compile(lambda *arguments: ag.grad(function)(*arguments), fallback="error")


def passed_on(function, monkeypatch):
    """The graph that reaches the emitter."""
    graphs = []
    original = driver.mark_literal_indices
    monkeypatch.setattr(driver, "mark_literal_indices", lambda graph: (graphs.append(print_graph(graph)), original(graph))[1])
    gradient_of(function)(np.linspace(1.0, 2.0, 20), 3)
    return graphs[-1]


@pytest.mark.parametrize("function", [newton, neighbours, in_a_chain])
@pytest.mark.parametrize("size", [0, 1, 3, 15, 16, 17, 33, 70])
def test_gradients_are_those_of_single_operations(function, size):
    x = np.random.default_rng(size).uniform(0.5, 1.0, max(size, 3 if function is neighbours else 0))
    found, expected = compiled_and_interpreted(lambda x, n: ag.grad(function)(x, n), x, 3)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 70])
def test_what_all_lanes_add_to_is_the_sum(dtype, size):
    rng = np.random.default_rng(size)
    c, x = rng.standard_normal(9).astype(dtype), rng.uniform(-0.9, 0.9, size).astype(dtype)
    found, expected = compiled_and_interpreted(lambda c, x: ag.grad(horner)(c, x), c, x)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-4, atol=1e-6)


def test_loops_of_independent_trips_count_up(monkeypatch):
    graph = passed_on(newton, monkeypatch)
    assert counts_down(graph) == 1


def test_loops_that_hand_on_what_they_write_count_down(monkeypatch):
    assert counts_down(passed_on(in_a_chain, monkeypatch)) == 2


def counts_down(graph):
    """How many loops of the reverse sweep have a step of -1."""
    lines = graph.splitlines()
    minus = {line.split(":")[0].strip() for line in lines if "value = i64(-1)" in line}
    loops = [line[line.index("for_loop(") :].split(")")[0].split(", ") for line in lines if "for_loop(" in line]
    return sum(loop[2] in minus for loop in loops)
