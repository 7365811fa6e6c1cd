"""Runs a function as plain Python, compiled, and compiled with its graph interpreted; all of them must agree."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.interpretation import InterpretedFunction


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call leaves: its result or its exception, its arguments afterwards, what it printed."""

    result: Any
    error: str | None
    arguments: Any
    printed: str


def run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Call a function with copies of the arguments; arguments that are one object stay one object."""
    arguments = copy.deepcopy(arguments)
    printed = io.StringIO()
    result, error = None, None
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            result = function(*arguments)
        except ag.ConversionError:
            raise
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}"
    return Outcome(freeze(result), error, freeze(arguments), printed.getvalue())


def freeze(x: Any) -> Any:
    """A value with the type, dtype and shape of each of its parts, ready to be compared by `==`; nan equals nan."""
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, freeze(x.tolist())
    if isinstance(x, dict):
        return type(x).__name__, [(freeze(key), freeze(value)) for key, value in x.items()]
    if isinstance(x, list | tuple):
        return type(x).__name__, [freeze(item) for item in x]
    if isinstance(x, float | np.floating) and x != x:
        return type(x).__name__, "nan"
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return type(x).__name__, freeze(vars(x))
    if type(x).__module__.startswith(("tests.", "test_")) and hasattr(x, "__dict__") and not isinstance(x, type):
        return type(x).__name__, freeze(vars(x))
    return type(x).__name__, x


def assert_agrees(function: Callable[..., Any], *calls: Any) -> None:
    """Make every call, in order, compiled, and by the graphs that were traced for that. A call is a tuple of arguments, or one argument."""
    every = [call if isinstance(call, tuple) else (call,) for call in calls] or [()]
    expected = [run(function, arguments) for arguments in every]
    compiled = ag.compile(function, fallback="error")
    for way, one in (("compiled", compiled), ("interpreted", InterpretedFunction(compiled))):
        for arguments, outcome in zip(every, expected, strict=True):
            assert run(one, arguments) == outcome, f"{way}, arguments {arguments}"


def conversion_error(function: Callable[..., Any], *arguments: Any) -> ag.ConversionError:
    """The ConversionError that compiling for these arguments raises."""
    try:
        ag.compile(function, fallback="error")(*copy.deepcopy(arguments))
    except ag.ConversionError as error:
        return error
    raise AssertionError(f"{function.__name__} was compiled")


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the first line of a function's source that contains a text."""
    first = function.__code__.co_firstlineno
    with open(function.__code__.co_filename) as file:
        lines = file.read().splitlines()
    return next(number for number, line in enumerate(lines[first - 1 :], first) if text in line)
