"""Tells a fault of this package from an exception that belongs to the user's program, by the place where the exception arose.

An exception is the program's where it arose in the program's own code; where the package raises it in so many words, as Python or NumPy
would; and where a function that stands in for the program's own call (`acts_for_program`) called Python or a library. Any other exception
that arises in the package, or in a library that the package called for purposes of its own, is a fault.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

from autograph_jit.errors import ConversionError
from autograph_jit.source import PACKAGE, is_library_file
from autograph_jit.staging.trace import user_span

Function = TypeVar("Function", bound=Callable[..., Any])
ACTING: set[CodeType] = set()
ATTRIBUTE_LOOKUP = "__getattr__"


def acts_for_program(function: Function) -> Function:
    """Mark a function whose own calls are the program's: what they raise, the program raises."""
    code = getattr(function, "__code__", None)
    if code is not None:
        ACTING.add(code)
    return function


def expect_users(exception: Exception) -> None:
    """ConversionError for a fault of this package: only the program's own exceptions may become part of it."""
    place = fault_of(exception)
    if place is not None:
        raise ConversionError(
            "this line cannot be staged",
            user_span(),
            f"an internal error: {type(exception).__name__}: {exception} ({place})",
            "please report it; write this part in another way meanwhile",
        ) from exception


def fault_of(exception: Exception) -> str | None:
    """The file and line of this package where a fault arose; None for an exception of the program's."""
    places = []
    step = exception.__traceback__
    while step is not None:
        places.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    while places and is_called_library(places[-1][0]):
        places.pop()
    if not places or not is_own(places[-1][0]) or is_deliberate(places):
        return None
    frame, line = places[-1]
    return None if frame.f_code in ACTING else f"{frame.f_code.co_filename}:{line}"


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs this package's code."""
    return frame.f_code.co_filename.startswith(PACKAGE)


def is_called_library(frame: FrameType) -> bool:
    """Whether a frame runs code of a library, which somebody called."""
    return is_library_file(frame.f_code.co_filename) and not is_own(frame)


def is_deliberate(places: list[tuple[FrameType, int]]) -> bool:
    """Whether the package raised the exception on purpose; that an attribute is missing concerns whoever asked for it."""
    frame, line = places[-1]
    if not linecache.getline(frame.f_code.co_filename, line).strip().startswith("raise"):
        return False
    if frame.f_code.co_name != ATTRIBUTE_LOOKUP or len(places) < 2:
        return True
    asking = places[-2][0]
    return not is_own(asking) or asking.f_code in ACTING
