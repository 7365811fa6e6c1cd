"""A process of its own that calls one program and prints what it measured, a line of JSON each.

One trivial function is compiled before, so that what the process pays once is apart. What is printed holds where the process is stopped.
"""

from __future__ import annotations

import copy
import importlib
import json
import sys
import time
import warnings
from typing import Any

import numpy as np

import autograph_jit as ag
from benchmarks.contender import CPU, Local
from benchmarks.everyday_python.judge import difference
from benchmarks.everyday_python.program import Program
from benchmarks.measure import Settings, Timing, take_turns

SAMPLED_SECONDS = 0.3  # of each contender
IN_PYTHON = "in Python, uncompiled"  # what every warning says with which a function leaves the compiler


def halve(x: Any) -> Any:
    return x * 0.5


def find(module: str, name: str) -> Program:
    return next(program for program in importlib.import_module(module).PROGRAMS if program.name == name)


def call_once(function: Any, arguments: tuple) -> tuple[tuple | None, dict[str, Any]]:
    """The result of a call and its arguments afterwards, and in words and figures: seconds, what was said, an exception."""
    mine, outcome, fault = copy.deepcopy(arguments), None, ""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        started, cpu_started = time.perf_counter(), time.process_time()
        try:
            result = function(*mine)
            seconds, wall = time.process_time() - cpu_started, time.perf_counter() - started
            outcome = result, mine
        except Exception as error:  # noqa: BLE001 - reported; the judge has raised nothing
            seconds, wall = time.process_time() - cpu_started, time.perf_counter() - started
            fault = f"{type(error).__name__}: {error}"
    texts = [str(warning.message) for warning in said]
    reason = next((text for text in texts if IN_PYTHON in text), "")
    return outcome, {"seconds": seconds, "wall_s": wall, "fault": fault, "reason": reason, "said": texts}


def compare(function: Any, compiled: Any, arguments: tuple) -> tuple[float, dict[str, Any]]:
    """Seconds of Python's call, and what the compiled one was, with what differs; each has arguments of its own."""
    want, python = call_once(function, arguments)
    if want is None:
        raise RuntimeError(f"{function.__name__} raises in Python: {python['fault']}")
    got, call = call_once(compiled, arguments)
    if got is not None:
        call["fault"] = difference(got, want, "calls")
    return python["seconds"], call


def measure(program: Program, size: int, tell: Any) -> None:
    """Call the program under Python and compiled; `tell` gets every figure as soon as it is known.

    Two calls with the same arguments and samples of such calls; then two with others of that kind, of which the first may compile once
    more for sizes that turn out to change. Who compiles for each value anew pays for it in the last one.
    """
    function, compiled, arguments = program.function, ag.compile(program.function), program.arguments(size)
    ag.compile(halve)(np.ones(3))
    tell({"python_s": call_once(function, arguments)[1]["seconds"]})
    for when in ("first_call", "second_call"):
        python_s, call = compare(function, compiled, arguments)
        tell({"python_s": python_s, when: call})
        if call["fault"]:
            return
    timings = {"python": Timing(), "ours": Timing()}
    running = {"python": Local(function, arguments, True), "ours": Local(compiled, arguments, True)}
    take_turns(running, timings, Settings(seconds=SAMPLED_SECONDS, least=True, clock=CPU))
    tell({"python_s": timings["python"].least_s, "ours_s": timings["ours"].least_s})
    for when, other in (("other_size", size - 1), ("other_call", size - 2)):
        python_s, call = compare(function, compiled, program.arguments(other))
        tell({when: call | {"python_s": python_s}})


def main() -> None:
    module, name, size = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr  # what a program prints is not an answer
    ag.config(cache=False)

    def tell(figures: dict[str, Any]) -> None:
        print(json.dumps(figures), file=answers, flush=True)

    measure(find(module, name), int(size), tell)


if __name__ == "__main__":
    main()
