"""The most trips of a counted loop whose bounds move with the loops around it, so that what it keeps has places in an array.

Before: for i in range(n): for j in range(i + 1, n): push(list, x)      After: r = empty(n, n - 1); ... r[i, j - (i + 1)] = x

A list is tested for its capacity in each trip, and its elements depend on how many were pushed before: no loop around it runs in
vectors. An array for a triangle has places that nothing uses; memory that is never touched is never given.

Requires: steps of 1 or -1, and bounds that are sums of indices of the loops around and of numbers known before the outermost loop.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph_jit.autodiff.sweeps.invariants import Invariants
from autograph_jit.autodiff.sweeps.trips import constant_of
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.tracing.values.trace import constant, emit

SIGNS = {"add": 1, "pyint_add": 1, "subtract": -1, "pyint_subtract": -1}
MOST_TERMS = 6
EXACT = 2.0**52  # beyond it a sum of 64-bit integers may have wrapped
TOO_MANY = 1 << 62
Form = dict[Value | None, int]  # multiples of numbers, and a number itself under None


def most_trips(loop: Operation, outermost: Operation, invariants: Invariants) -> Form | None:
    """The largest number of trips over all trips of the loops around, of what is known before them; None where that is not found."""
    total = span_of(loop, outermost, invariants)
    block = loop.block
    while total is not None and block in invariants.owners and loop is not outermost:
        loop = invariants.owners[block]
        factor = total.pop(loop.regions[0].args[0], 0) if loop.name == "for_loop" else 0
        if factor:
            total = plus(total, end_of(loop, factor > 0, outermost, invariants), factor)
        block = loop.block
    is_settled = total is not None and len(total) <= MOST_TERMS and not any(is_index(value, invariants) for value in total)
    return total if is_settled else None


def span_of(loop: Operation, outermost: Operation, invariants: Invariants) -> Form | None:
    """How far it is from the start of a loop to its stop."""
    step = constant_of(loop.operands[2])
    start, stop = (form_of(bound, outermost, invariants) for bound in loop.operands[:2])
    return None if start is None or step not in (1, -1) else plus({}, plus(stop, start, -1), step)


def end_of(loop: Operation, highest: bool, outermost: Operation, invariants: Invariants) -> Form | None:
    """The highest or the lowest index of a loop."""
    step = constant_of(loop.operands[2])
    if step not in (1, -1):
        return None
    if highest == (step < 0):
        return form_of(loop.operands[0], outermost, invariants)
    return plus(form_of(loop.operands[1], outermost, invariants), {None: 1}, -step)


def form_of(value: Value, outermost: Operation, invariants: Invariants) -> Form | None:
    """An integer as a sum of known numbers and indices."""
    number, owner = constant_of(value), value.owner
    if number is not None:
        return {None: number}
    if value.type != I64:
        return None
    if invariants.is_known(value, outermost) or is_index(value, invariants):
        return {value: 1}
    if not isinstance(owner, Operation) or owner.name not in SIGNS:
        return None
    x, y = (form_of(operand, outermost, invariants) for operand in owner.operands)
    return plus(x, y, SIGNS[owner.name])


def is_index(value: Value | None, invariants: Invariants) -> bool:
    """Whether a number is the index of a counted loop."""
    block = value.owner if value is not None else None
    loop = invariants.owners.get(block) if isinstance(block, Block) else None
    return loop is not None and loop.name == "for_loop" and loop.regions[0].args[0] is value


def plus(x: Form | None, y: Form | None, factor: int) -> Form | None:
    """`x + factor * y`."""
    if x is None or y is None:
        return None
    total = {value: x.get(value, 0) + factor * y.get(value, 0) for value in {**x, **y}}
    return {value: number for value, number in total.items() if number}


def emit_trips(form: Form, known: Callable[[Value], Value]) -> Value:
    """Emit the number of trips, or far too many where their sum leaves 64 bits."""
    exact, rough = constant(np.int64(form.get(None, 0))), constant(np.float64(form.get(None, 0)))
    for value, factor in form.items():
        if value is not None:
            term = emit("multiply", known(value), constant(np.int64(factor))).result
            part = emit("multiply", emit("cast", known(value), dtype=np.dtype(np.float64)).result, constant(np.float64(factor))).result
            exact, rough = emit("add", exact, term).result, emit("add", rough, part).result
    fits = emit("less", rough, constant(np.float64(EXACT))).result
    trips = emit("maximum", exact, constant(np.int64(0))).result
    return emit("where", fits, trips, constant(np.int64(TOO_MANY))).result
