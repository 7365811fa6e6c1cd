"""Which calls that could be compiled are left to Python: where the program is slower, or each content of an argument needs another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_jit.errors import SlowerThanPython
from autograph_jit.runtime.costs import Cost, Runs, assumed_runs, cost_of_program, refuse
from autograph_jit.runtime.figures import calling_lines, place_of
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.reasons import failing, found_text, with_user_names
from autograph_jit.runtime.writing_back import Args
from autograph_jit.staging.getters import Entry
from autograph_jit.staging.guards import Guard

MOST_CONTENTS = 4  # programs for one content of the arguments each, where none of them repays its compilation soon
FEW_VALUED = (bool, type(None), type(Ellipsis))


def may_choose_python(options: dict[str, Any]) -> bool:
    """Whether calls of a function with these options may run in Python although it could be compiled."""
    return options["fallback"] == "warn" and not options.get("recorded_in_python", False)


def may_count(options: dict[str, Any]) -> bool:
    """Whether programs of a function with these options count how often they call Python."""
    return options["fallback"] in ("warn", "error") and not options.get("recorded_in_python", False)


def cost_of(program: Program, runs: Runs = assumed_runs) -> Cost:
    """What a call of a program takes, its arguments read."""
    return cost_of_program(program.graph, values_read(program), runs)


def values_read(program: Program) -> int:
    """How many values a call reads out of containers of the caller's."""
    return sum(isinstance(getter, Entry) for getter in program.getters)


def refuse_slower(program: Program) -> None:
    """SlowerThanPython where calls of a program are better left to Python."""
    cost = cost_of(program)
    if cost.is_refused:
        calls = sum(operation.name == "host_call" for operation in program.graph.walk())
        count = sum(1 for _ in program.graph.walk())
        what = f"{values_read(program)} values are read out of containers of Python, {calls} of {count} operations call Python; "
        lines = calling_lines(program.graph)
        refuse(cost, place_of(program.graph, lines), what + "".join(f"{line}; " for line in lines))


def refuse_contents(programs: Sequence[Program], arguments: Args, names: Sequence[str]) -> None:
    """SlowerThanPython where yet another program would be needed for nothing but other content of the arguments, and is not worth it."""
    for program in programs:
        failed = failing(program, arguments)
        if failed and all(is_content(guard) for guard in failed):
            cost = cost_of(program)
            if cost.is_repaid or (len(programs) < MOST_CONTENTS and cost.python > 2 * cost.compiled):
                continue
            guard = failed[0]
            reason = f"every content of the arguments would need a program of its own: {with_user_names(guard.text, names)}: found "
            why = f"the compilation is not repaid by few calls; {cost.describe()}"
            remedy = "pass what changes as numbers or arrays; static_argnames compiles for each value in any case"
            raise SlowerThanPython(reason + found_text(guard, arguments), None, why, remedy)


def is_content(guard: Guard) -> bool:
    """Whether a guard holds for one content of a text, a container or a number only; for a flag there are not many programs."""
    return guard.kind == "length" or (guard.kind == "value" and not isinstance(guard.expected, FEW_VALUED))
