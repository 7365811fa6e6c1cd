"""Tells a fault of this package from an exception that belongs to the user's program, by the place where the exception arose.

An exception is the program's where it arose in the program's own code; where the package raises it in so many words, as Python or NumPy
would; and where a function that stands in for the program's own call (`acts_for_program`) called Python or a library. Any other exception
that arises in the package, or in a library that the package called for purposes of its own, is a fault.
"""

from __future__ import annotations

import itertools
import linecache
import traceback
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

from autograph_jit.errors import ConversionError, InternalError, LoweringError
from autograph_jit.source import OPERATORS, is_library_file, is_machinery
from autograph_jit.tracing.values.abstract import Staged
from autograph_jit.tracing.values.trace import frames_outwards, span_of_exception, user_span

Function = TypeVar("Function", bound=Callable[..., Any])
ACTING: set[CodeType] = set()
ATTRIBUTE_LOOKUP = "__getattr__"
EXHAUSTION = (RecursionError, MemoryError)
INNERMOST = 100  # calls of a stack that has ended, among which are those that were too many


def acts_for_program(function: Function) -> Function:
    """Mark a function whose own calls are the program's: what they raise, the program raises."""
    code = getattr(function, "__code__", None)
    if code is not None:
        ACTING.add(code)
    return function


def expect_users(exception: Exception) -> None:
    """ConversionError for what is no exception of the program's, and may not become part of it."""
    if isinstance(exception, EXHAUSTION) and not is_raised(exception):
        raise failure_of(exception, "this line") from exception
    place = fault_of(exception)
    if place is not None:
        raise internal_error(exception, "this line cannot be staged", place) from exception
    given = library_that_was_given_stand_ins(exception)
    if given is not None:
        why = f"`{given}`, which is not converted, raised {type(exception).__name__}: {exception}"
        what, remedy = "library code was given a value that only the run knows", "make this call in a function marked ag.do_not_convert"
        raise ConversionError(what, span_of_exception(exception), why, remedy) from exception


def library_that_was_given_stand_ins(exception: Exception) -> str | None:
    """The function of a library's that raised, where a variable of it is a stand-in: the real value might not have raised it."""
    frame, _ = list(traceback.walk_tb(exception.__traceback__))[-1]
    if not is_called_library(frame) or not any(isinstance(value, Staged) for value in frame.f_locals.values()):
        return None
    return frame.f_code.co_qualname


def failure_of(exception: Exception, what: str) -> ConversionError:
    """What an exception that ended a trace or a compilation is called: a limit where the program is too deep or too large for Python, or
    for a backend; a fault of this package otherwise."""
    span = span_of_exception(exception) or user_span()
    if isinstance(exception, RecursionError) and calls_users(exception):
        why = "following its calls takes more of Python's stack than running them"
        return ConversionError(f"{what} is too deep to be compiled", span, why, "write a loop, or raise sys.setrecursionlimit")
    if isinstance(exception, MemoryError):
        return ConversionError(f"{what} is too large to be compiled", span, "there is not enough memory", "compile parts of it")
    if isinstance(exception, LoweringError):
        return ConversionError(f"{what} cannot be compiled", span, str(exception), "write this part in another way")
    return internal_error(exception, f"{what} cannot be compiled", fault_of(exception) or last_place(exception))


def internal_error(exception: Exception, what: str, place: str) -> InternalError:
    """A fault of this package, with its place."""
    why = f"an internal error: {type(exception).__name__}: {exception} ({place})"
    span = span_of_exception(exception) or user_span()
    return InternalError(what, span, why, "please report it; write this part in another way meanwhile")


def is_raised(exception: Exception) -> bool:
    """Whether the statement that an exception came from raises it in so many words."""
    frame, line = list(traceback.walk_tb(exception.__traceback__))[-1]
    return linecache.getline(frame.f_code.co_filename, line).strip().startswith("raise")


def calls_users(exception: Exception) -> bool:
    """Whether functions of the user's are among the innermost calls: it is their calls that are too many, not this package's own."""
    link = exception.__traceback__
    around = frames_outwards(link.tb_frame.f_back) if link is not None else iter(())
    codes = [frame.f_code for frame, _ in traceback.walk_tb(link)][::-1] + [code for code, _ in itertools.islice(around, INNERMOST)]
    return any(not is_library_file(code.co_filename) for code in codes[:INNERMOST])


def last_place(exception: Exception) -> str:
    """The file and line where an exception arose."""
    places = list(traceback.walk_tb(exception.__traceback__))
    return f"{places[-1][0].f_code.co_filename}:{places[-1][1]}" if places else "unknown"


def fault_of(exception: Exception) -> str | None:
    """The file and line of this package where a fault arose; None for an exception of the program's."""
    places = list(traceback.walk_tb(exception.__traceback__))
    while places and is_called_library(places[-1][0]):
        places.pop()
    if not places or not is_own(places[-1][0]) or is_deliberate(places):
        return None
    frame, line = places[-1]
    return None if frame.f_code in ACTING else f"{frame.f_code.co_filename}:{line}"


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs this package's code."""
    return is_machinery(frame.f_code.co_filename)


def is_called_library(frame: FrameType) -> bool:
    """Whether a frame runs code of a library, which somebody called, and which was not converted to be part of the program."""
    return is_library_file(frame.f_code.co_filename) and not is_own(frame) and OPERATORS not in frame.f_code.co_freevars


def is_deliberate(places: list[tuple[FrameType, int]]) -> bool:
    """Whether the package raised the exception on purpose; that an attribute is missing concerns whoever asked for it."""
    frame, line = places[-1]
    if not linecache.getline(frame.f_code.co_filename, line).strip().startswith("raise"):
        return False
    if frame.f_code.co_name != ATTRIBUTE_LOOKUP or len(places) < 2:
        return True
    asking = places[-2][0]
    return not is_own(asking) or asking.f_code in ACTING
