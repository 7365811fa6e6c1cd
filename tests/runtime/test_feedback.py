"""Programs that call Python count how often; what proves slower than Python moves there, and nothing else does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import costs
from autograph_jit.runtime.costs import Cost
from autograph_jit.runtime.executables import compile_program
from autograph_jit.runtime.feedback import runs_of
from autograph_jit.runtime.figures import cost_by_line
from tests.tables import table
from tests.tracing.test_linked_instances import in_order, insert_all, tree


@pytest.fixture(autouse=True)
def figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided here is decided by counts, whatever the figures are that they are multiplied by."""
    monkeypatch.setattr(costs, "SLOWER_SECONDS", 5e-6)
    monkeypatch.setattr(costs, "NUMBER", Cost(1e-9, 20e-9, 5e-3))
    for name in ("CALL", "OPERATOR", "ADAPTED"):
        monkeypatch.setattr(costs, name, Cost(150e-9, 50e-9, 5e-3))


def inner(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        for k in range(m):
            total += (i * 0.5 + k) * i - 2.0
        seen.add(i)
    return total


def branch(n: int, limit: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        total += (i * 0.5 + 1.0) * i
        if i >= limit:
            seen.add(i)
            seen.add(i + n)
            seen.discard(i)
    return total


def beside_unknown(n: int, x: float, seen: set[int]) -> float:
    for i in range(n):
        y = x
        while y > 1.0:
            y = y * 0.5 - y * 0.25 + (y * 0.125 - y * 0.0625) * 0.5 - y * 0.001
        seen.add(i)
    return x


def catching(n: int, limit: int) -> int:
    total = 0
    for i in range(n):
        try:
            if i >= limit:
                raise ValueError(i)
            total += i
        except ValueError as error:
            total -= len(str(error.__cause__))
    return total


def repeated(compiled: Any, arguments: tuple[Any, ...], calls: int) -> list[str]:
    """What so many calls warn of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(calls):
            assert compiled(*arguments) == compiled.function(*arguments)
    return [str(warning.message) for warning in told]


@table("function, arguments", [(inner, (4000, 0, set())), (branch, (3000, 0, set()))])
def test_what_proves_slower_moves_to_python_for_good(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    compiled = ag.compile(function)
    assert repeated(compiled, arguments, 1) == [] and len(compiled.specializations) == 1
    (told,) = repeated(compiled, arguments, 40)
    assert "compiled code is slower than Python" in told and "counted in" in told and "seen.add(i" in told
    assert compiled.specializations == [] and f"{arguments[0]} x method add" in compiled.explain()
    assert repeated(compiled, arguments, 40) == [] and compiled.specializations == []


def test_programs_that_catch_many_exceptions_move_to_python() -> None:
    compiled = ag.compile(catching)
    assert repeated(compiled, (100_000, 99_990), 20) == [] and len(compiled.specializations) == 1
    (told,) = repeated(compiled, (1000, 0), 60)
    assert "compiled code is slower than Python" in told and compiled.specializations == []


@table("arguments", [(100_000, 99_999, set()), (100_000, 100_000, set()), (3, 0, set())])
def test_rare_branches_and_short_calls_stay_compiled(arguments: tuple[Any, ...]) -> None:
    compiled = ag.compile(branch)
    assert repeated(compiled, arguments, 40) == [] and len(compiled.specializations) == 1


def test_nothing_is_slower_for_a_loop_that_nobody_counted() -> None:
    compiled = ag.compile(beside_unknown)
    assert repeated(compiled, (4000, 1.0, set()), 40) == [] and len(compiled.specializations) == 1


def test_a_short_call_decides_nothing() -> None:
    compiled = ag.compile(inner)
    assert repeated(compiled, (100, 0, set()), 8) == [] and repeated(compiled, (2, 100_000, set()), 20) == []
    assert len(compiled.specializations) == 1


def test_entrances_let_in_what_comes_before_the_next_look() -> None:
    compiled = ag.compile(inner)
    assert repeated(compiled, (200, 0, set()), 30) == []
    (made,) = compiled.specializations
    assert made.all_calls > 2 * made.calls
    (told,) = repeated(compiled, (200, 0, set()), 300)
    assert "200 x method add" in told and compiled.specializations == []


def test_other_kinds_of_arguments_are_compiled_and_counted_again() -> None:
    compiled = ag.compile(branch)
    assert len(repeated(compiled, (3000, 0, set()), 40)) == 1
    assert repeated(compiled, (3000, np.int64(2990), set()), 40) == [] and len(compiled.specializations) == 1


def test_with_fallback_error_nothing_moves_and_very_many_calls_are_told_once() -> None:
    compiled = ag.compile(inner, fallback="error")
    assert repeated(compiled, (4000, 0, set()), 20) == []
    compiled = ag.compile(inner, fallback="error")
    (told,) = repeated(compiled, (150_000, 0, set()), 3)
    assert "inner makes 150000 calls of Python in a call" in told and "seen.add(i)" in told
    assert len(compiled.specializations) == 1


def test_explain_shows_what_was_assumed_and_what_was_counted() -> None:
    compiled = ag.compile(branch)
    assumed = compiled.explain(1000, 900, set())
    assert "(assumed, 100 trips of a loop)" in assumed and "50 x method add" in assumed
    compiled(1000, 900, set())
    counted = compiled.explain()
    assert "(counted in one call)" in counted and counted.count("100 x method add") == 2
    assert "100 x method discard, about 15 microseconds compiled, 5 microseconds in Python" in counted


def test_a_refusal_before_the_first_call_names_the_lines() -> None:
    def only_calls(n: int, seen: set[int]) -> None:
        for i in range(n):
            seen.add(i)

    compiled = ag.compile(only_calls)
    (told,) = repeated(compiled, (10, set()), 3)
    assert "would be slower than Python" in told and "100 x method add, about 15 microseconds compiled, 5 microseconds in Python" in told


class Noted(set):
    """A set that knows how often something was added."""

    times = 0

    def add(self, item: Any) -> None:
        self.times += 1
        super().add(item)


def stepped(n: int, seen: Noted) -> None:
    for i in range(n, -n, -3):
        seen.add(i)


def nested(n: int, seen: Noted) -> None:
    for i in range(n):
        for k in range(i):
            if (i + k) % 3 == 0:
                seen.add(k)
            else:
                seen.add(i)


def searched(n: int, seen: Noted) -> int:
    i = 0
    while i * i < n:
        seen.add(i)
        i += 1
        if i % 50 == 49:
            break
    for k in range(n):
        if k * k > n:
            break
        seen.add(k)
    return i


def guarded(n: int, seen: Noted) -> int:
    failed = 0
    for i in range(n):
        try:
            seen.add(i)
            failed -= 10 // (i % 4)
        except ZeroDivisionError:
            failed += 1
    return failed


def left(n: int, seen: Noted) -> int:
    for i in range(n):
        for k in range(n):
            if k > i:
                return k
            seen.add(k)
    return -1


def by_array(x: np.ndarray, seen: Noted) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if x[i] > 0.5:
            seen.add(i)
    return total


@table(
    "function, argument",
    [
        *((function, n) for function in (stepped, nested, searched, guarded, left) for n in (0, 1, 7, 200)),
        (by_array, np.linspace(0, 1, 70_000)),
    ],
)
def test_calls_are_counted_as_they_are_made(function: Callable[..., Any], argument: Any) -> None:
    compiled, noted = ag.compile(function, fallback="error"), Noted()
    for _ in range(3):
        compiled(argument, noted)
    (made,) = compiled.specializations
    lines = cost_by_line(made.program.graph, runs_of(made))
    assert noted.times / 3 == pytest.approx(sum(times for line in lines for label, times in line.calls.items() if "add" in label))


def kernel(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            total += np.sqrt(x[i])
    return total


def with_one_call(x: np.ndarray, seen: set[int]) -> float:
    seen.add(1)
    return kernel(x)


@table("function, arguments", [(kernel, (np.ones(10),)), (with_one_call, (np.ones(10), set()))])
def test_programs_that_call_python_nowhere_or_once_have_no_counters(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(*arguments)
    (made,) = compiled.specializations
    ((key, executable),) = made.executables.items()
    plain = compile_program(made.program, key, made.program.leaves((*arguments, {})), plain=executable.plain)
    assert made.tallies == 0 and executable.llvm == plain.llvm and "tally" not in executable.llvm


def test_a_counting_program_counts_in_the_form_for_large_arguments_too() -> None:
    compiled, noted = ag.compile(by_array, fallback="error"), Noted()
    for size in (100, 70_000):
        for _ in range(2):
            compiled(np.ones(size), noted)
    total = 0.0
    for made in compiled.specializations:
        lines = cost_by_line(made.program.graph, runs_of(made))
        total += made.all_calls * sum(times for line in lines for label, times in line.calls.items() if "add" in label)
    assert total == pytest.approx(noted.times)


def test_recursions_that_lose_by_reading_trees_go_to_python() -> None:
    compiled = ag.compile(insert_all)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for k in range(150):
            keys = [(31 * j + k) % 1000 for j in range(30)]
            assert in_order(compiled(tree(30, k).root, keys)) == in_order(insert_all(tree(30, k).root, keys))
    assert any("counted in" in str(each.message) for each in said)
