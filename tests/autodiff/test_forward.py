"""Forward mode through loops, branches, lists, written memory and calls of NumPy: against differences and against reverse mode."""

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.autodiff.forward_mode import directional
from autograph_jit.ir.graph import walk_block
from autograph_jit.runtime.gradients import Pushforward
from tests.autodiff import programs, samples_writing

RANDOM = np.random.default_rng(9)
PROGRAMS = {
    "loop": (programs.grow_until, 1.5),
    "iteration": (programs.newton_sqrt, 2.0),
    "branch": (programs.branch, np.array([1.0, -2.0, 0.5])),
    "other branch": (programs.branch, np.array([-1.0, -2.0, 0.5])),
    "slices": (programs.heat_in_place, RANDOM.standard_normal(12)),
    "elements": (programs.relax_by_index, RANDOM.standard_normal(10)),
    "rebound": (programs.rebound_in_loop, RANDOM.standard_normal(5)),
    "rotation": (programs.rotating_arrays, RANDOM.standard_normal(9)),
    "list": (programs.appended_list, RANDOM.standard_normal(4)),
    "break": (programs.loop_with_break, np.array([0.1, 5.0])),
    "products": (programs.recurrent_matrix, RANDOM.standard_normal((3, 3))),
    "try": (samples_writing.guarded, RANDOM.uniform(0.5, 1.5, 12)),
    "changes of a list": (samples_writing.list_changes, RANDOM.uniform(0.2, 0.9, 12)),
}
STEP = 1e-6


@pytest.fixture
def only_forward(monkeypatch):
    """Forward mode may not fall back on reverse mode."""
    monkeypatch.setattr(directional, "jvp_by_pullbacks", None)


def copied(x):
    return x.copy() if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangent_equals_central_differences(name, only_forward):
    function, x = PROGRAMS[name]
    t = RANDOM.standard_normal(np.shape(x)) if np.shape(x) else 1.0
    value, tangent = ag.jvp(function, (copied(x),), (t,))
    np.testing.assert_allclose(value, function(copied(x)), rtol=1e-12)
    np.testing.assert_allclose(tangent, (function(x + STEP * t) - function(x - STEP * t)) / (2 * STEP), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["slices", "list", "break", "iteration"])
def test_forward_over_reverse_and_reverse_over_forward_agree(name, only_forward):
    function, x = PROGRAMS[name]
    function = (lambda inner: lambda x: inner(np.copy(x)))(function) if isinstance(x, np.ndarray) else function
    t = RANDOM.standard_normal(np.shape(x)) if np.shape(x) else 1.0
    product = ag.jvp(ag.grad(function), (copied(x),), (t,))[1]
    other = ag.grad(lambda x: ag.jvp(function, (x,), (t,))[1])(copied(x))
    np.testing.assert_allclose(product, other, rtol=1e-8, atol=1e-10)


def test_the_function_runs_once(capsys):
    def f(x):
        print("running")
        return x * x

    assert ag.jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
    assert capsys.readouterr().out == "running\n"


def test_written_arguments_are_written_once(only_forward):
    def f(x):
        x[0] = x[0] * x[1]
        return x.sum()

    x = np.array([2.0, 3.0])
    t = np.array([1.0, 1.0])
    assert ag.jvp(f, (x,), (t,)) == (9.0, 6.0)
    np.testing.assert_array_equal(x, [6.0, 3.0])
    np.testing.assert_array_equal(t, [1.0, 1.0])


def test_views_of_one_array_share_a_tangent(only_forward):
    def f(u):
        v, w = u[1:], u.reshape(2, 3)
        v[0] = u[0] * 2
        w[1] = w[0] * u[5]
        return np.sum(u**2)

    x = np.arange(6.0) + 1
    tangent = ag.jvp(f, (x.copy(),), (np.ones(6),))[1]
    assert tangent == pytest.approx((f(x + STEP) - f(x - STEP)) / (2 * STEP), rel=1e-7)


def test_results_keep_their_structure_and_what_is_constant_has_tangent_zero(only_forward):
    value, tangent = ag.jvp(lambda x: {"a": x * 2, "b": (x.sum(), 3.0)}, (np.ones(2),), (np.ones(2),))
    assert value["b"] == (2.0, 3.0) and tangent["b"] == (2.0, 0.0)
    np.testing.assert_array_equal(tangent["a"], [2.0, 2.0])


