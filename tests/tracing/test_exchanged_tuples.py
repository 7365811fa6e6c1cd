"""Lists of tuples among the arguments that a program exchanges for lists of its own: each is the list that it was."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table

pytestmark = pytest.mark.native

LONG = [(k, 0.5 * k) for k in range(80)]
SHORT = LONG[:5]
WHOLE = [(k, k + 1) for k in range(70)]


def moved(p: Any, n: int) -> Any:
    cur = p
    for k in range(n):
        if k % 3 == 2:
            cur = [(x + 1.5, y) for x, y in cur]
    return cur


def grown(p: Any, n: int) -> Any:
    cur = p
    for k in range(n):
        cur.append((k, k * 0.5))
        if k % 3 == 2:
            cur = [(x + 1, y) for x, y in cur]
    return cur, cur is p


def changing_places(p: Any, n: int) -> Any:
    q = p[:3]
    for k in range(n):
        p, q = q, p
        p.append((k, 0.5))
    return p, q


def failing(p: Any, n: int) -> Any:
    cur = p
    for k in range(n):
        cur.append((k, 0.5))
        if k == 1:
            cur = cur[1:]
        if k == 5:
            raise ValueError("too far")
    return cur


def clusters(points: Any, n: int) -> Any:
    centres = points[:2]
    for _ in range(n):
        groups: dict[int, list[Any]] = {k: [] for k in range(len(centres))}
        for x, y in points:
            groups[min(groups, key=lambda k: (x - centres[k][0]) ** 2 + (y - centres[k][1]) ** 2)].append((x, y))
        centres = [(sum(x for x, _ in g) / len(g), sum(y for _, y in g) / len(g)) if g else centres[k] for k, g in groups.items()]
    return centres


def in_rows(p: Any, n: int) -> Any:
    rows, cur = [], p
    for k in range(n):
        rows.append(cur)
        if k % 3 == 2:
            cur = [(x + 1, y) for x, y in cur]
    return rows


def rows_of_one(p: Any, n: int) -> Any:
    rows = []
    for _ in range(n):
        rows.append(p)
    return rows


def outcome(function: Any, p: Any, n: int) -> Any:
    """What a call gives, what it leaves in its argument, and which of the lists that it gives are that argument."""
    try:
        found = function(p, n)
    except ValueError as error:
        found = (str(error),)
    inner = found if isinstance(found, tuple) or found and isinstance(found[0], list) else ()
    return repr(found), repr(p), found is p, [each is p for each in inner]


@table(
    ("function", "is_native"),
    [(moved, True), (grown, True), (changing_places, True), (failing, True), (clusters, True), (in_rows, False), (rows_of_one, False)],
)
def test_exchanged_lists_of_tuples_are_the_lists_that_they_were(function: Any, is_native: bool) -> None:
    compiled = ag.compile(function, fallback="error")
    for items in (LONG, SHORT, WHOLE):
        for n in (0, 1, 4, 7):
            assert outcome(compiled, copy.copy(items), n) == outcome(function, copy.copy(items), n)
    assert is_native is not any("list" in line for line in told_of_host_calls(compiled))


def told_of_host_calls(compiled: Any) -> list[str]:
    """What the first program calls of Python's, but for exceptions."""
    operations = compiled.specializations[0].program.graph.walk()
    return [str(each.attributes["label"]) for each in operations if each.name == "host_call" and "raise" not in each.attributes["label"]]
