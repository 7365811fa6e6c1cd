"""Loops over the places of a short window: which have a form for all places at once, with which result, and which are left as they are."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph_jit as ag


def filtered(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] = np.sum(x[i : i + len(taps)] * taps)


def products(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] = np.dot(x[i : i + len(taps)], taps)


def ranges(x, taps, out):
    m = len(taps)
    for i in range(2, len(x) - m):
        window = x[i + 1 : i + 1 + m]
        out[i - 2] = (np.max(window) - np.min(window)) / (1.0 + x[i] ** 2)


def deviations(x, taps, out):
    m = len(taps)
    for i in range(len(x) - m + 1):
        window = x[i : i + m]
        out[i] = np.mean((window - np.mean(window)) ** 2) + np.sum(np.abs(window - taps))


def of_two(x, taps, out):
    m = len(taps)
    y = x[::-1] * 2.0
    for i in range(len(x) - m + 1):
        out[i] = np.sum(x[i : i + m] * y[i : i + m]) - np.prod(taps)


FORMS = [filtered, products, ranges, deviations, of_two]


def outcome(function, x, taps, out):
    """What a call raises and leaves."""
    out = out.copy()
    try:
        function(x, taps, out)
    except (IndexError, ValueError) as error:
        return str(error), out
    return "", out


def assert_same(compiled, x, taps, out):
    (mine, left), (theirs, expected) = outcome(compiled, x, taps, out), outcome(compiled.__wrapped__, x, taps, out)
    assert mine == theirs
    np.testing.assert_allclose(left, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("function", FORMS)
def test_all_places_at_once(function):
    compiled = ag.compile(function, fallback="error")
    random = np.random.default_rng(3)
    for places, width in ((400, 31), (15, 4), (16, 4), (17, 5), (40, 1), (40, 64), (40, 65), (0, 6), (3, 7)):
        x, taps = random.standard_normal(places + width - 1), random.standard_normal(width)
        assert_same(compiled, x, taps, np.full(places + 4, 7.0))
    assert "d:slid(1)" in compiled.kernels(x, taps, np.zeros(9))


@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_other_types(dtype):
    compiled = ag.compile(filtered, fallback="error")
    x, taps = (np.arange(90) % 23 - 9).astype(dtype), (np.arange(12) % 5 - 2).astype(dtype)
    expected = outcome(filtered, x, taps, np.zeros(79, dtype))[1]
    np.testing.assert_array_equal(outcome(compiled, x, taps, np.zeros(79, dtype))[1], expected)
    assert "d:slid(1)" in compiled.kernels(x, taps, np.zeros(79, dtype))


def from_behind(x, taps, out):
    m = len(taps)
    for i in range(-3, len(x) - m):
        out[i] = np.sum(x[i : i + m])


def over_the_end(x, taps, out):
    m = len(taps)
    for i in range(len(x)):
        out[i] = np.sum(x[i : i + m])


@pytest.mark.parametrize("function", [from_behind, over_the_end, filtered])
def test_places_out_of_bounds_are_those_of_the_loop(function):
    compiled = ag.compile(function, fallback="error")
    x, taps = np.random.default_rng(4).standard_normal(60), np.linspace(0.0, 1.0, 9)
    assert_same(compiled, x, taps, np.zeros(64))
    assert_same(compiled, x, taps, np.zeros(40))  # an IndexError, after as many elements


def in_place(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        x[i] = np.sum(x[i : i + len(taps)] * taps)


def added(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] += np.sum(x[i : i + len(taps)] * taps)


def by_steps(x, taps, out):
    for i in range(0, len(x) - len(taps) + 1, 2):
        out[i] = np.sum(x[i : i + len(taps)] * taps)


def growing(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] = np.sum(x[: i + len(taps)]) + taps[0]


def numbered(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] = np.sum(x[i : i + len(taps)] * taps) * i


def twice(x, taps, out):
    for i in range(len(x) - len(taps) + 1):
        out[i] = np.sum(x[i : i + len(taps)])
        out[i + 1] = np.sum(x[i : i + len(taps)] * taps)


@pytest.mark.parametrize("function", [in_place, added, by_steps, growing, numbered, twice])
def test_left_as_it_is(function):
    compiled = ag.compile(function, fallback="error")
    x, taps, out = np.linspace(0.0, 1.0, 50), np.linspace(-1.0, 1.0, 6), np.ones(50)
    assert_same(compiled, x, taps, out)
    assert "d:slid" not in compiled.kernels(x, taps, out)


def test_overlapping_arguments_keep_the_loop():
    compiled = ag.compile(filtered, fallback="error")

    def overlapping(function):
        memory = np.arange(80.0)
        function(memory[:60], memory[70:75].copy(), memory[2:70])
        return memory

    np.testing.assert_array_equal(overlapping(compiled), overlapping(filtered))


def test_sums_are_as_exact_as_numpys():
    random, taps = np.random.default_rng(5), np.ones(61)
    x = random.standard_normal(4000) * 10.0 ** random.integers(-3, 4, 4000)
    mine, theirs = (outcome(function, x, taps, np.zeros(3940))[1] for function in (ag.compile(filtered), filtered))
    exact = np.array([math.fsum(x[i : i + 61]) for i in range(3940)])
    assert np.mean(np.abs(mine - exact)) <= 1.5 * np.mean(np.abs(theirs - exact))
