"""What a call is given, and what runs where the function that is called is a row of a table."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph_jit.tracing.containers.function_tables import FunctionReference
from autograph_jit.tracing.containers.outside import form_of
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.expressions.spread_calls import Packed
from autograph_jit.tracing.functions.recursion import RECURSION
from autograph_jit.tracing.values.abstract import content_of, may_be_missing
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.trace import Trace


def argument(x: Any) -> Any:
    """What a call is given, settled: for a variable that may be unbound, Python asks before it calls."""
    settled = settle(x)
    return form_of(content_of(settled) if may_be_missing(settled) else settled)


def noted(trace: Trace, fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, of which a function of Python's may read all that they hold."""
    if trace.inputs is not None and fn is not len and not isinstance(fn, FunctionType):
        for arg in args:
            trace.inputs.note_whole(arg)
    return args


def form_for_row(trace: Trace, row: FunctionReference, args: tuple[Any, ...]) -> FunctionType | None:
    """The function that is given the row instead, one for all functions of its code: where that has come to be wanted, and where they read
    nothing of the compiled function's that would have to be in rows, too. None where the function of the row is called itself."""
    if row.table.is_unknown():
        raise Unreachable
    form = row.table.called_by_row()
    if form is None or any(isinstance(arg, Packed) for arg in args):
        return None
    is_under_way = any(trace.calls.depths.get(code) for code in (form.__code__, row.table.like.__code__))
    return form if is_under_way or not row.table.differing_between_calls() or trace.follows((RECURSION, form.__code__)) else None
