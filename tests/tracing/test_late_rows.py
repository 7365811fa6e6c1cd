"""Dicts in a list of the caller's when an exception ends the call: what was done to them is there, and nothing follows what fails."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ir.verifier import verify


def exchange(rows: Any) -> Any:
    made: list[Any] = []
    out, total = [], 0
    row = rows[0]
    for row in rows:
        total += row["id"]
    for _ in range(12):
        total += row["id"]
        rows[3 % len(rows)] = row
        out.append(dict(row))
        row = rows[len(made) % len(rows)]
    return out, total, row


def count_until(words: Any, counts: Any) -> Any:
    made = [{}, {}]
    for k, word in enumerate(words):
        counts[word] = counts.get(word, 0) + 1
        made[k % 2][word] = k
        if len(word) > 6:
            raise ValueError(f"{word} {len(made[0])} {len(made[1])}")
    return made


def drop_until(counts: Any, keys: Any) -> Any:
    total = 0
    for key in keys:
        total += counts.pop(key)
    return total


def rows_of(n: int) -> list[dict[str, Any]]:
    return [{"id": k, "name": f"n{k % 5}", "w": k * 0.5} for k in range(n)]


PROGRAMS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (exchange, [(rows_of(70),), (rows_of(2),), ([{"id": 1, "name": "a", "w": 1.0}, {"id": "x", "name": "b", "w": 2.0}],)]),
    (count_until, [(["a", "bb", "a", "ccc"], {}), (["a", "bb", "longer_word", "c"], {"bb": 3}), (["a"] * 90 + ["very_long"], {"z": 1})]),
    (drop_until, [({k: k * 2 for k in range(90)}, [3, 4, 89]), ({k: k * 2 for k in range(90)}, [5, 0, 99, 7]), ({1: 2}, [2])]),
]


def outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    mine = copy.deepcopy(arguments)
    try:
        found = function(*mine)
    except (ValueError, TypeError, KeyError) as error:
        found = type(error), str(error)
    return found, mine


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_was_done_before_an_exception_is_there(number: int) -> None:
    function, calls = PROGRAMS[number]
    compiled = ag.compile(function, fallback="error")
    for arguments in (*calls, *calls):
        assert outcome(compiled, arguments) == outcome(function, arguments)


def test_no_operation_follows_one_that_raises() -> None:
    verify(ag.compile(exchange, fallback="error").prepare((rows_of(70), {})).program.graph)
