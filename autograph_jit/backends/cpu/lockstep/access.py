"""Loads and stores of lanes: neighbours as vectors, the rest gathered and scattered, every index checked."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arrays.indexing import wrapped_index
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR, VOID
from autograph_jit.backends.cpu.values import Array, array_type, constant_of, dtype_of, memory_type
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.kernels.commuting import ElementSum
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where each lane's element is: at `pointer`, `stride` bytes further from lane to lane, and each at an offset of its own, if any."""

    pointer: ir.Value
    stride: ir.Value
    offsets: ir.Value | None


def load(lanes: Lanes, operation: Operation) -> ir.Value:
    if operation in lanes.slots:
        return lanes.e.b.load(lanes.slots[operation], typ=lanes.type_of(dtype_of(operation.result)), align=64)
    array = lanes.e.get(operation.operands[0])
    return load_vector(lanes, array, place_of(lanes, operation, array, operation.operands[1:]))


def store(lanes: Lanes, operation: Operation) -> None:
    e, value = lanes.e, lanes.vector(operation.operands[1])
    if operation in lanes.slots:
        e.b.store(value, lanes.slots[operation], align=64)
        return
    array = e.get(operation.operands[0])
    place = place_of(lanes, operation, array, operation.operands[2:])
    store_vector(lanes, array, place, value)


def add_all(lanes: Lanes, sum_: ElementSum | None) -> None:
    """Add what all active lanes have to one element, at its store; nothing at its load and its addition."""
    if sum_ is None:
        return
    e, vector = lanes.e, lanes.vector(sum_.contribution)
    if lanes.mask is not None:
        nothing = ir.Constant(vector.type, ir.Constant(vector.type.element, -0.0).constant)
        vector = e.b.select(lanes.mask, vector, nothing)
    total = folded(lanes, vector)
    array = e.get(sum_.store.operands[0])
    pointer = place_of(lanes, sum_.store, array, sum_.store.operands[2:]).pointer
    align = array.dtype.itemsize if array.contiguous else 1
    element = e.b.load(pointer, typ=total.type, align=align)
    e.mark_scope(element, array.scope)
    e.mark_scope(e.b.store(e.b.fadd(element, total), pointer, align=align), array.scope)


def folded(lanes: Lanes, vector: ir.Value) -> ir.Value:
    """The sum of all lanes, by halves."""
    b, width = lanes.e.b, lanes.width
    while width > 1:
        width //= 2
        low, high = (ir.Constant(ir.VectorType(I32, width), [first + lane for lane in range(width)]) for first in (0, width))
        undefined = ir.Constant(vector.type, ir.Undefined)
        vector = b.fadd(b.shuffle_vector(vector, undefined, low), b.shuffle_vector(vector, undefined, high))
    return b.extract_element(vector, I32(0))


def store_vector(lanes: Lanes, array: Array, place: Place, value: ir.Value) -> None:
    e = lanes.e
    number = e.b.zext(value, ir.VectorType(I8, lanes.width)) if array.dtype.kind == "b" else value
    align = I32(array.dtype.itemsize if array.contiguous else 1)
    suffix = suffix_of(lanes, array.dtype)
    if is_adjacent(place, array):
        if lanes.mask is None:
            e.mark_scope(e.b.store(number, place.pointer, align=align.constant), array.scope)
            return
        stored = e.intrinsic(f"llvm.masked.store.{suffix}.p0", VOID, number, place.pointer, align, lanes.mask)
    else:
        pointers = addresses(lanes, place)
        stored = e.intrinsic(f"llvm.masked.scatter.{suffix}.v{lanes.width}p0", VOID, number, pointers, align, lanes.full_mask())
    e.mark_scope(stored, array.scope)


def load_vector(lanes: Lanes, array: Array, place: Place) -> ir.Value:
    type = ir.VectorType(memory_type(array.dtype), lanes.width)
    loaded = load_bytes(lanes, array, place, type)
    return lanes.e.b.icmp_unsigned("!=", loaded, type(0)) if array.dtype.kind == "b" else loaded


