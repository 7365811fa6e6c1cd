"""Lists of which only the length is asked."""

from __future__ import annotations

import pytest

import autograph_jit as ag
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ops import registry
from autograph_jit.transforms.measured import find_measured

PROGRAM = """
graph f(%names: list[text], %prices: list[f64], %rows: list[list[f64]]) {
    %zero: i64 = constant() {value = i64(0)}
    %one: i64 = constant() {value = i64(1)}
    %n: i64 = list_len(%names)
    %m: i64 = list_len(%rows)
    %total: f64 = constant() {value = f64(0.0)}
    %sum: f64 = for_loop(%zero, %n, %one, %total) {results = (f64,), has_break = False} do (%i: i64, %before: f64) {
        %name: text = list_get(%names, %i)
        %price: f64 = list_get(%prices, %i)
        %after: f64 = add(%before, %price)
        yield %after
    }
    yield %sum, %m
}
"""


def test_items_that_nobody_looks_at_are_told_from_others() -> None:
    graph = parse_graph(PROGRAM, registry.get)
    assert [x.hint for x in graph.block.args if x in find_measured(graph)] == ["names"]


def total(prices):
    found = 0.0
    for _name, price in prices.items():
        found += price
    return found


def some_of(first, second):
    return [second[k] for k, _ in enumerate(first)]


@pytest.mark.native
def test_programs_that_ask_for_a_length_are_as_in_python() -> None:
    made, others = ag.compile(total, fallback="error"), ag.compile(some_of, fallback="error")
    for n in (70, 5000):
        prices = {f"thing{k}": 0.5 * k for k in range(n)}
        assert made(prices) == total(prices)
        assert others(list(prices), list(range(n + 3))) == list(range(n))
        with pytest.raises(IndexError):
            others(list(prices), list(range(n - 1)))


def sum_up(d):
    for v in d.values():
        v["c"] = v["a"] + v["b"]
    return sum(v["c"] for v in d.values())


@pytest.mark.native
def test_what_an_exception_leaves_is_looked_at() -> None:
    made = ag.compile(sum_up, fallback="error")
    for n in (80, 90):
        first, second = ({f"k{k}": {"a": k * 0.5, "b": 1.0} for k in range(n)} for _ in range(2))
        assert made(first) == sum_up(second) and first == second
