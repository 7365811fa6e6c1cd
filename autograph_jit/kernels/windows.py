"""Short loops over a window, in which a loop over elements adds to neighbours, are written out: the loop over elements is then innermost.

Before: for i in range(2, n - 2): c = a[i]; for k in range(-2, 3): s[i + k] += 0.2 * c
After:  for i in range(2, n - 2): c = a[i]; s[i - 2] += 0.2 * c; s[i - 1] += 0.2 * c; ...

The adjoint of a filter that is written by index is such a loop. Written out, its sums are statements (`kernels.distribution`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.graph import Block, Graph, Operation, Value, literal_of, walk_block
from autograph_jit.ir.types import I64
from autograph_jit.kernels.counted import replace
from autograph_jit.kernels.index_loops import is_bare
from autograph_jit.ops.registry import get

MOST_TRIPS = 9
LONGEST = 300  # operations of a window that is written out


def write_out_windows(graph: Graph) -> bool:
    """Write out the loops of a graph; whether there was any."""
    replaced: dict[Value, Value] = {}
    found = False
    for outer in [operation for operation in graph.walk() if operation.name == "for_loop" and is_bare(operation)]:
        body = outer.regions[0]
        if any(inner.name == "for_loop" for inner in body.operations):
            found = write_out_in(body, dependent(body.args[0], body), replaced) or found
    if replaced:
        replace(graph.block, replaced)
    return found


def write_out_in(body: Block, moving: set[Value], replaced: dict[Value, Value]) -> bool:
    """Write out the windows in the body of a loop over elements, those in windows first; whether there was any."""
    found = False
    for inner in [operation for operation in body.operations if operation.name == "for_loop"]:
        trips = literal_trips(inner)
        if trips is None or not adds_to_neighbours(inner, moving):
            continue
        region = inner.regions[0]
        write_out_in(region, moving, replaced)
        operations = list(walk_block(region))
        if len(operations) * len(trips) <= LONGEST and all(operation.name == "cond" for operation in operations if operation.regions):
            write_out(inner, trips, replaced)
            found = True
    return found


def literal_trips(loop: Operation) -> range | None:
    """The indices of a short loop whose bounds are literal."""
    numbers = [number for operand in loop.operands[:3] if (number := literal_of(operand)) is not None]
    if loop.attributes.get("has_break") or loop.regions[0].terminated:
        return None
    if len(numbers) < 3 or numbers[2] == 0:
        return None
    trips = range(*numbers)
    return trips if 1 < len(trips) <= MOST_TRIPS else None


def dependent(index: Value, body: Block) -> set[Value]:
    """An index and the integers that are computed of it."""
    found = {index}
    for operation in walk_block(body):
        if any(operand in found for operand in operation.operands):
            found.update(result for result in operation.results if result.type == I64)
    return found


def adds_to_neighbours(loop: Operation, moving: set[Value]) -> bool:
    """Whether a loop adds to an element of an array that depends on its own index and on one outside."""
    own = dependent(loop.regions[0].args[0], loop.regions[0])
    for store in walk_block(loop.regions[0]):
        if store.name != "store" or not any(index in own and index in moving for index in store.operands[2:]):
            continue
        total = store.operands[1].owner
        if isinstance(total, Operation) and total.name == "add":
            loads = (operand.owner for operand in total.operands)
            if any(isinstance(load, Operation) and load.name == "load" and load.operands[0] is store.operands[0] for load in loads):
                return True
    return False


def write_out(loop: Operation, trips: range, replaced: dict[Value, Value]) -> None:
    """Put the operations of all trips in the place of a loop."""
    block, body = loop.block, loop.regions[0]
    assert block is not None
    made: list[Operation] = []
    state: list[Any] = list(loop.operands[3:])
    for number in trips:
        index = Operation(get("constant"), [], {"value": np.int64(number)}, [], loop.span)
        index.results, index.block = [Value(I64, index, 0)], block
        values = Visible(zip(body.args, [index.result, *state]))
        made += [index, *(copy_operation(operation, block, values) for operation in body.operations)]
        state = [values[value] for value in body.yields]
    replaced.update(zip(loop.results, state))
    position = block.operations.index(loop)
    block.operations[position : position + 1] = block.adopt(made)
