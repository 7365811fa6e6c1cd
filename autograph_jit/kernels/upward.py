"""Loops of the reverse sweep that count down, and whose trips may come in any order, count up.

Before: for i in range(n - 1, -1, -1): g[i] += f(x[i])          After: for i in range(0, n): g[i] += f(x[i])

Trips side by side and loops that are turned inside out (`backends.cpu.lockstep`) count up.

Requires: nothing is carried, nothing can fail, and each trip reads and writes elements of its own but for sums that commute.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.kernels.commuting import find_commuting
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.trips import Trips, disjoint_arrays
from autograph_jit.ops.registry import get

LOOPS = ("for_loop", "while_loop")
MOST_OPERATIONS = 300  # of a loop that is looked at


def count_upward(graph: Graph, ranges: Ranges, layouts: tuple[str, ...], distinct_parameters: bool) -> bool:
    """Turn the loops of a graph; whether there was any."""
    downward = [operation for operation in graph.walk() if operation.name == "for_loop" and ranges.affine(operation.operands[2]) == -1]
    if not any(is_nested(loop) for loop in downward):
        return False
    facts = find_facts(graph, layouts, distinct_parameters)
    nested = {loop for loop in downward if is_nested(loop)}
    inner = {operation for loop in nested for operation in walk_block(loop.regions[0]) if operation in set(downward)}
    found = [loop for loop in downward if loop in nested | inner and may_turn(loop, ranges, facts)]
    for loop in found:
        turn(loop)
    return bool(found)


def is_nested(loop: Operation) -> bool:
    return any(operation.name in LOOPS for operation in loop.regions[0].operations)


def may_turn(loop: Operation, ranges: Ranges, facts: Facts) -> bool:
    """Whether the trips of a loop may come in any order."""
    if loop.results or loop.attributes.get("has_break") or loop.regions[0].terminated or loop.unwind:
        return False
    trips = Trips(loop, loop.regions[0].args[0])
    if len(trips.operations) > MOST_OPERATIONS or not all(map(is_calm, trips.operations)):
        return False
    return disjoint_arrays(trips, facts, ranges, find_commuting(trips)) == set()


def is_calm(operation: Operation) -> bool:
    """Whether an operation only computes, reads and writes elements, and cannot fail."""
    if operation.name in ("load", "store"):
        return bool(operation.attributes.get("proved"))
    if operation.name in ("cond", *LOOPS, "dim", "constant"):
        return not any(region.terminated for region in operation.regions)
    return isinstance(operation.opdef.kernel, Pointwise) and not operation.can_fail


def turn(loop: Operation) -> None:
    """Exchange the bounds, in place: `stop < index <= start` is what they say."""
    made = Block()
    one = append(made, get("constant"), [], {"value": np.int64(1)}, span=loop.span).result
    start, stop = loop.operands[:2]
    loop.operands[:3] = [plus(made, stop, one, loop), plus(made, start, one, loop), one]
    block = loop.block
    assert block is not None
    position = block.operations.index(loop)
    block.operations[position:position] = block.adopt(made.operations)


def plus(made: Block, number: Value, one: Value, loop: Operation) -> Value:
    """One more, as a literal where the number is one."""
    known = constant_of(number)
    if known is not None:
        return append(made, get("constant"), [], {"value": known + np.int64(1)}, span=loop.span).result
    return append(made, get("add"), [number, one], {}, span=loop.span).result
