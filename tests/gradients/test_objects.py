"""Derivatives of numbers that Python computes: every transform and tape follows them, or says why not."""

from __future__ import annotations

import decimal
import statistics

import numpy as np
import pytest

import autograph_jit as ag


def number(x):
    items = [x[0], "label", x]
    for k in range(int(abs(x[2]) * 10) + 2):
        items.append(x[1] * k)
    return items[0] ** 2 + items[-1]


def edit_distance(a, b):
    before = [0.0 + j for j in range(len(b) + 1)]
    for i in range(len(a)):
        now = [i + 1.0]
        for j in range(len(b)):
            ways = np.array([before[j] + (a[i] - b[j]) ** 2, before[j + 1] + 1.0, now[j] + 1.0])
            now.append(-0.5 * np.log(np.sum(np.exp(-ways / 0.5))))
        before = now
    return before[-1]


X = np.array([0.4, -0.7, 1.2])
SLOPE = np.array([2 * X[0], 13.0, 0.0])


def test_transforms_of_a_number_that_python_computes():
    value, pullback = ag.vjp(number, X)
    assert value == pytest.approx(number(X))
    np.testing.assert_allclose(pullback(1.0)[0], SLOPE)
    np.testing.assert_allclose(ag.jvp(number, (X,), (np.ones(3),))[1], SLOPE.sum())
    np.testing.assert_allclose(ag.jacobian(number)(X), SLOPE)
    np.testing.assert_allclose(ag.hessian(number)(X), np.diag([2.0, 0.0, 0.0]))


def test_tape_in_compiled_code_follows_a_number_that_python_computes():
    @ag.compile(fallback="error")
    def inside_and_outside(x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = number(x)
            slope = tape.gradient(y, x)
        return slope, tape.gradient(y, x)

    for slope in inside_and_outside(X):
        np.testing.assert_allclose(slope, SLOPE)


def test_target_computed_by_python_after_the_with_statement_is_refused():
    def late(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        return tape.gradient(number(y), x)

    with pytest.raises(ag.ConversionError, match="computed after its with statement"):
        ag.compile(late, fallback="error")(X)


def test_result_that_is_no_number_is_refused_when_the_run_finds_it():
    def text(x):
        items = [x[0], "label"]
        for k in range(int(x[2] * 10)):
            items.append(x[1] * k)
        return items[int(x[2])]

    with pytest.raises(ag.NotDifferentiable, match="returns str"):
        ag.vjp(text, X)[1](1.0)


def test_lists_of_numbers_of_either_type_that_change_places():
    a, b = np.random.default_rng(0).standard_normal((2, 11))
    gradient = ag.grad(edit_distance)(a, b)
    steps = 1e-5 * np.eye(len(a))
    expected = [(edit_distance(a + step, b) - edit_distance(a - step, b)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-9)


def test_array_of_objects_on_the_path_is_refused():
    square = np.frompyfunc(lambda u: u * u, 1, 1)
    with pytest.raises(ag.NotDifferentiable, match="gives an array of Python objects"):
        ag.grad(lambda x: np.sum(square(x).astype(float)))(np.ones(3))
    x = ag.asarray(np.ones(3))
    with ag.GradientTape() as tape, pytest.raises(ag.NotDifferentiable, match="gives an array of Python objects"):
        tape.watch(x)
        square(x)


def through_bytes(x):
    return np.sum(np.frombuffer(x.tobytes()))


def through_a_byte_array(x):
    return np.sum(np.frombuffer(bytearray(x.tobytes())))


def through_a_text_of_an_array(x):
    return np.float64(np.array2string(x[:1]).strip("[]")) * x[1]


def through_parts_of_a_text(x):
    return float(",".join([str(value) for value in x]).split(",")[0]) * x[1]


@pytest.mark.parametrize("function", [through_bytes, through_a_byte_array, through_a_text_of_an_array, through_parts_of_a_text])
def test_number_read_from_a_text_or_from_bytes_is_refused(function):
    with pytest.raises(ag.NotDifferentiable, match="passes through text"):
        ag.grad(function)(np.array([1.0, 2.0, 3.0]))


def test_text_from_which_no_number_is_read_is_not_refused():
    def logged(x):
        lines = []
        for value in x:
            lines.append(f"{value:.2f}")
        return x[0] * len(" ".join(lines)) + float("0.25") * x[1]

    np.testing.assert_allclose(ag.grad(logged)(np.array([1.0, 2.0, 3.0])), [14.0, 0.25, 0.0])


def number_as_a_decimal(x):
    return float(decimal.Decimal(float(x[0]))) * x[1]


def mean_by_the_standard_library(x):
    return statistics.mean(x) * x[0]


def numbers_in_a_set(x):
    return sum({float(value) for value in x}) * x[0]


@pytest.mark.parametrize("function", [number_as_a_decimal, mean_by_the_standard_library])
def test_python_code_that_takes_plain_numbers_only_says_so(function):
    with pytest.raises(ag.NotDifferentiable, match="does not take a number or array whose derivative is followed"):
        ag.grad(function)(np.array([1.0, 2.0, 3.0]))


def test_gradient_goes_through_a_set_to_the_numbers_that_are_in_it():
    assert ag.grad(numbers_in_a_set)(np.array([1.0, 2.0, 3.0])).tolist() == [7.0, 1.0, 1.0]
