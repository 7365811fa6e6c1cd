"""`operator.attrgetter`, `itemgetter` and `methodcaller`: what they get is read as the program's own attributes and items are."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from autograph_jit.tracing.expressions.access import getattr_, getitem
from autograph_jit.tracing.values.language import language

GETTERS = (operator.attrgetter, operator.itemgetter, operator.methodcaller)


def call_getter(fn: Any, x: Any) -> Any:
    """`fn(x)`."""
    if isinstance(fn, operator.methodcaller):
        method, named = parts_of_caller(fn)
        return language.call(getattr_(x, method[0]), method[1:], named)
    names = fn.__reduce__()[1]
    if isinstance(fn, operator.itemgetter):
        found = tuple(getitem(x, key) for key in names)
    else:
        found = tuple(reduce(getattr_, name.split("."), x) for name in names)
    return found if len(found) > 1 else found[0]


def parts_of_caller(fn: operator.methodcaller) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The name and arguments of a `methodcaller`, and its arguments by keyword."""
    reduced: Any = fn.__reduce__()
    maker, parts = reduced[:2]
    if maker is operator.methodcaller:
        return parts, {}
    return (*maker.args, *parts), maker.keywords
