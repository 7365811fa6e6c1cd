"""A trace that finds a decision goes on where it can, to find the others: programs are traced twice or three times, not once for each."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import program
from tests.tables import table

pytestmark = pytest.mark.native


class Meter:
    STEPS = [1, 2, 3, 5]
    SIZES = [4, 3, 2, 1]

    def __init__(self, start: Any) -> None:
        self.at, self.least, self.most = start, start, start


def loops_that_the_run_ends(x: Any) -> Any:
    found = 0
    k = 0
    while True:
        k += 1
        if x[k] > 3.0:
            break
    while True:
        k += 1
        found += 2
        if x[k] > 6.0:
            break
    while True:
        k += 1
        found += 3
        if x[k] > 9.0:
            return found, k


def attributes_of_an_argument(meter: Any, x: Any) -> Any:
    for value in x:
        meter.at = value
        if value < meter.least:
            meter.least = value
        if value > meter.most:
            meter.most = value
    return meter.at, meter.least, meter.most


def lists_of_a_class(x: Any) -> Any:
    total = 0
    for k in range(len(x)):
        if x[k] > 2.0:
            total += Meter.STEPS[k % 4] * Meter.SIZES[k % 3]
    return total


def places_of_lists(x: Any) -> Any:
    rows, marks, names = [0, 0, 0], [1.0, 2.0, 3.0], ["a", "b", "c"]
    text = ""
    for k in range(len(x)):
        rows[k % 3] += k
        text += names[int(x[k]) % 3]
        marks[k % 3] = marks[(k + 1) % 3] + x[k]
    return rows, marks, text


def recursions(x: Any) -> Any:
    def halves(n: Any) -> Any:
        return 1 if n < 2 else halves(n // 2) + 1

    def thirds(n: Any) -> Any:
        return 1 if n < 3 else thirds(n // 3) + 1

    total = 0
    for value in x:
        total += halves(int(value)) * thirds(int(value))
    return total


def loops_in_one_another(x: Any) -> Any:
    kept = []
    for i in range(5):
        for j in range(6):
            kept.append((i, x[i] if j else None))
    return len(kept), kept[7][1]


def containers_of_items_of_the_run(x: Any) -> Any:
    numbers = [int(value) for value in x]
    seen, later = set(numbers), deque(numbers)
    later.append(len(seen))
    return len(seen), len(later), sorted(set(numbers[2:]))


def bytes_that_grow(x: Any) -> Any:
    first, second = bytearray(), bytearray()
    for value in x:
        first.append(int(value))
        if value > 4.0:
            second.append(int(value) + 1)
    return bytes(first), bytes(second)


def lists_of_a_dict(words: Any) -> Any:
    following = defaultdict(list)
    for first, second in zip(words, words[1:]):
        following[first].append(second)
    made = [words[0]]
    while len(made) < 9:
        made.append(following.get(made[-1], words)[0])
    return made, len(following)


X = np.arange(12.0)
WORDS = "the cat saw the dog and the dog saw a cat".split()
def callers_dicts_for_python(rows: Any) -> Any:
    first = sorted(rows, key=lambda row: -row["n"])[0]
    first["n"] = 77
    return first, [row for row in reversed(rows)][1]


def given_rows() -> list[dict[str, Any]]:
    return [{"n": k, "w": 1.5} if k % 2 else {"n": k} for k in range(12)]


@dataclass
class Stocked:
    name: str
    amount: int = 0
    marks: list[str] = field(default_factory=list)
    least = 3


def counted_before_any_is_made(words: list[str]) -> Any:
    found: dict[str, Stocked] = {}
    scarce = 0
    for k, word in enumerate(words):
        if word in found:
            found[word].amount += k
            scarce += found[word].amount < found[word].least
            if found[word].amount > 9:
                del found[word]
        else:
            found[word] = Stocked(word, k % 2, [word])
    return scarce, sorted((each.amount, each.name, len(each.marks)) for each in found.values())


PROGRAMS = [
    (loops_that_the_run_ends, lambda: (X,), 2),
    (attributes_of_an_argument, lambda: (Meter(3.0), X), 2),
    (lists_of_a_class, lambda: (X,), 5),
    (places_of_lists, lambda: (X,), 2),
    (recursions, lambda: (X,), 2),
    (loops_in_one_another, lambda: (X,), 2),
    (containers_of_items_of_the_run, lambda: (X,), 2),
    (bytes_that_grow, lambda: (X,), 2),
    (lists_of_a_dict, lambda: (WORDS,), 5),
    (counted_before_any_is_made, lambda: (WORDS * 3,), 3),
    (callers_dicts_for_python, lambda: (given_rows(),), 9),
]


@table("function, arguments, most", PROGRAMS)
def test_a_trace_goes_on_after_a_decision_to_find_the_others(
    function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    trace_once = program.trace_once
    monkeypatch.setattr(program, "trace_once", lambda trace, *rest: begun.append(trace) or trace_once(trace, *rest))
    assert ag.compile(function, fallback="error")(*arguments()) == function(*arguments())
    assert len(begun) <= most
