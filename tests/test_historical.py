"""Tests of historical.py: gradients by all arguments, and by the Variables used."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import autograph_jit as ag


def product(x, y):
    """x times the square of y."""
    return x * y * y


def test_all_gradients_at_once():
    assert ag.gradients_function(product)(2.0, 3.0) == (9.0, 12.0)
    assert ag.value_and_gradients_function(product)(2.0, 3.0) == (18.0, (9.0, 12.0))
    assert ag.gradients_function(product).__doc__ == product.__doc__


def test_gradients_by_chosen_arguments():
    assert ag.gradients_function(product, params=[1])(2.0, 3.0) == (12.0,)
    assert ag.gradients_function(product, params=["y"])(2.0, 3.0) == (12.0,)
    assert ag.gradients_function(product, params=["y", 0])(2.0, y=3.0) == (12.0, 9.0)
    with pytest.raises(TypeError, match="argument 'z' of argnums is not among the arguments"):
        ag.gradients_function(product, params=["z"])(2.0, 3.0)


def test_later_calls_do_not_compile_again(caplog):
    gradients = ag.gradients_function(lambda x, y: x * y * y)  # of no other test: derivatives are kept with their function
    with caplog.at_level(logging.INFO, logger="autograph_jit.recompiles"):
        found = [gradients(x, 3.0) for x in (1.0, 2.0, 3.0)]
    assert found == [(9.0, 6.0), (9.0, 12.0), (9.0, 18.0)] and len(caplog.records) == 1


def test_in_a_compiled_function():
    compiled = ag.compile(lambda x, y: ag.value_and_gradients_function(product)(x, y), fallback="error")
    assert compiled(2.0, 3.0) == (18.0, (9.0, 12.0))


def test_second_derivative_by_the_historical_names():
    first = lambda x: ag.gradients_function(lambda v: v * v * v)(x)[0]  # noqa: E731
    assert ag.gradients_function(first)(2.0) == (12.0,)


def test_implicit_gradients_are_by_the_variables_used():
    v, w, unused = ag.Variable(3.0), ag.Variable([1.0, 2.0]), ag.Variable(1.0)
    fixed = ag.Variable(2.0, trainable=False)

    def f(x):
        return np.sum(w * w) * v * x * fixed

    value, pairs = ag.implicit_value_and_gradients(f)(2.0)
    assert float(value) == 60.0
    assert [variable is expected for (_, variable), expected in zip(pairs, (w, v), strict=True)] == [True, True]
    assert [np.asarray(gradient).tolist() for gradient, _ in pairs] == [[24.0, 48.0], 20.0]
    assert len(ag.implicit_gradients(f)(2.0)) == 2 and float(unused) == 1.0


def test_implicit_gradients_without_variables_are_an_error():
    with pytest.raises(ValueError, match="used no trainable Variable"):
        ag.implicit_gradients(lambda x: x)(2.0)
