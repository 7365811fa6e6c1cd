"""A test that runs a row after the other: one item of pytest for a table, which names every row that failed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

ParameterSet = type(pytest.param())
SHOWN_FAILURES = 20  # of one table; the others are counted


def table(
    names: str | tuple[str, ...], rows: Iterable[Any], *, ids: Callable[[Any], str] | Iterable[str] | None = None
) -> Callable[[Callable], Callable]:
    """Give the test's parameters `names` the values of each row in turn, as `pytest.mark.parametrize` does, within one test.

    Every row runs, also after one that failed. Tables stack: the test runs for each combination. Fixtures are made once for all rows.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    labelled = list(label_rows(list(rows), len(parameters), ids))
    assert labelled, f"the table of {names} is empty"

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def run_rows(*args: Any, **kwargs: Any) -> None:
            failures: list[Exception] = []
            for label, values in labelled:
                try:
                    test(*args, **kwargs, **dict(zip(parameters, values, strict=True)))
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as failure:  # noqa: BLE001 - told below, with its row
                    failures.extend(with_row(failure, label))
            if failures:
                raise ExceptionGroup(f"{len(failures)} rows failed (of the first {SHOWN_FAILURES}:)", failures[:SHOWN_FAILURES])

        signature = inspect.signature(test)
        missing = [name for name in parameters if name not in signature.parameters]
        assert not missing, f"{test.__name__} takes no {', '.join(missing)}"
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in parameters]
        run_rows.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        del run_rows.__wrapped__  # pytest would look for the rows' parameters behind it
        return run_rows

    return decorate


def label_rows(rows: list[Any], width: int, ids: Callable[[Any], str] | Iterable[str] | None) -> Iterator[tuple[str, tuple]]:
    """Each row as a tuple of `width` values, with the text by which failures name it; a row may be a `pytest.param` with an id."""
    labels = None if ids is None or callable(ids) else list(ids)
    for index, row in enumerate(rows):
        named = isinstance(row, ParameterSet)
        values = row.values if named else (row,) if width == 1 else tuple(row)
        assert len(values) == width, f"row {index} has {len(values)} values for {width} names"
        if named and row.id is not None:
            label = row.id
        elif labels is not None:
            label = labels[index]
        else:
            label = "-".join(str(ids(value)) if callable(ids) else short_text(value) for value in values)
        yield f"{index}: {label}", tuple(values)


def short_text(value: Any) -> str:
    """What names a value in a label: its name, or the beginning of its text."""
    return getattr(value, "__name__", None) or repr(value)[:60]


def with_row(failure: BaseException, label: str) -> list[Exception]:
    """The failures of a row, or of the table within it, each with the row's label."""
    inner = list(failure.exceptions) if isinstance(failure, ExceptionGroup) and "rows failed" in failure.message else [failure]
    exceptions = [failure if isinstance(failure, Exception) else AssertionError(str(failure)) for failure in inner]
    for exception in exceptions:
        exception.add_note(f"in row {label}")
    return exceptions
