"""Gradients of first and second order where the data decides the path, the shapes and the contents of lists."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.autodiff import structure_programs as programs
from tests.autodiff.test_pullback import central_difference

RANDOM = np.random.default_rng(1)
THREE, FOUR = np.array([0.8, -0.3, 1.3]), np.array([0.5, -0.7, 1.2, 0.3])
CASES = {
    "nested_loops_left_early": THREE,
    "indices_found_by_the_data": FOUR,
    "views_that_overlap": FOUR,
    "rows_written_through_views": RANDOM.standard_normal((3, 3)),
    "projection_on_the_simplex": FOUR,
    "stack_that_the_data_ends": np.array([1.43, 0.97]),
    "cholesky_by_index": RANDOM.standard_normal((3, 3)),
    "adaptive_steps": np.array([1.0, 0.7]),
    "accumulators_rescaled": FOUR,
    "array_that_shrinks": FOUR,
    "two_names_of_one_array": FOUR,
    "loop_with_break_and_continue": np.array([0.9, 1.1, 0.4]),
    "explicit_iterator": THREE,
    "list_filled_from_the_front": THREE,
    "list_emptied_on_the_way": THREE,
}
TWICE = ("stack_that_the_data_ends", "array_that_shrinks", "loop_with_break_and_continue", "list_filled_from_the_front")


@pytest.mark.parametrize("name", CASES)
def test_gradient_equals_central_differences(name):
    function, x = getattr(programs, name), CASES[name]
    np.testing.assert_allclose(ag.grad(function)(x.copy()), central_difference(function, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", TWICE)
def test_gradient_of_a_gradient_equals_central_differences(name):
    function, x = getattr(programs, name), CASES[name]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(u.copy()), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(x.copy()), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@ag.do_not_convert
def measured(x):
    return float(x) ** 2


def test_python_code_without_a_derivative_is_refused_at_its_line_with_a_remedy():
    def loss(x):
        return x * measured(x)

    with pytest.raises(TypeError, match="a number or array with a derivative becomes a float in Python code") as raised:
        ag.grad(loss)(0.5)
    assert "use ag.custom_gradient" in str(raised.value)
    assert raised.traceback[-1].frame.code.name == "measured" or "measured(x)" in str(raised.traceback[-1].statement)
