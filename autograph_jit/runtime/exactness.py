"""Calls that are traced again after an exception of their run: ints that leave 64 bits and floats whose power is complex, with numbers as
constants, unless the call has acted; gradients that would save too much, with their loops in segments."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import NONE_IS_NO_OPERAND, ConversionError, GraphNeeded, OverBudget, is_beyond
from autograph_jit.runtime.effects import acts_outside
from autograph_jit.runtime.program import Program


def exact_decisions(program: Program, exception: Exception) -> frozenset[Any]:
    """The decisions that keep ints exact after this exception; none where it is another one, or where the program has acted already."""
    if ("exact",) in program.decisions or not program.numbers or not may_run_again(program, exception):
        return frozenset()
    return frozenset({("exact",), *(("static", origin) for origin in program.numbers)})


def may_run_again(program: Program, exception: Exception) -> bool:
    """Whether this exception says that ints have left 64 bits, floats the reals, or that None is no operand where Python may go on, in a
    program that has not acted outside so far."""
    is_ours = is_beyond(exception) or str(exception) == NONE_IS_NO_OPERAND
    return is_ours and not acts_outside(program.graph, exception)


def asks_for_graph(exception: Exception) -> bool:
    """Whether the graph decides what follows this exception."""
    is_ours = is_beyond(exception) or str(exception) == NONE_IS_NO_OPERAND
    return is_ours or isinstance(exception, ConversionError | GraphNeeded | OverBudget)


def checkpoint_decisions(program: Program, exception: Exception) -> frozenset[Any]:
    """The decisions that keep a gradient within its budget after this exception, with those taken before; none where it is another one."""
    if not isinstance(exception, OverBudget):
        return frozenset()
    number = int(str(exception).rpartition("(")[2].rstrip(")"))
    return program.budgets[number] | {decision for decision in program.decisions if decision[0] == "checkpoint"}
