"""Outer products that trips add to one matrix: which are collected, and that nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.kernels.outer_products import TRIPS, collect_outer_products
from autograph_jit.ops.evaluate import evaluate
from tests.backends.building import Maker, N, array

ENTRIES = "for i0 < s:arg0.0: for i1 < s:arg0.1"


def network(w, x, steps):
    h = x
    for _ in range(steps):
        h = np.tanh(w @ h)
    return np.sum(h * h)


def twice(w, x, steps):
    h = x
    for _ in range(steps):
        h = np.tanh(w @ h) + 0.5 * np.sin(w @ h[::-1])
    return np.sum(h * h)


def nested(w, x, steps):
    h = x
    for _ in range(3):
        for _ in range(steps):
            h = np.tanh(w @ h)
        h = h + 0.1 * x
    return np.sum(h * h)


def from_the_left(w, x, steps):
    h = x
    for _ in range(steps):
        h = np.tanh(h @ w)
    return np.sum(h * h)


def read_beside(w, x, steps):
    h = x
    for k in range(steps):
        h = np.tanh(w @ h) + w[0, 1] * k
    return np.sum(h * h)


def in_a_branch(w, x, steps):
    h = x
    for _ in range(steps):
        if h[0] > 0.1:
            h = np.tanh(w @ h)
        else:
            h = h + 0.3
    return np.sum(h * h)


def until(w, x, steps):
    h, k = x, 0
    while k < steps and h[0] < 50.0:
        h, k = np.tanh(w @ h), k + 1
    return np.sum(h * h)


def there_and_back(w, x, steps):
    h = x
    for _ in range(steps):
        g = np.tanh(w @ h)
        h = np.cos(w.T @ g)
    return np.sum(h * h)


PROGRAMS = (network, twice, nested, from_the_left, read_beside, in_a_branch, until, there_and_back)


@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_agree_with_central_differences(function):
    rng = np.random.default_rng(0)
    gradient = ag.grad(function)
    for steps in (0, 1, TRIPS - 1, TRIPS, TRIPS + 1, 3 * TRIPS + 5):
        w, x, direction = rng.standard_normal((9, 9)) / 4, rng.standard_normal(9), rng.standard_normal((9, 9))
        found = np.sum(gradient(w, x, steps) * direction)
        ends = [function(w + sign * 1e-6 * direction, x, steps) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("function", [network, twice, nested, from_the_left, there_and_back])
def test_no_trip_goes_through_the_matrix(function):
    w, x = np.random.default_rng(1).standard_normal((20, 20)), np.ones(20)
    text = ag.compile(lambda w, x: ag.grad(function)(w, x, 50), fallback="error").kernels(w, x)
    assert ENTRIES not in text


def test_a_matrix_that_the_loop_reads_elsewhere_is_changed_in_every_trip():
    w, x = np.random.default_rng(1).standard_normal((20, 20)), np.ones(20)
    text = ag.compile(lambda w, x: ag.grad(read_beside)(w, x, 50), fallback="error").kernels(w, x)
    assert ENTRIES in text


def test_second_derivatives():
    rng = np.random.default_rng(2)
    ag.testing.check_grads(lambda w: network(w, np.ones(9), 40), (rng.standard_normal((9, 9)) / 4,), order=2, modes=("fwd", "rev"))


def test_single_precision():
    w = (np.random.default_rng(3).standard_normal((12, 12)) / 4).astype(np.float32)
    found = ag.grad(network)(w, np.ones(12, np.float32), 70)
    expected = ag.grad(network)(w.astype(np.float64), np.ones(12), 70)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)


def loop_of_sums(trips, in_any_order=True, read=False):
    """g += a[i][:, newaxis] * b[i] in every trip; a read of g beside it."""
    m = Maker()
    a, b = m.param(array(trips, N)), m.param(array(trips, 9))
    g = m.op("full", m.const(0.0), m.op("dim", a, axis=1), m.integer(9), dims=(N, 9))

    def trip(i, total):
        row = (("int",), ("full",))
        x, y = m.op("basic_index", a, i, items=row, dims=(N,)), m.op("basic_index", b, i, items=row, dims=(9,))
        column = m.op("basic_index", x, items=(("full",), ("newaxis",)), dims=(N, 1))
        product = m.op("add", g, m.op("multiply", column, y))
        m.do("assign", g, product, **({"in_any_order": True} if in_any_order else {}))
        return [m.op("add", total, m.op("load", g, i, i)) if read else total]

    (total,) = m.count(m.integer(0), m.integer(trips), m.integer(1), [m.const(0.0)], trip)
    return m.done(g, total)


@pytest.mark.parametrize("trips", [5, TRIPS, 2 * TRIPS + 3])
def test_marked_sums_are_products_of_matrices(trips):
    graph = loop_of_sums(trips)
    assert collect_outer_products(graph) and not collect_outer_products(graph)
    assert sum(operation.name == "matmul" for operation in graph.walk()) == 2
    rng = np.random.default_rng(trips)
    a, b = rng.standard_normal((trips, 11)), rng.standard_normal((trips, 9))
    np.testing.assert_allclose(evaluate(graph, (a, b))[0], a.T @ b, rtol=1e-12, atol=1e-12)


def test_sums_that_are_not_marked_or_read_in_between_stay():
    assert not collect_outer_products(loop_of_sums(9, in_any_order=False))
    assert not collect_outer_products(loop_of_sums(9, read=True))


def test_a_program_s_own_sums_keep_their_order():
    @ag.compile(fallback="error")
    def add_up(g, a, b):
        for i in range(len(a)):
            g += a[i][:, None] * b[i]

    rng = np.random.default_rng(4)
    a, b, mine = rng.standard_normal((70, 12)), rng.standard_normal((70, 13)), np.zeros((12, 13))
    expected = mine.copy()
    add_up(mine, a, b)
    for x, y in zip(a, b):
        expected += x[:, None] * y
    np.testing.assert_array_equal(mine, expected)
