"""Gradients through lists, tuples and dicts that exist at run time only: the calls of Python are recorded and taken back."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.autodiff import container_programs as programs
from tests.autodiff.test_pullback import central_difference

THREE = np.array([0.5, -0.4, 0.7])
CASES = {
    "rows grown by the data": (programs.rows_grown_by_the_data, THREE),
    "rows filled before they go in": (programs.rows_filled_before_they_go_in, np.array([0.51, 0.7])),
    "same row read often": (programs.same_row_read_often, np.array([0.5, 0.7])),
    "stack of work": (programs.stack_of_work, np.array([1.6, 0.7])),
    "pairs of number and array": (programs.pairs_of_number_and_array, THREE),
    "rows with names": (programs.rows_with_names, THREE),
    "loss that may be an int": (programs.loss_that_may_be_an_int, THREE),
    "test of a loop computes": (programs.test_of_a_loop_computes, THREE),
    "branch puts it in": (programs.branch_puts_it_in, np.array([0.5, -0.4, 0.7, 0.2])),
    "pieces joined": (programs.pieces_joined, THREE),
    "rows joined": (programs.rows_joined, THREE),
    "functions of grouped numbers": (programs.functions_of_grouped_numbers, np.array([0.5, -0.4, 0.7, 0.9, 1.3])),
    "functions of rows": (programs.functions_of_rows, THREE),
    "method of a ufunc of rows": (programs.method_of_a_ufunc_of_rows, np.array([0.55, 0.4])),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient_through_containers_equals_central_differences(name):
    function, x = CASES[name]
    np.testing.assert_allclose(ag.grad(function)(x.copy()), central_difference(function, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["same row read often", "pairs of number and array", "rows with names", "loss that may be an int"])
def test_gradient_of_a_gradient_through_containers(name):
    function, x = CASES[name]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(u), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(x.copy()), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


class Doubling:
    """A step that a function of the run makes."""

    def __init__(self, rate):
        self.rate, self.calls = rate, 0

    def step(self, y):
        self.calls += 1
        return y + self.rate(y)


class Squaring(Doubling):
    """Another step of it."""

    def step(self, y):
        return y * self.rate(y)


@pytest.mark.parametrize("kind", [0, 1])
def test_a_number_that_chooses_a_class_becomes_a_constant_before_its_instances_become_objects_of_the_run(kind):
    def path(x, kind):
        method = (Doubling if kind else Squaring)(lambda u: x[0] * np.sin(u))
        steps = [x]
        while len(steps) < 4:
            steps.append(method.step(steps[-1]))
        return np.sum(np.stack(steps) ** 2) + method.calls

    np.testing.assert_allclose(ag.grad(path)(THREE, kind), central_difference(lambda x: path(x, kind), THREE), rtol=1e-5, atol=1e-7)


def test_value_with_a_container_is_that_of_the_function():
    gradient = ag.value_and_grad(programs.rows_grown_by_the_data)
    assert gradient(THREE)[0] == pytest.approx(programs.rows_grown_by_the_data(THREE), rel=1e-12)
    assert "object tape" in gradient.compiled.explain()


def test_write_to_an_array_that_a_container_holds_is_refused():
    def loss(x):
        rows = [x]
        while np.sum(rows[-1]) < 10.0:
            rows.append(rows[-1] * 1.7)
        rows[0][0] = 3.0
        return np.sum(rows[0] * rows[1])

    with pytest.raises(TypeError, match="a write to an array that a Python container may hold") as raised:
        ag.grad(loss)(np.array([0.5, 0.4]))
    assert "rows[0][0] = 3.0" in str(raised.value)


def test_conversion_in_python_that_would_lose_the_derivative_is_refused():
    @ag.do_not_convert
    def joined(items):
        return np.hypot.reduce(items)

    def loss(x):
        rows = [("first", x)]
        while len(rows) < x[0] * 10:
            rows.append(("next", rows[-1][1] * 1.7))
        return np.sum(joined([item for _, item in rows]))

    with pytest.raises(TypeError, match="with a derivative becomes an array in Python code"):
        ag.grad(loss)(np.array([0.5, 0.4]))
