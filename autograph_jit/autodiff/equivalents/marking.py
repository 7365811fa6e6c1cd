"""Functions of this package that are converted as the user's code is, when compiled code calls them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.expressions import calls


class Equivalent:
    """A Python function that is converted and traced where it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        assert calls.converter is not None
        return calls.converter(self.function)(*args, **kwargs)


def equivalent(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function as one that is converted."""
    return Equivalent(function)
