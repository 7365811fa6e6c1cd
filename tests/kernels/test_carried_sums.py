"""Sums of a reverse sweep into one element are carried by the loop, where nothing else in it may be that element."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.verifier import verify
from autograph_jit.kernels import loop_passes
from autograph_jit.kernels.carried_sums import carry_sums
from autograph_jit.kernels.ranges import find_ranges
from autograph_jit.ops.registry import get


def outer_product_of_itself(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] * 0.5
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(a * a)


def weighted_rows(a):
    n, total = a.shape[0], 0.0
    w = np.cos(a[0])
    for i in range(n):
        for j in range(n):
            total += np.tanh(w[i] * a[i, j])
    return total


def diagonal_too(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            a[i, j] = a[i, j] * 0.5 + a[i, i] * a[j, j] * 0.1
    return np.sum(a * a)


def short_loops(a):
    n = a.shape[0]
    x = a[0].copy()
    for i in range(n):
        for j in range(i):
            x[i] += x[j] * a[i, j] * x[i] * 0.1
    return np.sum(x * x)


def buffers_in_turn(a):
    n = a.shape[0]
    v, w = a[0] * 1.0, a[-1] * 0.5
    for i in range(5):
        w[0] = v[n - 1] * v[n // 2] + a[i % n, 0]
        v, w = w, v
    return np.sum(v * w)


def handed_on(a):
    n, total = a.shape[0], 0.0
    for i in range(n):
        last = a[0, 0]
        for j in range(1, n):
            total += np.sin(last) * a[i, j]
            last = a[i, 0] * last
    return total


@pytest.mark.parametrize("function", [outer_product_of_itself, weighted_rows, diagonal_too, short_loops, buffers_in_turn, handed_on])
@pytest.mark.parametrize("size", [1, 2, 5, 24])
def test_gradients_agree_with_central_differences(function, size):
    rng = np.random.default_rng(size)
    a, direction = (0.5 + rng.random((size, size))) / size, rng.standard_normal((size, size))
    found = np.sum(ag.grad(function)(a.copy()) * direction)
    ends = [function(a + sign * 1e-6 * direction) for sign in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


def test_a_loop_carries_the_sum(monkeypatch):
    carried = []

    def spy(graph, *rest):
        before = sum(len(each.results) for each in graph.walk() if each.name == "for_loop")
        changed = carry_sums(graph, *rest)
        carried.append(sum(len(each.results) for each in graph.walk() if each.name == "for_loop") - before)
        return changed

    monkeypatch.setattr(loop_passes, "carry_sums", spy)
    ag.grad(lambda a: outer_product_of_itself(a))(np.eye(5) + 0.1)
    assert carried[-1] == 1


def test_an_element_that_is_handed_on_stays_in_memory():
    graph = parse_graph(
        """graph f(%g: f64[s0], %x: f64, %n: i64) {
    %zero: i64 = constant() {value = i64(0)}
    %one: i64 = constant() {value = i64(1)}
    %place: f64 = load(%g, %zero) {proved = True}
    %r: f64 = for_loop(%zero, %n, %one, %x) {results = (f64,), has_break = False} do (%i: i64, %before: f64) {
        %old: f64 = load(%g, %zero) {proved = True}
        %new: f64 = add(%old, %before) contract
        store(%g, %new, %zero) {proved = True}
        yield %old
    }
    yield %r, %place
}
""",
        get,
        {},
    )
    assert not carry_sums(graph, find_ranges(graph), ("C", "", ""), True)
    verify(graph)
