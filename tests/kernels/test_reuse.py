"""Elementwise results in the memory of an operand: only where nobody else can see it, and never another value."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.driver import build_module
from autograph_jit.backends.cpu.runtime_library import runtime
from autograph_jit.backends.cpu.threading.sharing_form import Sharing
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import I64
from tests.backends.building import I8, M, Maker, N, array, compare


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


def of_growing_parts(x, n):
    total = 0.0
    for i in range(n):
        part = x[: i + 1] * 2.0
        total += part @ part + part[i // 2]
    return total


def of_shrinking_parts(x, n):
    total = 0.0
    for i in range(n):
        part = x[i:] + 1.0
        other = part[::-1] - part
        total += part @ part - other @ x[i:]
    return total


def some_are_kept(x, n):
    kept = []
    for i in range(n):
        part = x * i
        if part @ part > 50.0:
            kept.append(part)
    return kept


def some_fail(x, n):
    total = 0.0
    for i in range(n):
        try:
            part = x + i
            total += part @ part
            total += part[i]
        except IndexError:
            total -= 1.0
    return total


def nested(x, n):
    total = 0.0
    for i in range(n):
        outer = x * i
        for j in range(3):
            inner = outer + j
            total += inner @ outer
        total += outer @ outer
    return total


@pytest.mark.parametrize("function", [of_growing_parts, of_shrinking_parts, some_are_kept, some_fail, nested])
def test_the_memory_of_a_trip_serves_the_next(function):
    compiled = ag.compile(function, fallback="error")
    x = np.linspace(-2.0, 3.0, 12)
    before = runtime().live
    for n in (0, 1, 5, 12):
        np.testing.assert_allclose(compiled(x, n), function(x, n), rtol=1e-12)
    gc.collect()
    assert runtime().live == before


def test_arrays_that_python_still_has_are_not_written_again():
    seen = []

    @ag.do_not_convert
    def note(part):
        seen.append(part)
        return float(part[0])

    @ag.compile(fallback="error")
    def noting(x, n):
        total = 0.0
        for i in range(n):
            part = x + i
            total += note(part) + part @ part
        return total

    x = np.arange(5.0)
    expected = sum(float(x[0] + i) + (x + i) @ (x + i) for i in range(6))
    assert noting(x, 6) == pytest.approx(expected)
    for i, part in enumerate(seen):
        np.testing.assert_array_equal(part, x + i)


def test_temporaries_of_loops_ask_for_their_memory_again():
    m = Maker()
    x, y, n = m.param(array(N)), m.param(array(N)), m.param(I8)

    def body(i, total):
        shifted = m.op("add", x, y)
        return [m.op("add", total, m.op("matmul", shifted, shifted))]

    (total,) = m.count(m.integer(0), n, m.integer(1), [m.const(0.0)], body)
    executable = compare(m.done(total), np.arange(3.0), np.ones(3), 4)
    assert "@ag_alloc_again(" in executable.llvm
    assert "@ag_empty(" in executable.llvm
