"""Which loops of a program Python runs: those that take longer compiled, where the rest of the program gains by being compiled.

The rule is the cost model's. A loop goes to Python as a whole where it then takes less than compiled, its inner loops at their best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Block, Operation
from autograph_jit.records import dataclass
from autograph_jit.runtime.costs import ENTERING, OBJECT, Cost, cost_of, in_words
from autograph_jit.runtime.failures import may_fall_back
from autograph_jit.runtime.preferences import cost_of as cost_of_program
from autograph_jit.runtime.preferences import long_runs, refuse_slower
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.trips import LONG_TRIPS, ONCE, regions_of
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.control.python_loops import PYTHON, StagedLoop

GAIN = 0.8  # of the time that the program takes as a whole, compiled and in Python: what it takes at most with such loops


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Seconds that a part of a program takes where each loop runs where it is the quickest, and in Python; the loops that Python runs
    then, each with its seconds there at each entry."""

    seconds: float
    python: float
    chosen: tuple[tuple[StagedLoop, float], ...] = ()


def divide(block: Block, loops: Mapping[Operation, StagedLoop], around: float = ONCE) -> Division:
    """A block that runs `around` times in a call, loops of unknown length being long."""
    seconds, python, chosen = 0.0, 0.0, list[tuple[StagedLoop, float]]()
    for operation in block.operations:
        own = cost_of(operation)
        parts = [divide(region, loops, long_runs(operation, region, around)) for region in regions_of(operation)]
        best, there = sum(part.seconds for part in parts), sum(part.python for part in parts)
        inner = [one for part in parts for one in part.chosen]
        loop = loops.get(operation)
        if loop is not None and there + ENTERING * around < best and loop.can_be_pythons():
            best, inner = there + ENTERING * around, [(loop, there / around)]
        seconds += own.compiled * (ONCE if own is OBJECT else around) + best
        python += own.python * around + there
        chosen += inner
    return Division(seconds, python, tuple(chosen))


def settle(program: Program, make: Callable[[frozenset[Any]], Program], arguments: Args) -> tuple[Program, str]:
    """The program for these arguments, made again with some loops in Python where that is the quickest, and what to tell the user of it.
    SlowerThanPython where Python is quicker with all of it."""
    whole = cost_of_program(program, long_runs)
    found = divide(program.graph.block, {loop.operation: loop for loop in program.loops})
    most = GAIN * min(whole.compiled, whole.python)
    if found.chosen and found.seconds < most:
        decisions = {loop.decision(seconds) for loop, seconds in found.chosen}
        try:
            better = make(program.decisions | decisions)
        except ConversionError as error:  # what the loops change is kept in compiled code
            if not may_fall_back(error, "warn"):
                raise
            better = program
        if better is not program and (now := cost_of_program(better, long_runs)).compiled < most:
            return better, told([loop for loop, _ in found.chosen], whole, now)
    refuse_slower(program, arguments)
    return program, ""


def told(loops: list[StagedLoop], whole: Cost, now: Cost) -> str:
    """What the user is told: which loops, and what the call takes with them and without."""
    lines = [f"{loop.span.location()}: this loop runs in Python\n    {loop.span.text()}" for loop in loops if loop.span is not None]
    compiled, python, divided = map(in_words, (whole.compiled, whole.python, now.compiled))
    call = f"with loops of {LONG_TRIPS:,} trips a call would take about {compiled} compiled, {python} in Python"
    figures = f"{call}, and takes {divided} like this"
    return "\n".join([*lines, figures, "numbers and arrays in the place of Python's objects would make these loops quicker"])


def without_python_loops(decisions: frozenset[Any]) -> frozenset[Any]:
    """The decisions of a program that is differentiated: what Python runs has no derivative."""
    return frozenset(decision for decision in decisions if decision[0] != PYTHON)
