"""The reverse of tables: positions have no derivative, and the values of a dict are lists of which keys find the places."""

from __future__ import annotations

import numpy as np

from autograph_jit.autodiff.sweeps.accumulate import zero
from autograph_jit.autodiff.sweeps.reverse import Sweep, rule
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.staging.lift import scalar
from autograph_jit.staging.trace import active, block_of, constant, emit

REMOVED = (
    "the gradient of a dict from which keys are removed is not supported: its values change their places\n"
    "keep the keys, and give what is to be gone the value 0.0"
)


@rule("table_find", "table_insert", "table_remove", "table_len", "table_order", "table_reserve", "table_renumber", "table_pop")
@rule("table_adopt", "table_common")
def no_derivative(sweep: Sweep, operation: Operation) -> None:
    """Nothing flows."""


@rule("list_put")
def reverse_put(sweep: Sweep, operation: Operation) -> None:
    """The pullback of append is pop, that of a write clears the element, that of leaving it nothing."""
    target, position, is_new, value = operation.operands
    if not sweep.classes.is_active(target):
        return
    shadow, where = sweep.shadow(target).value, sweep.phantoms.value(position).value
    appended, written = Block(), Block()
    with block_of(active(), appended):
        popped = emit("list_pop", shadow, constant(np.int64(-1))).result
        appended.yields = [popped]
    with block_of(active(), written):
        written.yields = [reverse_write(shadow, where, value, operation)]
    condition = sweep.phantoms.value(is_new).value
    ct = emit("cond", condition, regions=[appended, written], results=(value.type,)).result
    sweep.add(value, scalar(ct))


def reverse_write(shadow: Value, where: Value, value: Value, operation: Operation) -> Value:
    """The cotangent of what was written over an element, whose own is cleared."""
    if operation.attributes.get("keeps"):
        return zero(value).value
    found = emit("list_get", shadow, where).result
    emit("list_set", shadow, where, zero(value).value)
    return found


@rule("list_keep")
def reverse_keep(sweep: Sweep, operation: Operation) -> None:
    """The items that stay would have to go back to their places: an error where keys were removed."""
    if sweep.classes.is_active(operation.operands[0]):
        emit("check", constant(np.bool_(False)), error=ErrorSpec(NotDifferentiable, REMOVED))
