"""The shadows of views with strides of their own, in which one element of memory may stand in several places."""

from __future__ import annotations

from typing import Any

from autograph_jit.autodiff.sweeps.reverse import STRUCTURAL_SHADOWS, Sweep
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import emit

NOT_CONTIGUOUS = "this derivative needs a contiguous array: use np.ascontiguousarray, or a copy"


def strided_shadow(sweep: Sweep, operation: Operation, result: Value) -> Any:
    """The same layout over the shadow of the source."""
    source, *layout = operation.operands
    shadow = sweep.shadow(source).value
    rank = len(layout) // 2
    sizes = [sweep.phantoms.value(size).value for size in layout[:rank]]
    steps = [stride_over(sweep, source, shadow, step) for step in layout[rank:]]
    return wrap(emit("as_strided", shadow, *sizes, *steps, **operation.attributes).result)


def stride_over(sweep: Sweep, source: Value, shadow: Value, step: Value) -> Value:
    """A stride of the source as that of its shadow."""
    return step_over(sweep.phantoms.value(source).value, shadow, step, source, sweep.phantoms.value(step).value)


def step_over(primal: Value, derived: Value, step: Value, source: Value, given: Value) -> Value:
    """A stride of `source`, of which `primal` is the stand-in, as that of its shadow or tangent; where it is a number of the user's own,
    the run checks that both lie alike."""
    owner = step.owner
    if isinstance(owner, Operation) and owner.name == "stride" and owner.operands[0] is source:
        return emit("stride", derived, **owner.attributes).result
    expect_same_layout(primal, derived)
    return given


def expect_same_layout(primal: Value, derived: Value) -> None:
    """The run checks that the strides of two arrays agree."""
    assert isinstance(primal.type, ArrayType)
    for axis in range(primal.type.rank):
        same = emit("equal", emit("stride", primal, axis=axis).result, emit("stride", derived, axis=axis).result).result
        check(same, ValueError, NOT_CONTIGUOUS)


STRUCTURAL_SHADOWS["as_strided"] = strided_shadow
