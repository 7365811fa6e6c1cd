"""Functions that each trip of a loop makes, in the hands of Python: the run makes one where the definition stands.

Before: `handlers.append(handler)` gives the one function of the trace away in every trip
After:  a call of Python makes a function where `def handler` stands; that one is given away
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph_jit.ir.graph import is_visible
from autograph_jit.originals import with_code
from autograph_jit.tracing.aliasing.identities import LOOPS
from autograph_jit.tracing.functions.originals import original
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import Restart, Trace

BY_THE_RUN = "made by the run"  # the decision that functions of a code are


def note_made(trace: Trace, function: FunctionType) -> None:
    """A function is defined: where each trip of a loop makes one that Python is given, the run makes it."""
    if not any(region.kind in LOOPS for region in trace.regions) or "backwards" in trace.differentiation.directions:
        return
    is_given = (BY_THE_RUN, function.__code__) in trace.decisions
    made = host_object(copies_of(original(trace, function)), label="function definition", fails=False) if is_given else None
    trace.definitions.by_the_run[id(function)] = made


def copies_of(function: FunctionType) -> Callable[[], FunctionType]:
    """What makes a function like this one."""
    return lambda: with_code(function, function.__code__)


def function_of_run(trace: Trace, function: Any) -> StagedObject | None:
    """The function of the run in the place of one that a loop makes, where the trace is still in that trip; None of others."""
    if id(function) not in trace.definitions.by_the_run:
        return None
    made: StagedObject | None = trace.definitions.by_the_run[id(function)]
    if made is None:
        raise Restart((BY_THE_RUN, function.__code__))
    return made if is_visible(trace.block, made.value) else None
