"""Calls of objects that stand for a function or a class: `functools.partial` objects, classes with the types of their items."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.values.language import language

PLACEHOLDER = getattr(functools, "Placeholder", object())


def call_partial(fn: functools.partial, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a partial; from Python 3.14 on some of its own arguments may be left open."""
    given = iter(args)
    own = [next(given, PLACEHOLDER) if arg is PLACEHOLDER else arg for arg in fn.args]
    if any(arg is PLACEHOLDER for arg in own):
        raise TypeError(text_of(fn, *args))
    return language.call(fn.func, (*own, *given), {**fn.keywords, **kwargs})


def call_alias(alias: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`Stack[int](...)`: an instance of the class, which keeps what it was made by where it can."""
    made = language.call(alias.__origin__, args, kwargs)
    if isinstance(alias.__origin__, type) and alias.__origin__.__dictoffset__:
        language.call(setattr, (made, "__orig_class__", alias), None)
    return made


FORMS: dict[type, Callable[..., Any]] = {
    functools.partial: call_partial,
    types.GenericAlias: call_alias,
    type(typing.List[int]): call_alias,  # noqa: UP006 - of the classes that are written in Python
}


def form_of_callable(fn: Any) -> Callable[..., Any] | None:
    """How an object is called that stands for another one."""
    return next((form for kind, form in FORMS.items() if isinstance(fn, kind)), None)
