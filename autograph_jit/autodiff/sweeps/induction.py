"""Loop state that counts: a number to which every trip adds the same is known from the number of the trip, and is not saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.tracing.values.checks import constant_value, is_constant
from autograph_jit.tracing.values.trace import constant, emit

Made = Callable[[], Value]


def step_of(arg: Value, end: Value) -> Value | None:
    """The constant that a trip adds to an integer of the state, if that is all it does."""
    owner = end.owner
    if arg.type != I64 or not isinstance(owner, Operation) or owner.name not in ("add", "pyint_add"):
        return None
    x, y = owner.operands
    step = y if x is arg else x if y is arg else None
    return step if step is not None and is_constant(step) else None


def unit_step(value: Value) -> np.int64 | None:
    """1 or -1 where a loop's step is known to be that."""
    if not is_constant(value):
        return None
    step = constant_value(value)
    return np.int64(step) if abs(int(step)) == 1 else None


def counting_state(phantoms: Phantoms, args: list[Value], ends: list[Value], starts: list[Value], trip: Made) -> dict[Value, Made]:
    """How to make each counting argument of a loop's body, given how to make the number of the trip, from 0."""
    found: dict[Value, Made] = {}
    for arg, end, start in zip(args, ends, starts):
        step = step_of(arg, end)
        if step is not None:
            found[arg] = partial(counter_in_trip, phantoms, start, step, trip)
    return found


def counter_in_trip(phantoms: Phantoms, start: Value, step: Value, trip: Made) -> Value:
    """start + trip * step."""
    size = constant(step.owner.attributes["value"])  # type: ignore[union-attr]
    return emit("add", phantoms.value(start).value, emit("multiply", trip(), size).result).result


def trip_of(index: Value, phantoms: Phantoms, start: Value, step: np.int64) -> Value:
    """The number of the trip of a counted loop whose step is 1 or -1."""
    passed = emit("subtract", index, phantoms.value(start).value).result
    return passed if step == 1 else emit("negative", passed).result
