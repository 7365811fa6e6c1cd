"""Fusion, facts and lifetimes: what may run inside its consumer, whose memory a value is, when a reference ends."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.types import OBJECT
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import MOST_FUSED, NestBuilder, find_fusions, targets_of, uses_of
from autograph_jit.kernels.lifetimes import find_lifetimes
from autograph_jit.kernels.loop_nest import LoopNest, Store, trailing_map
from autograph_jit.kernels.print_kernel import print_kernel
from tests.backends.building import I8, M, Maker, N, array


def fusions_of(graph, distinct=False):
    facts = find_facts(graph, ("C",) * len(graph.block.args), distinct)
    return find_fusions(graph, facts), facts


def test_chain_with_one_consumer_fuses():
    m = Maker()
    x = m.param(array(N))
    t = m.op("add", x, x)
    u = m.op("sqrt", t)
    graph = m.done(u)
    consumers, _ = fusions_of(graph)
    assert consumers == {t.owner: u.owner}


@pytest.mark.parametrize("distinct", [False, True])
def test_write_in_between_prevents_fusion_unless_memory_is_distinct(distinct):
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    t = m.op("add", x, x)
    m.do("assign", y, m.const(0.0))
    graph = m.done(m.op("sqrt", t))
    consumers, _ = fusions_of(graph, distinct)
    assert bool(consumers) is distinct


def test_value_with_two_consumers_or_in_a_region_stays():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)
    twice, inside = m.op("add", x, x), m.op("sqrt", x)
    m.count(m.integer(0), n, m.integer(1), [], lambda i: [m.op("sqrt", inside)][1:])
    graph = m.done(m.op("sqrt", twice), m.op("square", twice))
    consumers, _ = fusions_of(graph)
    assert twice.owner not in consumers and inside.owner not in consumers


@pytest.mark.parametrize("distinct", [False, True])
def test_what_is_as_cheap_as_a_load_runs_in_every_nest_that_reads_it(distinct):
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    t = m.op("multiply", x, m.const(2.0))
    m.do("assign", y, m.op("add", y, t))
    graph = m.done(m.op("square", t))
    facts = find_facts(graph, ("C", "C"), distinct)
    assert (t.owner in find_fusions(graph, facts, repeats=False)) is distinct
    assert t.owner not in find_fusions(graph, facts)


@pytest.mark.parametrize("name", ["sqrt", "divide"])
def test_what_is_slow_or_reads_two_arrays_runs_once(name):
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    t = m.op("sqrt", x) if name == "sqrt" else m.op("add", x, y)
    graph = m.done(m.op("square", t), m.op("negative", t))
    assert t.owner not in find_fusions(graph, find_facts(graph, ("C", "C"), True), repeats=False)


@pytest.mark.parametrize("length, is_reached", [(MOST_FUSED - 1, True), (4 * MOST_FUSED, False)])
def test_what_is_looked_at_of_a_chain_is_no_longer_than_a_nest(length, is_reached):
    m = Maker()
    x, y = m.param(array(N)), m.param(array(N))
    t = last = m.op("multiply", x, m.const(2.0))
    for _ in range(length):
        last = m.op("add", last, x)
    m.do("assign", y, last)
    uses = uses_of(m.done(t))
    asked = []
    uses = type("Asked", (dict,), {"get": lambda self, value, default: asked.append(value) or dict.get(self, value, default)})(uses)
    assert list(targets_of(t, uses)) == [y] * is_reached
    assert len(asked) == len(set(asked)) <= MOST_FUSED


@pytest.mark.parametrize("repeats", [True, False])
def test_differences_of_neighbours_are_taken_in_every_nest_that_reads_them(repeats):
    """Two slices of one array that begin near each other are read as cheaply as their difference would be."""

    def slices(x):
        left, right = (x[:-1], x[1:]) if repeats else (x[:-40], x[40:])
        d = right - left
        return np.abs(d) < 0.5, d * d

    x = np.linspace(0.0, 3.0, 100)
    compiled = ag.compile(slices, fallback="error")
    for mine, expected in zip(compiled(x), slices(x), strict=True):
        np.testing.assert_array_equal(mine, expected)
    assert ("kernel subtract" not in compiled.kernels(x)) is repeats


def test_stencil_in_place_takes_differences_again():
    def limited(u):
        for _ in range(3):
            left, right = u[1:-1] - u[:-2], u[2:] - u[1:-1]
            slope = np.where(left * right > 0, np.where(np.abs(left) < np.abs(right), left, right), 0.0)
            u[1:-1] -= 0.5 * slope
            u[1:-1] += 0.1 * left
        return u

    for size in (3, 4, 17, 100):
        u = np.sin(np.arange(size) ** 2)
        compiled = ag.compile(limited, fallback="error")
        np.testing.assert_array_equal(compiled(u.copy()), limited(u.copy()))
        assert compiled.kernels(u).count("kernel subtract") == 3  # of what is read after the write, once a trip
        direction = np.cos(np.arange(size))
        ends = [np.sum(limited(u + sign * 1e-6 * direction) ** 3) for sign in (1, -1)]
        found = np.sum(ag.grad(lambda u: np.sum(limited(u) ** 3))(u.copy()) * direction)
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


def test_arrays_live_until_the_last_of_several_nests_that_read_them():
    m = Maker()
    a = m.param(array(N))
    x = m.op("copy", a)
    t = m.op("multiply", x, m.const(2.0))
    first = m.op("square", t)
    second = m.op("negative", t)
    last = m.op("sqrt", second)
    graph = m.done(first, last)
    consumers = find_fusions(graph, find_facts(graph, ("C",), True), repeats=False)
    assert consumers[t.owner] is second.owner and consumers[second.owner] is last.owner
    releases = find_lifetimes(graph, consumers)[graph.block].releases
    (position,) = [index for index, values in releases.items() if x in values]
    assert graph.block.operations[position] is last.owner


def test_roots_follow_views_and_loops():
    m = Maker()
    x, n = m.param(array(N, N)), m.param(I8)
    turned = m.op("transpose", x, perm=(1, 0))
    fresh = m.op("add", x, x)
    (result,) = m.count(m.integer(0), n, m.integer(1), [turned], lambda i, y: [fresh])
    graph = m.done(result)
    _, facts = fusions_of(graph)
    assert facts.roots_of(turned) == {("param", 0)} and facts.roots_of(result) == {("param", 0), ("fresh", id(fresh.owner))}
    assert not facts.is_contiguous(turned) and not facts.is_contiguous(result) and facts.is_contiguous(fresh)
    assert facts.may_alias(result, x) and not facts.may_alias(fresh, x)


def test_rows_and_leading_slices_of_contiguous_memory_are_contiguous():
    m = Maker()
    x, i = m.param(array(N, M)), m.param(I8)
    row = m.op("basic_index", x, i, items=(("int",), ("full",)), dims=(M,))
    head = m.op("basic_index", x, i, items=(("slice", False, True, False), ("full",)), dims=(N, M))
    column = m.op("basic_index", x, i, items=(("full",), ("int",)), dims=(N,))
    graph = m.done(row, head, column)
    _, facts = fusions_of(graph)
    assert [facts.is_contiguous(value) for value in (row, head, column)] == [True, True, False]


def test_reference_ends_after_the_last_use_of_a_view_and_yields_move():
    m = Maker()
    x = m.param(array(N, N))
    t = m.op("add", x, x)
    view = m.op("transpose", t, perm=(1, 0))
    used = m.raw("host_call", view, fn=None, results=(OBJECT,))
    kept = m.op("add", x, x)
    graph = m.done(kept, kept)
    lifetimes = find_lifetimes(graph, {})[graph.block]
    position = graph.block.operations.index(used)
    assert t in lifetimes.releases[position] and used.result in lifetimes.releases[position]
    assert lifetimes.moved == {0}


def test_kernel_prints_as_loops():
    m = Maker()
    x, y, s = m.param(array(N, M), "x"), m.param(array(M), "y"), m.param(array(1), "s")
    t = m.op("multiply", x, y)
    u = m.op("add", t, s)
    graph = m.done(u)
    consumers, _ = fusions_of(graph)
    builder = NestBuilder(2, consumers)
    expression = builder.apply(u.owner)
    nest = LoopNest("add", u.type.dims, tuple(builder.operands), expression, Store("out", u.type.dtype))
    assert print_kernel(nest) == "kernel add\n  for i0 < s0: for i1 < s1:\n    out[i0, i1] = ((x[i0, i1] * y[i1]) + s[0])"
    assert trailing_map((M, 1), 3) == (1, None)


@pytest.mark.parametrize(
    ("name", "dims", "fuses"), [("sqrt", (M,), False), ("negative", (M,), True), ("sqrt", (N, 1), True), ("sqrt", (N, M), True)]
)
def test_slow_operations_are_not_repeated_for_every_row(name, dims, fuses):
    m = Maker()
    x, v = m.param(array(N, M)), m.param(array(*dims))
    t = m.op(name, v)
    graph = m.done(m.op("multiply", x, t))
    consumers, facts = fusions_of(graph)
    assert t.owner in consumers
    assert (t.owner in find_fusions(graph, facts, repeats=False)) is fuses


def test_what_a_loop_takes_over_is_read_before_it():
    """A loop that owns an array puts its results there: what is computed of the array may not wait until after the loop."""

    def before(b, n):
        v = b * 1.0
        w = v * 0.5
        for _ in range(n):
            v = v + b
        return w + v

    def between(b, n):
        v = b * 1.0
        for _ in range(n):
            v = np.sin(v)
        w = v * 0.5
        for _ in range(n):
            v = np.cos(v)
        return w + v

    def nested(b, n):
        v, total = b * 1.0, np.zeros(len(b))
        for _ in range(3):
            w = v * 0.5 + b
            for _ in range(n):
                v = v * b
            total = total + w * v
        return total

    b = np.linspace(0.1, 1.0, 20)
    for function in (before, between, nested):
        for n in (0, 1, 2, 7):
            np.testing.assert_allclose(ag.compile(function)(b, n), function(b, n), rtol=1e-13)


def test_gradients_read_cotangents_before_a_loop_takes_them_over():
    def function(b, n):
        v = b * 1.0
        for _ in range(n):
            v = v * np.cos(v)
        v = v + 0.5 * b
        for _ in range(n):
            v = v * np.cos(v)
        return np.sum(v * v)

    b = np.linspace(0.7, 1.1, 5)
    for n in (1, 3):
        ends = [[function(b + sign * step, n) for sign in (1, -1)] for step in 1e-6 * np.eye(5)]
        np.testing.assert_allclose(ag.grad(function)(b, n), [(up - down) / 2e-6 for up, down in ends], rtol=1e-6)