def load_bytes(lanes: Lanes, array: Array, place: Place, type: ir.VectorType) -> ir.Value:
    e = lanes.e
    align = I32(array.dtype.itemsize if array.contiguous else 1)
    suffix = suffix_of(lanes, array.dtype)
    if place.offsets is None and constant_of(place.stride) == 0:
        single = e.b.load(place.pointer, typ=type.element, align=align.constant)
        e.mark_scope(single, array.scope)
        return lanes.splat(single)
    if is_adjacent(place, array):
        if lanes.mask is None:
            loaded = e.b.load(place.pointer, typ=type, align=align.constant)
        else:
            loaded = e.intrinsic(f"llvm.masked.load.{suffix}.p0", type, place.pointer, align, lanes.mask, type(0))
    else:
        pointers = addresses(lanes, place)
        loaded = e.intrinsic(f"llvm.masked.gather.{suffix}.v{lanes.width}p0", type, pointers, align, lanes.full_mask(), type(0))
    e.mark_scope(loaded, array.scope)
    return loaded


def suffix_of(lanes: Lanes, dtype: np.dtype) -> str:
    return f"v{lanes.width}{'f' if dtype.kind == 'f' else 'i'}{8 * dtype.itemsize}"


def is_adjacent(place: Place, array: Array) -> bool:
    return place.offsets is None and constant_of(place.stride) == array.dtype.itemsize


def addresses(lanes: Lanes, place: Place) -> ir.Value:
    """The address of each lane's element; lanes that are not active may have any."""
    e = lanes.e
    offsets = lanes.spread(Progression(e.b.ptrtoint(place.pointer, I64), place.stride))
    if place.offsets is not None:
        offsets = e.b.add(offsets, place.offsets)
    return e.b.inttoptr(offsets, ir.VectorType(PTR, lanes.width))


def place_of(lanes: Lanes, operation: Operation, array: Array, indices: list[Value]) -> Place:
    e = lanes.e
    proved = bool(operation.attributes.get("proved"))
    pointer, stride, offsets = array.pointer, I64(0), None
    for axis, (index, dim) in enumerate(zip(indices, array_type(operation.operands[0]).dims)):
        pitch = array.strides[axis]
        if not lanes.divergence.varies(index):
            position = e.get(index) if proved else wrapped_index(e, array, axis, index, dim)
            pointer = e.offset(pointer, e.mul(position, pitch))
            continue
        found = e.get(index) if proved else index_of_lanes(lanes, operation, array, axis, index, dim)
        if isinstance(found, Progression):
            pointer = e.offset(pointer, e.mul(found.base, pitch))
            stride = e.add(stride, e.mul(found.step, pitch))
        else:
            moved = e.b.mul(found, lanes.splat(pitch))
            offsets = moved if offsets is None else e.b.add(offsets, moved)
    return Place(pointer, stride, offsets)


def index_of_lanes(lanes: Lanes, operation: Operation, array: Array, axis: int, index: Value, dim: Size) -> ir.Value | Progression:
    """An index of every lane, counted from the front; it fails where one is out of bounds, and where a progression is negative."""
    e, size = lanes.e, array.shape[axis]
    found = e.get(index)
    nonnegative, below = (True, True) if (operation, axis) in e.assured else e.ranges.is_index(index, dim, operation)
    if nonnegative and below:
        return found
    if isinstance(found, Progression) and not lanes.partial:
        inside = [e.b.icmp_unsigned("<", end, size) for end in (found.base, lanes.last(found))]
        lanes.require_all(e.b.and_(*inside))
        return found
    position, sizes = lanes.spread(found), lanes.splat(size)
    if not nonnegative and not isinstance(found, Progression):
        position = e.b.select(e.b.icmp_signed("<", position, position.type(0)), e.b.add(position, sizes), position)
    lanes.require(e.b.icmp_unsigned("<", position, sizes))
    return found if isinstance(found, Progression) else position
