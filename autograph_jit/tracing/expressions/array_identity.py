"""`is` between arrays of the run: one object has one memory, shape and strides, and so has a view of all of it, which is another object."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.trace import current, emit, user_span


def same_array(x: StagedArray, y: StagedArray) -> Any:
    """`x is y` for two staged arrays."""
    if x.value is y.value:
        return True
    if not (is_joined(x) or is_joined(y)):
        return False
    if may_be_view(x.value) or may_be_view(y.value):
        what, why = "`is` between arrays that branches or loops choose", "one may be a view of the other, which is another object"
        raise ConversionError(what, user_span(), why, "note in a variable which one was chosen")
    return StagedScalar(emit("is_same", x.value, y.value).result, True)


def is_joined(x: StagedArray) -> bool:
    """Whether an array is one of several, chosen by control flow: only the run knows which."""
    owner = x.value.owner
    trace = current()
    if isinstance(owner, Operation):
        return bool(owner.regions) or owner.name == "host_call"
    return trace is None or owner is not trace.graph.block


def may_be_view(value: Value) -> bool:
    """Whether an array that branches and loops give may be a view."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return False
    if not owner.regions:
        return owner.opdef.effect is Effect.VIEW
    ways = [*owner.operands, *(left for region in owner.regions for left in region.yields)]
    return any(isinstance(way.type, ArrayType) and may_be_view(way) for way in ways)
