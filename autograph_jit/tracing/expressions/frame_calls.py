"""Calls of builtins that look at their caller's frame, and of functions that look at the exception that is being handled."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from types import CodeType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.expressions.calls import BUILTINS, call
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.plain.identity import is_one_of
from autograph_jit.tracing.structures.getters import Known
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import OfTheRun
from autograph_jit.tracing.values.trace import current, user_span

HANDLED = (traceback.print_exc, traceback.format_exc, sys.exc_info, logging.exception, logging.Logger.exception)


def call_in_frame(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, names: dict[str, Any], local_names: Callable[[], dict[str, Any]]
) -> Any:
    """A call of a name that usually is a builtin which looks at its caller's frame."""
    trace = current()
    if trace is None:
        return plain.call_in_frame(fn, args, kwargs, names, local_names)
    if not is_one_of(fn, (locals, globals, vars, dir, eval, exec)) or args and is_one_of(fn, (vars, dir)):
        return call(fn, args, kwargs)
    if is_one_of(fn, (eval, exec)) and args and isinstance(args[0], (str, bytes, CodeType, OfTheRun, Text)):
        refuse_text(fn)
    if fn is globals and trace.inputs is not None:
        trace.inputs.origins.setdefault(id(names), (names, Known(names), "globals()"))
    return plain.call_in_frame(fn, args, kwargs, names, local_names)


def refuse_text(fn: Any, *_: Any, **__: Any) -> None:
    """Code that is a text runs in Python, which nobody sees."""
    raise ConversionError(
        f"`{fn.__name__}` in compiled code",
        user_span(),
        "what the text reads and changes is not seen",
        "make the function with it outside, or call it in a function marked ag.do_not_convert",
    )


def refuse_handled(fn: Any) -> Callable[..., Any]:
    """A function that asks Python for the exception that is being handled: compiled code keeps its own to itself."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise ConversionError(
            f"`{fn.__name__}` in compiled code",
            user_span(),
            "Python does not know which exception compiled code is handling",
            "`except ... as error`, and what is wanted of `error`",
        )

    return refuse


for _function in (*HANDLED, *([sys.exception] if hasattr(sys, "exception") else [])):
    BUILTINS[_function] = refuse_handled(_function)
