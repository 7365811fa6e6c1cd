"""A number that a loop carries and does not change is read from outside of it, and an index that is not negative is not wrapped.

Before: for k in range(l), c = x[i]: j = k + n if k < 0 else k; ...; yield c        After: for k in range(l): j = k; ... x[i] ...

The reverse sweep of a sum carries its cotangent through the trips like this. Passes that look at what trips share and at which elements
they read find both then.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value, literal_of, resolve, walk_block
from autograph_jit.ir.types import I64, ScalarType
from autograph_jit.kernels.counted import replace
from autograph_jit.kernels.ranges import Ranges


def settle_unmoved(graph: Graph, ranges: Ranges) -> bool:
    """Rewrite the counted loops of a graph; whether there was any."""
    operations = list(walk_block(graph.block))
    wraps = [(operation, index_of_wrap(operation, ranges)) for operation in operations if operation.name == "where"]
    replaced = {operation.result: index for operation, index in wraps if index is not None}
    for operation in reversed(operations):  # loops inside come first: what they leave may be what they were given
        if operation.name == "for_loop":
            unmoved_in(operation, replaced)
    if replaced:
        replace(graph.block, replaced)
    return bool(replaced)


def unmoved_in(loop: Operation, replaced: dict[Value, Value]) -> None:
    """Note the numbers that a loop no longer carries, and what they always were."""
    if loop.attributes.get("has_break") or loop.regions[0].terminated:
        return
    body = loop.regions[0]
    for position in reversed(range(len(loop.results))):
        arg = body.args[position + 1]
        if resolve(body.yields[position], replaced) is arg and isinstance(arg.type, ScalarType):
            replaced[arg] = replaced[loop.results[position]] = loop.operands[position + 3]
            del loop.operands[position + 3], loop.results[position]
            del body.args[position + 1], body.yields[position]
    loop.attributes = {**loop.attributes, "results": tuple(result.type for result in loop.results)}
    for place, value in enumerate(loop.results):
        value.index = place
    for place, value in enumerate(body.args):
        value.index = place


def index_of_wrap(choice: Operation, ranges: Ranges) -> Value | None:
    """`x` of `x + n if x < 0 else x` where x is surely not negative."""
    index = wrapped_by(choice)
    return index if index is not None and ranges.is_nonnegative(index, choice) else None


def wrapped_by(choice: Operation) -> Value | None:
    """`x` of `x + n if x < 0 else x`."""
    test = choice.operands[0].owner
    if choice.result.type != I64 or not isinstance(test, Operation) or test.name != "less" or test.operands[0] is not choice.operands[2]:
        return None
    return choice.operands[2] if literal_of(test.operands[1]) == 0 else None
