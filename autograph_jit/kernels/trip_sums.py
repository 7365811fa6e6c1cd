"""Sums that an innermost loop carries through its trips for a reverse sweep: their order may change, so that they run in vectors.

Before: for i in range(n), s = 0: s = fma(ct[i], x[i], s)       After: several sums side by side, added at the end

Each addition would wait for the one before it, four cycles for one number. The program's own sums keep their order.
"""

from __future__ import annotations

from collections import Counter

from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.types import ScalarType

MOST_CHAINED = 8  # sums of one trip into one number


def find_trip_sums(graph: Graph) -> set[Operation]:
    """The additions of a graph whose order may change."""
    found: set[Operation] = set()
    for loop in walk_block(graph.block):
        if loop.name == "for_loop" and not loop.attributes.get("has_break") and not loop.regions[0].terminated:
            found.update(sums_of(loop.regions[0]))
    return found


def sums_of(body: Block) -> list[Operation]:
    """The additions that lead from a number that a trip is given to what it hands on, if nothing else reads what is between. None where
    a trip waits for more than sums: it makes one multiply-add while it waits."""
    if any(operation.regions for operation in body.operations):
        return []
    uses = Counter(value for operation in body.operations for value in (*operation.operands, *operation.unwind))
    uses.update(body.yields)
    pairs = zip(body.args[1:], body.yields)
    chains = [chain_from(value, arg, uses, MOST_CHAINED) if uses[arg] == 1 else None for arg, value in pairs]
    return [operation for chain in chains for operation in chain or ()] if all(chains) else []


def chain_from(value: Value, arg: Value, uses: Counter[Value], most: int) -> list[Operation] | None:
    """The additions between a value and an argument; None where there is more than that between them."""
    if value is arg:
        return []
    add, type_ = value.owner, value.type
    is_float = isinstance(type_, ScalarType) and type_.dtype.kind == "f" and type_.dtype.itemsize in (4, 8)
    if not isinstance(add, Operation) or add.name != "add" or not add.contract or not is_float or uses[value] != 1 or not most:
        return None
    chains = (chain_from(operand, arg, uses, most - 1) for operand in add.operands)
    found = next((chain for chain in chains if chain is not None), None)
    return None if found is None else [*found, add]
