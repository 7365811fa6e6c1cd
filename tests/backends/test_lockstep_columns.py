"""Arrays in which trips side by side keep a line each: they are laid out in columns, and hold the same."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.backends.cpu.lockstep import cost, jammed
from autograph_jit.backends.cpu.lockstep.columns import turn_lines


@pytest.fixture(autouse=True)
def wide_registers(monkeypatch):
    """What is worth it on a processor with registers of 64 bytes, whatever the tests run on."""
    for module in (cost, jammed):
        monkeypatch.setattr(module, "vector_bytes", lambda: 64)


def predators(p, steps):
    total = 0.0
    for i in range(len(p)):
        x, y = p[i], 0.5
        for _ in range(steps):
            x, y = x + 0.01 * x * (1.0 - y), y + 0.01 * y * (x - 1.0)
        total += x * y
    return total


def paths(p, steps):
    noise = np.cos(np.arange(float(len(p) * steps))).reshape(len(p), steps)
    out = np.zeros(len(p))
    for i in range(len(p)):
        s = 1.0
        for k in range(steps):
            s = s + 0.02 * s * p[i] * noise[i, k] + 0.01 * np.sqrt(s * s + 0.1)
        out[i] = max(s - 1.0, 0.0) + 0.3 * s
    return np.sum(out)


def repeated(p, steps):
    q = p.copy()
    for _ in range(3):
        for i in range(len(q)):
            x = q[i]
            for k in range(steps):
                x = 0.9 * x + 0.1 * np.sin(x) * k / steps
            q[i] = x
    return np.sum(q * q)


def kept_by_hand(p, steps):
    lines = np.empty((len(p), steps))
    for i in range(len(p)):
        x = p[i]
        for k in range(steps):
            lines[i, k] = x
            x = 3.1 * x * (1.0 - 0.9 * x)
    out = np.zeros(len(p))
    for i in range(len(p)):
        y = 1.0
        for k in range(steps - 1, -1, -1):
            y = y * 0.99 + lines[i, k]
        out[i] = y
    return np.sum(out)


@pytest.mark.parametrize("function", [predators, paths, repeated, kept_by_hand])
@pytest.mark.parametrize("size", [1, 7, 16, 50])
def test_values_and_gradients(function, size):
    rng = np.random.default_rng(size)
    p, direction = 0.2 + 0.5 * rng.random(size), rng.standard_normal(size)
    for steps in (0, 1, 5, 40):
        assert ag.compile(function)(p.copy(), steps) == pytest.approx(function(p.copy(), steps), rel=1e-12)
        found = np.sum(ag.grad(function)(p.copy(), steps) * direction)
        ends = [function(p + sign * 1e-6 * direction, steps) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.fixture
def lines_of(monkeypatch):
    """Gives the sizes of the arrays of two dimensions that the program of a function makes: numbers where they are known."""
    seen = []

    def spy(e, graph):
        turn_lines(e, graph)
        seen.extend(operation.result.type.dims for operation in graph.walk() if operation.name == "empty")

    def found(function):
        seen.clear()
        ag.compile(function, fallback="error")(np.linspace(0.1, 0.9, 50))
        return [dims for dims in seen if len(dims) == 2]

    monkeypatch.setattr(driver, "turn_lines", spy)
    return found


def test_arrays_of_lanes_are_turned(lines_of):
    def kept(p):
        return kept_by_hand(p, 40)

    def gradient(p):
        return ag.grad(lambda p: predators(p, 40))(p)

    for function in (kept, gradient):
        found = lines_of(function)
        assert found and all(dims[0] == 40 and dims[1] != 40 for dims in found)


def test_arrays_of_other_loops_stay(lines_of):
    def table(p):
        lines = np.empty((len(p), 40))
        for i in range(len(p)):
            for k in range(40):
                lines[i, k] = p[i] * k
        return np.sum(lines)

    def asked_for_lines(p):
        lines = np.empty((len(p), 40))
        for i in range(len(p)):
            x = p[i]
            for k in range(40):
                lines[i, k] = x
                x = 3.1 * x * (1.0 - 0.9 * x)
        return lines[3]

    for function in (table, asked_for_lines):
        assert [dims[1] for dims in lines_of(function)] == [40]
        p = np.linspace(0.1, 0.9, 50)
        np.testing.assert_allclose(ag.compile(function)(p), function(p), rtol=1e-13)
