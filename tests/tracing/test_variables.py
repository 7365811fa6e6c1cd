"""Local, captured and global variables; what is unbound says so."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

WEIGHTS = np.arange(3.0)
RATE = 0.5


def test_deleted_variable_is_unbound() -> None:
    def f(n: int) -> Any:
        y = n
        if n > 0:
            del y
        return y

    assert_agrees(f, 1, -1)


def test_unbound_variable_may_be_bound_later() -> None:
    def f(n: int) -> Any:
        if n > 0:
            y = n
        if n <= 0:
            y = -n
        return y

    assert_agrees(f, 1, -1)


def test_captured_array_is_read_afresh_at_every_call() -> None:
    weights = np.ones(3)

    def f(x: Any) -> Any:
        return (weights * x).sum()

    compiled = ag.compile(f, fallback="error")
    first = compiled(np.ones(3))
    weights[:] = 2.0
    assert (first, compiled(np.ones(3))) == (3.0, 6.0)


def test_global_number_that_changes_is_noticed() -> None:
    def f(x: Any) -> Any:
        return x * RATE

    compiled = ag.compile(f, fallback="error")
    first = compiled(2.0)
    globals()["RATE"] = 2.0
    try:
        assert (first, compiled(2.0)) == (1.0, 4.0)
    finally:
        globals()["RATE"] = 0.5


def test_global_array_is_written_in_place() -> None:
    def f(n: int) -> None:
        WEIGHTS[n] += 1.0

    before = WEIGHTS.copy()
    ag.compile(f, fallback="error")(2)
    assert WEIGHTS.tolist() == (before + [0, 0, 1]).tolist()


def test_comprehension_variable_does_not_leak() -> None:
    def f(x: Any) -> Any:
        i = 100
        squares = [i * i for i in range(4)]
        return i, squares, x

    assert_agrees(f, 1.0)


def test_walrus_binds_in_a_loop_test() -> None:
    def f(n: int) -> Any:
        total = 0
        while (k := n - total) > 0:
            total += k // 2 + 1
        return total, k

    assert_agrees(f, 100, 0)


def test_walrus_binds_in_the_test_of_a_loop_that_is_traced_more_than_once() -> None:
    def in_loop(n: int) -> Any:
        total = seen = 0
        for i in range(n):
            t = total + i
            while (x := t % 7) > 2 and (y := t % 4) != 5:
                t, seen = t - x, seen + y
            total += t + 0.5
        return total, seen

    def in_try(n: int) -> Any:
        log, steps = [2, 0, 1], 0
        try:
            while (half := n // 2) > 0:
                n = half - log[half % 5]
                steps += 1
        except IndexError:
            return steps, half
        return steps, n

    for function in (in_loop, in_try):
        assert_agrees(function, 3, 9, 20, 57)


def test_missing_global_raises_name_error() -> None:
    def f(n: int) -> Any:
        return n + nowhere  # noqa: F821

    assert_agrees(f, 1)


def test_comprehension_says_what_it_says_in_python_of_a_missing_name() -> None:
    def f(xs: Any, kind: int) -> Any:
        for x in xs:
            if x > 50:
                y = 1
        if kind == 0:
            return [y + x for x in xs]
        if kind == 1:
            return {x: y for x in xs}
        return sum(y for _ in xs) if kind == 2 else any(y > x for x in xs)

    assert_agrees(f, *(([1, 2, 3], kind) for kind in range(4)), ([1, 60], 0))
