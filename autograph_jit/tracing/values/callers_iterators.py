"""Iterators of the caller's world, which the trace may not advance."""

from __future__ import annotations

from collections.abc import Iterator
from io import IOBase
from types import FunctionType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.values.trace import current, user_span


def expect_not_callers(iterator: Any) -> None:
    """An iterator of the caller's world would be advanced once, while the program is traced, and not by its calls. One whose `__next__` is
    the user's is converted, and changes attributes."""
    trace = current()
    is_pythons = isinstance(iterator, Iterator) and not isinstance(type(iterator).__next__, FunctionType)
    if is_pythons and trace is not None and trace.inputs is not None and trace.inputs.is_reached(iterator):
        raise ConversionError(
            f"this {type(iterator).__name__} was made outside of the function, which advances it",
            user_span(2),
            "its place is Python's, and would change once for all calls",
            "give the function the items, or the next one",
        )


def expect_own(args: tuple[Any, ...], files: bool = False) -> None:
    """Of what a function that is not the user's is given: it may advance any of them. Files are its own business where it reads them when
    the program runs; `files`: the trace goes through them."""
    for arg in args:
        if files or not isinstance(arg, IOBase):
            expect_not_callers(arg)
