"""Branches that `where` does not take are singular there, and leave no trace in gradients of first and second order."""

import numpy as np
import pytest

import autograph_jit as ag

MASKED = {
    "logarithm": lambda x: np.where(x > 0, np.log(x), 0.0),
    "logarithms": lambda x: np.where(x > 0, np.log2(x) + np.log10(x), 0.0),
    "root": lambda x: np.where(x > 0, np.sqrt(x), 0.0),
    "entropy": lambda x: np.where(x > 0, x * np.log(x), 0.0),
    "quotient": lambda x: np.where(x > 0, np.log(x) / np.sqrt(x), 0.0),
    "reciprocal": lambda x: np.where(x > 0, 1 / x, 0.0),
    "power": lambda x: np.where(x > 0, x**0.5, 0.0),
    "power of itself": lambda x: np.where(x > 0, x**x, 0.0),
    "select": lambda x: np.select([x > 0], [np.log(x)], 0.0),
    "area": lambda x: np.where(x > 1, np.arccosh(x), 0.0),
    "cardinal sine": lambda x: np.where(x > 0, np.sin(x) / x, 0.0),
}


@pytest.mark.parametrize("name", MASKED)
def test_masked_points_have_zero_derivatives(name):
    function = MASKED[name]
    x = np.array([-1.0, 0.0, 1.5, 2.5])
    gradient = ag.grad(lambda x: np.sum(function(x)))
    second = ag.grad(lambda x: np.sum(gradient(x) * np.array([1.0, 2.0, 3.0, 4.0])))(x)
    first = gradient(x)
    np.testing.assert_array_equal(first[:2], 0)
    np.testing.assert_array_equal(second[:2], 0)
    step = 1e-5
    regular = x[2:]
    np.testing.assert_allclose(first[2:], (function(regular + step) - function(regular - step)) / (2 * step), rtol=1e-7)
    slopes = [ag.grad(lambda x: np.sum(function(x)))(regular + sign * step) for sign in (1, -1)]
    np.testing.assert_allclose(second[2:], np.array([3.0, 4.0]) * (slopes[0] - slopes[1]) / (2 * step), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ag.jvp(function, (x,), (np.ones(4),))[1], first, rtol=1e-15)  # sums of cotangents round once


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (lambda x: np.max(x), [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
        (lambda x: np.min(x), [2.0, 2.0, 5.0], [0.5, 0.5, 0.0]),
        (lambda x: np.sum(np.maximum(x, 2.0)), [1.0, 2.0, 3.0], [0.0, 1.0, 1.0]),
        (lambda x: np.sum(np.minimum(2.0, x)), [1.0, 2.0, 3.0], [1.0, 0.0, 0.0]),
        (lambda x: np.sum(np.clip(x, 0.0, 1.0)), [-1.0, 0.5, 2.0], [0.0, 1.0, 0.0]),
        (lambda x: np.sum(np.abs(x)), [-1.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
        (lambda x: np.prod(x), [0.0, 3.0, 4.0], [12.0, 0.0, 0.0]),
        (lambda x: np.linalg.norm(x), [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        (lambda x: np.std(x), [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
        (lambda x: np.nanstd(x), [2.0, np.nan, 2.0], [0.0, 0.0, 0.0]),
        (lambda x: np.sum(x**2), [0.0, 1.0, -1.0], [0.0, 2.0, -2.0]),
        (lambda x: np.sum(x**0), [0.0, 1.0, -1.0], [0.0, 0.0, 0.0]),
        (lambda x: np.sum(np.hypot(x, 0.0)), [0.0, 1.0, -1.0], [0.0, 1.0, -1.0]),
        (lambda x: np.logaddexp(x[0], x[1]) + 0 * x[2], [1000.0, 1000.0, 0.0], [0.5, 0.5, 0.0]),
        (lambda x: np.sum(np.sinc(x)), [0.0, 1.0, 2.0], [0.0, -1.0, 0.5]),
        (lambda x: np.median(x), [3.0, 1.0, 2.0], [0.0, 0.0, 1.0]),
    ],
)
def test_ties_and_corners(function, x, expected):
    np.testing.assert_allclose(ag.grad(function)(np.array(x)), expected, atol=1e-15)
