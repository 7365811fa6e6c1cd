"""Loops that Python takes over between two iterations: whenever it does, the results, changes and errors are Python's."""

from __future__ import annotations

import warnings
from typing import Any
from unittest.mock import patch

import autograph_jit as ag
from autograph_jit.runtime import feedback
from autograph_jit.tracing.control import hand_over
from tests.division import all_loops_handed_over
from tests.runtime.test_python_loops import (
    PROGRAMS,
    big,
    captures,
    changed_on_the_way,
    counted,
    fails,
    inner,
    items,
    numbers,
    outcome,
    outer_list,
    skips,
    while_stops,
    zipped,
)  # fmt: skip
from tests.tables import table


def over_pairs(x: Any, n: int) -> Any:
    total, texts = x[0], set()
    for i, (a, b) in enumerate(zip(x, range(n))):
        total += a * b - i
        texts.add(str(total).encode())
    return total, sorted(texts)


def over_items(x: Any, n: int) -> Any:
    seen: dict[str, float] = {}
    for name in ["a", "b", "c", "a", "d", "e"][: n - 1]:
        seen[name] = seen.get(name, 0.0) + len(name)
    return seen


def ends_where_it_would_be_left(x: Any, n: int) -> Any:
    i, text = 0, ""
    while i < n:
        i += 1
        text = f"{text}{i}"
        if len(text) >= 4:
            break
    return i, text, x[i]


def inner_loops(x: Any, n: int) -> Any:
    total, text = 0, ""
    for i in range(n):
        k = 0
        while k < i:
            text = str(k)
            total += len(text) * i
            k += 1
        total -= len(str(i))
    return total, text


def fails_behind(x: Any, n: int) -> Any:
    total = x[1]
    for i in range(n):
        x[i] = float(str(i)) / (5 - i)
        total += x[i]
    return total


OWN = [over_pairs, over_items, ends_where_it_would_be_left, inner_loops, fails_behind]
TAKEN_OVER = {
    counted, numbers, while_stops, inner, items, captures, fails, outer_list, changed_on_the_way, big, skips, zipped,
    over_pairs, ends_where_it_would_be_left, inner_loops, fails_behind,
}  # fmt: skip
"""Of the others compiled code holds something that Python cannot take over, or the loop is written out."""


@table("function, after", [(function, count) for function in PROGRAMS + OWN for count in (1, 3)])
def test_the_rest_of_a_loop_means_the_same_in_python(function: Any, after: int) -> None:
    compiled = ag.compile(function)
    with all_loops_handed_over(after) as taken, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (8, 8, 0, 3):
            assert outcome(compiled, n) == outcome(function, n)
    assert bool(taken) == (function in TAKEN_OVER) or after > 1


def often(n: int, limit: int, seen: set[int]) -> Any:
    """A branch that calls Python, beside enough work for a loop in which it is taken every other time to be worth compiling."""
    total, i = 0.0, 0
    while i < n:
        total += ((i * 0.5 + 1.0) * i - i * 0.25 + 3.0) * 0.001 + (i * 0.125 - 0.5) * (i * 0.75 + 2.0)
        if i >= limit:
            seen.add(i)
            seen.add(i + n)
        i += 1
    return total, i


def counted_to(n: int, limit: int, seen: set[int]) -> Any:
    total = 0.0
    for i in range(n):
        total += ((i * 0.5 + 1.0) * i - i * 0.25 + 3.0) * 0.001 + (i * 0.125 - 0.5) * (i * 0.75 + 2.0)
        if i >= limit:
            seen.add(i)
            seen.add(i + n)
    return total


def told_by(compiled: Any, *arguments: int) -> list[str]:
    """What a call warns of, whose result is Python's."""
    found, expected = set[int](), set[int]()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert compiled(*arguments, found) == compiled.function(*arguments, expected) and found == expected
    return [str(warning.message) for warning in told]


@table("function", [often, counted_to])
def test_what_a_call_counts_hands_its_loop_over_and_leaves_later_calls_to_python(function: Any) -> None:
    compiled = ag.compile(function)
    with patch.object(hand_over, "FIRST_QUESTION", 5000), patch.object(feedback, "LOST_SECONDS", 1e-4):
        rare = ag.compile(function)
        assert told_by(rare, 100_000, 92_000) == [] and rare.specializations[0].refusal is None
        assert told_by(compiled, 9, 0) == []
        (made,) = compiled.specializations
        (told,) = told_by(compiled, 20_000, 0)
        assert f"{function.__name__} goes on in Python" in told and "so far its loop has taken" in told and "(counted)" in told
        calls = [sum(executable.counted(number) for executable in made.executables.values()) for number in range(made.tallies)]
        assert made.refusal is not None and min(calls) < 20_000
        (told,) = told_by(compiled, 20_000, 0)
        assert "runs in Python, uncompiled" in told and compiled.specializations == []


def test_where_nothing_moves_to_python_no_loop_asks() -> None:
    compiled = ag.compile(often, fallback="error")
    compiled(9, 0, set())
    (made,) = compiled.specializations
    assert all(loop.question is None for loop in made.program.loops)


def with_references(lines: list[str]) -> Any:
    """Sections of settings, whose values are compiled code's when the loop over them is traced."""
    settings: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    for line in lines:
        if line.startswith("["):
            section = settings.setdefault(line, {})
            continue
        key, _, value = line.partition("=")
        while "$" in value:
            start = value.index("$")
            value = value[:start] + section[value[start + 1]] + value[start + 2 :]
        section[key] = value
    return settings


def test_a_loop_over_what_compiled_code_has_is_not_traced_as_one_that_python_takes_over() -> None:
    compiled = ag.compile(with_references)
    lines = ["[a]", "b=1", "c=$b2", "[d]", "e=f"]
    assert compiled(lines) == with_references(lines)
    (made,) = compiled.specializations
    assert not [decision for decision in made.program.decisions if decision[0] == hand_over.WHOLE]
