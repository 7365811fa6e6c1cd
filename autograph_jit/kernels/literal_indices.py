"""Views by literal indices that are in bounds are marked as what cannot fail.

Before: basic_index(t, 0) {items = (("full",), ("int",))}          After: the same with `proved = True`, where t has three columns

What waits for the nest that reads it may then wait behind such a view (`kernels.elsewhere`).
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, literal_of
from autograph_jit.ir.types import ArrayType


def mark_literal_indices(graph: Graph) -> None:
    """Mark the views of a graph."""
    for operation in graph.walk():
        if operation.name == "basic_index" and operation.can_fail and is_in_bounds(operation):
            operation.attributes = {**operation.attributes, "proved": True}


def is_in_bounds(view: Operation) -> bool:
    """Whether each integer is a literal that counts from the front of an axis of known length, and no slice has a step."""
    array, *integers = view.operands
    assert isinstance(array.type, ArrayType)
    numbers, sizes = iter(integers), iter(array.type.dims)
    for item in view.attributes["items"]:
        if item[0] == "newaxis":
            continue
        size = next(sizes)
        if item[0] == "slice":
            if item[3]:
                return False
            for _ in filter(None, item[1:]):
                next(numbers)
        elif item[0] == "int":
            place = literal_of(next(numbers))
            if place is None or not isinstance(size, int) or not 0 <= place < size:
                return False
    return True
