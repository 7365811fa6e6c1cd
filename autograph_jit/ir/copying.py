"""Copies graphs: a pass or a backend that assumes more than the caller knows works on a copy."""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value


class Visible(dict[Value, Value]):
    """Copies of values; others stand for themselves."""

    def __missing__(self, value: Value) -> Value:
        return value


def copy_graph(graph: Graph) -> Graph:
    """A graph of the same operations on values of its own; attributes are shared, they are never changed in place."""
    copy = Graph(graph.name)
    copy_block(graph.block, copy.block, {})
    copy.small = graph.small
    return copy


def copy_block(block: Block, copy: Block, values: dict[Value, Value]) -> None:
    """Fill `copy` with the content of `block`; `values` maps the originals visible here to their copies."""
    for argument in block.args:
        values[argument] = copy.add_argument(argument.type, argument.hint)
    for operation in block.operations:
        copy.operations.append(copy_operation(operation, copy, values))
    copy.yields = [values[value] for value in block.yields]
    copy.terminated = block.terminated


def copy_operation(operation: Operation, block: Block, values: dict[Value, Value]) -> Operation:
    """One operation with its regions, for a place in `block`."""
    operands = [values[operand] for operand in operation.operands]
    copy = Operation(operation.opdef, operands, dict(operation.attributes), [], operation.span)
    copy.unwind, copy.block, copy.contract = [values[value] for value in operation.unwind], block, operation.contract
    copy.for_c, copy.calls, copy.deoptimizes = operation.for_c, operation.calls, operation.deoptimizes
    for region in operation.regions:
        inner = Block(block)
        copy.regions.append(inner)
        copy_block(region, inner, values)
    for index, result in enumerate(operation.results):
        values[result] = Value(result.type, copy, index, result.hint)
        copy.results.append(values[result])
    return copy
