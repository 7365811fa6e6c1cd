"""Containers that paths join one after another are one family; to join two of it again looks at these two alone."""

from __future__ import annotations

from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.tracing.aliasing.identities import Joined


def best_of_all(rows: Any, n: Any) -> Any:
    found = []
    for _ in range(n):
        best = rows[0]
        for row in rows[1:]:
            if row["size"] > best["size"]:
                best = row
        found.append(best["name"])
    return found


@pytest.mark.filterwarnings("ignore")
def test_joining_takes_as_long_as_there_are_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of twelve trips that looks for the best of seventy dicts took minutes."""
    count, add = 0, Joined.add

    def counted(self: Joined, container: Any) -> None:
        nonlocal count
        count += 1
        add(self, container)

    monkeypatch.setattr(Joined, "add", counted)
    rows = [{"size": (7 * k) % 8, "name": f"n{k}"} for k in range(8)]
    counts = list[int]()
    for n in (2, 6):
        count = 0
        assert ag.compile(best_of_all, static_argnames=("n",), fallback="error")(rows, n) == best_of_all(rows, n)
        counts.append(count)
    assert 0 < counts[1] <= 5 * counts[0]
