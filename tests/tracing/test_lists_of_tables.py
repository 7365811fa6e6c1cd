"""Lists of what a dict or set holds that take items of another kind later: made of that kind, item by item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

VALUES = (-5, 3, 3, 8)
SOURCES: dict[str, Callable[..., Any]] = {
    "keys": lambda found, seen, rows: list(found),
    "values": lambda found, seen, rows: list(found.values()),
    "items": lambda found, seen, rows: list(found.items()),
    "sorted keys": lambda found, seen, rows: sorted(found),
    "starred values": lambda found, seen, rows: [*found.values()],
    "items of a set": lambda found, seen, rows: list(seen),
    "lists by name": lambda found, seen, rows: list(rows.items()),
    "lists": lambda found, seen, rows: list(rows.values()),
}
ADDED: tuple[Callable[[], Any], ...] = (lambda: None, lambda: "a", lambda: 0.5, lambda: (1, None), lambda: [1.5])


def filled(values: Any) -> Any:
    found, seen, rows = {}, set(), {}
    for value in values:
        found[value] = value * 2
        seen.add(value)
        rows.setdefault("low" if value < 2 else "high", []).append(0.5)
    return found, seen, rows


def extended(values: Any, source: Callable[..., Any], added: Callable[[], Any]) -> Any:
    found = filled(values)
    made = source(*found)
    made.append(added())
    return made, found


def or_number(values: Any, source: Callable[..., Any], flag: int) -> Any:
    made = source(*filled(values))
    if flag:
        return 2.0
    return made


@pytest.mark.parametrize("source", list(SOURCES))
def test_list_of_a_table_takes_items_of_another_kind(source: str) -> None:
    for place, added in enumerate(ADDED):
        compiled = ag.compile(extended, fallback="error")
        for values in (list(VALUES), np.array(VALUES)):
            assert repr(compiled(values, SOURCES[source], added)) == repr(extended(values, SOURCES[source], added)), (place, type(values))


@pytest.mark.parametrize("source", list(SOURCES))
def test_list_of_a_table_or_a_number_is_returned(source: str) -> None:
    compiled = ag.compile(or_number, fallback="error")
    for flag in (0, 1):
        for values in (list(VALUES), np.array(VALUES)):
            assert repr(compiled(values, SOURCES[source], flag)) == repr(or_number(values, SOURCES[source], flag)), (flag, type(values))
