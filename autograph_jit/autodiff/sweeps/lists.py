"""The reverse of changes that shift, empty or copy a list. The shadow of a list is as long as the list at every point of the program."""

from __future__ import annotations

import numpy as np

from autograph_jit.autodiff.sweeps.reverse import STRUCTURAL_SHADOWS, Sweep, rule
from autograph_jit.autodiff.sweeps.structural import list_shadow
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64, ListType
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, block_of, constant, detached, emit


def keep_lengths(block: Block) -> None:
    """Have the length of each list that is emptied at hand, in the operation before."""
    for operation in list(block.operations):
        for region in operation.regions:
            keep_lengths(region)
        if operation.name == "list_clear":
            made = Block()
            with detached(active(), made):
                emit("list_len", operation.operands[0])
            position = block.operations.index(operation)
            block.operations[position:position] = block.adopt(made.operations)


def each_index(length: Value) -> tuple[Block, Value]:
    """A loop body over `range(length)`, to be filled, and its index."""
    body = Block()
    index = body.add_argument(I64, "k")
    emit("for_loop", constant(np.int64(0)), length, constant(np.int64(1)), regions=[body], results=(), has_break=False)
    return body, index


@rule("list_insert")
def reverse_insert(sweep: Sweep, operation: Operation) -> None:
    """The pullback of insert is pop at the same place, which Python cuts to the length of the list."""
    target, index, value = operation.operands
    if not sweep.classes.is_active(target):
        return
    shadow, where = sweep.shadow(target).value, sweep.phantoms.value(index).value
    zero = constant(np.int64(0))
    length = emit("subtract", emit("list_len", shadow).result, constant(np.int64(1))).result
    counted = emit("where", emit("less", where, zero).result, emit("add", where, length).result, where).result
    place = emit("maximum", emit("minimum", counted, length).result, zero).result
    sweep.add(value, scalar(emit("list_pop", shadow, place).result))


@rule("list_clear")
def reverse_clear(sweep: Sweep, operation: Operation) -> None:
    """What was removed has no cotangent: as many zeros."""
    (target,) = operation.operands
    if not sweep.classes.is_active(target):
        return
    assert operation.block is not None and isinstance(target.type, ListType)
    operations = operation.block.operations
    before = operations[operations.index(operation) - 1].result
    body, _ = each_index(sweep.phantoms.value(before).value)
    with block_of(active(), body):
        emit("list_push", sweep.shadow(target).value, constant(target.type.number.dtype.type(0)))


@rule("list_copy")
def reverse_list_copy(sweep: Sweep, operation: Operation) -> None:
    """Each element of the copy's shadow is added to the original's."""
    (source,) = operation.operands
    if not sweep.classes.is_active(source):
        return
    shadow, copied = sweep.shadow(source).value, sweep.shadow(operation.result).value
    body, index = each_index(emit("list_len", copied).result)
    with block_of(active(), body):
        total = emit("add", emit("list_get", shadow, index).result, emit("list_get", copied, index).result).result
        emit("list_set", shadow, index, total)


STRUCTURAL_SHADOWS["list_copy"] = list_shadow
