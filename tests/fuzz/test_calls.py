"""A few of the random sequences of calls, and the smallest programs of those that once differed; `scripts/fuzz --calls` makes more."""

from __future__ import annotations

import collections
import enum
import math as library
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.fuzz.call_oracle import judge_sequence
from tests.fuzz.calls import call_program_text
from tests.fuzz.oracle import MATCH, REFUSED

SEEDS = (0, 155, 196, 454, 526, 568, 713, 879)


def test_sequences_of_calls_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge_sequence(call_program_text(seed), f"calls {seed}", "error")
        assert verdict.kind in (MATCH, REFUSED), f"seed {seed}: {verdict.reason}\n{call_program_text(seed)}"


class Tank:
    """What the programs change."""

    def __init__(self, level: Any) -> None:
        self.level = level


class Asked:
    """An instance that counts how often it is asked for its attributes, and for items."""

    times = 0

    @property
    def level(self) -> int:
        Asked.times += 1
        return 1

    def __getitem__(self, key: Any) -> int:
        Asked.times += 1
        return 1

    def __len__(self) -> int:
        Asked.times += 1
        return 1


def rows(count: int = 12) -> list[list[int]]:
    return [[k] for k in range(count)]


def test_arguments_are_looked_at_without_effect() -> None:
    level, first, total = (ag.compile(f, fallback="error") for f in (lambda t: t.level, lambda t: t[0] + len(t), lambda d: d.get("a", 5)))
    assert (level(Tank(3)), first([1, 2]), total({"a": 1})) == (3, 3, 1)
    entries: Any = collections.defaultdict(int)
    assert total(entries) == 5 and not entries
    Asked.times = 0
    assert level(Asked()) == 1 and Asked.times == 1
    assert first(Asked()) == 2 and Asked.times == 3


def test_a_value_that_the_first_call_found_there_is_written_by_later_ones() -> None:
    def set_one(t):
        t.level = 1

    compiled = ag.compile(set_one, fallback="error")
    tanks = [Tank(1), Tank(7), Tank(1), Tank(8)]
    for tank in tanks:
        compiled(tank)
    assert [tank.level for tank in tanks] == [1, 1, 1, 1]


def test_a_default_that_leaves_is_the_default() -> None:
    def added(v, items=[]):  # noqa: B006
        items.append(v)
        return items

    def given(v, items={}, pair=([1],)):  # noqa: B006
        return items, pair[0]

    compiled = ag.compile(added, fallback="error")
    assert [list(compiled(v)) for v in (1, 2)] == [[1], [1, 2]] and compiled(3) is added.__defaults__[0]
    found = ag.compile(given, fallback="error")(1)
    assert found[0] is given.__defaults__[0] and found[1] is given.__defaults__[1][0]


SEEN: list[Any] = []
STORE = types.SimpleNamespace(items=[1, 2])
ENTRIES: dict[str, Any] = {}
KEEPERS: tuple[Callable[[Any], Any], ...] = (
    lambda xs: tuple(xs), lambda xs: (*xs,), lambda xs: collections.deque(xs), lambda xs: SEEN.append(xs[:]), lambda xs: SEEN.extend(xs),
    lambda xs: SEEN.append(sorted(xs)), lambda xs: SEEN.append(dict(enumerate(xs))), lambda xs: SEEN.append(list(zip(xs, xs))),
    lambda xs: operator.setitem(STORE.items, slice(None), xs),
)  # fmt: skip


def reached(x: Any) -> Iterator[int]:
    """The identities of a container and all that it holds."""
    yield id(x)
    for item in x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple, collections.deque)) else ():
        yield from reached(item)


@pytest.mark.parametrize("place", range(len(KEEPERS)))
def test_lists_in_a_list_of_the_callers_are_kept_as_they_are(place: int) -> None:
    compiled = ag.compile(KEEPERS[place], fallback="error")
    for count in (12, 2, 3):
        SEEN.clear()
        STORE.items = [1, 2]
        xs = rows(count)
        assert set(map(id, xs)) <= set(reached([compiled(xs), SEEN, STORE.items]))


def test_lists_of_lists_are_ordered() -> None:
    compiled = ag.compile(lambda a, b: (a < b, a > b, a <= b, operator.lt(a, b), a.__lt__(b), a != b, a.__ne__(b)), fallback="error")
    assert compiled(rows(), rows()[1:]) == (True, False, True, True, True, True, True)
    best = ag.compile(lambda xs: (max(xs), min(xs)), fallback="error")
    assert best([[row] for row in rows()]) == ([[11]], [[0]])


A, B, TOTALS = [1], [1], [0]


