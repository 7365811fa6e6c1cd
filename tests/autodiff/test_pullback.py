"""Gradients against central differences of the plain function, and against each other to higher order."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.autodiff import programs

RANDOM = np.random.default_rng(7)
CASES = {
    "square": (programs.square, 3.0),
    "sum_of_cubes": (programs.sum_of_cubes, RANDOM.standard_normal(5)),
    "grow_until": (programs.grow_until, 1.5),
    "newton_sqrt": (programs.newton_sqrt, 2.0),
    "branch taken": (programs.branch, np.array([1.0, -2.0, 0.5])),
    "branch not taken": (programs.branch, np.array([-1.0, -2.0, 0.5])),
    "heat_in_place": (programs.heat_in_place, RANDOM.standard_normal(12)),
    "relax_by_index": (programs.relax_by_index, RANDOM.standard_normal(10)),
    "rebound_in_loop": (programs.rebound_in_loop, RANDOM.standard_normal(10)),
    "rotating_arrays": (programs.rotating_arrays, RANDOM.standard_normal(12)),
    "appended_list": (programs.appended_list, RANDOM.standard_normal(4)),
    "loop_with_break": (programs.loop_with_break, np.array([0.3, 50.0])),
    "recurrent_matrix": (programs.recurrent_matrix, RANDOM.standard_normal((3, 3))),
}


def fresh(x):
    return x.copy() if isinstance(x, np.ndarray) else x


def central_difference(function, x, step=1e-6):
    """The gradient of `function` at `x` by central differences."""
    base = np.array(x, dtype=float)
    gradient = np.zeros_like(base)
    for index in np.ndindex(base.shape):
        ends = []
        for sign in (1, -1):
            moved = base.copy()
            moved[index] += sign * step
            ends.append(function(moved if moved.ndim else float(moved)))
        gradient[index] = (ends[0] - ends[1]) / (2 * step)
    return gradient


@pytest.mark.parametrize("name", CASES)
def test_gradient_equals_central_differences(name):
    function, x = CASES[name]
    np.testing.assert_allclose(ag.grad(function)(fresh(x)), central_difference(function, x), rtol=2e-5, atol=1e-7)


def test_value_comes_with_the_gradient():
    value, gradient = ag.value_and_grad(programs.newton_sqrt)(2.0)
    assert value == pytest.approx(np.sqrt(2.0))
    assert gradient == pytest.approx(0.5 / np.sqrt(2.0))


def test_third_derivative_of_a_cube_is_six():
    assert ag.grad(ag.grad(ag.grad(lambda x: x * x * x)))(2.0) == pytest.approx(6.0)


def test_second_derivative_through_a_while_loop_is_exact():
    assert ag.grad(ag.grad(programs.newton_sqrt))(2.0) == pytest.approx(-0.25 * 2.0**-1.5)


@pytest.mark.parametrize("name", ["rebound_in_loop", "rotating_arrays"])
def test_gradient_of_a_gradient_through_loops_over_arrays(name):
    function, x = CASES[name]
    x = x[:6]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    gradient = ag.grad(norm_of_gradient)(fresh(x))
    expected = central_difference(lambda u: norm_of_gradient(u), x, 1e-5)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_argnums_select_several_arguments_by_position_and_name():
    def loss(a, b, scale=2.0):
        return a * b * scale

    ga, gb = ag.grad(loss, argnums=(0, 1))(3.0, 4.0)
    assert (ga, gb) == (8.0, 6.0)
    assert ag.grad(loss, argnums="scale")(3.0, 4.0, scale=5.0) == 12.0


def test_gradient_has_the_structure_of_its_argument():
    def loss(p):
        return np.sum(p["w"] * p["w"]) + p["b"][0] * 3.0

    gradient = ag.grad(loss)({"w": np.array([1.0, 2.0]), "b": (4.0, 5.0)})
    np.testing.assert_array_equal(gradient["w"], [2.0, 4.0])
    assert gradient["b"] == (3.0, 0.0)


def test_aux_is_returned_beside_the_gradient():
    gradient, aux = ag.grad(lambda x: (x * x, x + 1.0), has_aux=True)(3.0)
    assert (gradient, aux) == (6.0, 4.0)


def test_jacobian_has_a_row_for_each_element_of_the_result():
    x = np.array([0.3, 0.5, 0.7])
    jacobian = ag.jacobian(lambda v: np.sin(v) * v[0])(x)
    expected = np.diag(np.cos(x) * x[0])
    expected[:, 0] += np.sin(x)
    np.testing.assert_allclose(jacobian, expected, rtol=1e-12)


def test_hessian_of_a_sum_of_cubes_is_diagonal():
    x = np.array([0.3, 0.5, 0.7])
    np.testing.assert_allclose(ag.hessian(programs.sum_of_cubes)(x), np.diag(6 * x - np.sin(x)), rtol=1e-12, atol=1e-12)


def test_forward_and_reverse_products_agree():
    x, t, ct = np.array([0.3, 0.5, 0.7]), np.array([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 3.0])

    def function(v):
        return np.tanh(v) * v[1]

    _, along = ag.jvp(function, (x,), (t,))
    _, pullback = ag.vjp(function, x)
    (pulled,) = pullback(ct)
    assert np.dot(ct, along) == pytest.approx(np.dot(pulled, t))


def test_integer_argument_is_refused_with_a_remedy():
    with pytest.raises(TypeError, match="needs floats, not int64"):
        ag.grad(lambda x: np.sum(x))(np.array([1, 2]))


def test_loss_that_is_an_array_is_refused_with_a_remedy():
    with pytest.raises(TypeError, match="needs a scalar, the lambda returns an array of rank 1"):
        ag.grad(lambda x: x * 2.0)(np.array([1.0, 2.0]))


def test_compiled_gradient_function_is_the_gradient_function():
    x = np.array([0.5, 2.0])
    gradient = ag.compile(ag.grad(lambda v: np.sum(v / (1 + v * v))))(x)
    np.testing.assert_allclose(gradient, (1 - x * x) / (1 + x * x) ** 2, rtol=1e-12)


def test_gradient_is_taken_inside_a_compiled_function():
    @ag.compile(fallback="error")
    def descend(x):
        for _ in range(50):
            x = x - 0.1 * ag.grad(lambda v: np.sum((v - 3.0) ** 2))(x)
        return x

    np.testing.assert_allclose(descend(np.zeros(3)), 3.0, rtol=1e-4)


@pytest.mark.parametrize("x", [2.0, np.array([2.0])], ids=["number", "array"])
def test_one_value_passed_twice_has_two_gradients(x):
    def f(x):
        return ag.grad(lambda a, b: np.sum(a * a * b), argnums=(0, 1))(x, x)

    assert ag.compile(f)(x) == (8.0, 4.0)


def test_an_array_passed_twice_and_written_is_refused():
    def g(a, b):
        a[0] = b[0] * b[0]
        return np.sum(a)

    with pytest.raises(ag.ConversionError, match="passed twice and written"):
        ag.compile(lambda x: ag.grad(g, argnums=(0, 1))(x, x), fallback="error")(np.ones(2))


@pytest.mark.parametrize(("bound", "by_x", "by_y"), [(1.0, [0, 56, 0], [8, 16, 24]), (0.0, [1, 16, 5.4], [0.5, 16, 0.54])])
def test_what_the_run_broadcasts_is_summed(bound, by_x, by_y):
    def f(x, y):
        return np.sum((x[x > bound] * y) ** 2)

    found = ag.grad(f, argnums=(0, 1))(np.array([0.5, 2.0, 0.3]), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found[0], by_x)
    np.testing.assert_allclose(found[1], by_y)


def test_ends_and_steps_of_a_range_have_gradients():
    assert ag.grad(lambda x, y: np.sum(np.arange(x, x + 4 * y - 0.01, y) ** 2), argnums=(0, 1))(0.5, 0.25) == (7.0, 13.0)


def test_third_derivative_through_a_loop():
    def power(x, n):
        result = 1.0
        for _ in range(n):
            result = result * x
        return result

    third = ag.grad(ag.grad(ag.grad(power)))
    assert [third(1.0, n) for n in range(1, 7)] == [n * (n - 1) * (n - 2) for n in range(1, 7)]
    assert third(0.5, 4) == 12.0
