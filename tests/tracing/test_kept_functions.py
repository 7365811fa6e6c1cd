"""Functions of this package on texts and vectors: traced for one program, called as they are by the traces after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from autograph_jit.tracing.control import unit_calls
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.texts import searching, splitting
from tests.tables import table
from tests.tracing.agreement import assert_agrees


def stripped_lines(text: str) -> Any:
    return [line.strip() for line in text.splitlines()]


def stripped_twice(text: str, other: str) -> Any:
    total = 0
    for each in (text, other):
        total += len(each.strip()) + len(each.strip().strip())
    return total


def numbers_read(text: str) -> Any:
    return [float(word.replace("e", "")) + int(word[:1]) for word in text.split()]


def numbers_read_again(text: str) -> Any:
    total = 0.0
    for word in text.split(","):
        if word.replace("x", ""):
            total += float(word) * int(word[0])
    return total


TEXT, WORDS = "  one \n two\t\n\nthree", "1.5 2e5 30"
SHARED = {
    splitting.stripped_of_spaces: (stripped_lines, (TEXT,), stripped_twice, (TEXT, " a ")),
    searching.floating: (numbers_read, (WORDS,), numbers_read_again, ("1.25,2,3e1",)),
    splitting.replaced: (numbers_read, (WORDS,), numbers_read_again, ("1.25,2,3e1",)),
}


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often each function is converted, to be traced, from now on; none is known of an earlier program."""
    found: Counter[Any] = Counter()
    convert: Any = calls.converter

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        found[function] += 1
        return convert(function)

    monkeypatch.setattr(calls, "converter", noted)
    monkeypatch.setattr(unit_calls, "KEPT", {})
    return found


@table("shared", SHARED, ids=lambda function: function.__name__)
def test_a_later_program_calls_what_an_earlier_one_has_traced(shared: Any, converted: Counter[Any]) -> None:
    first, arguments, second, others = SHARED[shared]
    unit_calls.KEPT.clear()
    assert_agrees(first, *arguments)
    traced = converted[shared]
    assert traced > 0
    assert_agrees(second, *others)
    assert converted[shared] == traced


def test_constants_tell_kept_functions_apart() -> None:
    def left(text: str) -> str:
        return text.lstrip() + "|"

    def right(text: str) -> str:
        return text.rstrip() + "|"

    for function in (left, right, stripped_lines):
        assert_agrees(function, "  ab \n")
