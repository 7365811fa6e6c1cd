"""A process of its own that makes the recorded calls of some functions, plain and compiled, and tells what differs, a line of JSON each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import autograph_jit as ag
from benchmarks.everyday_python.judge import difference
from found_functions.copies import install
from found_functions.recording import Found, find
from found_functions.rounding import filled_memory, is_rounding
from found_functions.sources import sources
from found_functions.summary import is_slower

Record = dict[str, Any]
Function = Callable[..., Any]

LONGEST_CALL_SECONDS = 0.05
TURNS = 3  # compiled calls on copies of the same arguments
SAMPLED_SECONDS, FEWEST, MOST = 0.1, 7, 300  # of plain and compiled calls in turns, together
IN_PYTHON = "in Python, uncompiled"
ITEMS = 1000  # that are asked of an iterator


class Incomparable(Exception):
    """Plain Python does not do the same twice, or takes too long."""


class InternalFault(Exception):
    """A fault of the package, raised because faults are asked for."""


def load(call: bytes) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return pickle.loads(call)


def outcome(
    function: Function, call: bytes, said: list[str], change: Callable[[Any], Any] = lambda given: given
) -> tuple[dict[str, Any], float]:
    """What one call on a copy of its arguments, or on what `change` makes of them, does, and its CPU seconds. Every call draws the same
    numbers."""
    args, kwargs = change(load(call))
    random.seed(0)
    np.random.seed(0)
    printed, value, error = io.StringIO(), None, None
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        started = time.process_time()
        try:
            value = function(*args, **kwargs)
        except Exception as raised:  # noqa: BLE001 - it is compared
            if isinstance(raised, ag.InternalError):
                raise InternalFault(str(raised)) from raised
            error = (type(raised).__name__, str(raised))
        seconds = time.process_time() - started
        if hasattr(value, "__next__"):
            value = type(value).__name__, list(islice(value, ITEMS))
    said += [str(warning.message) for warning in given if IN_PYTHON in str(warning.message)]
    return {"exception": error, "value": value, "arguments": (args, kwargs), "printed": printed.getvalue()}, seconds


def compared(got: dict[str, Any], want: dict[str, Any]) -> str:
    """The first difference of two outcomes; objects that are not what they should be may not even have a text."""
    try:
        return first_difference(got, want)
    except Exception as error:  # noqa: BLE001 - of the objects' own methods
        return f"no comparison: {type(error).__name__}: {error}"


def first_difference(got: dict[str, Any], want: dict[str, Any]) -> str:
    """The first difference of exceptions, results, arguments and printed texts."""
    if got["exception"] != want["exception"]:
        return f"raised {got['exception']}, Python {want['exception']}; result {got['value']!r}, Python's {want['value']!r}"
    return difference(got["value"], want["value"]) or next(
        filter(None, (difference(got[part], want[part], part) for part in ("arguments", "printed"))), ""
    )


def wanted(function: Function, call: bytes) -> dict[str, Any]:
    """What Python does, where it does the same twice, on memory that held other things before."""
    want, _ = outcome(function, call, [])
    with filled_memory(0x55):
        again, seconds = outcome(function, call, [])
    if seconds > LONGEST_CALL_SECONDS:
        raise Incomparable("takes too long in Python")
    fault = compared(again, want)
    if fault:
        raise Incomparable(f"differs from itself: {fault}")
    return want


def replay(function: Function, calls: list[bytes], tell: Callable[[Record], None]) -> None:
    """Make all calls, and time the first."""
    said: list[str] = []
    faults: list[str] = []
    compiled, made, timed = ag.compile(function), 0, None
    for number, call in enumerate(calls):
        try:
            want = wanted(function, call)
        except Exception as error:  # noqa: BLE001 - a copy or a comparison that the objects do not allow
            tell({"left_out": f"{type(error).__name__}: {error}"[:300]})
            continue
        for turn in range(TURNS):
            try:
                got, seconds = outcome(compiled, call, said)
            except InternalFault as fault:
                tell({"internal": str(fault)})
                compiled, said = ag.compile(function), []
                with ag.config(strict=False):
                    got, seconds = outcome(compiled, call, said)
            if not made:
                tell({"first_s": seconds})
            made += 1
            fault = compared(got, want)
            if fault and compared(outcome(function, call, [])[0], want):  # objects of C that caches are kept in, and comparisons fill
                tell({"left_out": f"differs from itself, made once more: {fault}"[:300]})
                break
            if fault and is_rounding(lambda change, call=call: outcome(function, call, [], change)[0], got, want):
                tell({"rounding": fault})
            elif fault:
                faults.append(f"call {number}, turn {turn}: {fault}"[:600])
                tell({"different": faults[0]})
                break
        timed = timed or call
    tell({"made": made, "said": said, "programs": len(compiled.specializations)})
    if timed is not None:
        tell(timings(function, compiled, timed))


def timings(function: Function, compiled: Function, call: bytes) -> Record:
    """The least seconds of a call, plain and compiled; again where it looks slower than Python."""
    best: Record = {}
    for _ in range(3):
        plain_s, compiled_s = sampled((function, compiled), call)
        best = {"plain_s": min(plain_s, best.get("plain_s", plain_s)), "compiled_s": min(compiled_s, best.get("compiled_s", compiled_s))}
        if not is_slower(best):
            break
    return best


def sampled(functions: tuple[Function, Function], call: bytes) -> list[float]:
    """The least wall seconds of each of two functions, which take turns, every call on a fresh copy."""
    least, deadline = [float("inf")] * 2, time.perf_counter() + SAMPLED_SECONDS
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(MOST):
            for which, function in enumerate(functions):
                args, kwargs = load(call)
                started = time.perf_counter()
                with contextlib.suppress(Exception):
                    started = time.perf_counter()
                    function(*args, **kwargs)
                least[which] = min(least[which], time.perf_counter() - started)
            if k >= FEWEST and time.perf_counter() > deadline:
                break
    return least


def halve(x: float) -> float:
    return x * 0.5


def main() -> None:
    name, folder, keys = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    answers, sys.stdout = sys.stdout, sys.stderr  # what a function prints is no answer
    found = {one.key: one for one in (Found(*row) for row in pickle.loads((folder / "calls" / f"{name}.pickle").read_bytes()))}
    ag.config(cache=False, strict=True)
    ag.compile(halve)(1.0)  # what a process pays once
    source = next(source for source in sources() if source.name == name)
    if source.copied:
        install(source.copied, folder)
    os.chdir(tempfile.mkdtemp(prefix="found-"))
    for key in keys:

        def tell(record: Record, key: str = key) -> None:
            print(json.dumps({"key": key} | record), file=answers, flush=True)

        tell({"begun": True})
        function = find(found[key].module, found[key].name, found[key].line)
        if function is None:
            tell({"left_out": "not found"})
        else:
            replay(function, found[key].calls, tell)
        tell({"ended": True})
    answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
