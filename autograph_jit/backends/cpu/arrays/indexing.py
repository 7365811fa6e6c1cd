"""Integer indices: Python's negative ones, bounds, addresses of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, array_type, constant_of
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Block, Operation, Value

I64_DTYPE = np.dtype(np.int64)


def index_error(axis: int, text: str | None = None) -> Callable[..., Exception]:
    """NumPy's message for one axis, or another text."""
    if text is not None:
        return lambda index, size: IndexError(text)
    return lambda index, size: IndexError(f"index {int(index)} is out of bounds for axis {axis} with size {int(size)}")


def wrapped_index(e: Emitter, array: Array, axis: int, value: Value, dim: Size, in_place: bool = False) -> ir.Value:
    """An index counted from the front, checked unless its range proves that it is in bounds; only once for what is emitted in its place,
    which is where its block is."""
    size, index = array.shape[axis], e.get(value)
    if (e.operation, axis) in e.assured:
        return index
    nonnegative, below = e.ranges.is_index(value, dim, e.operation)
    if nonnegative and below:
        return index
    if not in_place or e.retreat is not None:
        return checked_index(e, axis, value, size, nonnegative)
    return checked_before(e, value, size) or remember(e, value, size, checked_index(e, axis, value, size, nonnegative))


def checked_index(e: Emitter, axis: int, value: Value, size: ir.Value, nonnegative: bool) -> ir.Value:
    """An index counted from the front, which is looked at here."""
    index = e.get(value)
    known = constant_of(index)
    if nonnegative:
        position = index
    elif known is None and e.retreat is None and moves(e, value):
        return found_or_wrapped(e, axis, index, size)
    elif known is None:
        position = e.b.select(e.compare("<", index, I64(0)), e.b.add(index, size), index)
    else:
        position = index if known >= 0 else e.add(index, size)
    inside = e.b.icmp_unsigned("<", position, size)
    if constant_of(position) is not None and constant_of(size) is not None:
        inside = I1(int(0 <= position.constant < size.constant))
    check(e, inside, axis, index, size)
    return position


def checked_before(e: Emitter, value: Value, size: ir.Value) -> ir.Value | None:
    """Where an index is, if it was checked against the same size earlier in the block or in one around it."""
    assert e.operation is not None
    block = e.operation.block
    while block is not None:
        function, position = e.positions.get(block, {}).get((value, size), (None, None))
        if position is not None and function is e.b.function:
            return position
        block = e.ranges.owners[block].block if block in e.ranges.owners else None
    return None


def remember(e: Emitter, value: Value, size: ir.Value, position: ir.Value) -> ir.Value:
    """Note that an index was checked: what follows in the block need not ask again."""
    if e.operation is not None and e.operation.block is not None:
        e.positions.setdefault(e.operation.block, {})[value, size] = e.b.function, position
    return position


def found_or_wrapped(e: Emitter, axis: int, index: ir.Value, size: ir.Value) -> ir.Value:
    """An index that is mostly in bounds as it is: only where it is not is it looked at whether it counts from the back."""
    before, unusual, found = e.b.block, e.block("unusual"), e.block("found")
    e.b.cbranch(e.b.icmp_unsigned("<", index, size), found, unusual).set_weights([1 << 20, 1])
    e.b.position_at_end(unusual)
    wrapped = e.b.add(index, size)
    check(e, e.b.icmp_unsigned("<", wrapped, size), axis, index, size)
    after = e.b.block
    e.b.branch(found)
    e.b.position_at_end(found)
    position = e.b.phi(I64)
    position.add_incoming(index, before)
    position.add_incoming(wrapped, after)
    return position


def moves(e: Emitter, value: Value) -> bool:
    """Whether an index may change from trip to trip of the innermost loop here; checks of others LLVM takes out of the loop."""
    assert e.operation is not None
    loop = next(filter(is_loop, owners(e, e.operation.block)), None)
    return loop is not None and changes(e, value, loop)


def changes(e: Emitter, value: Value, loop: Operation) -> bool:
    """Whether a number is one that the loop carries, or is computed inside from one, from an element or by a branch."""
    operation = value.owner
    if not isinstance(operation, Operation):
        return loop in owners(e, operation)
    if operation.name in ("constant", "dim") or loop not in owners(e, operation.block):
        return False
    return operation.name == "load" or bool(operation.regions) or any(changes(e, operand, loop) for operand in operation.operands)


def owners(e: Emitter, block: Block | None) -> Iterator[Operation]:
    """The branches and loops around a block, the innermost first."""
    while block is not None and block in e.ranges.owners:
        yield e.ranges.owners[block]
        block = e.ranges.owners[block].block


def is_loop(operation: Operation) -> bool:
    return operation.name in ("while_loop", "for_loop")


def check(e: Emitter, inside: ir.Value, axis: int, index: ir.Value, size: ir.Value) -> None:
    """Raise NumPy's error for an index unless it is inside. All checks of indices are made here, so that what they cost can be measured."""
    noted, e.afterwards = e.afterwards, None  # nothing is read or written out of bounds, so this check never waits
    text = None if e.operation is None else e.operation.attributes.get("text")
    e.guard(inside, index_error(axis, text), (index, I64_DTYPE), (size, I64_DTYPE))
    e.afterwards = noted


def element_address(e: Emitter, operation: Operation, array: Array, indices: list[Value]) -> ir.Value:
    """The address of one element; indices that are proved in bounds are taken as they are."""
    proved = bool(operation.attributes.get("proved"))
    pointer = array.pointer
    dims = array_type(operation.operands[0]).dims
    positions = [e.get(index) if proved else wrapped_index(e, array, axis, index, dims[axis], True) for axis, index in enumerate(indices)]
    for position, stride in zip(positions, array.strides):
        pointer = e.offset(pointer, e.mul(position, stride))
    return pointer
