"""Floating-point errors that `np.errstate` makes exceptions of: operations in its body are NumPy's own, called under its modes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.values.trace import Trace, active, user_span

CALLING = ("call", "log")
ACTING = ("raise", "print", *CALLING)


@contextlib.contextmanager
def handled_as_set(trace: Trace) -> Iterator[None]:
    """The body of `with np.errstate(...)`, which has been entered."""
    before = trace.handling.float_errors
    modes = {kind: str(mode) for kind, mode in np.geterr().items()}
    if any(mode in CALLING for mode in modes.values()):
        raise ConversionError(
            "`np.errstate` cannot make compiled code call a function where floating-point errors arise",
            user_span(),
            "the operations that would call it are recorded first, and run later",
            'errstate(all="raise") with a handler of FloatingPointError, or np.isfinite of the results',
        )
    trace.handling.float_errors = modes if any(mode in ACTING for mode in modes.values()) else None
    try:
        yield
    finally:
        trace.handling.float_errors = before


def raises_float_errors() -> bool:
    """Whether the program is inside a `with np.errstate(...)` that acts on errors."""
    return active().handling.float_errors is not None


def under_modes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function to be called when the program runs, under the modes that hold where it is recorded."""
    modes: Any = active().handling.float_errors
    if modes is None:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(**modes):
            return function(*args, **kwargs)

    return call
