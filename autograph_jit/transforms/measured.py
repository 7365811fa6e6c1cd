"""Lists among the parameters of which the program asks nothing but the length: their items need not be read in.

Before: `for name, price in prices.items(): total += price` reads the letters of all names
After:  it reads how many there are
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ListType


def find_measured(graph: Graph) -> set[Value]:
    """The lists of numbers and texts among the parameters of which nothing is asked but the length, and whether they have an item."""
    found = {x for x in graph.block.args if isinstance(x.type, ListType) and not isinstance(x.type.elem, ListType)}
    operations = list(graph.walk()) if found else []
    yielded = (x for operation in operations for region in operation.regions for x in region.yields)
    used = {*graph.block.yields, *yielded, *(x for operation in operations for x in operation.unwind)}
    found -= used
    for operation in reversed(operations):
        if not is_idle(operation, used):
            used.update(operation.operands)
            if operation.name != "list_len":
                found.difference_update(operation.operands)
    return found


def is_idle(operation: Operation, used: set[Value]) -> bool:
    """Whether an operation does nothing but compute what is not used, or see to it that a list has an item."""
    if operation.regions or not used.isdisjoint(operation.results):
        return False
    return operation.name == "list_get" or operation.opdef.effect is Effect.PURE and not operation.can_fail
