"""What passes share: keys that tell equal operations, replacing values, moving operations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block, Graph, Operation, Value, resolve
from autograph_jit.ir.linear import size_asked
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.ops.registry import get


def make_constant(number: np.generic, like: Operation) -> Operation:
    """A `constant` operation for the place of another one; it is not yet in a block."""
    operation = Operation(get("constant"), [], {"value": number}, [], like.span)
    operation.results = [Value(ScalarType(number.dtype), operation, 0, like.results[0].hint)]
    operation.block = like.block
    return operation


def replace_values(graph: Graph, replaced: Mapping[Value, Value]) -> None:
    """Use the replacement wherever a value is used."""
    if replaced:
        replace_in_block(graph.block, replaced)


def replace_in_block(block: Block, replaced: Mapping[Value, Value]) -> None:
    """Use the replacements in the operations of a block, in its regions and in what it yields."""
    for operation in block.operations:
        operation.operands = [resolve(value, replaced) for value in operation.operands]
        operation.unwind = [resolve(value, replaced) for value in operation.unwind]
        for region in operation.regions:
            replace_in_block(region, replaced)
    block.yields = [resolve(value, replaced) for value in block.yields]


def freeze(value: Any) -> Hashable:
    """A key of an attribute: numbers by their bits (so that 0.0 and -0.0 differ), objects by identity."""
    if isinstance(value, np.generic):
        return (value.dtype.str, value.tobytes())
    if isinstance(value, tuple | list):
        return tuple(freeze(item) for item in value)
    if isinstance(value, bool | int | str | Dim | ScalarType | ArrayType | np.dtype) or value is None:
        return (type(value), value)
    return (type(value), id(value))


def key_of(operation: Operation) -> Hashable:
    """Equal keys: the same operation on the same operands. Sizes that are proved equal have equal keys whatever array they are asked of."""
    if operation.name == "dim":
        size = size_asked(operation)
        if isinstance(size, int) or all(name.startswith("s") for name, _ in size.terms):
            return ("dim", str(size))
    attributes = tuple(sorted((name, freeze(value)) for name, value in operation.attributes.items() if name != "dims"))
    return (operation.name, tuple(operation.operands), attributes, tuple(result.type for result in operation.results))


def renumber(values: list[Value]) -> None:
    """Give values their place in their owner's list."""
    for index, value in enumerate(values):
        value.index = index
