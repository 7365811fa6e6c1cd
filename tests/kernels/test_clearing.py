"""Arrays that a loop clears for its next trip: what is cleared when that one begins, and that results stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.printer import print_graph
from autograph_jit.ir.verifier import verify
from autograph_jit.kernels.clearing import defer_clearing
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.ops.registry import get

EXCHANGE = """
graph exchange(%g: f64[s:n], %trips: i64) {{
    %0: i64 = constant() {{value = i64(0)}}
    %1: i64 = constant() {{value = i64(1)}}
    %zero: f64 = constant() {{value = f64({zero})}}
    %n: i64 = dim(%g) {{axis = 0}}
    %a: f64[s:n] = copy(%g)
    %b: f64[s:n] = full(%zero, %n) {{dims = (<s:n>,), checked = True}}
    {before}
    %r: f64[s:n], %t: f64[s:n] = for_loop(%0, %trips, %1, %a, %b) {{results = (f64[s:n], f64[s:n]), has_break = False}}
            do (%i: i64, %x: f64[s:n], %y: f64[s:n]) {{
        %double: f64[s:n] = add(%x, %x)
        %sum: f64[s:n] = add(%y, %double)
        assign(%y, %sum)
        %stop: i64 = subtract(%n, %1)
        %part: f64[s:n-1] = basic_index(%x, {start}, %n) {{items = (("slice", True, True, False),), dims = (<s:n-1>,), proved = True}}
        assign(%part, %zero)
        {after}
        yield {yields}
    }}
    yield %r, %t
}}
"""


def exchange(zero="0.0", before="", start="%1", after="", yields="%y, %x"):
    return parse_graph(EXCHANGE.format(zero=zero, before=before, start=start, after=after, yields=yields), get)


def body_of(graph):
    (loop,) = [operation for operation in graph.block.operations if operation.name == "for_loop"]
    return [operation.name for operation in loop.regions[0].operations]


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_clearing_is_deferred_to_the_next_trip(trips):
    graph, start = exchange(), np.arange(1.0, 8.0)
    expected = evaluate(exchange(), [start, np.int64(trips)])
    assert defer_clearing(graph)
    verify(graph)
    names = body_of(graph)
    assert names[:5] == ["add", "basic_index", "assign", "add", "assign"] and names.count("assign") == 2
    assert [operation.name for operation in graph.block.operations][-1] == "assign"
    for found, wanted in zip(evaluate(graph, [start, np.int64(trips)]), expected):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "changed",
    [
        {"zero": "2.0"},
        {"zero": "-0.0"},
        {"before": "assign(%b, %g)"},
        {"start": "%i"},
        {"after": "assign(%x, %double)"},
        {"yields": "%x, %y"},
        {"yields": "%y, %double"},
    ],
)
def test_what_is_not_cleared_for_the_next_trip_stays(changed):
    graph = exchange(**changed)
    before = print_graph(graph)
    assert not defer_clearing(graph)
    assert print_graph(graph) == before


def smoothed_by_index(u):
    v = u.copy()
    for _ in range(5):
        for i in range(1, len(u) - 1):
            v[i] = u[i] * u[i] + 0.2 * (u[i + 1] - u[i - 1])
        u, v = v, u
    return np.sum(u * u)


def smoothed_in_slices(u):
    v = u.copy()
    for _ in range(4):
        v[2:-2] = np.sin(u[2:-2]) + 0.2 * (u[4:] - u[:-4])
        u, v = v, u
    return np.sum(u * v)


def written_beyond(u):
    v = u.copy()
    for k in range(3):
        v[1:-1] = u[1:-1] * u[1:-1]
        v[0] = k * u[1]
        u, v = v, u
    return np.sum(u * u)


@pytest.mark.parametrize("function", [smoothed_by_index, smoothed_in_slices, written_beyond])
@pytest.mark.parametrize("size", [5, 6, 40])
def test_gradients_of_exchanged_arrays(function, size):
    x = np.random.default_rng(size).uniform(-1, 1, size)
    direction = np.random.default_rng(size + 1).standard_normal(size)
    step = 1e-6
    expected = (function(x + step * direction) - function(x - step * direction)) / (2 * step)
    assert np.sum(ag.compile(ag.grad(function), fallback="error")(x) * direction) == pytest.approx(expected, rel=1e-6)
