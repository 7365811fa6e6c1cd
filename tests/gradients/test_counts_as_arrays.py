"""Shifts, repetitions, widths and axes that are given as arrays: their numbers count, compiled and on tapes."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table

COMPILED = (
    lambda x: np.tile(x, np.array([2, 3])),
    lambda x: np.tile(x, np.array(2)),
    lambda x: np.tile(x, np.array([2, 1, 3])),
    lambda x: np.roll(x, np.array([1, 2]), axis=(0, 1)),
    lambda x: np.roll(x, np.array(1)),
    lambda x: np.roll(x, np.array([1, 2])),
    lambda x: np.roll(x, [1, 2]),
    lambda x: np.pad(x, np.array([[1, 1], [0, 2]])),
    lambda x: np.pad(x, np.array([1, 2])),
)
ON_TAPES = (
    lambda x: np.roll(x, 1, axis=np.array([0])),
    lambda x: np.flip(x, axis=np.array(0)),
    lambda x: np.moveaxis(x, np.array([0, 1]), np.array([1, 0])),
    lambda x: np.trace(x, np.array(1)),
    lambda x: np.trace(x, 0, axis1=np.array(1), axis2=0),
    lambda x: np.reshape(x, np.array([4, 3])),
    lambda x: np.transpose(x, np.array([1, 0])),
)
X = np.arange(12.0).reshape(3, 4)


def difference_quotients(loss):
    """The gradient of a quadratic, for which central differences are exact but for rounding."""
    steps = np.eye(X.size).reshape(-1, *X.shape)
    return np.array([(loss(X + step) - loss(X - step)) / 2 for step in steps]).reshape(X.shape)


@table("function", (*COMPILED, *ON_TAPES))
def test_results_and_gradients_are_those_of_the_numbers(function):
    def loss(x):
        y = function(x)
        return (y * y).sum()

    x = ag.Tensor(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        value = loss(x)
    expected = difference_quotients(loss)
    np.testing.assert_allclose(np.asarray(tape.gradient(value, x)), expected, atol=1e-9)
    np.testing.assert_array_equal(np.asarray(function(x)), function(X))
    if function in COMPILED:
        np.testing.assert_array_equal(ag.compile(function, fallback="error")(X), function(X))
        np.testing.assert_allclose(ag.grad(loss)(X), expected, atol=1e-9)


def test_repetitions_of_the_run():
    x, counts = np.arange(3.0), np.array([2, 3])
    np.testing.assert_array_equal(ag.compile(lambda x, counts: np.tile(x, counts), fallback="error")(x, counts), np.tile(x, counts))


def test_axes_as_an_array_of_the_run_are_left_to_python() -> None:
    x, axes = np.arange(24.0).reshape(2, 3, 4), np.array([1, 2])
    for function in (np.flip, lambda x, axes: np.moveaxis(x, axes, [0, 1])):
        with pytest.warns(UserWarning, match="runs in Python"):
            found = ag.compile(lambda x, axes, function=function: function(x, axes))(x, axes)  # type: ignore[misc]
        np.testing.assert_array_equal(found, function(x, axes))
