"""Allocations of compiled calls that fail, one after another; `scripts/fuzz --faults` does so for more programs and more often."""

from __future__ import annotations

from tests.fuzz.allocation_faults import child

NAMES = ["arrays", "list_argument", "objects", "host_calls", "caught", "taped"]


def test_each_allocation_of_a_call_may_fail() -> None:
    counts, faults = child(NAMES, 9)
    assert not faults, faults
    assert counts["MemoryError"] > 100
