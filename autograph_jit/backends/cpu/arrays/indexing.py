"""Integer indices: Python's negative ones, bounds, addresses of elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.runtime_module import I1, I64
from autograph_jit.backends.cpu.values import Array, array_type, constant_of
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value

I64_DTYPE = np.dtype(np.int64)


def index_error(axis: int) -> Callable[..., Exception]:
    """NumPy's message for one axis."""
    return lambda index, size: IndexError(f"index {int(index)} is out of bounds for axis {axis} with size {int(size)}")


def wrapped_index(e: Emitter, array: Array, axis: int, value: Value, dim: Size) -> ir.Value:
    """An index counted from the front, checked unless its range proves that it is in bounds."""
    size, index = array.shape[axis], e.get(value)
    known = constant_of(index)
    if (e.operation, axis) in e.assured:
        return index
    nonnegative, below = e.ranges.is_index(value, dim, e.operation)
    if nonnegative and below:
        return index
    if nonnegative:
        position = index
    elif known is None:
        position = e.b.select(e.compare("<", index, I64(0)), e.b.add(index, size), index)
    else:
        position = index if known >= 0 else e.add(index, size)
    inside = e.b.icmp_unsigned("<", position, size)
    if constant_of(position) is not None and constant_of(size) is not None:
        inside = I1(int(0 <= position.constant < size.constant))
    check(e, inside, axis, index, size)
    return position


def check(e: Emitter, inside: ir.Value, axis: int, index: ir.Value, size: ir.Value) -> None:
    """Raise NumPy's error for an index unless it is inside. All checks of indices are made here, so that what they cost can be measured."""
    e.guard(inside, index_error(axis), (index, I64_DTYPE), (size, I64_DTYPE))


def element_address(e: Emitter, operation: Operation, array: Array, indices: list[Value]) -> ir.Value:
    """The address of one element; indices that are proved in bounds are taken as they are."""
    proved = bool(operation.attributes.get("proved"))
    pointer = array.pointer
    dims = array_type(operation.operands[0]).dims
    positions = [e.get(index) if proved else wrapped_index(e, array, axis, index, dims[axis]) for axis, index in enumerate(indices)]
    for position, stride in zip(positions, array.strides):
        pointer = e.offset(pointer, e.mul(position, stride))
    return pointer
