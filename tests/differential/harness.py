"""Runs a program by Python and compiled, call by call, and says where the two differ.

A program is a function with the calls to make: every call is made twice, on arguments made afresh. Compared are the value with
its types, dtypes and shapes, the arguments afterwards, what was printed, the exception with its type, message and line.
"""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

import autograph_jit as ag

TOLERANCES = {np.dtype(np.float32): 1e-5, np.dtype(np.complex64): 1e-5, np.dtype(np.float64): 1e-12, np.dtype(np.complex128): 1e-12}


FLOAT32_ULPS = 4 * float(np.finfo(np.float32).eps)  # the bound of a function of float32, where its result goes on as float64


@dataclass(frozen=True)
class Program:
    """A function under test. `calls` make its arguments; `start` sets the state outside it; `refused`: words of the ConversionError."""

    function: Callable[..., Any]
    calls: tuple[Callable[[], tuple[Any, ...]], ...]
    start: Callable[[], Any]
    refused: str

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass(frozen=True)
class Outcome:
    """What one call did."""

    value: Any
    error: Exception | None
    printed: str
    arguments: tuple[Any, ...]


class Programs(list):
    """The programs of one module, in the order in which they are written."""

    def add(
        self, *calls: Callable[[], tuple[Any, ...]], start: Callable[[], Any] = lambda: None, refused: str = ""
    ) -> Callable[[Any], Any]:
        """Register the decorated function with the calls to make."""

        def register(function: Any) -> Any:
            self.append(Program(function, calls, start, refused))
            return function

        return register


def outcomes(program: Program, function: Callable[..., Any]) -> Iterable[Outcome]:
    """Make the calls of a program, every one twice."""
    program.start()
    for make in program.calls:
        for _ in range(2):
            arguments = make()
            printed = io.StringIO()
            value, error = None, None
            with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
                try:
                    value = function(*arguments)
                except Exception as raised:
                    error = raised
            yield Outcome(value, error, printed.getvalue(), arguments)


def differences(program: Program) -> str | None:
    """The first difference between the program run by Python and compiled or converted; None where there is none."""
    wanted = list(outcomes(program, program.function))
    if program.refused:
        first = next(iter(outcomes(program, ag.compile(program.function, fallback="error")))).error
        return None if isinstance(first, ag.ConversionError) and program.refused in str(first) else f"not refused, but {first!r}"
    for way, function in (("compiled", ag.compile(program.function, fallback="error")), ("converted", ag.convert(program.function))):
        for turn, (got, want) in enumerate(zip(outcomes(program, function), wanted)):
            fault = outcome_difference(got, want)
            if fault:
                return f"{way}, call {turn // 2}{'ab'[turn % 2]}: {fault}"
    return None


def outcome_difference(got: Outcome, want: Outcome) -> str | None:
    """The first difference between two outcomes."""
    if got.error is not None or want.error is not None:
        fault = error_difference(got.error, want.error)
        if fault:
            return fault
    fault = difference(got.value, want.value, "result") or difference(got.arguments, want.arguments, "arguments afterwards")
    if fault is None and got.printed != want.printed:
        fault = f"printed {got.printed!r}, expected {want.printed!r}"
    return fault


def error_difference(got: Exception | None, want: Exception | None) -> str | None:
    """Whether two exceptions differ in type or message."""
    if type(got).__qualname__ != type(want).__qualname__:
        return f"raised {got!r}, expected {want!r}"
    if str(got) != str(want):
        return f"raised with message {str(got)!r}, expected {str(want)!r}"
    lines = user_line(got), user_line(want)
    return None if lines[0] == lines[1] else f"raised {got!r} at line {lines[0]}, expected line {lines[1]}"


def user_line(error: BaseException | None) -> int | None:
    """The line of a program that an exception comes from."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    return next((frame.lineno for frame in reversed(frames) if frame.filename.endswith("_programs.py")), None)


def difference(got: Any, want: Any, where: str) -> str | None:
    """The first difference between two values."""
    if type(got) is not type(want) and type(got).__qualname__ != type(want).__qualname__:
        return f"{where}: {got!r} of {type(got).__name__}, expected {want!r} of {type(want).__name__}"
    if isinstance(want, np.random.Generator):
        return difference(got.bit_generator.state, want.bit_generator.state, f"{where}.state")
    if isinstance(want, dict):
        if len(got) != len(want) or not all(map(same_key, got, want)):
            return f"{where}: keys {list(got)}, expected {list(want)}"
        return first(difference(a, b, f"{where}[{key!r}]") for a, (key, b) in zip(got.values(), want.items()))
    if isinstance(want, (list, tuple)) or type(want).__name__ == "deque":
        if len(got) != len(want):
            return f"{where}: {got!r}, expected {want!r}"
        return first(difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(got, want)))
    if is_dataclass(want) and not isinstance(want, type):
        return first(difference(getattr(got, f.name), getattr(want, f.name), f"{where}.{f.name}") for f in fields(want))
    if isinstance(want, (np.ndarray, np.generic, float, complex)):
        return array_difference(np.asarray(got), np.asarray(want), where)
    if hasattr(want, "__dict__") and not callable(want) and type(want).__eq__ is object.__eq__:
        return difference(vars(got), vars(want), where)
    return None if got == want or callable(want) else f"{where}: {got!r}, expected {want!r}"


def same_key(got: Any, want: Any) -> bool:
    """Whether two keys of dicts are the same to the last bit; a NaN is a key by identity, and one is as good as another here."""
    if isinstance(want, tuple):
        return type(got) is type(want) and len(got) == len(want) and all(map(same_key, got, want))
    if type(got) is not type(want) and type(got).__qualname__ != type(want).__qualname__:
        return False
    if isinstance(want, (float, complex, np.inexact)):
        return np.array_equal(got, want, equal_nan=True)
    return got == want or difference(got, want, "key") is None


def first(faults: Iterable[str | None]) -> str | None:
    """The first fault that is one."""
    return next((fault for fault in faults if fault), None)


def holds_float32(x: np.ndarray) -> bool:
    """Whether all numbers of an array are numbers of float32, as those are that were computed in it, and not all of them integers."""
    with np.errstate(all="ignore"):
        return np.array_equal(x.astype(np.float32), x, equal_nan=True) and not np.array_equal(np.rint(x), x, equal_nan=True)


def array_difference(got: np.ndarray, want: np.ndarray, where: str) -> str | None:
    """The first difference between two arrays or numbers."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{where}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    if want.dtype == object:
        return difference(got.tolist(), want.tolist(), where)
    tolerance = TOLERANCES.get(want.dtype)
    if tolerance is None:
        same = np.array_equal(got, want)
    elif want.dtype == np.float64 and holds_float32(got) and holds_float32(want):
        same = np.allclose(got, want, rtol=FLOAT32_ULPS, atol=0, equal_nan=True)
    else:
        scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0))
        same = np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    return None if same else f"{where}: {got!r}, expected {want!r}"
