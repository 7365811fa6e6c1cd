"""Growable lists of scalars, or of references to lists: a header with items, length and capacity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.boundary import clear_bytes, copy_bytes, empty_python_list, unpack_list
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.list_memory import FIRST_BYTES
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.nests.elementwise import fill_elements
from autograph_jit.backends.cpu.python_lists import item_bytes
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import CAPACITY, ITEMS, LENGTH
from autograph_jit.backends.cpu.signatures import I32, I64, PTR
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ListType, ScalarType, Type
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.lifetimes import is_owning


def slot(e: Emitter, items: ir.Value, index: int, type: ir.Type = I64) -> ir.Value:
    return e.b.load(e.b.gep(items, [I64(index)], source_etype=I64), typ=type)


def set_length(e: Emitter, items: ir.Value, length: ir.Value) -> None:
    e.b.store(length, e.b.gep(items, [I64(LENGTH)], source_etype=I64))


def element_dtype(operation: Operation) -> np.dtype:
    """The dtype of the numbers in a list."""
    elem = element_type(operation)
    assert isinstance(elem, ScalarType)
    return elem.dtype


def element_type(operation: Operation) -> Type:
    type = operation.operands[0].type
    assert isinstance(type, ListType)
    return type.elem


def item_address(e: Emitter, items: ir.Value, position: ir.Value, elem: Type) -> ir.Value:
    return e.offset(slot(e, items, ITEMS, PTR), e.mul(position, I64(item_bytes(elem))))


def load_item(e: Emitter, address: ir.Value, elem: Type) -> Emitted:
    """An item as it stands in memory; a list is still the reference of the one that holds it."""
    return e.load_number(address, elem.dtype) if isinstance(elem, ScalarType) else e.b.load(address, typ=PTR)


def store_item(e: Emitter, value: Emitted, address: ir.Value, elem: Type) -> None:
    """Write an item; of a list a reference of its own."""
    if isinstance(elem, ListType):
        e.call("ag_retain", value)
    place_item(e, value, address, elem)


def place_item(e: Emitter, value: Emitted, address: ir.Value, elem: Type) -> None:
    """Write an item; of a list the reference that it is."""
    if isinstance(elem, ScalarType):
        e.store_number(value, address, elem.dtype)
    else:
        e.b.store(value, address)


def replace_item(e: Emitter, value: Emitted, address: ir.Value, elem: Type) -> None:
    """Write an item over another one."""
    before = load_item(e, address, elem) if isinstance(elem, ListType) else None
    store_item(e, value, address, elem)
    if before is not None:
        e.call("ag_release", e.frame, before)


def checked_position(e: Emitter, items: ir.Value, index: ir.Value, build: Callable[..., Exception]) -> ir.Value:
    """An index counted from the front; the IndexError where there is no such item."""
    length = slot(e, items, LENGTH)
    position = e.b.select(e.compare("<", index, I64(0)), e.b.add(index, length), index)
    e.guard(e.b.icmp_unsigned("<", position, length), build, (length, np.dtype(np.int64)))
    return position


def reserve(e: Emitter, items: ir.Value, count: ir.Value, elem: Type, least: int = 0) -> None:
    """Room for that many items, where at least some bytes are there."""
    size = e.mul(count, I64(item_bytes(elem)))
    if isinstance(size, ir.Constant) and size.constant <= least:
        return
    with e.b.if_then(e.b.icmp_signed(">", size, slot(e, items, CAPACITY)), likely=False):
        failed = e.call("ag_list_reserve", items, size)
        e.guard(e.b.icmp_signed("==", failed, I32(0)), lambda: MemoryError("compiled code cannot grow a list"))


@rule("list_new")
def emit_new(e: Emitter, operation: Operation) -> list[Emitted]:
    assert isinstance(operation.result.type, ListType)
    return [empty_python_list(e, operation.result.type.elem)]


@rule("list_of_object")
def emit_of_object(e: Emitter, operation: Operation) -> list[Emitted]:
    """It is another list than the one that its items come from."""
    assert isinstance(operation.result.type, ListType)
    e.call("ag_take_gil", e.frame)
    source = e.call("ag_object", e.get(operation.operands[0]))
    made = unpack_list(e, source, operation.result, is_another=True)
    e.call("Py_DecRef", source)
    return [made]


@rule("list_len")
def emit_length(e: Emitter, operation: Operation) -> list[Emitted]:
    return [slot(e, e.get(operation.operands[0]), LENGTH)]


@rule("list_is_same", "text_is_same")
def emit_is_same(e: Emitter, operation: Operation) -> list[Emitted]:
    """Equal texts are one entry."""
    x, y = (e.get(operand) for operand in operation.operands)
    return [e.b.icmp_unsigned("==", x, y)]


@rule("list_identity")
def emit_identity(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.b.ptrtoint(e.get(operation.operands[0]), I64)]


@rule("list_push")
def emit_push(e: Emitter, operation: Operation) -> list[Emitted]:
    items, value = (e.get(operand) for operand in operation.operands)
    elem, pushes = element_type(operation), e.pushes[operation]
    place = pushes.places[operation]
    if not place:
        length = I64(0) if pushes.is_new else slot(e, items, LENGTH)
        reserve(e, items, e.add(length, I64(len(pushes.places))), elem, FIRST_BYTES if pushes.is_new else 0)
        e.ends[pushes] = length, item_address(e, items, length, elem)
    before, end = e.ends[pushes]
    store_item(e, value, e.offset(end, I64(place * item_bytes(elem))), elem)
    if operation in pushes.counted:
        set_length(e, items, e.add(before, I64(place + 1)))
    return []


@rule("list_get")
def emit_get(e: Emitter, operation: Operation) -> list[Emitted]:
    items, index = (e.get(operand) for operand in operation.operands)
    elem = element_type(operation)
    position = checked_position(e, items, index, lambda length: IndexError("list index out of range"))
    item = load_item(e, item_address(e, items, position, elem), elem)
    if is_owning(operation) and isinstance(elem, ListType):
        e.call("ag_retain", item)
    return [item]


@rule("list_set")
def emit_set(e: Emitter, operation: Operation) -> list[Emitted]:
    items, index, value = (e.get(operand) for operand in operation.operands)
    elem = element_type(operation)
    position = checked_position(e, items, index, lambda length: IndexError("list assignment index out of range"))
    replace_item(e, value, item_address(e, items, position, elem), elem)
    return []


def pop_error(length: np.int64) -> Exception:
    return IndexError("pop index out of range" if length else "pop from empty list")


@rule("list_pop")
def emit_pop(e: Emitter, operation: Operation) -> list[Emitted]:
    items, index = (e.get(operand) for operand in operation.operands)
    elem = element_type(operation)
    position = checked_position(e, items, index, pop_error)
    value = load_item(e, item_address(e, items, position, elem), elem)
    left = e.sub(slot(e, items, LENGTH), I64(1))
    move_items(e, items, e.add(position, I64(1)), position, e.sub(left, position), elem)
    set_length(e, items, left)
    return [value]


def move_items(e: Emitter, items: ir.Value, source: ir.Value, target: ir.Value, count: ir.Value, elem: Type) -> None:
    size = e.mul(count, I64(item_bytes(elem)))
    copy_bytes(e, item_address(e, items, target, elem), item_address(e, items, source, elem), size)


@rule("list_insert")
def emit_insert(e: Emitter, operation: Operation) -> list[Emitted]:
    items, index, value = (e.get(operand) for operand in operation.operands)
    elem, length = element_type(operation), slot(e, e.get(operation.operands[0]), LENGTH)
    position = e.b.select(e.compare("<", index, I64(0)), e.b.add(index, length), index)
    position = e.minimum(e.maximum(position, I64(0)), length)
    reserve(e, items, e.add(length, I64(1)), elem)
    move_items(e, items, position, e.add(position, I64(1)), e.sub(length, position), elem)
    store_item(e, value, item_address(e, items, position, elem), elem)
    set_length(e, items, e.add(length, I64(1)))
    return []


@rule("list_shift")
def emit_shift(e: Emitter, operation: Operation) -> list[Emitted]:
    items, by = (e.get(operand) for operand in operation.operands)
    elem, length = element_type(operation), slot(e, e.get(operation.operands[0]), LENGTH)
    total = e.b.add(length, by)
    with e.b.if_else(e.compare(">", by, I64(0))) as (longer, shorter):
        with longer:
            reserve(e, items, total, elem)
            move_items(e, items, I64(0), by, length, elem)
            clear_bytes(e, slot(e, items, ITEMS, PTR), e.mul(by, I64(item_bytes(elem))))
        with shorter:
            if isinstance(elem, ListType):
                e.call("ag_release_items", e.frame, items, e.b.neg(by))
            move_items(e, items, e.b.neg(by), I64(0), total, elem)
    set_length(e, items, total)
    return []


@rule("list_clear")
def emit_clear(e: Emitter, operation: Operation) -> list[Emitted]:
    items = e.get(operation.operands[0])
    length = slot(e, items, LENGTH)
    set_length(e, items, I64(0))
    if isinstance(element_type(operation), ListType):
        e.call("ag_release_items", e.frame, items, length)
    return []


@rule("list_copy")
def emit_copy(e: Emitter, operation: Operation) -> list[Emitted]:
    items, elem = e.get(operation.operands[0]), element_type(operation)
    length, copied = slot(e, items, LENGTH), empty_python_list(e, elem)
    reserve(e, copied, length, elem)
    copy_bytes(e, slot(e, copied, ITEMS, PTR), slot(e, items, ITEMS, PTR), e.mul(length, I64(item_bytes(elem))))
    set_length(e, copied, length)
    if isinstance(elem, ListType):
        emit_loop(e, length, [], lambda index, carried: retained(e, copied, index, elem), in_vectors=False)
    return [copied]


def retained(e: Emitter, items: ir.Value, index: ir.Value, elem: Type) -> list[ir.Value]:
    """A list of lists takes a reference to one of its items."""
    e.call("ag_retain", load_item(e, item_address(e, items, index, elem), elem))
    return []


@rule("list_to_array")
def emit_to_array(e: Emitter, operation: Operation) -> list[Emitted]:
    items, dtype = e.get(operation.operands[0]), element_dtype(operation)
    length = slot(e, items, LENGTH)
    if not is_owning(operation):
        strides = e.contiguous_strides((length,), dtype.itemsize)
        return [Array(slot(e, items, ITEMS, PTR), items, (length,), strides, dtype, True, "fresh")]
    target = e.allocate((length,), dtype)
    copy_bytes(e, target.pointer, slot(e, items, ITEMS, PTR), e.mul(length, I64(dtype.itemsize)))
    return [target]


@rule("list_extend")
def emit_extend(e: Emitter, operation: Operation) -> list[Emitted]:
    target, source = operation.operands
    items, dtype, type = e.get(target), element_dtype(operation), array_type(source)
    length, emitted = slot(e, items, LENGTH), e.get(source)
    assert isinstance(emitted, Array)
    total = e.add(length, e.product(emitted.shape))
    reserve(e, items, total, element_type(operation))
    strides = e.contiguous_strides(emitted.shape, dtype.itemsize)
    room = Array(item_address(e, items, length, element_type(operation)), PTR(None), emitted.shape, strides, dtype, True, None)
    builder = NestBuilder(type.rank, e.consumers)
    expression = builder.expression_of(source)
    fill_elements(e, "list_extend", room, type, builder, expression)
    set_length(e, items, total)
    return []


@rule("list_take")
def emit_take(e: Emitter, operation: Operation) -> list[Emitted]:
    items, *sizes = (e.get(operand) for operand in operation.operands)
    dtype = element_dtype(operation)
    target = e.allocate(tuple(sizes), dtype)
    count = e.product(tuple(sizes))
    left = e.sub(slot(e, items, LENGTH), count)
    copy_bytes(e, target.pointer, item_address(e, items, left, element_type(operation)), e.mul(count, I64(dtype.itemsize)))
    set_length(e, items, left)
    return [target]
