"""States that a loop writes where they are kept: gradients, what is left in the arguments, and that rows are known to be apart."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.parser import parse_graph
from autograph_jit.kernels.facts import find_facts
from autograph_jit.ops.registry import get


def burgers(u, n):
    for _ in range(n):
        u[1:-1] = u[1:-1] - 0.01 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.02 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def read_afterwards(u, n):
    total = 0.0
    for _ in range(n):
        u[2:] = u[2:] * u[:-2] * np.cos(u[1:-1])
        u[:1] = 0.5 * u[-1:]
        total += np.sum(u[1:] * u[:-1] * u[:-1])
    return total


def two_fields(u, n):
    h, q = u + 2.0, u.copy()
    for _ in range(n):
        flux = q * q / h + 0.5 * h * h
        h[1:-1] -= 0.05 * (q[2:] - q[:-2])
        q[1:-1] -= 0.05 * (flux[2:] - flux[:-2])
    return np.sum(h * h) + np.sum(q * q)


def in_planes(u, n):
    a = np.outer(u, np.cos(u))
    for _ in range(n):
        a[1:, 1:-1] = a[1:, 1:-1] * (a[:-1, 1:-1] - 0.5 * a[1:, 2:] * a[1:, :-2])
    return np.sum(a * a)


def in_two_loops(u, n):
    for _ in range(3):
        u *= 0.9
        for _ in range(n):
            u[1:-1] = u[1:-1] * (1.0 - 0.1 * u[2:] * u[:-2])
    return np.sum(u * u)


def a_view_from_outside(u, n):
    inner, ahead = u[1:-1], u[2:]
    for _ in range(n):
        inner[...] = inner * ahead * 0.5 + 0.1 * inner * inner
    return np.sum(u)


def reversed_too(u, n):
    back = u[::-1]
    for _ in range(n):
        u[1:-1] = u[1:-1] * (1.0 - 0.1 * u[2:] * u[:-2])
        u[1:] = u[1:] - 0.1 * back[1:] * u[1:]
    return np.sum(u * u)


@pytest.mark.parametrize("function", [burgers, read_afterwards, two_fields, in_planes, in_two_loops, a_view_from_outside, reversed_too])
@pytest.mark.parametrize("size", [2, 3, 5, 40])
def test_gradients_and_arguments(function, size):
    rng = np.random.default_rng(size)
    u, direction, gradient = 0.5 + rng.random(size), rng.standard_normal(size), ag.grad(function)
    for n in (0, 1, 2, 3, 6):
        mine, written = u.copy(), u.copy()
        found = np.sum(np.asarray(gradient(mine, n)) * direction)
        function(written, n)
        np.testing.assert_allclose(mine, written, rtol=1e-13)
        ends = [function(u + sign * 1e-6 * direction, n) for sign in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


def test_arguments_that_overlap():
    def step(u, v):
        for _ in range(5):
            u[1:-1] = u[1:-1] * (1.0 - 0.1 * v[2:] * u[:-2])
        return np.sum(u * u)

    mine, python = (np.linspace(0.5, 1.5, 20) for _ in range(2))
    ag.grad(step)(mine[:12], mine[3:15])
    step(python[:12], python[3:15])
    np.testing.assert_allclose(mine, python, rtol=1e-13)


def test_second_derivatives():
    ag.testing.check_grads(lambda u: burgers(u.copy(), 4), (0.5 + np.random.default_rng(1).random(7),), order=2, modes=("rev",))


def test_rows_with_different_numbers_do_not_meet():
    graph = parse_graph(
        """graph f(%x: f64[s0], %n: i64, %m: i64, %k: i64) {
    %zero: i64 = constant() {value = i64(0)}
    %one: i64 = constant() {value = i64(1)}
    %kept: f64[d0, s0] = empty(%n, %m) {dtype = dtype(f64), dims = (<d0>, <s0>)}
    for_loop(%zero, %n, %one) {results = (), has_break = False} do (%i: i64) {
        %next: i64 = add(%i, %one)
        %same: i64 = add(%i, %zero)
        %a: f64[s0] = basic_index(%kept, %i) {items = (("int",), ("full",)), dims = (<s0>,), proved = True}
        %b: f64[s0] = basic_index(%kept, %next) {items = (("int",), ("full",)), dims = (<s0>,), proved = True}
        %c: f64[s0-1] = basic_index(%b, %one) {items = (("slice", True, False, False),), dims = (<s0-1>,)}
        %d: f64[s0] = basic_index(%kept, %k) {items = (("int",), ("full",)), dims = (<s0>,), proved = True}
        %e: f64[s0] = basic_index(%kept, %same) {items = (("int",), ("full",)), dims = (<s0>,), proved = True}
        %f: f64[s0] = basic_index(%kept, %next) {items = (("int",), ("full",)), dims = (<s0>,)}
        yield
    }
    yield
}
""",
        get,
        {},
    )
    (loop,) = [operation for operation in graph.walk() if operation.name == "for_loop"]
    a, b, c, d, e, f = (each.result for each in loop.regions[0].operations if each.name == "basic_index")
    facts = find_facts(graph, ("C", "", "", ""), True)
    assert not facts.may_meet(a, b) and not facts.may_meet(c, a)
    assert all(facts.may_meet(a, other) for other in (a, d, e, f)) and facts.may_meet(b, c)
    assert facts.may_alias(a, b)
