"""Elementwise results in the memory of an operand: only where nobody else can see it, and never another value."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit.backends.cpu.driver import build_module
from autograph_jit.backends.cpu.sharing_form import Sharing
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import I64
from tests.backends.building import M, Maker, N, array, compare


def reuses(graph: Graph) -> dict[Operation, Value]:
    return build_module(graph, ("A",) * len(graph.block.args), False, Sharing.NEVER, True).reuses


def test_a_product_that_dies_gives_its_memory_to_the_sum():
    m = Maker()
    x, y, bias = m.param(array(N, M)), m.param(array(M, M)), m.param(array(M))
    product = m.op("matmul", x, y)
    graph = m.done(m.op("maximum", m.op("add", product, bias), m.const(0.0)))
    assert list(reuses(graph).values()) == [product]
    compare(graph, np.arange(6.0).reshape(2, 3) - 3, np.arange(9.0).reshape(3, 3), np.array([1.0, -2.0, 3.0]))


def test_what_is_read_later_or_otherwise_is_kept():
    m = Maker()
    x, y = m.param(array(N, N)), m.param(array(N, N))
    later, turned, yielded, wider, given = (m.op("matmul", x, y) for _ in range(5))
    first = m.op("add", later, x)
    second = m.op("add", turned, m.op("transpose", turned, perm=(1, 0)))
    third = m.op("add", yielded, y)
    fourth = m.op("greater", wider, y)
    m.do("host_call", given, fn=lambda values: (), results=())
    fifth = m.op("add", given, y)
    last = m.op("subtract", later, first)
    graph = m.done(first, second, third, yielded, fourth, fifth, last)
    assert reuses(graph) == {last.owner: later}
    compare(graph, np.arange(9.0).reshape(3, 3), np.ones((3, 3)) * 2)


def test_an_array_that_a_loop_owns_is_reused_from_trip_to_trip():
    @ag.compile(fallback="error")
    def decay(x, steps):
        state = x * 1.0
        for _ in range(steps):
            state = np.where(state > 1.0, state * 0.5, state + 0.25)
        return state

    x = np.linspace(-3.0, 9.0, 1000)
    expected = decay.__wrapped__(x, 7)
    np.testing.assert_array_equal(decay(x, 7), expected)
    np.testing.assert_array_equal(decay(x, 0), x)
    assert not np.shares_memory(decay(x, 0), x)


def test_each_trip_of_a_loop_has_its_own_temporary():
    @ag.compile(fallback="error")
    def layers(x, w):
        kept = []
        for i in range(w.shape[0]):
            x = np.maximum(x @ w[i] + 1.0, 0.0)
            kept.append(x[0, 0])
        return x, np.array(kept)

    x, w = np.random.default_rng(0).standard_normal((20, 9)), np.random.default_rng(1).standard_normal((6, 9, 9))
    for mine, theirs in zip(layers(x, w), layers.__wrapped__(x, w)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_an_exception_between_leaves_no_memory_behind():
    @ag.compile(fallback="error")
    def guarded(x, y, index):
        total = 0.0
        for k in range(5):
            try:
                product = x @ y
                total += product[index + k, 0]
                product = product * 2.0 + x
                total += product[k, k]
            except IndexError:
                total -= 1.0
        return total

    x, y = np.random.default_rng(2).standard_normal((2, 4, 4))
    for index in (0, 2, 9):
        np.testing.assert_allclose(guarded(x, y, index), guarded.__wrapped__(x, y, index), rtol=1e-12)


def test_what_a_product_reads_again_and_again_is_not_in_memory_that_a_loop_hands_on():
    m = Maker()
    w, x, n = m.param(array(N, N)), m.param(array(N)), m.param(I64)
    names = []

    def trip(i, state):
        scaled = m.op("multiply", state, m.const(0.5))
        names.append(scaled.owner)
        return [m.op("matmul", w, scaled)]

    (result,) = m.count(m.integer(0), n, m.integer(1), [m.op("copy", x)], trip)
    assert names[0] not in reuses(m.done(result))
