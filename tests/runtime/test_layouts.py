"""Whether no two of many arrays share memory."""

from __future__ import annotations

import numpy as np
import pytest

from autograph_jit.runtime.layouts import are_distinct

ROWS = np.arange(60.0).reshape(20, 3)
APART = [np.arange(3.0) for _ in range(20)]


@pytest.mark.parametrize(
    ("arrays", "distinct"),
    [
        (APART, True),
        ([*APART, APART[3]], False),
        (list(ROWS), True),
        (list(ROWS[::-1]), True),
        ([*ROWS, ROWS[4:6]], False),
        ([ROWS, *ROWS], False),
        ([*APART, APART[7][1:]], False),
        ([*ROWS, np.empty(0), ROWS[:0]], True),
        ([ROWS[:, 0], *APART], True),
    ],
)
def test_many_arrays_are_compared_by_their_bounds(arrays: list[np.ndarray], distinct: bool) -> None:
    assert are_distinct(arrays) is distinct


def test_fields_of_one_array_of_records_are_distinct_among_many() -> None:
    records = np.zeros(9, [("a", float), ("b", float)])
    assert are_distinct([*APART, records["a"], records["b"]]) and not are_distinct([*APART, records["a"], records["a"][2:]])


def test_many_arrays_that_are_apart_are_not_compared_two_by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "may_share_memory", None)  # a call raises TypeError
    assert are_distinct(list(ROWS)) and are_distinct([*APART, ROWS[2:4]])
