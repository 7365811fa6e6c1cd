"""Moves operations that give the same result on every trip out of loops.

Before::                                             After::

    for_loop(%z, %n, %one) do (%i: i64) {                %b: f64 = sin(%a)
        %b: f64 = sin(%a)                                for_loop(%z, %n, %one) do (%i: i64) {
        store(%x, %b, %i)                                    store(%x, %b, %i)
        yield                                                yield
    }                                                    }

Requires: the operation is pure or a view, cannot fail, uses nothing that the loop defines, reads no memory that the loop writes. Arrays
are moved only if nobody writes them or sees their address, and only where computing them is dear: cheap ones are better
fused into their consumers than kept in memory, and go along with a dear operation that needs them.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect, Library, Pointwise, Reduction
from autograph_jit.ir.scalar import Expr, operand
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.transforms.aliases import Aliases, is_memory

LOOPS = frozenset({"while_loop", "for_loop"})
DEAR_NODES = frozenset({"call", "div", "sqrt", "floordiv", "mod"})


def hoist(graph: Graph, distinct_parameters: bool = False) -> None:
    """Hoist out of every loop, the innermost first."""
    hoist_in_block(graph.block, Aliases(graph, distinct_parameters))


def hoist_in_block(block: Block, aliases: Aliases) -> None:
    """Hoist out of the loops of a block and of its regions."""
    operations: list[Operation] = []
    for operation in block.operations:
        for region in operation.regions:
            hoist_in_block(region, aliases)
        if operation.name in LOOPS:
            operations += take_invariants(operation, aliases)
        operations.append(operation)
    block.operations = operations


def take_invariants(loop: Operation, aliases: Aliases) -> list[Operation]:
    """Take the invariant operations out of the loop's regions, in their order."""
    inside = {value for region in loop.regions for value in defined_in(region)}
    written = aliases.writes(loop)
    taken: list[Operation] = []
    for region in loop.regions:
        cheap: dict[Value, Operation] = {}
        for operation in region.operations:
            is_invariant = all(value not in inside or value in cheap for value in operation.operands)
            if not is_invariant or not may_move(operation, aliases) or aliases.may_meet(aliases.reads(operation), written):
                continue
            if is_worth_moving(operation):
                for moved in [*dict.fromkeys(needed(operation, cheap)), operation]:
                    inside.difference_update(moved.results)
                    moved.block, moved.unwind = loop.block, []
                    taken.append(moved)
                    cheap = {value: waiting for value, waiting in cheap.items() if waiting is not moved}
            else:
                cheap.update((result, operation) for result in operation.results)
        gone = set(taken)
        region.operations = [operation for operation in region.operations if operation not in gone]
    return taken


def needed(operation: Operation, cheap: dict[Value, Operation]) -> Iterator[Operation]:
    """The cheap operations that an operation needs, in the order in which they run."""
    for value in operation.operands:
        if value in cheap:
            yield from needed(cheap[value], cheap)
            yield cheap[value]


def defined_in(block: Block) -> Iterator[Value]:
    """Every value that a block and its regions define."""
    yield from block.args
    for operation in block.operations:
        yield from operation.results
        for region in operation.regions:
            yield from defined_in(region)


def may_move(operation: Operation, aliases: Aliases) -> bool:
    """Whether the operation may run earlier and once."""
    if operation.regions or operation.can_fail or not operation.results:
        return False
    if operation.opdef.effect is Effect.VIEW:
        return operation.name != "reshape"
    if operation.opdef.effect is not Effect.PURE or any(isinstance(result.type, ListType) for result in operation.results):
        return False
    return all(not is_memory(result) or aliases.is_constant_memory(result) for result in operation.results)


def is_worth_moving(operation: Operation) -> bool:
    """Whether it is a number, a view, or an array that is dear to compute."""
    has_memory = operation.opdef.effect is not Effect.VIEW and any(is_memory(result) for result in operation.results)
    return not has_memory or is_dear(operation)


def is_dear(operation: Operation) -> bool:
    """Whether computing an array costs more than reading it back."""
    kernel = operation.opdef.kernel
    if not isinstance(kernel, Pointwise):
        return isinstance(kernel, Library | Reduction)
    dtypes = [value.type.dtype for value in operation.operands if isinstance(value.type, ScalarType | ArrayType)]
    return has_dear_node(kernel.expression(*[operand(index, dtype) for index, dtype in enumerate(dtypes)], **operation.attributes))


def has_dear_node(expression: Expr) -> bool:
    """Whether a function call or a division is in the expression."""
    return expression.op in DEAR_NODES or any(map(has_dear_node, expression.args))
