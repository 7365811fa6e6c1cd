"""Lists of numbers are read several items at a time; what is no plain number among them is read, or refused, as it is by itself."""

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