def test_a_list_that_is_changed_is_none_that_is_only_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def grown(v):
        A.append(v)
        return sum(B)

    def inserted(xs, v):
        xs.insert(0, v)
        TOTALS[0] = xs
        return len(B)

    compiled, other = (ag.compile(f, fallback="error") for f in (grown, inserted))
    assert (compiled(2), other([1, 2.5], 5)) == (1, 1)
    monkeypatch.setitem(globals(), "A", B)
    assert (compiled(2), compiled(3), other(B, 5), other([1, 2.5], 5)) == (3, 6, 4, 4)


def test_a_list_that_the_program_assigns_anew_is_changed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def replaced(xs):
        global TOTALS
        TOTALS.append(5)
        TOTALS = xs

    found, given = [1], [2]
    monkeypatch.setitem(globals(), "TOTALS", found)
    compiled = ag.compile(replaced, fallback="error")
    compiled(given)
    compiled([3])
    assert (found, given, TOTALS) == ([1, 5], [2, 5], [3])


def test_an_empty_container_of_the_callers_in_a_list_of_several_kinds_is_the_callers() -> None:
    def gathered(d, ys):
        out = [1]
        if ys:
            out.append("a")
        out.append(d)
        return out

    compiled = ag.compile(gathered, fallback="error")
    for given in ({}, []):
        assert compiled(given, list(range(20)))[-1] is given


def test_another_module_under_a_name_of_the_program_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ag.compile(lambda x: library.sqrt(x), fallback="error")
    assert compiled(4.0) == 2.0
    monkeypatch.setitem(globals(), "library", types.SimpleNamespace(sqrt=lambda x: x + 1))
    assert compiled(4.0) == 5.0


Pair = collections.namedtuple("Pair", "x y")
WHOLE: tuple[Callable[[int], Any], ...] = (
    lambda n: FOUND + FOUND, lambda n: FOUND * 2, lambda n: [n] + list(FOUND), lambda n: FOUND[0:1] * 2, lambda n: (FOUND[0], FOUND * 2),
    lambda n: [7, *FOUND], lambda n: sum([list(FOUND)], []), lambda n: collections.deque(FOUND), lambda n: str(FOUND), lambda n: max(FOUND),
    lambda n: FOUND if n else 0, lambda n: FOUND.count(FOUND[1]), lambda n: gathered(FOUND),
    lambda n: FOUND[n % 2], lambda n: list(zip(FOUND, FOUND)),
)  # fmt: skip
FOUND: Any = None


def gathered(items: Any) -> list[Any]:
    found = [0]
    found.extend(items)
    found += items
    return found


@pytest.mark.parametrize("place", range(len(WHOLE)))
def test_what_a_sequence_outside_holds_is_that_of_the_call(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    compiled = ag.compile(WHOLE[place], fallback="error")
    for found in ([1, 2], [1, 3], [1.0, 2.0], [True, False], (1, 2), (1, 3), Pair(1, 2), Pair(1, 3), Pair(1, 2.5), [-0.0, 1], [0.0, 1]):
        monkeypatch.setitem(globals(), "FOUND", found)
        assert repr(compiled(3)) == repr(WHOLE[place](3))


def test_an_instance_in_a_tuple_outside_is_that_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, counted = (ag.compile(f, fallback="error") for f in (lambda n: FOUND if n else 0, lambda n: FOUND.count(FOUND[0])))
    for _ in range(2):
        found = Tank(1), 2
        monkeypatch.setitem(globals(), "FOUND", found)
        assert chosen(3)[0] is found[0] and counted(3) == 1


class Mode(enum.Enum):
    """An enumeration, which has no truth value of its own."""

    OFF = 0


def test_a_member_of_an_enumeration_is_true() -> None:
    assert ag.compile(lambda mode, n: (bool(mode), not mode, n if mode else 0), fallback="error")(Mode.OFF, 5) == (True, False, 5)


def append(t):
    t.level += 1
    SEEN.append(t)
    return SEEN[-1].level


def put_in(t):
    t.level = 2
    ENTRIES["a"] = [t, vars(t)]


@pytest.mark.parametrize("function", [append, put_in])
def test_an_instance_that_is_changed_and_kept_by_python_is_the_callers(function: Callable[[Any], Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for _ in range(2):
        tank, other = Tank(1), Tank(1)
        SEEN[:] = []
        assert compiled(tank) == function(other) and tank.level == other.level
        assert SEEN[0] is tank if function is append else function(other) is None
    if function is put_in:
        compiled(tank)
        assert ENTRIES["a"][0] is tank and ENTRIES["a"][1] is vars(tank)


def test_numpys_truth_values_and_ellipses_are_no_indices() -> None:
    compiled = ag.compile(lambda n: [k for k in range(n)], fallback="error")
    with pytest.raises(TypeError, match="'numpy.bool' object cannot be interpreted as an integer"):
        compiled(np.bool_(True))
    with pytest.raises(TypeError, match="list indices must be integers or slices, not ellipsis"):
        ag.compile(lambda xs: operator.setitem(xs, ..., 1), fallback="error")([1.0, 2.0])
