"""Tensors in the place of NumPy scalars and parts of arrays: numbers do not change, and what is recorded stays so or is an error."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import autograph_jit as ag

X = np.array([0.4, -0.7, 1.2])

MADE = {
    "product": lambda x: x[0] * 2,
    "element": lambda x: x[1],
    "sum": np.sum,
    "mean": lambda x: x.mean(),
    "norm": np.linalg.norm,
    "inner product": lambda x: x @ x,
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_number_keeps_its_value_under_another_name(make):
    def difference(x):
        number = make(x)
        old = number
        number += 1.5
        number *= x[2]
        return number * old - old

    x = ag.asarray(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = difference(x)
    assert float(y) == pytest.approx(difference(X), rel=1e-14)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), ag.grad(difference)(X), rtol=1e-12)


def test_arrays_of_rank_0_and_variables_are_written_in_place():
    array, variable = ag.asarray(0.5), ag.Variable(0.5)
    same, state = array, variable
    array += 1.0
    variable += 1.0
    assert float(same) == float(state) == 1.5
    with pytest.raises(ValueError, match="read-only"):
        np.sum(ag.asarray(X))[...] = 1.0


def test_number_given_to_a_compiled_function_is_a_number_there():
    @ag.compile(fallback="error")
    def updated(number, x):
        old = number
        number += 1.0
        return number * old * np.sum(x)

    def both(x):
        return updated(np.sum(x), x) * updated(x[0] * 2, x)

    x = ag.asarray(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = both(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), ag.grad(both)(X), rtol=1e-12)


def test_rank_0_array_that_a_compiled_function_changes_has_a_gradient_on_a_tape():
    @ag.compile(fallback="error")
    def changed(state, x):
        state += x[0] * state
        return state * np.sum(x)

    x, state = ag.asarray(X), ag.asarray(0.5)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = changed(state * x[1] + np.zeros(()), x) + changed(state, x)
    assert float(state) == pytest.approx(0.5 * 1.4)
    total = np.sum(X)
    expected = 0.5 * (1 + X[1]) * ((1 + X[0]) + total * np.eye(3)[0]) + 0.5 * total * (1 + X[0]) * np.eye(3)[1]
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-12)


PARTS = {
    "real": lambda x: np.sum(np.fft.fft(x).real ** 2),
    "imag": lambda x: np.sum(np.fft.fft(x).imag ** 3),
    "real of real": lambda x: np.sum(x.real * x),
    "flat": lambda x: x.flat[1] * sum(v * v for v in x.flat),
    "mT": lambda x: np.sum(np.outer(x, x * x).mT[0]),
    "order": lambda x: np.sum(np.outer(x, x * x).reshape(9, order="F")[:4]),
    "round": lambda x: round(x[0], 1) * x[1],
    "complex": lambda x: np.abs(x[0] + 1j * x[1]).real,
}


@pytest.mark.parametrize("function", PARTS.values(), ids=PARTS)
def test_parts_of_a_recorded_tensor_are_recorded(function):
    x = ag.asarray(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), ag.grad(function)(X), rtol=1e-12)


def test_elements_in_a_row_of_what_is_not_contiguous_are_a_copy():
    x = ag.asarray(np.arange(6.0).reshape(2, 3))
    x.flat[4] = 9.0
    assert x.numpy()[1, 1] == 9.0
    with pytest.raises(ValueError, match="read-only"):
        x.T.flat[0] = 1.0


def item_of_a_plain_array(x):
    buffer = np.zeros(3)
    buffer[0] = x[0]


def item_of_a_plain_matrix(x):
    buffer = np.zeros((2, 2))
    buffer[0, 1] += x[0]


REFUSED = {
    "math": lambda x: math.sin(x[0]),
    "cmath": lambda x: cmath.exp(x[0]),
    "item": item_of_a_plain_array,
    "item of a matrix": item_of_a_plain_matrix,
    "at": lambda x: np.maximum.at(np.zeros(3), [0, 0, 1], x),
    "copyto": lambda x: np.copyto(np.zeros(3), x),
    "put": lambda x: np.put(np.zeros(3), [0, 1], x[:2]),
    "out": lambda x: np.cumsum(x, out=np.zeros(3)),
    "full": lambda x: np.full(3, x[0]),
}


@pytest.mark.parametrize("function", REFUSED.values(), ids=REFUSED)
def test_recorded_tensor_that_becomes_plain_is_refused(function):
    x = ag.asarray(X)
    function(x)
    with ag.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises((TypeError, ValueError)) as caught:
            function(x)
    error = caught.value if isinstance(caught.value, ag.NotDifferentiable) else caught.value.__cause__
    assert "a Tensor that a tape records becomes a plain" in str(error) and "for a constant" in str(error)


def test_number_that_is_asked_for_as_a_constant():
    x = ag.asarray(X)
    sin, values = math.sin, {}
    with ag.GradientTape() as tape:
        tape.watch(x)
        values["loss"] = x[0] * 1.0
        with pytest.warns(ag.ConstantWarning):
            y = float(x[0]) * x[1] + complex(x[2]).real * x[0] + math.floor(2.5) * x[2]
        with pytest.raises(TypeError, match="plain number"):
            sin(x[0])
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [X[2], X[0], 2.0])
