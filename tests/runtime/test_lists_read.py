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


def shifted(xs: list[Any]) -> Any:
    before = [x for x in xs]
    for k in range(len(xs)):
        xs[k] = xs[k - 1]
    return before, len(xs)


@pytest.mark.parametrize("odd", [3, 2.5, True, "a", 2**70, 2**61, None])
@pytest.mark.parametrize("plain", [list(range(9)), [0.5 * k for k in range(9)]])
def test_list_with_an_odd_item_far_behind_goes_to_who_else_takes_the_call(plain: list[Any], odd: Any) -> None:
    compiled = ag.compile(shifted, fallback="error")
    for _ in range(4):  # from the second call on the entrance takes it, which looks at the first items only
        assert repr(compiled(list(plain))) == repr(shifted(list(plain)))
    given, expected = [*plain[:-1], odd], [*plain[:-1], odd]
    assert repr((compiled(given), given)) == repr((shifted(expected), expected))
    assert repr(compiled(list(plain))) == repr(shifted(list(plain)))
