"""Computes once, before a branch, the numbers that both of its sides compute.

Before::                                    After::

    cond(%p) do () {                            %b: i64 = add(%i, %one)
        %b: i64 = add(%i, %one)                 cond(%p) do () {
        store(%x, %u, %b)                           store(%x, %u, %b)
        yield                                       yield
    } do () {                                   } do () {
        %c: i64 = add(%i, %one)                     store(%x, %v, %b)
        store(%x, %v, %c)                           yield
        yield                                   }
    }

Requires: the operation is pure, cannot fail, reads no memory and gives numbers. LLVM then sees that both sides write to one address,
and needs no jump.
"""

from __future__ import annotations

from collections.abc import Hashable

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType
from autograph_jit.transforms.aliases import DESCRIPTOR_OPS, is_memory
from autograph_jit.transforms.rewriting import key_of, replace_values, resolve

LONGEST_SIDE = 200  # operations: each that is found is compared with the whole other side


def share(graph: Graph, distinct_parameters: bool = False) -> None:
    """Share between the sides of every branch, the innermost first."""
    replaced: dict[Value, Value] = {}
    share_in_block(graph.block, replaced)
    replace_values(graph, replaced)


def share_in_block(block: Block, replaced: dict[Value, Value]) -> None:
    """Share in the branches of a block and of its regions."""
    operations: list[Operation] = []
    for operation in block.operations:
        for region in operation.regions:
            share_in_block(region, replaced)
        if operation.name == "cond":
            operations += take_common(operation, replaced)
        operations.append(operation)
    block.operations = operations


def take_common(branch: Operation, replaced: dict[Value, Value]) -> list[Operation]:
    """Take what both sides compute out of them, in the order of the first side."""
    first, second = branch.regions
    taken: list[Operation] = []
    if max(len(first.operations), len(second.operations)) > LONGEST_SIDE:
        return taken
    for operation in list(first.operations):
        key = key_after(operation, replaced)
        twin = next((other for other in second.operations if key is not None and key_after(other, replaced) == key), None)
        if twin is None or not is_outside(operation, first):
            continue
        replaced.update(zip(twin.results, operation.results, strict=True))
        first.operations.remove(operation)
        second.operations.remove(twin)
        operation.block = branch.block
        taken.append(operation)
    return taken


def is_outside(operation: Operation, region: Block) -> bool:
    """Whether nothing that the operation uses is computed in the region."""
    return all(not isinstance(value.owner, Operation) or value.owner not in region.operations for value in operation.operands)


def key_after(operation: Operation, replaced: dict[Value, Value]) -> Hashable | None:
    """The key of an operation that may run before its branch, with replaced operands; None for others, such as those that read memory,
    which the branch may have written before."""
    if operation.name not in DESCRIPTOR_OPS and any(is_memory(value) for value in operation.operands):
        return None
    if operation.opdef.effect is not Effect.PURE or operation.regions or operation.can_fail or not operation.results:
        return None
    if not all(isinstance(result.type, ScalarType) for result in operation.results):
        return None
    operation.operands = [resolve(value, replaced) for value in operation.operands]
    return key_of(operation)
