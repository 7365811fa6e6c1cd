"""How many trips a counted loop makes, and which trip an index belongs to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import BOOL, I64, ScalarType
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import constant, emit


def trip_count(start: StagedScalar, stop: StagedScalar, step: StagedScalar) -> StagedScalar:
    """max(0, ceil((stop - start) / step)) for a step of either sign."""
    span = emit("subtract", stop.value, start.value).result
    one = constant(np.int64(1))
    positive = emit("greater", step.value, constant(np.int64(0))).result
    bias = emit("where", positive, emit("subtract", step.value, one).result, emit("add", step.value, one).result).result
    count = emit("floor_divide", emit("add", span, bias).result, step.value).result
    return scalar(emit("maximum", count, constant(np.int64(0))).result)


def constant_of(value: Value) -> int | None:
    """The integer that a value is known to be: a constant, or arithmetic on constants, as the bounds of reversed loops are."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions or value.type not in (I64, BOOL) or owner.opdef.effect is not Effect.PURE:
        return None
    if owner.name == "constant":
        return int(owner.attributes["value"])
    known = [constant_of(operand) if isinstance(operand.type, ScalarType) else None for operand in owner.operands]
    if not known or None in known or owner.can_fail:
        return None
    numbers = [operand.type.dtype.type(number) for operand, number in zip(owner.operands, known)]  # type: ignore[union-attr]
    return int(owner.opdef.eager(*numbers, **owner.attributes))


def known_trip_count(loop: Operation) -> int | None:
    """The number of trips of a counted loop whose bounds are constants."""
    if loop.name != "for_loop":
        return None
    start, stop, step = (constant_of(bound) for bound in loop.operands[:3])
    return None if start is None or stop is None or step is None else len(range(start, stop, step))


def index_of(loop: Operation) -> Value:
    """The argument of a loop's body that tells its trips apart: the index, or the count of a loop whose segments are bounded."""
    return loop.regions[-1].args[loop.attributes["bounded"] if loop.name == "while_loop" else 0]


def bound_of(loop: Operation) -> Value | None:
    """More trips than a `while_loop` makes, where it is a segment that counts them (`autodiff.checkpointing.checkpoints`)."""
    place, test = loop.attributes.get("bounded"), loop.regions[0]
    if place is None:
        return None
    found = (operation for operation in test.operations if operation.name == "less" and operation.operands[0] is test.args[place])
    return next((operation.operands[1] for operation in found), None)


def trip_number(index: Value, loop: Operation, read: Callable[[Value], Value]) -> Value:
    """Emit the number of the trip of a counted loop, from 0, in which the index has this value; `read` gives the bounds."""
    if loop.name == "while_loop":
        return index
    start, step = loop.operands[0], loop.operands[2]
    passed = index if constant_of(start) == 0 else emit("subtract", index, read(start)).result
    if constant_of(step) == 1:
        return passed
    return emit("negative", passed).result if constant_of(step) == -1 else emit("floor_divide", passed, read(step)).result
