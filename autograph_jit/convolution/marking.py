"""Marks functions of this package: compiled code traces their converted form, plain code runs them as they stand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.ops.dispatch import Boxed, unboxed
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.values.trace import current


def as_it_stands(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function without control flow, which runs on stand-ins as it is written."""
    calls.BUILTINS[function] = function
    return function


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is converted where compiled code calls it."""

    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return function(*args, **kwargs)
        assert calls.converter is not None
        return calls.converter(function)(*args, **kwargs)

    return as_it_stands(either)


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A converted function that plain code runs on the ndarrays inside boxes: no operation of it is recorded, its result is a box again."""
    inner = converted(function)

    @functools.wraps(function)
    def opened(*args: Any) -> Any:
        box = next((type(arg) for arg in args if isinstance(arg, Boxed)), None)
        result = inner(*map(unboxed, args))
        return result if box is None else box.of(result)

    return as_it_stands(opened)
