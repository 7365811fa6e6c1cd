"""The public functions: compile, convert, to_source, eager."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.converters.pipeline import to_source as converted_source
from autograph_jit.runtime.conversion import convert as convert_for_staging
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.runtime.settings import settings


def compile(function: Callable[..., Any] | None = None, /, *, static_argnames: tuple[str, ...] = (), fallback: str = "warn", eager: bool = False, device: str = "cpu") -> Any:
    """Compile a NumPy function to native code; with or without parentheses.

    static_argnames  arguments whose numbers are constants: every new value compiles again
    fallback         "warn": what cannot be compiled runs in Python, announced once; "error": it raises ConversionError
    eager            run the plain function
    """
    options = {"static_argnames": tuple(static_argnames), "fallback": fallback, "device": device}
    if function is None:
        return functools.partial(compile, static_argnames=static_argnames, fallback=fallback, eager=eager, device=device)
    if eager:
        return function
    if isinstance(function, types.MethodType):
        return types.MethodType(compile(function.__func__, static_argnames=static_argnames, fallback=fallback), function.__self__)
    return CompiledFunction(function, convert_for_staging, options)


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its control flow converted, running on Python values: behaves as the original."""
    return convert_for_staging(function)


def to_source(function: Callable[..., Any]) -> str:
    """The transformed source of a function."""
    return converted_source(getattr(function, "__wrapped__", function))


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """Inside the with statement compiled functions run as plain Python: breakpoints and prints work."""
    before, settings.eager = settings.eager, True
    try:
        yield
    finally:
        settings.eager = before


def executing_eagerly() -> bool:
    """Whether compiled functions run as plain Python here."""
    return settings.eager
