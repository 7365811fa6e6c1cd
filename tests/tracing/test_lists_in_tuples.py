"""Lists of tuples that hold lists, and dicts of such, among the arguments: one program for all contents as long as the lists are only read,
Python's meaning."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any, NamedTuple

import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native  # what is read in is compiled code's work


class Recipe(NamedTuple):
    name: str
    minutes: float
    steps: list[str]


def rows_of(count: int) -> list[Any]:
    return [(f"n{k % 7}", 0.5 * k, k % 4, [f"t{j}" for j in range(k % 3)], [k, -k]) for k in range(count)]


ROWS, MORE = rows_of(20), rows_of(45)
RECIPES = [Recipe(f"r{k}", 1.5 * k, ["cut", "fry", f"wait {k}"][: 1 + k % 3]) for k in range(12)]
ONE = [1, 2]
SHARED = [(k, ONE if k % 2 else [k]) for k in range(12)]
TABLE: list[Any] = []


def totals(rows: Any) -> Any:
    counts, found = defaultdict(int), 0.0
    for name, price, amount, tags, numbers in rows:
        for tag in tags:
            counts[tag] += amount
        found += price * sum(numbers) + len(name) + (numbers[0] if "t1" in tags else numbers[-1])
    return found, dict(counts), max(len(row[3]) for row in rows)


def reordered(rows: Any) -> Any:
    best = sorted(rows, key=lambda row: (-row[2], row[1]))[:5]
    return [(row[0], list(row[3]), row[4][0]) for row in best], rows[2][3] == rows[5][3], rows[1][4] < rows[2][4]


def named(recipes: Any) -> Any:
    words = [step.upper() for recipe in recipes for step in recipe.steps if recipe.minutes > 3]
    longest = max(recipes, key=lambda recipe: len(recipe.steps))
    return words, longest.name, [step[0] for step in longest.steps]


def timed(recipes: Any) -> Any:
    return sum(recipe.minutes * len(recipe.steps) for recipe in recipes if recipe.steps[-1] != "fry")


def changed(rows: Any) -> Any:
    for name, items in rows:
        items.append(name)
    return len(rows[1][1]), [items for _, items in rows]


def given_away(rows: Any) -> Any:
    kept = {}
    for name, items in rows:
        kept[name] = items
    kept[3].append(77)
    return kept, rows[3], rows[3][1] is kept[3], rows[1][1] is rows[3][1]


def beside(rows: Any, other: Any) -> Any:
    found = 0
    for k, items in rows:
        other.append(k)
        found = found * 2 + sum(items) - len(other)
    return found, other


def outside(rows: Any) -> Any:
    found = 0
    for k, items in rows:
        TABLE.append(k)
        found += sum(items)
    return found, len(TABLE)


def exchanged(rows: Any, n: Any) -> Any:
    rows[n] = (5, [1, 2, 3])
    rows.append((6, [4]))
    return sum(k * len(items) for k, items in rows), rows


def exchanged_for_others(rows: Any, n: Any) -> Any:
    rows[n] = (5.5, [1.5])
    return sum(k * sum(items) for k, items in rows), rows


def fails(rows: Any, n: Any) -> Any:
    found = 0
    for k, items in rows:
        found += k * items[n]
    return found


def in_a_branch(rows: Any, n: Any) -> Any:
    items = rows[0][1]
    for k, other in rows:
        if k % n == 0:
            items = other
    return sum(items), items[0]


def by_name(stock: Any) -> Any:
    found = 0
    for name, (amount, sizes) in stock.items():
        found += amount * sum(sizes) + len(name)
    return found, len(stock["n3"][1]), stock.get("none"), "n5" in stock, stock["n7"][1][0], max(stock.values(), key=lambda each: each[0])[0]


def changed_by_name(stock: Any) -> Any:
    stock["n1"][1].append(5)
    stock["new"] = (1, [2])
    return stock["n1"], len(stock), stock.pop("n2"), sorted(stock.items(), key=lambda entry: -entry[1][0])[0]


def exchanged_by_name(stock: Any) -> Any:
    sizes = {amount: each for amount, each in stock.values()}
    sizes[3].append(9)
    copied = dict(stock)
    copied["n1"] = (1, [1, 2])
    return sizes[3], stock["n3"], sizes[3] is stock["n3"][1], copied == stock, stock["n1"] == (1, [1, 2])


def listed_tuples(groups: Any, rows: Any) -> Any:
    found = 0
    for name, pairs in groups.items():
        for word, weight in pairs:
            found += weight * len(word) + len(name)
    return found, sum(weight for row in rows for _, weight in row)


GROUPS = {f"g{k}": [(f"w{j}", j) for j in range(k % 3)] for k in range(12)}
STOCK = {f"n{k}": (k, [k, 2]) for k in range(12)}
PAIRS = [(k, [k, k * k, 3]) for k in range(15)]
CASES: dict[Any, list[Any]] = {
    totals: [(ROWS,), (MORE,), ([*ROWS, ("é", 1.0, 2, ["x"], [5, 6])],), ([(*row[:3], [], row[4]) for row in ROWS],), (ROWS[:3],)],
    reordered: [(ROWS,), (MORE,)],
    named: [(RECIPES,), (RECIPES * 2,)],
    changed: [(PAIRS,), (SHARED,)],
    given_away: [(PAIRS,), (SHARED,)],
    beside: [(PAIRS, [1]), (SHARED, ONE)],
    exchanged: [(PAIRS, 3), (PAIRS[:9], 0)],
    exchanged_for_others: [(PAIRS, 3), (PAIRS[:9], 0)],
    fails: [(PAIRS, 1), (PAIRS, 3), ([*PAIRS, (1, [2])], 1), ([*PAIRS, (1, 2)], 1), ([*PAIRS, (1, [2.5])], 0), ([*PAIRS, (2**70, [1])], 0)],
    in_a_branch: [(PAIRS, 4), (PAIRS, 20)],
    listed_tuples: [(GROUPS, list(GROUPS.values())), (GROUPS | {"x": [("", 7)]}, [[("a", 1)]] * 9)],
    by_name: [(STOCK,), (STOCK | {"x": (3, [1])},), (STOCK | {"x": (3, [])},), (STOCK | {"x": (3, [1.5])},)],
    changed_by_name: [(STOCK,)],
    exchanged_by_name: [(STOCK,)],
}


@pytest.mark.parametrize("program", CASES)
def test_program_agrees_with_python(program: Any) -> None:
    assert_agrees(program, *CASES[program])


def test_what_changes_outside_is_another_list() -> None:
    TABLE.clear()
    compiled = ag.compile(outside, fallback="error")
    assert [compiled(copy.deepcopy(PAIRS)) for _ in range(3)] == [(sum(sum(items) for _, items in PAIRS), 15 * k) for k in (1, 2, 3)]


def test_one_program_serves_all_contents() -> None:
    in_lists = listed_tuples, GROUPS, GROUPS
    for program, *contents in ((totals, ROWS, MORE), (timed, RECIPES, RECIPES * 3), (fails, PAIRS, PAIRS[:9]), in_lists):
        compiled = ag.compile(program, fallback="error")
        rest = {fails: (1,), listed_tuples: (list(GROUPS.values()),)}.get(program, ())
        for content in contents:
            assert compiled(content, *rest) == program(content, *rest)
        assert len(compiled.specializations) == 1 and "host calls    none" in compiled.explain(), program.__name__


def test_lists_that_leave_are_the_callers() -> None:
    for program in (changed, given_away):
        mine, pythons = copy.deepcopy(SHARED), copy.deepcopy(SHARED)
        kept = [items for _, items in mine]
        compiled = ag.compile(program, fallback="error")
        assert repr(compiled(mine)) == repr(program(pythons)) and repr(mine) == repr(pythons)
        assert all(items is mine[k][1] for k, items in enumerate(kept))


def test_a_list_that_another_argument_or_a_variable_is() -> None:
    """It may be changed under its other name: then it is no copy."""
    compiled = ag.compile(beside, fallback="error")
    for is_inside in (True, False, True):
        inner = [3, 4]
        mine = [(k, inner if is_inside and k == 5 else [k, 1]) for k in range(10)]
        theirs = [3, 4]
        pythons = [(k, theirs if is_inside and k == 5 else [k, 1]) for k in range(10)]
        assert compiled(mine, inner) == beside(pythons, theirs) and mine == pythons
    compiled = ag.compile(outside, fallback="error")
    for is_inside in (False, True):
        TABLE.clear()
        mine = [(k, TABLE if is_inside and k == 5 else [k, 1]) for k in range(10)]
        found = compiled(mine)
        TABLE.clear()
        assert found == outside(mine)
