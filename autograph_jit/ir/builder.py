"""Appends operations to a block: types are inferred, spans and unwind values are attached."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import OpDef
from autograph_jit.source import SourceSpan


def append(
    block: Block,
    opdef: OpDef,
    operands: list[Value],
    attributes: dict[str, Any] | None = None,
    regions: list[Block] | None = None,
    span: SourceSpan | None = None,
) -> Operation:
    """Append an operation to `block`; its result types come from the definition's `infer`."""
    operation = Operation(opdef, operands, attributes or {}, regions or [], span)
    types = opdef.infer(tuple(operand.type for operand in operands), operation.attributes)
    operation.results = [Value(type, operation, index) for index, type in enumerate(types)]
    operation.block = block
    block.operations.append(operation)
    for region in operation.regions:
        region.parent = block
    return operation
