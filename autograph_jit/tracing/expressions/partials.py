"""Calls of `functools.partial` objects."""

from __future__ import annotations

import functools
from typing import Any

from autograph_jit.tracing.plain.python_texts import text_of

PLACEHOLDER = getattr(functools, "Placeholder", object())


def arguments_of(fn: functools.partial, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The positional arguments of a call of a partial; from Python 3.14 on some of its own may be left open."""
    given = iter(args)
    own = [next(given, PLACEHOLDER) if arg is PLACEHOLDER else arg for arg in fn.args]
    if any(arg is PLACEHOLDER for arg in own):
        raise TypeError(text_of(fn, *args))
    return (*own, *given)
