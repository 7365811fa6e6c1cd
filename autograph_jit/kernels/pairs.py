"""Reductions that are found in passing: the largest numbers of a matrix's columns where their rows are looked for.

Before: where = np.argmax(t, axis=0); best = np.max(t, axis=0)         After: one nest for both, into which `t` itself may be fused
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, is_complex, is_pointwise_array, may_write

FARTHEST = 12  # operations between the two


def find_pairs(graph: Graph, facts: Facts) -> dict[Operation, Operation]:
    """Maps each extremum that a search before it finds in passing to that search."""
    return {found: search for block in blocks_of(graph.block) for search, found in pairs_of(block, facts)}


def pairs_of(block: Block, facts: Facts) -> list[tuple[Operation, Operation]]:
    found = []
    for position, search in enumerate(block.operations):
        if search.name == "arg_reduce" and is_by_columns(search):
            leaves = sources_of_value(search.operands[0])
            for other in block.operations[position + 1 : position + 1 + FARTHEST]:
                if is_extremum_of(other, search):
                    found.append((search, other))
                    break
                if other.regions or may_write(other, leaves, facts):
                    break
    return found


def is_by_columns(search: Operation) -> bool:
    """Whether a search goes over the rows of a real matrix for all columns; not in a `try`, where an exception would keep memory."""
    value = search.operands[0]
    matrix = isinstance(value.type, ArrayType) and value.type.rank == 2 and not is_complex(value)
    return matrix and search.attributes["axis"] == 0 and not search.attributes["keepdims"] and not search.unwind


def is_extremum_of(operation: Operation, search: Operation) -> bool:
    return (
        operation.name == "reduce"
        and operation.operands[0] is search.operands[0]
        and operation.attributes["op"] == search.attributes["op"].removeprefix("arg")
        and tuple(operation.attributes["axes"]) == (0,)
        and not operation.attributes["keepdims"]
    )


def sources_of_value(value: Value) -> list[Value]:
    """The arrays that a value may be computed from where it is used."""
    found = {value: None}
    pending = [value]
    for each in pending:
        if isinstance(each.owner, Operation) and is_pointwise_array(each.owner):
            following = dict.fromkeys(
                operand for operand in each.owner.operands if isinstance(operand.type, ArrayType) and operand not in found
            )
            pending += following
            found.update(following)
    return pending
