"""What changes in place stays compiled code's: sets by operators, deques of a length that is given, instances with setters, or checks."""

from __future__ import annotations

from collections import deque
from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

PAIRS = [(i * 7 % 20, i * 3 % 17) for i in range(40)]
NUMBERS = [float(i * 7 % 160) for i in range(40)]


def added(pairs: Any) -> Any:
    found, same = set(), [set() for _ in range(4)]
    for a, b in pairs:
        found |= {a, b}
        same[a % 4] |= {b}
    return found, sorted(found), [sorted(each) for each in same]


def taken_out(pairs: Any) -> Any:
    left, either, common, sizes = set(range(25)), set(), set(range(60)), []
    for a, b in pairs:
        left -= {a, b + 4}
        either ^= {a, b}
        common &= {a, b, *range(a + 2, 50)}
        sizes.append((len(left), len(either), len(common)))
    return sizes, sorted(left), sorted(either), sorted(common)


def new_ones(pairs: Any) -> Any:
    seen, counts, edges = set(), [], set()
    for a, b in pairs:
        new = {a, b} - seen
        seen |= new
        edges |= {(a, b)}
        edges |= {(b, a)}
        counts.append(len(new))
    return counts, len(seen), len(edges), (3, 9) in edges


def extended(pairs: Any) -> Any:
    found: Any = deque()
    for a, b in pairs:
        found += [a, b]
    return found, len(found)


def averaged(pairs: Any, length: int = 5) -> Any:
    window: Any = deque(maxlen=length)
    other: Any = deque([0], 2 * length)
    found = []
    for a, b in pairs:
        window.append(a)
        other.appendleft(b)
        found.append((sum(window) / len(window), other[0]))
    return found, window, other


class Degrees:
    def __init__(self, celsius: float) -> None:
        self._celsius = celsius

    @property
    def fahrenheit(self) -> float:
        return self._celsius * 1.8 + 32.0

    @fahrenheit.setter
    def fahrenheit(self, value: float) -> None:
        self._celsius = (value - 32.0) / 1.8


def set_by_property(numbers: Any) -> Any:
    found = [Degrees(x) for x in numbers]
    for each in found:
        if each.fahrenheit > 100.0:
            each.fahrenheit -= 10.0
    return sum(each.fahrenheit for each in found), found[1]


class Within:
    def __init__(self, least: float, most: float, value: float) -> None:
        if least > most:
            raise ValueError(f"{least} is over {most}")
        self.least, self.most, self.changes = least, most, 0
        self.value = value

    @property
    def value(self) -> float:
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        if value < -100.0:
            raise ValueError("too small")
        self._value = min(max(value, self.least), self.most)
        self.note(1)

    def note(self, count: int) -> None:
        for k in range(3):
            self.changes += count * k
        if self.changes > 10:
            self.changes -= 10
        elif self.changes == 7:
            self.changes = 1


def checked_by_constructors(numbers: Any) -> Any:
    found = [Within(10.0, 90.0, x) for x in numbers]
    for each in found:
        each.value += 3.0
        each.note(2)
        each.note(3)
        each.note(1)
    return [(each.value, each.changes) for each in found], found[0]


PROGRAMS = {
    added: PAIRS, taken_out: PAIRS, new_ones: PAIRS, extended: PAIRS, averaged: PAIRS,
    set_by_property: NUMBERS, checked_by_constructors: NUMBERS,
}  # fmt: skip


@table("function", PROGRAMS)
def test_changes_in_place_are_as_in_python_and_call_none_of_it(function: Any) -> None:
    for items in (PROGRAMS[function], PROGRAMS[function][:5]):
        assert_agrees(function, items)
    graph = ag.compile(function, fallback="error").prepare((PROGRAMS[function], {})).program.graph
    labels = {operation.attributes["label"] for operation in graph.walk() if operation.name == "host_call"}
    assert not {label for label in labels if not label.startswith("raise")}


def test_what_is_no_set_is_no_operand() -> None:
    def wrong(items: Any) -> Any:
        found = set()
        for item in items:
            found |= [item]
        return found

    def no_setter(numbers: Any) -> Any:
        found = [Only(x) for x in numbers]
        found[0].half = 3.0
        return found

    assert_agrees(wrong, [1, 2])
    assert_agrees(no_setter, [1.0, 2.0])


class Only:
    def __init__(self, x: float) -> None:
        self.x = x

    @property
    def half(self) -> float:
        return self.x / 2.0
