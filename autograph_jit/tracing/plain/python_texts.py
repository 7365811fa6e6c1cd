"""Texts of Python's own exceptions, which differ between its versions: asked of the Python that runs."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "divmod": divmod,
}


@functools.cache
def division_text(symbol: str, kind: type) -> str:
    """What Python says of a number of this type divided by zero, or of zero to the power of -1."""
    x, y = (kind(0), kind(-1)) if symbol == "**" else (kind(1), kind(0))
    return text_of(OPERATORS[symbol], x, y)


def text_of(function: Callable[..., Any], *args: Any) -> str:
    """The text of the exception that a call raises."""
    try:
        function(*args)
    except Exception as error:
        return str(error)
    raise AssertionError(f"{function} of {args} raises nothing")
