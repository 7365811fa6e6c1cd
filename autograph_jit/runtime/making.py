"""Makes a specialization of a compiled function: converts and traces it for the arguments of a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, Protocol

from autograph_jit.budget import Account, counting
from autograph_jit.errors import InternalError
from autograph_jit.garbage import young_objects
from autograph_jit.runtime.budgets import begin
from autograph_jit.runtime.early import Estimate
from autograph_jit.runtime.failures import named_failures
from autograph_jit.runtime.feedback import answer_questions
from autograph_jit.runtime.leaks import without_leaks
from autograph_jit.runtime.preferences import may_count
from autograph_jit.runtime.program import Program, trace_program
from autograph_jit.runtime.python_loops import settle
from autograph_jit.runtime.reasons import positional_names, recompile_reason, static_names
from autograph_jit.runtime.refusals import Refusals
from autograph_jit.runtime.settings import current_device, tracing_with
from autograph_jit.runtime.specializations import Specialization
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.structures.guards import unchanged
from autograph_jit.transforms.tallies import find_tallies


class Traceable(Protocol):
    """What is asked of a compiled function."""

    function: Any
    convert: Callable[[Any], Any]
    options: dict[str, Any]
    initial: frozenset[Any]
    name: str
    device: str | None
    generalized: set[Any]
    specializations: list[Specialization]
    refusals: Refusals
    account: Account

    def may_choose_python(self) -> bool:
        """Whether calls may run in Python although they could be compiled."""

    def tell_once(self, what: str, reason: str) -> None:
        """Say the first time what happens."""


def expect_to_fit(program: Program, arguments: Args) -> None:
    """A program is for the call that it was made for: another one would be made in each call."""
    if not program.matches(arguments):
        why = next((guard.text for guard in program.guards if not guard.holds(arguments)), "its guards hold now")
        raise InternalError("a program does not fit the call that it was made for", None, why, "write this part in another way meanwhile")


@young_objects()
def make_specialization(compiled: Traceable, arguments: Args, initial: frozenset[Any]) -> Specialization:
    """Convert the function and trace it for these arguments, beginning with `initial` decisions."""
    function, names = compiled.function, positional_names(compiled.function)
    reason = recompile_reason([made.program for made in compiled.specializations], arguments, names)
    started = time.perf_counter()
    name = compiled.name.rpartition(".")[2]
    compilation = begin(compiled.account, name, compiled.options)
    with tracing_with(compiled.options["fallback"]), counting(compilation), named_failures(name):
        compiled.convert(function)
        seconds = {"convert": time.perf_counter() - started}
        known, static = frozenset(compiled.generalized), static_names(function, compiled.options["static_argnames"], arguments)
        watch = Estimate(function) if compiled.may_choose_python() and initial == compiled.initial else None
        make = partial(trace_program, name, partial(compiled.convert, function), arguments, known, static, watch=watch)
        traced = partial(without_leaks, lambda decisions, tracers: make(decisions, tracers=tracers), name=name)
        program = traced(initial)
        if watch is not None:
            program, told = settle(program, traced, arguments)
            if told:
                compiled.tell_once("runs in Python where that is quicker, and is compiled otherwise", told)
                program.tells = True
        if isinstance(function, FunctionType):
            program.guards.extend(unchanged(function, program.decisions))
        expect_to_fit(program, arguments)
    seconds["trace"] = time.perf_counter() - started - seconds["convert"]
    on_cpu = (compiled.device or current_device()) == "cpu"
    tallies = len(find_tallies(program.graph)) if may_count(compiled.options) and on_cpu and initial == compiled.initial else 0
    number, kinds = len(compiled.specializations) + 1, compiled.refusals.kinds(arguments)
    made = Specialization(program, number, compilation, reason, known, tallies, kinds, seconds=seconds)
    answer_questions(made, partial(compiled.tell_once, "goes on in Python, and is left to it from the next call on"))
    return made
