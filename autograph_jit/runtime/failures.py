"""What a trace or a compilation that failed is called: whatever it raises is a limit or a fault of this package, never the program's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograph_jit.errors import AutographJitError, ConversionError, GraphError, InternalError, LoweringError
from autograph_jit.interrupts import is_interrupt
from autograph_jit.runtime.settings import settings
from autograph_jit.tracing.values.faults import failure_of


@contextmanager
def named_failures(name: str) -> Iterator[None]:
    """What is raised inside is a ConversionError, where it is a fault an InternalError; or says what device or setting cannot be used.
    What the handler of a signal raises is the user's."""
    try:
        yield
    except (GraphError, LoweringError) as error:
        raise failure_of(error, f"`{name}`") from error
    except AutographJitError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        raise failure_of(error, f"`{name}`") from error


def without_system_error(exception: Exception) -> Exception:
    """What a run raised. C code that goes on after an exception of this package raises a SystemError from it: then that exception."""
    cause = exception.__cause__
    if not (isinstance(exception, SystemError) and isinstance(cause, AutographJitError)):
        return exception
    vars(cause).update(vars(exception))
    return cause


def may_fall_back(error: ConversionError, fallback: str) -> bool:
    """Whether a function that was told so runs in Python after this error. Under `settings.strict` a fault of the package is shown."""
    return fallback != "error" and not (settings.strict and isinstance(error, InternalError))
