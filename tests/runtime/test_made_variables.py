"""Tests of calls that make Variables: they run in Python, and later ones are compiled with what they find made."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


class Scaled:
    """A user's object that makes its state when it sees the first argument."""

    def __init__(self) -> None:
        self.weights: Any = None
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        if self.weights is None:
            self.weights = ag.Variable(np.arange(1.0, 1.0 + x.shape[-1]))
        self.calls += 1
        return x * self.weights


def test_first_call_makes_the_variables_in_python_and_later_ones_are_compiled() -> None:
    scaled = Scaled()

    @ag.compile(fallback="error")
    def total(x: Any) -> Any:
        return np.sum(scaled(x))

    x = np.array([[1.0, 2.0, 3.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [float(total(x)) for _ in range(3)] == [14.0] * 3
    assert scaled.calls == 3
    scaled.weights.assign([0.0, 0.0, 1.0])
    assert float(total(x)) == 3.0
    assert "host calls    none" in total.explain(x)


def test_another_object_without_state_is_made_after_a_compiled_call() -> None:
    total = ag.compile(lambda scaled, x: np.sum(scaled(x)), fallback="error")
    for _ in range(2):
        scaled = Scaled()
        assert [float(total(scaled, np.ones(2))) for _ in range(2)] == [3.0, 3.0]


def test_function_that_makes_a_variable_at_each_call_is_refused_at_the_second() -> None:
    make = ag.compile(lambda x: ag.Variable(x), fallback="error")
    assert isinstance(make(np.ones(2)), ag.Variable)
    with pytest.raises(ag.ConversionError, match="a Variable is made in a compiled function"):
        make(np.ones(2))


def test_transform_of_a_function_that_makes_variables_asks_for_a_call() -> None:
    scaled = Scaled()

    def total(x: Any) -> Any:
        return np.sum(scaled(x) ** 2)

    x = np.array([1.0, 2.0])
    with pytest.raises(ag.ConversionError, match="call the function once outside of transforms"):
        ag.grad(total)(x)
    total(x)
    np.testing.assert_allclose(ag.grad(total)(x), [2.0, 16.0])
