"""What leaves a program is counted by what is put into it, what is read by how long it is in the call at hand."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ir.types import ListType
from autograph_jit.runtime.preferences import cost_of_call
from autograph_jit.runtime.result_costs import lengths_of_results
from autograph_jit.runtime.trips import ASSUMED_TRIPS, assumed_runs


def oldest(people: Any) -> Any:
    return sorted(people, key=operator.itemgetter(1), reverse=True)[:3]


def all_by_age(people: Any) -> Any:
    return sorted(people, key=operator.itemgetter(1))


def every_pair(xs: Any) -> Any:
    return [x * y for x in xs for y in xs]


def some_or_all(xs: Any) -> Any:
    found = []
    for x in xs:
        if x > 3:
            found.append(x)
    return found


PEOPLE = [(f"n{k}", k * 7 % 31, 0.5 * k) for k in range(100)]


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (oldest, PEOPLE, 3.0),
        (all_by_age, PEOPLE, ASSUMED_TRIPS),
        (every_pair, list(range(90)), ASSUMED_TRIPS),
        (some_or_all, list(range(90)), ASSUMED_TRIPS / 2),
    ],
)
def test_lists_that_leave_are_as_long_as_what_is_appended(function: Any, argument: Any, expected: float) -> None:
    program = ag.compile(function, fallback="error").prepare((argument, {})).program
    lists = [x for x in program.graph.block.yields if isinstance(x.type, ListType)]
    assert lists
    assert set(lengths_of_results(program, assumed_runs, ASSUMED_TRIPS).values()) == {expected}


def test_a_call_costs_by_the_lengths_of_its_lists() -> None:
    def in_both(prices: Any, amounts: Any) -> Any:
        total = 0.0
        for name, price in prices.items():
            if name in amounts:
                total += price * amounts[name]
        return total

    prices = {f"n{k}": 0.5 * k for k in range(1000)}
    program = ag.compile(in_both, fallback="error").prepare((prices, dict(prices), {})).program
    whole, few = (cost_of_call(program, (prices, amounts, {})) for amounts in (prices, {"n1": 1.0, "n2": 2.0}))
    assert whole.python == few.python > 1000 * 20e-9
    assert few.compiled < 0.7 * whole.compiled


def test_what_gives_few_of_many_is_compiled() -> None:
    def podium(people: Any) -> Any:
        by_age = sorted(people, key=lambda person: (-person[1], person[0]))
        by_name = sorted(people, key=lambda person: person[0][::-1])
        people.sort(key=operator.itemgetter(2), reverse=True)
        return by_age[:3], by_name[:3], people[:3], sorted({len(name) for name, _, _ in people})

    compiled = ag.compile(podium)
    people = [(f"n{k * 17 % 997}", k * 31 % 90, k * 0.5) for k in range(800)]
    assert compiled(list(people)) == podium(list(people))
    assert len(compiled.specializations) == 1


def rows_of_pairs(n: int) -> Any:
    return [[(i, "a"), (2, "b")] for i in range(n)]


def tables_of_rows(n: int) -> Any:
    return [[[i + k, None] for k in range(2)] for i in range(n)]


def rows_that_are_summed(n: int) -> Any:
    rows = [[(i, "a"), (2, "b")] for i in range(n)]
    total = 0
    for row in rows:
        for number, _ in row:
            total += number * number % 7
    return total


def sets_in_a_list(n: int) -> Any:
    return [{i, 3} for i in range(n)]


@pytest.mark.parametrize("function", [rows_of_pairs, tables_of_rows, sets_in_a_list])
def test_lists_in_lists_that_python_code_makes_are_left_to_python(function: Any) -> None:
    with pytest.warns(UserWarning, match="slower than Python"):
        assert ag.compile(function)(50) == function(50)


def test_lists_in_lists_that_stay_are_compiled() -> None:
    compiled = ag.compile(rows_that_are_summed)
    assert compiled(50) == rows_that_are_summed(50)
    assert "host_call" not in str(compiled.graph(50))


def kept_pairs(pairs: Any) -> Any:
    found = []
    for pair in pairs:
        if pair[1] > 50:
            found.append(pair)
    return found


def sum_of_pairs(pairs: Any) -> Any:
    return sum(second * first % 7 for first, second in pairs)


def two_gone(values: Any) -> Any:
    for k in range(2):
        values[k] = None
    return values[2]


def first_of(values: Any) -> Any:
    for place, value in enumerate(values):
        if value == 1:
            return place
    return None


LONG_PAIRS = [(k, k * 37 % 100) for k in range(3000)]
LONG_MIXED = [k if k % 2 else "a" for k in range(3000)]


def warnings_of(compiled: Any, argument: Any, calls: int) -> list[str]:
    """What so many calls with copies of an argument warn of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(calls):
            compiled(list(argument))
    return [str(each.message) for each in told]


@pytest.mark.parametrize(
    ("function", "argument", "calls", "ends_in_python"),
    [
        (kept_pairs, LONG_PAIRS, 1, True),  # as long to read and to make again as to look at
        (sum_of_pairs, LONG_PAIRS, 40, False),
        (two_gone, [k * 0.5 for k in range(3000)], 1, True),  # all go into a list that may hold None, and back
        (first_of, LONG_MIXED, 200, True),  # Python looks at two of them
        (first_of, ["a"] * 3000, 40, False),
    ],
)
def test_long_lists_are_read_where_that_is_worth_it(function: Any, argument: Any, calls: int, ends_in_python: bool) -> None:
    compiled = ag.compile(function)
    told = warnings_of(compiled, argument, calls)
    assert bool(told) == ends_in_python, told
    assert not told or "slower than Python" in told[0]
    assert compiled(list(argument)) == function(list(argument))
