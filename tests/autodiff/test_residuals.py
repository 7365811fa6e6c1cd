"""What the forward sweep keeps: arrays for counted loops, lists for others, and nothing that is cheaper to compute again."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.values import trace
from tests.autodiff import residual_programs as programs
from tests.autodiff.test_pullback import central_difference

RANDOM = np.random.default_rng(0)
PAIR, VECTOR, MATRIX = np.array([0.7, 0.4]), RANDOM.uniform(0.2, 0.9, 6), RANDOM.uniform(0.2, 0.9, (5, 5))
CASES = {
    programs.counted: PAIR,
    programs.backwards_by_two: PAIR,
    programs.forwards_by_three: PAIR,
    programs.step_of_the_run: PAIR,
    programs.no_trips: PAIR,
    programs.rectangle: PAIR,
    programs.rectangle_of_an_array: MATRIX,
    programs.triangle: PAIR,
    programs.in_a_branch: PAIR,
    programs.branches_outside_of_loops: PAIR,
    programs.branch_beside_a_loop: PAIR,
    programs.until: PAIR,
    programs.with_break: PAIR,
    programs.counted_inside_until: PAIR,
    programs.arrays: MATRIX,
    programs.overwritten: VECTOR,
    programs.growing_views: VECTOR,
    programs.rows: MATRIX,
    programs.array_that_shrinks: VECTOR,
}
by_name = pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)


def gradient_graph(function, *arguments):
    return str(ag.grad(function).compiled.graph(*arguments))


@by_name
def test_gradient_equals_central_differences(function):
    x = CASES[function]
    np.testing.assert_allclose(ag.grad(function)(x.copy()), central_difference(function, x), rtol=1e-6, atol=1e-8)


@by_name
def test_gradient_of_a_gradient_equals_central_differences(function):
    x, gradient = CASES[function], ag.grad(function)

    def norm_of_gradient(u):
        g = gradient(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(u.copy()), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(x.copy()), expected, rtol=1e-4, atol=1e-5 * max(np.abs(expected).max(), 1e-3))


@by_name
def test_forward_over_reverse_is_symmetric(function):
    x = CASES[function]
    v, w = RANDOM.standard_normal(x.shape), RANDOM.standard_normal(x.shape)
    gradient = ag.grad(function)
    along_v, along_w = (ag.jvp(gradient, (x.copy(),), (direction,))[1] for direction in (v, w))
    np.testing.assert_allclose(np.sum(along_v * w), np.sum(along_w * v), rtol=1e-8, atol=1e-10)


def test_numbers_leave_a_branch_outside_of_loops_as_its_results():
    graph = gradient_graph(programs.branches_outside_of_loops, PAIR)
    assert "list_" not in graph
    assert "list_" not in str(ag.grad(ag.grad(lambda x: programs.branches_outside_of_loops([x, 0.4]))).compiled.graph(0.7))
    assert "list_" in gradient_graph(programs.branch_beside_a_loop, PAIR)


@pytest.mark.parametrize(
    "function", [programs.counted, programs.step_of_the_run, programs.rectangle_of_an_array, programs.arrays, programs.triangle]
)
def test_feedback_loop_keeps_values_in_arrays(function):
    graph = gradient_graph(function, CASES[function].copy())
    assert "empty(" in graph and "list_" not in graph


def test_trips_of_the_run_are_counted_before_the_loop():
    n = ag.asarray(7)
    graph = gradient_graph(lambda x, n: programs.counted(x, n), PAIR, int(n))
    assert re.search(r"f64\[d:trips\d+\] = empty\(", graph) and "list_" not in graph


def test_nest_keeps_one_array_of_the_product_of_its_trips():
    graph = gradient_graph(programs.rectangle_of_an_array, RANDOM.uniform(size=(20, 30)))
    assert len(re.findall(r"f64\[d:trips\d+, d:trips\d+\] = empty\(", graph)) == 2  # the variable, and its exponential
    assert "list_" not in graph


@pytest.mark.parametrize("function", [programs.until, programs.long_with_break, programs.counted_inside_until])
def test_loop_of_unknown_trips_keeps_values_on_a_list(function):
    graph = gradient_graph(function, PAIR)
    assert "list_push(" in graph


def test_loop_of_few_trips_keeps_numbers_in_an_array_though_it_may_break():
    def loss(x):
        return programs.with_break(x, 50)

    assert "f64[50] = empty(" in gradient_graph(loss, PAIR)


def test_values_are_kept_in_their_own_width():
    def loss(x):
        s = np.float32(0.1)
        for _ in range(30):
            s = np.exp(-s) * x
        return s

    graph = gradient_graph(loss, np.float32(0.7))
    assert set(re.findall(r"(\w+)\[30\] = empty\(", graph)) == {"f32"}


def test_sizes_and_rows_of_lasting_arrays_are_not_kept():
    graph = gradient_graph(programs.rows, RANDOM.uniform(size=(20, 30)))
    assert "list_" not in graph and "i64[d:trips" not in graph
    assert "basic_index(%arg0" in graph[graph.index("reversed_index") :]


def test_second_order_reads_what_the_first_order_kept():
    def slope(x):
        return ag.grad(programs.counted)(x)[0]

    first = len(re.findall(r" = empty\(", gradient_graph(programs.counted, PAIR)))
    second = len(re.findall(r" = empty\(", gradient_graph(slope, PAIR)))
    assert first == 2
    assert second == 3  # and the cotangent in the reverse loop


def test_second_order_of_arrays_whose_sizes_change_between_trips():
    """What the first order keeps on lists is differentiated itself."""

    def loss(x, n):
        total = 0.0
        while n > 1:
            x = np.sin(x[: len(x) - 1] * x[1:])
            total = total + np.sum(x**3)
            n = n - 1
        return total

    def along(x):
        return np.sum(ag.grad(loss)(x, 4) * np.cos(x))

    x, step = np.linspace(0.2, 1.4, 6), 1e-5
    graph = gradient_graph(loss, x, 4)
    assert "list_extend(" in graph and "list_take(" in graph
    central = [(along(x + step * e) - along(x - step * e)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(ag.grad(along)(x), central, rtol=1e-7, atol=1e-8)


def test_array_of_a_loop_is_written_without_a_copy_between():
    graph = gradient_graph(programs.overwritten, VECTOR)
    body = graph[graph.index("for_loop") : graph.index("yield")]
    assert " = copy(" not in body


def test_exception_of_a_trip_reaches_the_caller():
    def loss(x, n):
        s = 0.1
        for i in range(n):
            if i == 7:
                raise ValueError("seven")
            s = np.exp(-s) * x
        return s

    gradient = ag.grad(loss)
    assert gradient(0.5, 5) == pytest.approx(central_difference(lambda x: loss(x, 5), 0.5), rel=1e-6)
    with pytest.raises(ValueError, match="seven"):
        gradient(0.5, 20)


def test_gradient_inside_a_loop_has_arrays_of_its_own_in_each_trip():
    @ag.compile(fallback="error")
    def descent(x, steps, n):
        for _ in range(steps):
            x = x - 0.1 * ag.grad(programs.counted)(x, n)
        return x

    expected = PAIR
    for _ in range(5):
        expected = expected - 0.1 * central_difference(lambda x: programs.counted(x, 9), expected)
    np.testing.assert_allclose(descent(PAIR, 5, 9), expected, rtol=1e-6)


@pytest.mark.parametrize("order", [1, 2])
def test_gradient_of_a_nest_grows_linearly_with_its_depth(order):
    def operations(depth):
        def loss(x):
            return programs.deep(x, depth, 9)

        gradient = ag.grad(loss) if order == 1 else ag.grad(ag.grad(loss))
        return len(str(gradient.compiled.graph(0.3)).splitlines())

    counts = [operations(depth) for depth in range(1, 7)]
    steps = np.diff(counts)
    assert steps.max() <= 1.5 * steps[:2].max()


@pytest.mark.parametrize("order", [1, 2])
def test_tracing_a_nest_does_not_trace_its_inner_loops_again_for_each_outer_one(order, monkeypatch):
    appended = []
    monkeypatch.setattr(trace, "append", lambda *args, append=trace.append: appended.append(args[1]) or append(*args))

    def operations(depth):
        def loss(x):
            return programs.deep(x, depth, 9)

        appended.clear()
        gradient = ag.grad(loss) if order == 1 else ag.grad(ag.grad(loss))
        gradient.compiled.prepare((0.3, {}))
        return len(appended)

    few, more = operations(3), operations(6)
    assert more <= 3 * few  # traced twice for each loop around: eight times as many
