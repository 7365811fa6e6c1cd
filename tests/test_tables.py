"""Tables: every row runs, rows that fail are named, fixtures stay parameters."""

from __future__ import annotations

import inspect

import pytest

from tests.tables import table


def test_every_row_runs_and_those_that_fail_are_named() -> None:
    ran = []

    @table("a, b", [(1, 1), (2, 3), (4, 5)])
    def are_equal(a: int, b: int) -> None:
        ran.append(a)
        assert a == b

    with pytest.raises(ExceptionGroup, match="2 rows failed") as caught:
        are_equal()
    assert ran == [1, 2, 4]
    assert [exception.__notes__ for exception in caught.value.exceptions] == [["in row 1: 2-3"], ["in row 2: 4-5"]]


def test_tables_stack_to_their_product_and_keep_fixtures() -> None:
    ran = []

    @table("a", [1, 2])
    @table("b", ["x", "y"])
    def collect(fixture: str, a: int, b: str) -> None:
        ran.append((fixture, a, b))
        if b == "y":
            pytest.fail("no y")

    assert list(inspect.signature(collect).parameters) == ["fixture"]
    with pytest.raises(ExceptionGroup, match="2 rows failed") as caught:
        collect("f")
    assert ran == [("f", 1, "x"), ("f", 1, "y"), ("f", 2, "x"), ("f", 2, "y")]
    notes = [exception.__notes__ for exception in caught.value.exceptions]
    assert notes == [["in row 1: 'y'", "in row 0: 1"], ["in row 1: 'y'", "in row 1: 2"]]


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(AssertionError, match="empty"):
        table("a", [])
