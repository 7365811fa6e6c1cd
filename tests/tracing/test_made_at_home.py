"""A list or dict that a loop fills becomes one of the run where it was made, in the same trace; a loop that has found it empty before is
traced once more."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.errors import ConversionError
from autograph_jit.runtime import program
from tests.fuzz.programs import load
from tests.tables import table

pytestmark = pytest.mark.native

NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
OF_A_LIST = """
len(a) | bool(a) | not a | 1 if a else 2 | a == [] | a != [3] | a < [9] | sum(a) | max(a, default=0) | sorted(a) | list(a) | tuple(a) | a[:]
a[-2:] | a + [x] | a * 2 | [*a, 1] | (*a, 1) | str(a) | f"{a}" | repr(a) | a.copy() | a.count(x) | x in a | x not in a | [v + 1 for v in a]
[v for v in reversed(a)] | list(enumerate(a)) | list(zip(a, a)) | any(v > 3 for v in a) | all(v > 3 for v in a) | np.array(a).shape
len(set(a)) | min(a or [7]) | a[-1] if a else 0 | a[len(a) - 1] if len(a) else 0 | next(iter(a), None) | a is b | type(a) is list
(lambda q: len(q))(a) | first(a) | matched(a) | [len(a) for _ in range(2)] | list(map(lambda t: t * 2, a)) | a.index(x) if x in a else -1
(a, 1)[0] == a | len(a) and a[0] | dict(enumerate(a)) | list(itertools.accumulate(a)) | bisect.bisect(a, x)
"""
OF_A_DICT = """
len(a) | bool(a) | not a | a == {} | list(a) | sorted(a) | list(a.items()) | list(a.values()) | sum(a.values()) | x in a | a.get(x)
a.get(x, 5) | a.copy() == a | dict(a) | {**a} | max(a, default=0) | next(iter(a), None) | str(a) | [k for k in a] | tuple(a) | a is b
{k: v for k, v in a.items()} | a[x] if x in a else -1 | a.keys() == {3} | first(a) | max(a.values(), default=0) | x in list(a)
"""
TEXT = """
import bisect, itertools
import numpy as np

def first(items):
    for item in items:
        return item
    return None

def matched(items):
    match items:
        case []:
            return 0
        case [v]:
            return v
        case [v, *rest]:
            return v + len(rest)

def f(numbers):
    a = made
    b, out = a, []
    for x in numbers:
        out.append((expressions))
        filled
    return out, a

CALLS = (lambda: (numbers,),)
"""
FILLED = {
    "[]": ("a.append(x)", "if x > 1: a.append(x)", "for y in numbers[:2]: a.append(x * y)"),
    "{}": ("a[x] = x * 2", "if x > 1: a[x] = len(a)", "a.setdefault(x, len(out))"),
}


def batches(texts: list[str], size: int = 9) -> list[list[str]]:
    return [texts[k : k + size] for k in range(0, len(texts), size)]


CHUNKS = [
    (made, ", ".join(chunk), filled)
    for made, text in (("[]", OF_A_LIST), ("{}", OF_A_DICT))
    for chunk, filled in zip(batches(text.strip().replace("\n", "|").split("|")), itertools.cycle(FILLED[made]))
]


def filled(numbers: list[int]) -> Any:
    out, index, tens = [], {}, []
    for k, x in enumerate(numbers):
        if x > 2:
            out.append(x * 0.5)
        index[x] = k
    for x in numbers:
        tens.append(x * 10)
    return out, index, tens


def found_before(numbers: list[int]) -> Any:
    falling, places, most = [], {}, 0
    for x in numbers:
        while falling and falling[-1] < x:
            falling.pop()
        falling.append(x)
        if x not in places:
            places[x] = len(falling)
        most = max(most, len(falling) + len(places))
    return falling, places, most


def gone_through(numbers: list[int]) -> Any:
    queue, order = [], []
    for x in numbers:
        queue.append(x)
    for x in queue:
        order.append(x)
        if x > 3:
            queue.append(x // 2)
    return order, queue


def rows(numbers: list[int]) -> Any:
    found = []
    for x in numbers:
        row = [x, x + 1]
        row.append(len(found))
        found.append(row)
    found[0].append(5)
    return found


def under_other_names(numbers: list[int]) -> Any:
    a = []
    b, pair = a, (a, 1)
    for x in numbers:
        b.append(x)
        pair[0].append(-x)
    return a, b is a, pair[0] is a


def with_items_of_the_run(numbers: list[int]) -> Any:
    half = numbers[0] * 0.5
    out = [half, 2.0]
    for x in numbers:
        if out[-1] < 40:
            out.append(out[-1] + out[-2] * x)
    return out


def in_the_loop_around(numbers: list[int]) -> Any:
    out, before = [], 0
    for x in numbers:
        before += len(out)
        for y in numbers:
            if y > x:
                out.append(y - x)
    return out, before


def on_both_paths(numbers: list[int]) -> Any:
    out = []
    if numbers[0] > 1:
        n = len(out)
        out.append(numbers[0] * 1.0)
        n += len(out)
    else:
        n = -1
        out.append(2.5)
    for x in numbers:
        out.append(x * 0.5)
    return out, n


def iterated_later(numbers: list[int]) -> Any:
    a, known = [], [7]
    ahead, pairs, total = iter(a), zip(known, numbers), 0
    for x in numbers:
        a.append(x)
        known.append(x)
    for v in ahead:
        total = total * 3 + v
    for v, w in pairs:
        total += v * w
    return total, a


def grown_while_gone_through_in_place(numbers: list[int]) -> Any:
    queue = [numbers[0]]
    for x in queue:
        if x > 0:
            queue.append(x - 1)
    return queue


def begun_backwards(numbers: list[int]) -> Any:
    a = []
    for x in numbers:
        a.append(x)
    backwards = reversed(a)
    for x in numbers:
        a.append(x)
    return list(backwards)


@table("made, expressions, filling", CHUNKS)
def test_what_reads_a_container_before_a_loop_fills_it_finds_what_python_finds(made: str, expressions: str, filling: str) -> None:
    text = TEXT.replace("made\n", made + "\n").replace("expressions", expressions).replace("filled", filling)
    function, calls = load(text, f"home {made} {expressions}")
    assert repr(ag.compile(function, fallback="error")(NUMBERS)) == repr(function(NUMBERS))


IN_TRACES = [(filled, 1), (found_before, 1), (gone_through, 1), (under_other_names, 1), (with_items_of_the_run, 1), (in_the_loop_around, 1)]
IN_TRACES += [(iterated_later, 1), (rows, 1), (on_both_paths, 2), (grown_while_gone_through_in_place, 2)]


@table("function, most", IN_TRACES)
def test_containers_that_loops_fill_take_no_other_trace(function: Callable[..., Any], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    trace_once = program.trace_once
    monkeypatch.setattr(program, "trace_once", lambda trace, *rest: begun.append(trace) or trace_once(trace, *rest))
    assert repr(ag.compile(function, fallback="error")(NUMBERS)) == repr(function(NUMBERS))
    assert len(begun) <= most


def test_a_list_that_grows_behind_reversed_is_pythons() -> None:
    with pytest.raises(ConversionError, match="between `reversed` and the items"):
        ag.compile(begun_backwards, fallback="error")(NUMBERS)
    with pytest.warns(UserWarning, match="between `reversed` and the items"):
        assert ag.compile(begun_backwards)(NUMBERS) == begun_backwards(NUMBERS)
