"""Judges programs whose loops Python runs in the middle of their graphs, which are interpreted, or takes over from compiled code."""

from __future__ import annotations

from typing import Any

import autograph_jit as ag
from autograph_jit.tracing.control.python_loops import PYTHON_LOOP
from tests.division import all_loops_handed_over, all_loops_in_python
from tests.fuzz.oracle import EXTREMES, MATCH, MISMATCH, REFUSED, SKIPPED, TookTooLong, Verdict, outcome, outcome_fault, time_limit
from tests.fuzz.programs import load

LIMIT_SECONDS = 2.0


def judge_divided(text: str, name: str, only: str = "") -> Verdict:
    """Two calls with each of the arguments; REFUSED where no loop of the program could go to Python."""
    with all_loops_in_python(), ag.config(backend="interpreter"):
        verdict, compiled = judge_calls(text, name, 2)
    is_divided = any(PYTHON_LOOP in made.program.notes for made in compiled.specializations)
    return verdict if is_divided or verdict.kind != MATCH else Verdict(REFUSED, "no loop of it went to Python")


def judge_handed_over(text: str, name: str, only: str = "") -> Verdict:
    """A call with each of the arguments, whose loops are left after a few iterations; REFUSED where none was left."""
    with all_loops_handed_over(1 + sum(map(ord, name)) % 4) as left:
        verdict, _ = judge_calls(text, name, 1)
    return verdict if left or verdict.kind != MATCH else Verdict(REFUSED, "no loop of it was left")


def judge_calls(text: str, name: str, times: int) -> tuple[Verdict, Any]:
    """Whether so many rounds of calls do what Python does, and the compiled function."""
    function, calls = load(text, name)
    compiled = ag.compile(function)
    try:
        with time_limit(LIMIT_SECONDS):
            wanted = [outcome(function, make) for make in calls]
    except TookTooLong:
        return Verdict(SKIPPED, "plain Python takes too long"), compiled
    for time in range(times):
        for index, (make, want) in enumerate(zip(calls, wanted)):
            fault = outcome_fault(outcome(compiled, make), want, not EXTREMES.search(text))
            if fault:
                return Verdict(MISMATCH, f"round {time}, call {index}: {fault}"), compiled
    return Verdict(MATCH), compiled
