"""Values that nothing reads, for the side of a branch that has none: zeros, the object None, arrays of the sizes that the type names."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.types import OBJECT, ArrayType, ListType, ScalarType, Type
from autograph_jit.tracing.hosting.host_calls import object_constant
from autograph_jit.tracing.values.trace import active, constant, emit


class Scope:
    """What is visible in a block that is being rebuilt, and in the blocks around it."""

    def __init__(self) -> None:
        self.nothing = object_constant(None).value

    def size(self, size: Any) -> Value:
        """The number that a size stands for, read from a visible array; 0 where no visible array has it, so that nobody knows it."""
        if isinstance(size, int):
            return constant(np.int64(size))
        block: Block | None = active().block
        while block is not None:
            for value in [*block.args, *(result for operation in block.operations for result in operation.results)]:
                if isinstance(value.type, ArrayType) and size in value.type.dims:
                    return emit("dim", value, axis=value.type.dims.index(size)).result
            block = block.parent
        return constant(np.int64(0))


def stand_in(type_: Type, scope: Scope) -> Value:
    """A value of a type."""
    if isinstance(type_, ScalarType):
        return constant(type_.dtype.type(0))
    if isinstance(type_, ArrayType):
        return emit("full", constant(type_.dtype.type(0)), *(scope.size(size) for size in type_.dims), dims=type_.dims).result
    if isinstance(type_, ListType):
        return emit("list_new", elem=type_.elem).result
    assert type_ == OBJECT
    return scope.nothing
