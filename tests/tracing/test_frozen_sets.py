"""Frozensets of which only the run knows what they hold: made, joined, compared, handed down by a recursion, and as they leave."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ops.set_slots import retyped, set_in_slots
from tests.tables import table
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native


def queens(n: int, row: int = 0, columns: Any = frozenset(), rising: Any = frozenset(), falling: Any = frozenset()) -> int:
    if row == n:
        return 1
    total = 0
    for column in range(n):
        if column in columns or row + column in rising or row - column in falling:
            continue
        total += queens(n, row + 1, columns | {column}, rising | {row + column}, falling | {row - column})
    return total


def grown(n: int) -> Any:
    s, sizes = frozenset(), 0
    for k in range(n):
        s |= {k * 37 % 101}
        sizes += len(s)
    return s, list(s), sizes, 37 in s, bool(s), sum(k for k in s), max(s, default=-1)


def handed_back(n: int) -> Any:
    def of(k: int) -> Any:
        return frozenset() if k == 0 else of(k - 1) | {k * 9}

    return of(n), sorted(of(n + 1))


def put_together(n: int) -> Any:
    s, t = frozenset(k * 5 % 13 for k in range(n)), frozenset(range(n))
    made = (s | t, s & t, s - t, t ^ s, s.union(t), t.difference({1, n}), s.copy() is s)
    return made, s <= t, s == t, s != t, s < (s | {99}), s.issubset(t), s.isdisjoint({n}), t >= set(s)


def left_ones_class(n: int) -> Any:
    s, own = frozenset(range(n)), {n, 2}
    either, other, third = own | s, s | own, frozenset((1, 2)) | s
    either.add(50)
    own |= s
    return [type(x).__name__ for x in (either, other, third, own)], either, other, third, own


def chosen(n: int) -> Any:
    best = None
    for k in range(n):
        s = frozenset((k, k * k % 7))
        if best is None or len(s & {1, 4, 6}) > len(best & {1, 4, 6}):
            best = s
    return best


def kept_in_others(n: int) -> Any:
    s, rows, counts = frozenset(), [], {}
    for k in range(n):
        s = s ^ {k % 3}
        rows.append(s)
        counts[s] = counts.get(s, 0) + 1
    return rows, counts, len(set(rows)), hash(s) == hash(frozenset(sorted(s)))


def of_texts(n: int) -> Any:
    seen, rounds = frozenset(), 0
    for k in range(n):
        word = str(k % 4)
        if word not in seen:
            seen, rounds = seen | {word}, rounds + 1
    return sorted(seen), rounds


@table("function", [queens, grown, handed_back, put_together, left_ones_class, chosen, kept_in_others, of_texts])
def test_frozensets_do_what_pythons_do(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for n in (1, 5, 6, 40 if function is not queens else 4):
        wanted = function(n)
        assert compiled(n) == wanted
        assert repr(compiled(n)) == repr(wanted)  # the order of items, too


@table("function", [queens, grown, handed_back])
def test_frozensets_of_the_run_call_nothing_of_python(function: Any) -> None:
    graph = str(ag.compile(function, fallback="error").graph(5))
    assert "host_call" not in graph


def test_nothing_is_added_to_a_frozenset() -> None:
    def added(n: int) -> Any:
        s = frozenset((n, 1)) | {n + 1}
        s.add(3)
        return s

    assert_agrees(added, (4,))


def test_a_new_frozenset_is_another_one() -> None:
    def same(n: int) -> Any:
        s = frozenset((n, 1)) | {n + 1}
        t = s
        return s is t, s | {n} is s, s is None

    assert_agrees(same, (4,))


def test_a_frozenset_has_the_slots_of_the_set_that_it_was() -> None:
    plain = {k * 8 for k in range(9)}
    for gone in (0, 8, 24):
        plain.discard(gone)
        made = retyped(copy.copy(plain))
        assert type(made) is frozenset and list(made) == list(plain.copy()) and hash(made) == hash(frozenset(plain))
    given_up = retyped(set_in_slots([16, 9], 0, 2, 1, 7))
    assert list(given_up) == [16, 9] and given_up | {3} == {16, 9, 3}
