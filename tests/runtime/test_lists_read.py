"""Lists of numbers are read several items at a time, by the program itself; with what is no such number among them they are another's."""

from __future__ import annotations

from typing import Any

import pytest

import autograph_jit as ag

ODD: dict[type, list[Any]] = {int: [-(2**62), True], float: [2.0**70, 7]}


def total(xs: list[Any]) -> Any:
    found: Any = 0
    for x in xs:
        found = found * 3 + x
    return found, len(xs)


@pytest.mark.parametrize("kind", [int, float])
def test_lists_of_any_length_with_an_odd_item_at_any_place(kind: type) -> None:
    compiled = ag.compile(total, fallback="error")
    with ag.config(max_programs=500):
        for length in range(11):
            plain: list[Any] = [kind(k - 4) for k in range(length)]
            assert compiled(plain) == total(plain)
            mixed = [[*plain[:place], odd, *plain[place + 1 :]] for place in range(length if length in (4, 9) else 0) for odd in ODD[kind]]
            assert list(map(compiled, mixed)) == list(map(total, mixed))


def doubled(xs: list[Any], scale: float) -> Any:
    for k in range(len(xs)):
        xs[k] = xs[k] * scale
    return xs[0]


@pytest.mark.parametrize("odd", [3, "a", 2**70, None])
def test_list_with_an_odd_item_at_its_end_is_left_as_it_was_to_who_else_takes_the_call(odd: Any) -> None:
    compiled = ag.compile(doubled)
    for _ in range(4):
        numbers = [0.5 * k for k in range(9)]
        assert compiled(numbers, 2.0) == 0.0 and numbers == [1.0 * k for k in range(9)]
    given, expected = [0.5, *[1.5] * 7, odd], [0.5, *[1.5] * 7, odd]
    found = [outcome_of(compiled, given), outcome_of(doubled, expected)]
    assert found[0] == found[1] and list(map(type, given)) == list(map(type, expected)) and given == expected


def outcome_of(function: Any, xs: list[Any]) -> Any:
    try:
        return function(xs, 2)
    except TypeError as error:
        return str(error)
