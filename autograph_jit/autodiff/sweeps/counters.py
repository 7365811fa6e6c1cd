"""Trip counters: every loop that a condition ends carries how many trips it made, so that it can be run backwards.

Before: `while_loop(x)[test(x), body(x)]`
After:  `while_loop(x, 0)[test(x, n), body(x, n)]`, the body yielding n + 1; likewise `for_loop` with `has_break`
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.tracing.values.trace import active, constant, detached, emit


def add_counters(block: Block) -> None:
    """Give a last state value, the counter, to the loops of a block and of its regions."""
    for operation in list(block.operations):
        for region in operation.regions:
            add_counters(region)
        if operation.name == "while_loop" or (operation.name == "for_loop" and operation.attributes.get("has_break")):
            add_counter(block, operation)


def add_counter(block: Block, operation: Operation) -> None:
    """One more value of state: 0 before the loop, 1 more after each trip."""
    position = block.operations.index(operation)
    made = Block()
    with detached(active(), made):
        operation.operands.append(constant(np.int64(0)))
    block.operations[position:position] = block.adopt(made.operations)
    args = [region.add_argument(I64, "trips") for region in operation.regions]
    if operation.name == "while_loop":
        operation.regions[0].yields.append(args[0])
    body = operation.regions[-1]
    if not body.terminated:
        with detached(active(), body):
            body.yields.append(emit("add", args[-1], constant(np.int64(1))).result)
    operation.results.append(Value(I64, operation, len(operation.results), "trips"))
    if "results" in operation.attributes:
        operation.attributes = {**operation.attributes, "results": (*operation.attributes["results"], I64)}
