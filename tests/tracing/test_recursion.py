"""Recursion: ended while tracing by an int that becomes a constant, or by data through the compiled function itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import program
from autograph_jit.tracing.values.trace import Trace
from autograph_jit.tracing.values.trace_records import Recorded
from tests.tracing.agreement import assert_agrees


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def quicksort(x: Any, low: int, high: int) -> None:
    if low >= high:
        return
    pivot, place = x[high], low
    for i in range(low, high):
        if x[i] < pivot:
            x[i], x[place] = x[place], x[i]
            place += 1
    x[high], x[place] = x[place], x[high]
    quicksort(x, low, place - 1)
    quicksort(x, place + 1, high)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def test_recursion_by_a_number() -> None:
    assert_agrees(fibonacci, 1, 2, 12)


def test_recursion_that_writes_its_argument() -> None:
    x = np.array([5.0, 2, 9, 1, 7, 3, 8, 0, 6, 4])
    assert_agrees(quicksort, (x, 0, 9))


def test_mutual_recursion() -> None:
    assert_agrees(is_even, 0, 7, 20)


def test_recursion_over_a_halved_array() -> None:
    def total(x: Any) -> Any:
        if len(x) == 1:
            return x[0]
        middle = len(x) // 2
        return total(x[:middle]) + total(x[middle:])

    assert_agrees(total, np.arange(11.0), np.arange(40.0))


def test_recursive_closures_of_one_source_keep_their_own_variables() -> None:
    def make(step: float) -> Any:
        def descend(x: float) -> Any:
            if x < 0:
                return x
            return descend(x - step)

        return descend

    for step in (1.0, 0.75):
        plain = make(step)
        assert ag.compile(make(step), fallback="error")(10.0) == plain(10.0)


def deepening(x: Any, level: int) -> Any:
    """A long function that calls itself under a condition on its array, until a number among the inputs ends it."""

    def step(x: Any, deep: int) -> Any:
        best = 0.0
        for axis in range(4):
            for i in range(len(x)):
                best = max(best, np.sum(np.sort(x[i:] * axis)) / (1 + len(x[: i + 1])))
                best = min(best, np.median(x[: i + 1]) + np.var(x[: i + 1]) + np.sum(np.cumsum(x[i:]) > best))
        if deep < level and best > -1e9:
            return best + step(x[: len(x) // 2], deep + 1)
        return best

    return step(x, 0)


def test_a_long_recursion_is_not_traced_to_the_last_level_before_its_numbers_are_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Recorded] = []

    class Counted(Trace):
        """A trace that tells how many operations the ones before it have come to."""

        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            records.append(self.recorded)

    monkeypatch.setattr(program, "Trace", Counted)
    assert_agrees(deepening, (np.arange(9.0), 2))
    recorded = [record.operations for record in records]
    assert 0 < max(recorded) < 9_000
