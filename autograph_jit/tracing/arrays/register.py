"""The tables of what is staged natively: NumPy functions and array methods, filled by the `numpy_*` modules as they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NO_VALUE = np._NoValue


class NotNative(BaseException):
    """This form of a call has no native implementation: NumPy itself runs it, as a host call. No branch of the trace takes it for an
    exception of the program's."""


def implements(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter an implementation for NumPy functions; it takes NumPy's parameters."""

    def enter(implementation: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            FUNCTIONS[function] = implementation
        return implementation

    return enter


def method(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter an implementation for array methods; the array is the first parameter."""

    def enter(implementation: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[name] = implementation
        return implementation

    return enter


def is_given(option: Any) -> bool:
    """Whether the caller passed this optional argument."""
    return option is not NO_VALUE and option is not None


def refuse(*conditions: Any) -> None:
    """Leave the call to NumPy where any of these options is in use."""
    if any(conditions):
        raise NotNative
