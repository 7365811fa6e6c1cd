"""Sizes of which a gradient needs to know whether they are equal: few are left to the run, many become constants of the program."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

HIDDEN = 5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gated_unit(x, w, u):
    n = len(u) // 3
    h = np.zeros(n)
    for t in range(len(x)):
        gx, gh = w @ x[t], u @ h
        z = sigmoid(gx[:HIDDEN] + gh[:HIDDEN])
        r = sigmoid(gx[HIDDEN : 2 * HIDDEN] + gh[HIDDEN : 2 * HIDDEN])
        h = (1 - z) * h + z * np.tanh(gx[2 * HIDDEN :] + r * gh[2 * HIDDEN :])
    return np.sum(h * h)


def arguments(trips, width):
    rng = np.random.default_rng(trips)
    return rng.standard_normal((trips, width)), *(rng.standard_normal((3 * HIDDEN, size)) * 0.5 for size in (width, HIDDEN))


def by_differences(function, args):
    gradients = []
    for position, arg in enumerate(args):
        found = np.zeros_like(arg)
        for index in np.ndindex(arg.shape):
            moved = [[item.copy() for item in args] for _ in range(2)]
            moved[0][position][index] += 1e-6
            moved[1][position][index] -= 1e-6
            found[index] = (function(*moved[0]) - function(*moved[1])) / 2e-6
        gradients.append(found)
    return gradients


def test_many_doubts_make_the_sizes_constants():
    gradient = ag.compile(lambda x, w, u: ag.grad(gated_unit, argnums=(0, 1, 2))(x, w, u), fallback="error")
    text = str(gradient.graph(*arguments(4, 3)))
    assert "cond(" not in text
    assert "is a constant" in gradient.explain(*arguments(4, 3))


def test_other_sizes_take_a_program_of_their_own():
    gradient = ag.grad(gated_unit, argnums=(0, 1, 2))
    for trips, width in ((4, 3), (10, 3), (12, 11), (3, 12)):
        args = arguments(trips, width)
        for found, expected in zip(gradient(*args), by_differences(gated_unit, args)):
            assert found == pytest.approx(expected, rel=1e-5, abs=1e-8)


def test_a_size_that_has_changed_stays_open():
    gradient = ag.compile(lambda x, w, u: ag.grad(gated_unit, argnums=(0, 1, 2))(x, w, u), fallback="error")
    for trips in (9, 10, 11, 12, 13, 14):
        gradient(*arguments(trips, 3))
    assert gradient.explain(*arguments(14, 3)).count("program ") <= 3


def few_doubts(x, y):
    return np.sum(np.sin(x - y) * x)


def test_few_doubts_are_left_to_the_run():
    gradient = ag.compile(lambda x, y: ag.grad(few_doubts, argnums=(0, 1))(x, y), fallback="error")
    assert "is a constant" not in gradient.explain(np.ones(20), np.ones(20))


def test_second_order():
    ag.testing.check_grads(gated_unit, arguments(3, 2), order=2, modes=("rev",))
