"""Copies of a line that the next update of it overwrites: the update, which reads every element anyway, makes them.

Before: kept[t] = u; u[1:-1] = u[1:-1] + (u[2:] - u[:-2])
After:  kept[t, :1] = u[:1]; kept[t, n - 1:] = u[n - 1:]; for i in range(1, n - 1): kept[t, i] = u[i]; u[i] = u[i] + ...

The forward sweep of a gradient keeps the states of arrays in this way. Requires: contiguous lines that lie apart, nothing in between that
writes the line, looks at the copy or may fail.
"""

from __future__ import annotations

from collections.abc import Container

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, leaves_of, may_write
from autograph_jit.kernels.updates import DESCRIPTOR_OPS, dims_of, place_of


def find_kept(
    graph: Graph, facts: Facts, consumers: dict[Operation, Operation], runs: Container[Operation], taken: Container[Operation]
) -> dict[Operation, Operation]:
    """By assignments to a part of a line, the copy of the whole line that they make. The assignments may end `runs` of updates, but are
    not among those that are `taken`; the copies are neither."""
    found: dict[Operation, Operation] = {}
    for block in blocks_of(graph.block):
        for index, operation in enumerate(block.operations):
            if operation not in taken and operation not in runs and operation not in consumers and is_copy_of_line(operation, facts):
                update = update_behind(block, index, facts, consumers)
                if update is not None and update not in found and update not in taken:
                    found[update] = operation
                    consumers[operation] = update
    return found


def is_copy_of_line(operation: Operation, facts: Facts) -> bool:
    """Whether an operation copies all of a contiguous line to memory of its own."""
    if operation.name != "assign" or operation.unwind:
        return False
    target, source = operation.operands
    if target.type != source.type or len(dims_of(source)) != 1 or isinstance(dims_of(source)[0], int):
        return False
    if place_of(source)[0] is not source or source.type.dtype.kind not in "fiu":  # type: ignore[union-attr]
        return False
    return facts.is_contiguous(target) and facts.is_contiguous(source) and not facts.may_meet(target, source)


def update_behind(block: Block, index: int, facts: Facts, consumers: dict[Operation, Operation]) -> Operation | None:
    """The assignment to a part of the line that comes next, if nothing stands in the way."""
    target, source = block.operations[index].operands
    for operation in block.operations[index + 1 :]:
        if operation.name in DESCRIPTOR_OPS or (operation.opdef.effect is Effect.VIEW and operation.name != "reshape"):
            continue
        if operation.regions or operation.can_fail or operation.opdef.effect not in (Effect.PURE, Effect.WRITE):
            return None
        if operation in consumers:
            continue
        if any(facts.may_meet(value, target) for value in [*leaves_of(operation, consumers), *operation.operands] if is_array(value)):
            return None
        if may_write(operation, [source], facts):
            base, starts = place_of(operation.operands[0])
            return operation if operation.name == "assign" and base is source and starts is not None else None
    return None


def is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType)
