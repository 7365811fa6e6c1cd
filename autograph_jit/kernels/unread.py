"""Loads that nobody reads go, where it is proved that their elements are there: they stood for a check of the place alone.

Before::                                    After::

    %old: u8 = load(%out, %i)                   check(%fits)
    check(%fits)                                store(%out, %new, %i)
    store(%out, %new, %i)

A loop that reads what it writes is compiled with more care than one that only writes.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.ranges import Ranges


def drop_unread_loads(graph: Graph, ranges: Ranges) -> bool:
    """Remove such loads; whether there were any."""
    operations = list(walk_block(graph.block))
    blocks = [graph.block, *(region for operation in operations for region in operation.regions)]
    read = {value for operation in operations for value in (*operation.operands, *operation.unwind)}
    read.update(value for block in blocks for value in block.yields)
    loads = [operation for operation in operations if operation.name == "load" and operation.result not in read]
    unread = {load for load in loads if is_there(ranges, load)}
    for block in blocks if unread else ():
        block.operations = [operation for operation in block.operations if operation not in unread]
    return bool(unread)


def is_there(ranges: Ranges, load: Operation) -> bool:
    """Whether all indices of a load are surely in bounds."""
    array, *indices = load.operands
    assert isinstance(array.type, ArrayType)
    return all(ranges.is_index(index, dim, load) == (True, True) for index, dim in zip(indices, array.type.dims))
