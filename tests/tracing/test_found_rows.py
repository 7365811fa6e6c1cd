"""Dicts and lists of a module that hold lists, dicts and sets: data where they are only read, the caller's own objects otherwise."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag

NEXT: dict[str, list[int]] = {}
ROWS: list[list[int]] = []
ALSO: dict[str, list[int]] = {}
ONE: list[int] = []
COSTS: dict[int, dict[int, int]] = {}
GROUPS: dict[int, set[int]] = {}
PAIRS: list[list[tuple[int, str]]] = []


def begin() -> None:
    """What the module holds when a program begins: `ALSO` and `ONE` have lists of `NEXT`."""
    NEXT.update({"a": [1, 2], "b": [2, 3, 4], "c": [], "d": [5], "e": [6]})
    ONE[:] = [7]
    NEXT["b"] = ONE
    ALSO.update({"x": NEXT["a"], "y": ONE})
    ROWS[:] = [[k, k + 1] for k in range(12)]
    COSTS.update({k: {k: k + 1, k + 1: 7} for k in range(12)})
    GROUPS.update({k: {k, k + 1, k * 5} for k in range(12)})
    PAIRS[:] = [[(k, f"t{k}"), (k + 1, "u")] for k in range(12)]


def key(k: int) -> str:
    return "abcde"[k % 5]


def reached(places: list[int]) -> Any:
    found, waiting = set(), [places[0]]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(NEXT[key(node)])
    return len(found), [len(NEXT[key(k)]) for k in places], [sum(NEXT[key(k)]) for k in places]


def read(places: list[int]) -> Any:
    total, names = 0, []
    for k in places:
        for node, cost in COSTS[k].items():
            total += node * cost + COSTS[k].get(k, 0)
        names += [text for _, text in PAIRS[k]]
        total += (k in GROUPS[places[0]]) + max(ROWS[k]) + len(ROWS[k][1:] + [k])
    return total, names


def copied(places: list[int]) -> Any:
    part, other = ROWS[places[0]][:], list(ROWS[places[1]])
    part.append(1)
    other[0] = 9
    return part, other, ROWS[places[0]] + [5]


def returned(places: list[int]) -> Any:
    first = ROWS[places[0]]
    first.append(3)
    return [ROWS[k] for k in places], first is ROWS[places[0]]


def changed(places: list[int]) -> Any:
    for k in places:
        NEXT[key(k)].append(k)
    return [len(NEXT[key(k)]) for k in places]


def changed_by_name(places: list[int]) -> Any:
    before = sum(NEXT[key(places[0])])
    NEXT["a"].append(places[0])
    ONE.append(9)
    return before, [sum(NEXT[key(k)]) for k in places]


def changed_elsewhere(places: list[int]) -> Any:
    ALSO["xy"[places[0] % 2]].append(1)
    return [len(NEXT[key(k)]) for k in places]


def replaced(places: list[int]) -> Any:
    NEXT[key(places[0])] = [0, 0]
    COSTS[places[0]][places[1]] = 3
    return [sum(NEXT[key(k)]) for k in places], [sum(COSTS[k].values()) for k in places]


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a call, and what it leaves."""
    result = function(*arguments)
    return copy.deepcopy((result, NEXT, ROWS, ALSO, ONE, COSTS, GROUPS, PAIRS)), NEXT["b"] is ONE, ALSO["x"] is NEXT["a"]


PROGRAMS = (reached, read, copied, returned, changed, changed_by_name, changed_elsewhere, replaced)


@pytest.mark.parametrize("function", PROGRAMS)
def test_rows_at_places_of_the_run(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for places in ([4, 7, 9], [7, 2, 10], list(range(11))):
        begin()
        expected = outcome(function, places)
        begin()
        assert outcome(compiled, places) == expected
    assert function not in (reached, read) or "dict item" not in compiled.explain()


def of_an_argument(row: list[int], entries: dict[str, list[int]]) -> Any:
    row.append(1)
    entries["c"].append(2)
    return [len(NEXT[key(k)]) for k in range(len(row))]


@pytest.mark.parametrize("fallback", ["warn", "error"])
def test_what_an_argument_shares_with_a_module_is_seen(fallback: str) -> None:
    compiled = ag.compile(of_an_argument, fallback=fallback)
    for find in (lambda: ([1], {"c": [1]}), lambda: (ONE, {"c": [1]}), lambda: ([1], NEXT), lambda: (NEXT["a"], dict(NEXT))) * 2:
        begin()
        expected = outcome(of_an_argument, *find())
        begin()
        try:
            assert outcome(compiled, *find()) == expected
        except ag.ConversionError:
            assert fallback == "error"
