"""Generators of converted code: where the items go, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees, conversion_error, line_of


def positive(x: Any) -> Any:
    for v in x:
        if v > 0:
            yield v


def test_the_consumers_loop_is_compiled_without_calls_into_python() -> None:
    def f(x: Any) -> float:
        total = 0.0
        for v in positive(x):
            total += v
        return total

    compiled = ag.compile(f, fallback="error")
    compiled(np.arange(9.0))
    assert "host_call" not in str(compiled.graph(np.arange(9.0)))


def test_a_generator_that_is_looped_over_twice_has_nothing_left() -> None:
    def f(x: Any) -> float:
        items = positive(x)
        total = 0.0
        for v in items:
            total += v
        for v in items:
            total -= v
        return total

    assert_agrees(f, np.arange(5.0))


def test_a_generator_that_leaves_is_refused() -> None:
    def f(x: Any) -> Any:
        return positive(x)

    assert "return a list of its items" in conversion_error(f, np.arange(5.0)).remedy


def test_yield_inside_try_stays_pythons() -> None:
    def guarded(x: Any) -> Any:
        try:
            yield x
        finally:
            pass

    def f(x: Any) -> float:
        total = 0.0
        for v in guarded(x):
            total += v
        return total

    assert_agrees(f, 2.0)


def test_a_generator_made_in_a_branch_is_consumed_there() -> None:
    def f(x: Any, n: int) -> float:
        total = 0.0
        if n > 0:
            for v in positive(x):
                total += v
        return total

    assert_agrees(f, (np.arange(5.0) - 2, 1), (np.arange(5.0) - 2, -1))


def test_the_line_of_a_failing_consumer_is_the_consumers() -> None:
    def f(x: Any) -> float:
        total = 0.0
        for v in positive(x):
            total += x[int(v) + 100]
        return total

    try:
        ag.compile(f, fallback="error")(np.arange(5.0))
    except IndexError as error:
        place = error.__traceback__
        while place.tb_next is not None:
            place = place.tb_next
        assert place.tb_lineno == line_of(f, "x[int(v) + 100]")
    else:
        raise AssertionError("no IndexError")