def test_a_list_of_numbers_has_a_tangent(only_forward):
    def f(a):
        return np.linalg.solve([[a[0], 2.0], [1.0, a[1] + 3]], [1.0, a[0]]).sum()

    x = np.array([1.0, 2.0])
    assert ag.jvp(f, (x,), (np.ones(2),))[1] == pytest.approx((f(x + STEP) - f(x - STEP)) / (2 * STEP), rel=1e-7)


def test_rules_of_the_users_own_are_pulled_back():
    @ag.custom_gradient
    def f(x):
        return x * x, lambda ct: ct * 5 * x

    assert ag.jvp(f, (2.0,), (1.0,)) == (4.0, 10.0)


@pytest.mark.parametrize(
    ("tangents", "message"), [((np.ones(3),), "another shape"), ((1.0,), "another shape"), ((np.ones(2), np.ones(2)), "2 tangents")]
)
def test_tangents_that_do_not_fit_are_refused(tangents, message):
    with pytest.raises(ag.ConversionError, match=message):
        ag.jvp(lambda x: x * 2, (np.ones(2),), tangents)


def test_no_list_of_saved_values_is_kept():
    graph = Pushforward(programs.heat_in_place).compiled.prepare(((np.ones(12),), (np.ones(12),), {})).program.graph
    assert "list_new" not in {operation.name for operation in walk_block(graph.block)}


@pytest.mark.parametrize("x", [np.array([0.5, 2.0]), 0.5], ids=["array", "number"])
def test_jacobian_of_more_results_than_arguments(x):
    def f(x):
        return np.outer(np.sin(np.arange(1.0, 6.0)), x * x)

    jacobian = ag.jacobian(f)(x)
    assert jacobian.shape == f(x).shape + np.shape(x)
    for index in np.ndindex(np.shape(x)):
        t = np.zeros(np.shape(x))
        t[index] = STEP
        np.testing.assert_allclose(jacobian[(..., *index)], (f(x + t) - f(x - t)) / (2 * STEP), rtol=1e-7, atol=1e-9)


def test_the_run_chooses_the_mode_of_a_jacobian_by_the_sizes():
    """One program for all shapes: by tangents where the argument has fewer elements than the result, else by cotangents."""
    f = ag.jacobian(lambda x, a: np.tanh(a @ x))
    for shape in ((30, 20), (20, 30)):
        a = np.arange(600.0).reshape(shape) / 6000
        x = np.linspace(-1.0, 1.0, shape[1])
        np.testing.assert_allclose(f(x, a), (1 - np.tanh(a @ x) ** 2)[:, None] * a, rtol=1e-13)
    (specialization,) = f.compiled.specializations
    names = [operation.name for operation in walk_block(specialization.program.graph.block)]
    assert "cond" in names and names.count("for_loop") + names.count("while_loop") == 2


def test_second_derivatives_of_few_elements_are_not_written_out_for_each():
    def loss(x):
        y = x.copy()
        for k in range(3):
            y[0] = y[0] * np.sin(y[-1])
            y = y - (y**3 - x) / (3 * y**2 + 1.0)
        return np.sum(y * y)

    def operations(transform, count):
        graph = transform(loss).compiled.prepare((np.linspace(0.5, 1.0, count), {})).program.graph
        return sum(1 for _ in graph.walk())

    few, more = (operations(ag.hessian, count) for count in (2, 8))
    assert more <= 1.5 * few  # written out, four times as many
    assert more <= 8 * operations(ag.grad, 8)
    x = np.linspace(0.5, 1.0, 4)
    columns = [(ag.grad(loss)(x + 1e-6 * e) - ag.grad(loss)(x - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(ag.hessian(loss)(x), np.transpose(columns), rtol=1e-6, atol=1e-7)


def test_tangents_of_sums_are_not_spread_and_copied_before_they_are_added():
    def sums(x, y):
        return np.sum((x - y + x) * y)

    x, y = np.linspace(0.5, 2.0, 12), np.linspace(1.0, 3.0, 12)
    graph = str(ag.compile(lambda x, y: ag.jvp(sums, (x, y), (y, x)), fallback="error").graph(x, y))
    assert "broadcast_to" not in graph
    np.testing.assert_allclose(ag.jvp(sums, (x, y), (y, x))[1], np.sum((2 * y - x) * y + (2 * x - y) * x))
