"""The reverse of tables: positions have no derivative, and the values of a dict are lists of which keys find the places."""

from __future__ import annotations

import numpy as np

from autograph_jit.autodiff.sweeps.accumulate import zero
from autograph_jit.autodiff.sweeps.lists import each_index
from autograph_jit.autodiff.sweeps.reverse import Sweep, rule
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ListType
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, block_of, constant, emit


@rule("table_find", "table_insert", "table_remove", "table_len", "table_order", "table_reserve", "table_renumber", "table_pop")
@rule("table_adopt", "table_common", "table_index", "table_of_set", "table_first")
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
    """The cotangents of the items that stayed go back to their places, from the last one on; those of the others are zero."""
    target, order, length = operation.operands
    if not sweep.classes.is_active(target):
        return
    shadow, places = sweep.shadow(target).value, sweep.phantoms.value(order).value
    assert isinstance(target.type, ListType)
    nothing, one = constant(target.type.number.dtype.type(0)), constant(np.int64(1))
    kept = emit("dim", places, axis=0).result
    removed, _ = each_index(emit("subtract", sweep.phantoms.value(length).value, kept).result)
    with block_of(active(), removed):
        emit("list_push", shadow, nothing)
    moved, index = each_index(kept)
    with block_of(active(), moved):
        last = emit("subtract", emit("subtract", kept, index).result, one).result
        found = emit("list_get", shadow, last).result
        emit("list_set", shadow, last, nothing)
        emit("list_set", shadow, emit("load", places, last).result, found)
