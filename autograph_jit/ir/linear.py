"""Numbers of a graph as sums of sizes and constants: `dim(x) - 1` is the size of x less one."""

from __future__ import annotations

from autograph_jit.ir.dims import Dim, Size, combine
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import ArrayType


def linear(value: Value) -> Size | None:
    """A number as the size of an axis and a constant, if it is."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    if owner.name == "constant":
        return int(owner.attributes["value"])
    if owner.name == "dim":
        size = size_asked(owner)
        return size if isinstance(size, int | Dim) else None
    if owner.name not in ("add", "subtract"):
        return None
    x, y = (linear(operand) for operand in owner.operands)
    return None if x is None or y is None else combine(x, y, 1 if owner.name == "add" else -1)


def size_asked(dim: Operation) -> Size:
    """What a `dim` operation gives."""
    type_ = dim.operands[0].type
    assert isinstance(type_, ArrayType)
    return type_.dims[dim.attributes["axis"]]
