"""Dicts and sets of the caller's that meet those of the program: in a loop that makes new ones, in a branch, under two names."""

from __future__ import annotations

from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees, run


def shifted(entries: dict[int, int], n: int) -> Any:
    for _ in range(n):
        entries = {key + 1: value for key, value in entries.items() if value < 20}
    return sorted(entries.items())


def renamed(words: dict[str, int], n: int) -> Any:
    for _ in range(n):
        words = {key + "x": value * 2 for key, value in words.items()}
    return words


def replaced(entries: dict[int, int], n: int) -> Any:
    if n > 3:
        entries = {1: 2}
    return entries


def changed_by_turns(first: dict[int, int], second: dict[int, int], n: int) -> Any:
    best = first
    for k in range(n):
        best = second if k % 2 else {k: k}
        best[k + 10] = k
    return best, len(first), len(second)


def one_of_two(entries: dict[int, int], n: int) -> Any:
    chosen = {3: 4}
    chosen = entries if n > 2 else chosen
    chosen[7] = n
    return entries.get(7, -1), chosen is entries


def rows_shifted(groups: dict[int, list[int]], n: int) -> Any:
    for _ in range(n):
        groups = {key + 1: [item + 1 for item in items] for key, items in groups.items()}
    return sorted(groups.items())


def grown(numbers: set[int], n: int) -> Any:
    for k in range(n):
        numbers = numbers | {k}
    return list(numbers)


def moved(cells: set[tuple[int, int]], n: int) -> Any:
    for _ in range(n):
        cells = {(i + 1, j) for i, j in cells if i < 20}
    return cells


def one_of_three(first: set[int], second: set[int], n: int) -> Any:
    best = first
    for k in range(n):
        best = second if len(second) > k else {k, 3}
    return best, 3 in best, list(best), best is first, best is second


def lengthened(words: set[str], n: int) -> Any:
    for _ in range(n):
        words = {word + "x" for word in words if len(word) < 4}
    return sorted(words)


NUMBERS, ENTRIES = {1, 2, 7}, {1: 2, 3: 4}


@table(
    ("function", "calls"),
    [
        (shifted, [(ENTRIES, 4), (ENTRIES, 0)]),
        (renamed, [({"a": 1, "bc": 2}, 3), ({"a": 1, "bc": 2}, 0)]),
        (replaced, [(ENTRIES, 4), (ENTRIES, 1)]),
        (changed_by_turns, [(ENTRIES, {8: 9}, 4), (ENTRIES, {8: 9}, 3)]),
        (one_of_two, [(ENTRIES, 1), (ENTRIES, 4)]),
        (rows_shifted, [({1: [2, 3], 4: []}, 3), ({1: [2, 3], 4: []}, 0)]),
        (grown, [(NUMBERS, 4), (NUMBERS, 0)]),
        (moved, [({(1, 2), (19, 3), (4, 4)}, 4), ({(1, 2), (3, 4)}, 0)]),
        (one_of_three, [(NUMBERS, {5, 6}, 3), (NUMBERS, {5, 6}, 2)]),
        (lengthened, [({"a", "bcd"}, 2), ({"a", "bcd"}, 0)]),
    ],
)
def test_containers_of_the_callers_meet_those_of_the_program(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)
    assert "host calls    none" in ag.compile(function, fallback="error").explain(*calls[0])


def test_what_may_be_the_callers_set_is_pythons_where_it_is_changed() -> None:
    def added(numbers: set[int], n: int) -> Any:
        if n > 3:
            numbers = {1, 2, n}
        numbers.add(99)
        return len(numbers)

    def discarded_late(numbers: set[int], n: int) -> Any:
        seen = {n}
        for k in range(n):
            if k == 1:
                seen = numbers
            if k == 3:
                seen.discard(7)
        return sorted(seen)

    for function in (added, discarded_late):
        assert_agrees(function, (NUMBERS, 4), (NUMBERS, 1))


def test_the_callers_own_is_given_back() -> None:
    for function, given in ((replaced, ENTRIES), (moved, {(1, 2)}), (renamed, {"a": 1})):
        compiled = ag.compile(function, fallback="error")
        assert compiled(given, 5) is not given
        assert compiled(given, 0) is given
        assert run(compiled, (given, 0)) == run(function, (given, 0))


def test_the_callers_dict_that_goes_into_a_list_of_pythons_is_given_back() -> None:
    def kept(entries: dict[int, int], n: int) -> Any:
        keep = [entries, {9: 9}]
        chosen = keep[n % 2]
        chosen[7] = 1
        return len(entries), chosen

    def appended(entries: dict[int, int], n: int) -> Any:
        keep = [entries]
        keep.append({9: n})
        return keep[n % 2], keep

    for function in (kept, appended):
        assert_agrees(function, (ENTRIES, 0), (ENTRIES, 1))
        given = dict(ENTRIES)
        assert any(part is given for part in ag.compile(function, fallback="error")(given, 0))
