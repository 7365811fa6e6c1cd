"""Functions of primal numbers in the reverse sweep of a loop: computed in the forward sweep where that keeps few more numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph_jit as ag


def recurrence(x):
    s = 0.1
    for _ in range(50):
        s = np.sin(s) * x + 0.3
    return s


def powers(x):
    s = x
    for k in range(20):
        s = s**1.5 + 0.1 * np.log(s + k)
    return s


def known_angles(x):
    total = 0.0
    for k in range(20):
        total = total + x * np.cos(0.1 * k)
    return total


def many_functions(x):
    s = x
    for _ in range(10):
        s = 0.1 * (np.sin(s) + np.sin(2 * s) + np.cos(3 * s) + np.sin(s * s))
    return s


def with_branch(x):
    s = x
    for k in range(12):
        s = np.sin(s) + 0.2 if k % 3 else np.exp(-s * s)
    return s


def inner_loop(x):
    total = 0.0
    for k in range(8):
        s = x + k
        for _ in range(k):
            s = np.cos(s) * x
        total += np.sqrt(np.sin(s) ** 2 + 1)
    return total


def sweeps_of(function):
    """The text of the forward loop and of the reverse loop of a gradient."""
    slope = ag.compile(lambda x: ag.grad(function)(x), fallback="error")
    _, forward, reverse = str(slope.graph(0.7)).split("= for_loop")
    return forward, reverse


def test_cosine_moves_to_the_forward_sweep():
    forward, reverse = sweeps_of(recurrence)
    assert "cos(" in forward and "cos(" not in reverse and "sin(" not in reverse
    assert forward.count("store(") == 2


def test_nothing_is_kept_where_nothing_was():
    forward, reverse = sweeps_of(known_angles)
    assert "store(" not in forward and "cos(" in reverse


def test_many_functions_of_one_number_stay():
    forward, reverse = sweeps_of(many_functions)
    assert forward.count("store(") == 1 and "cos(" in reverse


def long_recurrence(x, n):
    s = 0.1
    for _ in range(n):
        s = np.sin(s) * x + 0.3
    return s


def swing(x, n):
    angle, speed = x, 0.0
    for _ in range(n):
        speed = speed - 0.1 * np.sin(angle)
        angle = angle + 0.1 * speed
    return angle


@pytest.mark.parametrize(("function", "moved"), [(long_recurrence, False), (swing, True)])
def test_no_more_numbers_are_kept_where_the_trips_are_not_known(function, moved):
    slope = ag.compile(lambda x, n: ag.grad(function)(x, n), fallback="error")
    _, forward, reverse = str(slope.graph(0.7, 50)).split("= for_loop")
    assert forward.count("store(") == 1 and ("cos(" in forward) is moved and ("cos(" in reverse) is not moved


@pytest.mark.parametrize("function", [recurrence, powers, known_angles, many_functions, with_branch, inner_loop])
def test_derivatives_of_both_orders(function):
    ag.testing.check_grads(ag.compile(function, fallback="error"), (0.7,), order=2, modes=("fwd", "rev"))


def test_derivative_of_a_long_recurrence_is_the_product_of_its_partials():
    s, slope, x = 0.1, 0.0, 0.7
    for _ in range(50):
        s, slope = math.sin(s) * x + 0.3, math.sin(s) + math.cos(s) * x * slope
    assert ag.grad(recurrence)(x) == pytest.approx(slope, rel=1e-13)
