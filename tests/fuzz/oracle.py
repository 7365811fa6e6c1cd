"""Runs a program in every way and says where the first difference to plain Python is, or why a way refused it.

The ways: converted and run on plain values, eagerly, its graph interpreted by the operations' eager rules, compiled. Graph and native code
come from one trace. Compared are the result, the arguments afterwards, what shares memory with what, what was printed, the exception.
"""

from __future__ import annotations

import contextlib
import io
import operator
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.errors import is_beyond
from tests.differential.harness import Outcome, difference
from tests.interpretation import InterpretedFunction

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?|-?inf|nan")
NEGATIVE_ZERO, BLANKS = re.compile(r"-0(?=\.?0*(?:\D|$))"), re.compile(r" +")
ADDRESS = re.compile(r"0x[0-9a-f]+")
EXTREMES = re.compile(r"max|min|clip")  # which of 0.0 and -0.0 they give depends on the order of the operands
MATCH, REFUSED, MISMATCH, SKIPPED = "match", "refused", "mismatch", "skipped"
PLAIN_LIMIT_SECONDS = 2.0


@dataclass(frozen=True)
class Verdict:
    """What became of a program: MATCH, REFUSED, MISMATCH or SKIPPED, and the reason."""

    kind: str
    reason: str = ""


class TookTooLong(BaseException):
    """Plain Python did not end in time."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TookTooLong after so many seconds; in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(function: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> Outcome:
    """What one call does."""
    arguments = make()
    printed = io.StringIO()
    value, error = None, None
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = function(*arguments)
        except Exception as raised:
            error = raised
    return Outcome(value, error, printed.getvalue(), arguments)


def judge(function: Callable[..., Any], calls: tuple[Callable[[], tuple[Any, ...]], ...], only: str = "", signs: bool = True) -> Verdict:
    """Run a program in every way, or in one. `signs`: the signs of zeros count."""
    wanted = []
    try:
        with time_limit(PLAIN_LIMIT_SECONDS):
            wanted = [outcome(function, make) for make in calls]
    except TookTooLong:
        return Verdict(SKIPPED, "plain Python takes too long")
    compiled = ag.compile(function, fallback="error")
    ways = {
        "converted": ag.convert(function),
        "eager": ag.compile(function, eager=True),
        "interpreted": InterpretedFunction(compiled),
        "compiled": compiled,
        "compiled again": compiled,
    }
    refused = ""
    for way, run in ways.items() if not only else [(only, ways[only])]:
        for index, (make, want) in enumerate(zip(calls, wanted)):
            got = outcome(run, make)
            if is_refusal(got.error):
                refused = refused or str(got.error)
                continue
            fault = outcome_fault(got, want, signs)
            if fault:
                return Verdict(MISMATCH, f"{way}, call {index}: {fault}")
    return Verdict(REFUSED, refused) if refused else Verdict(MATCH)


def is_refusal(error: Exception | None) -> bool:
    """Whether an error says that compiled code cannot do this, as the contract allows; a fault of the package is none."""
    if isinstance(error, ag.InternalError):
        return False
    return isinstance(error, ag.ConversionError) or (error is not None and is_beyond(error))


def outcome_fault(got: Outcome, want: Outcome, signs: bool) -> str | None:
    """The first difference between two outcomes; `signs`: the signs of zeros count."""
    if got.error is not None or want.error is not None:
        if type(got.error).__qualname__ != type(want.error).__qualname__:
            return f"raised {got.error!r}, expected {want.error!r}"
        if not same_text(str(got.error), str(want.error)):
            return f"raised with message {str(got.error)!r}, expected {str(want.error)!r}"
        if type(got.error.__cause__) is not type(want.error.__cause__):
            return f"raised with cause {got.error.__cause__!r}, expected {want.error.__cause__!r}"
    fault = difference(got.value, want.value, "result") or difference(got.arguments, want.arguments, "arguments afterwards")
    texts = (got.printed, want.printed) if signs else (unsigned(got.printed), unsigned(want.printed))
    if fault is None and not same_text(*texts):
        fault = f"printed {got.printed!r}, expected {want.printed!r}"
    return fault or (zero_fault(got, want) if signs else None) or sharing_fault(got, want)


def same_text(got: str, want: str) -> bool:
    """Whether two texts differ in the last digits of their numbers only."""
    got, want = ADDRESS.sub("0x", got), ADDRESS.sub("0x", want)
    if got == want:
        return True
    if NUMBER.sub("#", got) != NUMBER.sub("#", want):
        return False
    return all(
        a == b or np.isclose(float(a), float(b), rtol=1e-6, atol=0, equal_nan=True)
        for a, b in zip(NUMBER.findall(got), NUMBER.findall(want))
    )


def unsigned(text: str) -> str:
    """A text without the signs of its zeros, and without the blanks by which an array's text makes room for them."""
    return BLANKS.sub(" ", NEGATIVE_ZERO.sub(" 0", text)).replace("[ ", "[")


def parts(value: Any) -> Iterator[Any]:
    """The leaves of containers and objects, in order."""
    if isinstance(value, dict):
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from parts(item)
    elif type(value).__name__ in ("Tank", "Meter", "Scaled", "Point", "Box", "SimpleNamespace"):
        yield from parts(vars(value))
    else:
        yield value


def zero_fault(got: Outcome, want: Outcome) -> str | None:
    """Zeros of another sign."""
    for index, (a, b) in enumerate(zip(parts((got.value, got.arguments)), parts((want.value, want.arguments)))):
        if isinstance(b, (np.ndarray, float, np.floating)) and np.asarray(b).dtype.kind == "f":
            a, b = np.asarray(a), np.asarray(b)
            if not np.array_equal(np.signbit(a) & (a == 0), np.signbit(b) & (b == 0)) and np.array_equal(a == 0, b == 0):
                return f"part {index} has zeros of another sign: {a!r}, expected {b!r}"
    return None


def related(outcome: Outcome, relation: Callable[[np.ndarray, np.ndarray], bool]) -> set[tuple[int, int]]:
    """Which arrays of result and arguments stand in a relation."""
    arrays = [part for part in parts((outcome.value, outcome.arguments)) if isinstance(part, np.ndarray) and part.size]
    return {(i, j) for i, first in enumerate(arrays) for j, second in enumerate(arrays[:i]) if relation(first, second)}


def sharing_fault(got: Outcome, want: Outcome) -> str | None:
    """Arrays share memory as they should, and those that should be one object are; a view of all of an array may be the array itself."""
    found, expected = related(got, np.shares_memory), related(want, np.shares_memory)
    if found != expected:
        return f"arrays that share memory: {sorted(found)}, expected {sorted(expected)}"
    lost = related(want, operator.is_) - related(got, operator.is_)
    return f"arrays that should be one object: {sorted(lost)}" if lost else None
