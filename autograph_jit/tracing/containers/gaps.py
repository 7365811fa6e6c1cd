"""Tables that the whole program only adds to, or only reads: what closes gaps, or asks an index for lengths, is not needed.

Before: `for k in d` numbers the keys anew where any was removed, which writes to the dict
After:  without a removal in the program the dict is only read, and its length is that of its keys
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from autograph_jit.ir.function import walk_with_functions
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ops import registry

REMOVING = ("table_remove", "table_pop")


def settle_tables(graph: Graph) -> None:
    """Take out what closes gaps where nothing leaves any, functions that the program calls neither; the length of what it only reads is
    that of its columns."""
    if not any(operation.name in REMOVING for operation in walk_with_functions(graph)):
        drop_from(graph.block)
    made = {operation.result: operation for operation in graph.walk() if operation.name == "table_index"}
    if not made:
        return
    changed = written_in(graph)
    for operation in graph.walk():
        if operation.name == "table_len" and operation.operands[0] in made and operation.operands[0] not in changed:
            settle_length(operation, made[operation.operands[0]].operands[0])


def written_in(graph: Graph) -> set[Value]:
    """The values that an operation writes to, or that a region hands on under another name."""
    found: set[Value] = set(graph.block.yields)
    for operation in graph.walk():
        handed_on = chain.from_iterable(region.yields for region in operation.regions)
        found.update(handed_on, operation.operands if operation.regions or operation.opdef.effect is not Effect.PURE else ())
    return found


def settle_length(operation: Operation, column: Value) -> None:
    """The number of keys of a table that nothing changes, or of gaps in it."""
    if operation.attributes["of"] == "keys":
        operation.opdef, operation.operands, operation.attributes = registry.get("list_len"), [column], {}
    else:
        operation.opdef, operation.operands, operation.attributes = registry.get("constant"), [], {"value": np.int64(0)}


def only_grow(graph: Graph) -> bool:
    """Whether no key of any table is ever removed."""
    return not any(operation.name in (*REMOVING, "list_clear") for operation in walk_with_functions(graph))


def drop_from(block: Block) -> None:
    """The same in one block and its regions."""
    block.operations = [operation for operation in block.operations if not closes_gaps(operation)]
    for operation in block.operations:
        for region in operation.regions:
            drop_from(region)


def closes_gaps(operation: Operation) -> bool:
    """Whether an operation is a branch that does nothing else."""
    if operation.name != "cond" or operation.results:
        return False
    return any(inner.name == "table_renumber" for inner in operation.regions[0].operations)
