"""The bytes that reverse sweeps may save: a run that would save more ends early, and is made again with the loops at hand in segments.

Sizes and trips are known when the program runs, and code that could do both would cost every gradient compile time. So a loop that may be
cut checks at its entry, or where lists grow in every trip, what it keeps; a program that has changed something by then is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from autograph_jit.autodiff.sweeps.trips import constant_of
from autograph_jit.errors import OverBudget
from autograph_jit.ir.graph import Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect, ErrorSpec
from autograph_jit.ir.types import ListType
from autograph_jit.tracing.values.trace import Restart, active, constant, emit

F64 = np.dtype(np.float64)
UNBOUNDED = ("unbounded",)
MESSAGE = "a gradient would save more than ag.config(saved_bytes={}): checkpoint its loops ({})"
Decisions = frozenset[tuple[object, ...]]


class Budget:
    """The bytes of saved values above which loops are cut into segments by themselves."""

    bytes = 1 << 30


def obstacle(operation: Operation) -> str | None:
    """Why a loop cannot run again; None where it can."""
    for inner in (inner for region in operation.regions for inner in walk_block(region)):
        if inner.name == "host_call" and not inner.attributes.get("pure"):
            return f"it calls Python ({inner.attributes['label']})"
        if inner.opdef.effect is Effect.DRAW:
            return "it draws random numbers"
        if any(isinstance(value.type, ListType) for value in inner.operands):
            return "it uses a list"
    return None


def decision_for(loop: Operation) -> tuple[object, ...]:
    """The decision to cut the loops at a line."""
    return ("checkpoint", *((loop.span.filename, loop.span.lineno) if loop.span else ()))


def cuts(loops: Iterable[Operation]) -> Decisions:
    """The decisions that would help against what loops save; empty where there is none, or where they are taken."""
    if UNBOUNDED in active().decisions:
        return frozenset()
    whole = [loop for loop in loops if loop.attributes.keys().isdisjoint(("segments", "bounded"))]
    found = frozenset(decision_for(loop) for loop in whole if loop.span is not None and obstacle(loop) is None)
    return found - active().decisions


def check_bytes(loops: list[Operation], arrays: list[tuple[list[Value], float]]) -> None:
    """Check, before loops, the bytes of arrays of these sizes and bytes an element."""
    known = [[constant_of(size) for size in sizes] for sizes, _ in arrays]
    if all(None not in sizes for sizes in known):
        total = sum(math.prod(size for size in sizes if size is not None) * width for sizes, (_, width) in zip(known, arrays))
        if total > Budget.bytes and (found := cuts(loops)):
            raise Restart(*found)
        return
    if found := cuts(loops):
        every = constant(np.float64(0))
        for sizes, width in arrays:
            product = constant(np.float64(width))
            for size in sizes:
                product = emit("multiply", product, emit("cast", size, dtype=F64).result).result
            every = emit("add", every, product).result
        check(found, emit("less_equal", every, constant(np.float64(Budget.bytes))).result)


def check_length(loops: list[Operation], stack: Value) -> None:
    """Check the bytes of a list that loops fill."""
    if found := cuts(loops):
        assert isinstance(stack.type, ListType)
        longest = constant(np.int64(Budget.bytes // stack.type.number.dtype.itemsize))
        check(found, emit("less_equal", emit("list_len", stack).result, longest).result)


def check(decisions: Decisions, good: Value) -> None:
    trace = active()
    trace.differentiation.budgets.append(decisions)
    emit("check", good, error=ErrorSpec(OverBudget, MESSAGE.format(Budget.bytes, len(trace.differentiation.budgets) - 1)))


def is_budget_check(operation: Operation) -> bool:
    error = operation.attributes.get("error")
    return isinstance(error, ErrorSpec) and error.exception is OverBudget
