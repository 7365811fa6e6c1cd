"""Memory: loads and stores with Python's indexing, assignment, copies, fresh arrays, questions about arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arrays.indexing import element_address
from autograph_jit.backends.cpu.boundary import copy_bytes
from autograph_jit.backends.cpu.control.long_loops import emit_long_nest, emit_stretches, may_be_long
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.companions import emit_companions
from autograph_jit.backends.cpu.nests.domains import Walk
from autograph_jit.backends.cpu.nests.elementwise import (
    checked_sizes,
    fill_apart,
    fill_elements,
    fill_side_by_side,
    shape_of_full,
    shapes_text,
)
from autograph_jit.backends.cpu.nests.held import emit_held_updates
from autograph_jit.backends.cpu.nests.held_rows import fill_behind_rows, rows_behind
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.nests.overlap import overlap, same_layout, share_memory
from autograph_jit.backends.cpu.nests.shifted import fill_behind, find_shifts
from autograph_jit.backends.cpu.nests.updates import emit_updates
from autograph_jit.backends.cpu.products.linalg import put_product
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I8, I64, PTR
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.threading.sharing import cost_of, is_large, may_be_large
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.scalar import Expr
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.clearing import is_zero
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import LoopNest, Store

I64_DTYPE = np.dtype(np.int64)


@rule("load")
def emit_load(e: Emitter, operation: Operation) -> list[Emitted]:
    array = e.get(operation.operands[0])
    pointer = element_address(e, operation, array, operation.operands[1:])
    return [e.load_number(pointer, array.dtype, array.contiguous, array.scope)]


@rule("store")
def emit_store(e: Emitter, operation: Operation) -> list[Emitted]:
    array = e.get(operation.operands[0])
    pointer = element_address(e, operation, array, operation.operands[2:])
    e.store_number(e.get(operation.operands[1]), pointer, array.dtype, array.contiguous, array.scope)
    return []


@rule("dim")
def emit_dim(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.get(operation.operands[0]).shape[operation.attributes["axis"]]]


@rule("stride")
def emit_stride(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.get(operation.operands[0]).strides[operation.attributes["axis"]]]


@rule("empty")
def emit_empty(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.allocate(checked_sizes(e, operation.operands), np.dtype(operation.attributes["dtype"]), result=operation.result)]


@rule("full")
def emit_full(e: Emitter, operation: Operation) -> list[Emitted]:
    value, type = operation.operands[0], array_type(operation.result)
    shape = shape_of_full(e, operation)
    if is_zero(value) and operation.result not in e.local and operation not in e.updates:
        return [e.allocate(shape, type.dtype, zero=True)]
    target = e.allocate(shape, type.dtype, result=operation.result)
    if operation in e.updates:  # what changes it next fills it
        return [target]
    builder = NestBuilder(type.rank, e.consumers)
    fill_elements(e, "full", target, type, builder, builder.expression_of(value))
    return [target]


@rule("copy")
def emit_copy(e: Emitter, operation: Operation) -> list[Emitted]:
    (source,) = operation.operands
    type = array_type(operation.result)
    emitted = e.get(source)
    target = e.allocate(emitted.shape, type.dtype, result=operation.result)
    if operation in e.updates:  # what changes it next fills it
        return [target]
    builder = NestBuilder(type.rank, e.consumers)
    expression = builder.expression_of(source)
    if isinstance(emitted, Array) and e.facts.is_contiguous(source):
        copy_all(e, target, emitted)
    else:
        fill_apart(e, "copy", target, type, builder, expression)
    return [target]


def copy_all(e: Emitter, target: Array, source: Array) -> None:
    """The bytes of a contiguous array, by stretches where they may be many."""
    item = I64(target.dtype.itemsize)
    if not may_be_long(e, source.shape):
        copy_bytes(e, target.pointer, source.pointer, e.mul(e.product(source.shape), item))
        return

    def stretch(first: ir.Value, count: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        start = e.mul(first, item)
        copy_bytes(e, e.offset(target.pointer, start), e.offset(source.pointer, start), e.mul(count, item))
        return []

    emit_stretches(e, e.product(source.shape), I64(1), [], stretch)


def copy_rows(e: Emitter, target: Array, source: Array) -> None:
    """Row by row into a contiguous array, from one whose last axis lies side by side."""
    rank, item = len(source.shape), target.dtype.itemsize
    walks = [Walk(array.pointer, array.strides, item) for array in (target, source)]

    def row(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        copy_bytes(e, pointers[0], pointers[1], e.mul(source.shape[-1], I64(item)))
        return []

    emit_long_nest(e, source.shape, walks, [], row, tuple(range(rank - 1)))


@rule("array_constant")
def emit_array_constant(e: Emitter, operation: Operation) -> list[Emitted]:
    value = np.asarray(operation.attributes["value"], order="C")
    target = e.allocate(tuple(I64(size) for size in value.shape), value.dtype)
    if value.nbytes:
        words = bytearray(value.tobytes())
        literal = ir.GlobalVariable(e.module, ir.ArrayType(I8, len(words)), e.module.get_unique_name("literal"))
        literal.global_constant, literal.linkage, literal.align = True, "internal", 64
        literal.initializer = ir.Constant(ir.ArrayType(I8, len(words)), words)
        copy_bytes(e, target.pointer, literal, I64(len(words)))
    return [target]


@rule("assign")
def emit_assign(e: Emitter, operation: Operation) -> list[Emitted]:
    """Straight into the target, or by way of a temporary where memory that is read at another index would be overwritten."""
    destination, source = operation.operands
    if operation in e.updates:
        if operation in e.held:
            emit_held_updates(e, e.updates[operation], e.held[operation])
        elif any(update.base is not e.updates[operation][0].base for update in e.updates[operation]):
            emit_companions(e, e.updates[operation])
        else:
            with independent_trips(e):
                emit_updates(e, e.updates[operation])
        return []
    if operation in e.neighbours:
        assign_side_by_side(e, e.neighbours[operation])
        return []
    if operation in e.product_sums:
        product, *others = e.product_sums[operation]
        if others and others[-1].name == "add":
            put_product(e, destination, product, adds=True)
        else:
            assign_product(e, operation, product)
        return []
    check_assignable(e, destination, source)
    builder = NestBuilder(array_type(destination).rank, e.consumers)
    expression = builder.expression_of(source)
    shifts = {} if in_array_loop(expression, builder.values).outside else find_shifts(e, destination, builder)
    with repeated_set_aside(e, destination, builder) as aside:
        assign_elements(e, operation, builder, expression, shifts, aside)
    return []


def assign_product(e: Emitter, assign: Operation, product: Operation) -> None:
    """A product into the array that it is assigned to; where it is repeated there, which the run tells, by way of an array of its own."""
    destination, source = assign.operands
    check_assignable(e, destination, source)
    wanted, found = e.get(destination).shape, e.get(source).shape
    if array_type(destination) == array_type(source):
        put_product(e, destination, product)
        return
    fits = e.b.and_(*(e.compare("==", size, other) for size, other in zip(wanted, found, strict=True)))
    with e.b.if_else(fits) as (whole, repeated):
        with whole:
            put_product(e, destination, product)
        with repeated:
            made = e.values[source] = e.allocate(found, array_type(source).dtype)
            e.values[product.result] = made
            put_product(e, product.result, product)
            builder = NestBuilder(len(wanted), e.consumers)
            fill_elements(e, "assign", e.get(destination), array_type(destination), builder, builder.add_operand(source))
            e.call("ag_release", e.frame, made.owner)


@contextmanager
def repeated_set_aside(e: Emitter, destination: Value, builder: NestBuilder) -> Iterator[set[Value]]:
    """Rows and columns that are repeated over a target in whose memory they lie are copied, so that the rest may be done in place:
    `a[:] = np.minimum(a, a[:, k, np.newaxis] + a[k])`."""
    aside = {
        value: e.get(value)
        for value, spec in zip(builder.values, builder.operands)
        if spec.index_map is not None
        and array_type(destination).rank > sum(axis is not None for axis in spec.index_map)
        and array_type(destination).dims != array_type(value).dims
        and not spec.is_elsewhere
        and e.facts.may_meet(destination, value)
    }
    copies = []
    for value, array in aside.items():
        meets = share_memory(e, e.get(destination), array)
        copy, e.values[value] = choose_target(e, array, meets, array_type(value))
        copies.append((meets, copy))
    yield set(aside)
    e.values.update(aside)
    for meets, copy in copies:
        with e.b.if_then(meets, likely=False):
            e.call("ag_release", e.frame, copy.owner)


def assign_elements(
    e: Emitter, operation: Operation, builder: NestBuilder, expression: Expr, shifts: dict[Value, int], aside: set[Value]
) -> None:
    """Store an expression at every index; `aside` are operands that do not lie in the target's memory."""
    destination, source = operation.operands
    target, type = e.get(destination), array_type(destination)
    conflict = find_conflict(e, destination, builder, {*shifts, *aside})
    if conflict is None and min(shifts.values(), default=0) < 0:
        fill_behind(e, target, destination, builder, expression, shifts)
        return
    if conflict is None and is_plain_copy(e, destination, source):
        e.nests.append(LoopNest("assign", type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
        copy_bytes(e, target.pointer, e.get(source).pointer, e.mul(e.product(target.shape), I64(type.dtype.itemsize)))
        return
    if conflict is None:
        fill_elements(e, "assign", target, type, builder, expression)
        return
    behind = rows_behind(e, destination, builder, expression)
    if behind is None:
        fill_by_temporary(e, destination, builder, expression, conflict)
    elif may_be_large(e, builder, target.shape, cost_of(expression)):
        work = e.mul(e.product(target.shape), I64(cost_of(expression)))
        with e.b.if_else(is_large(e, work), likely=False) as (large, small):
            with large:
                fill_by_copy(e, target, type, builder, expression)
            with small:
                fill_behind_rows(e, target, destination, builder, expression, behind)
    else:
        fill_behind_rows(e, target, destination, builder, expression, behind)


def assign_side_by_side(e: Emitter, assigns: list[Operation]) -> None:
    """Assignments to parts of one array in one nest."""
    destinations = [assign.operands[0] for assign in assigns]
    type = array_type(destinations[0])
    builder = NestBuilder(type.rank, e.consumers)
    expressions = [builder.expression_of(assign.operands[1]) for assign in assigns]
    fill_side_by_side(e, [e.get(destination) for destination in destinations], type, builder, expressions)


def fill_by_temporary(e: Emitter, destination: Value, builder: NestBuilder, expression: Expr, conflict: ir.Value) -> None:
    """Store the expression, where there is a conflict by way of a temporary."""
    target, type = e.get(destination), array_type(destination)
    temporary, chosen = choose_target(e, target, conflict, type if destination in builder.values else None)
    e.values[destination] = chosen  # which LLVM then sees to be read and written at the same index
    fill_elements(e, "assign", chosen, type, builder, expression)
    e.values[destination] = target
    with e.b.if_then(conflict, likely=False):
        copy_into(e, target, type, replace(temporary, scope=target.scope))
        e.call("ag_release", e.frame, temporary.owner)


def fill_by_copy(e: Emitter, target: Array, type: ArrayType, builder: NestBuilder, expression: Expr) -> None:
    """Store the expression by way of a temporary: the target overlaps what is read."""
    temporary = e.allocate(target.shape, target.dtype)
    fill_elements(e, "assign", temporary, type, builder, expression)
    copy_into(e, target, type, temporary)
    e.call("ag_release", e.frame, temporary.owner)


def choose_target(e: Emitter, target: Array, conflict: ir.Value, read_as: ArrayType | None) -> tuple[Array, Array]:
    """A temporary, which exists only where there is a conflict, and an array that is the temporary or else the target.

    Where the target itself is read too, as this type, the temporary starts as a copy of it. Both are accessed under the target's
    scope: the memory of operands is another in either case.
    """
    before, copying, merge = e.b.block, e.block("copies"), e.block("merge")
    e.b.cbranch(conflict, copying, merge).set_weights([1, 1 << 20])
    e.b.position_at_end(copying)
    temporary = e.allocate(target.shape, target.dtype)
    if read_as is not None:
        copy_into(e, replace(temporary, scope=target.scope), read_as, target)
    end = e.b.block
    e.b.branch(merge)
    e.b.position_at_end(merge)

    def either(mine: ir.Value, other: ir.Value) -> ir.Value:
        if mine is other or (constant_of(mine) is not None and constant_of(mine) == constant_of(other)):
            return mine
        phi = e.b.phi(mine.type)
        phi.add_incoming(mine, before)
        phi.add_incoming(other, end)
        return phi

    pointer, owner = either(target.pointer, temporary.pointer), either(PTR(None), temporary.owner)
    strides = target.strides if target.contiguous else tuple(map(either, target.strides, temporary.strides))
    chosen = replace(target, pointer=pointer, strides=strides)
    return replace(temporary, pointer=pointer, owner=owner, strides=strides), chosen


def copy_into(e: Emitter, target: Array, type: ArrayType, source: Array) -> None:
    """Store the elements of another array of the same sizes."""
    stand_in = Value(type, Block(), 0, "temporary")
    e.values[stand_in] = source
    if not source.contiguous:
        e.facts.strided.add(stand_in)
    builder = NestBuilder(type.rank, {})
    fill_elements(e, "copy", target, type, builder, builder.expression_of(stand_in))


def is_plain_copy(e: Emitter, destination: Value, source: Value) -> bool:
    """Whether an assignment by one thread is best done by the C library, which stores large arrays without reading their memory first."""
    if e.shares or source.type != destination.type or not isinstance(e.get(source), Array):
        return False
    if all(isinstance(size, int) for size in array_type(source).dims):
        return False
    return e.facts.is_contiguous(destination) and e.facts.is_contiguous(source)


def check_assignable(e: Emitter, destination: Value, source: Value) -> None:
    """A ValueError where the source does not broadcast to the target."""
    if isinstance(source.type, ScalarType):
        return
    wanted_dims, found_dims = array_type(destination).dims, array_type(source).dims
    wanted, found = e.get(destination).shape, e.get(source).shape
    fits: ir.Value = I1(1)
    for axis, (dim, size) in enumerate(zip(found_dims, found), len(wanted) - len(found)):
        if dim == 1 or (axis >= 0 and dim == wanted_dims[axis]):
            continue
        ok = e.compare("==", size, I64(1))
        fits = e.b.and_(fits, ok if axis < 0 else e.b.or_(ok, e.compare("==", size, wanted[axis])))
    if constant_of(fits) == 1:
        return
    ranks = (len(found), len(wanted))

    def build(*numbers: object) -> Exception:
        extra = max(ranks[0] - ranks[1], 0)
        while extra and numbers[0] == 1:  # NumPy drops leading axes of size 1 first
            numbers, extra = numbers[1:], extra - 1
        first, second = shapes_text((len(numbers) - ranks[1], ranks[1]), numbers)
        return ValueError(f"could not broadcast input array from shape {first} into shape {second}")

    e.guard(fits, build, *((size, I64_DTYPE) for size in (*found, *wanted)))


def find_conflict(e: Emitter, destination: Value, builder: NestBuilder, known: set[Value]) -> ir.Value | None:
    """Whether some operand that is not among the known ones lies in the target's memory at other indices; None where it surely does not."""
    target = e.get(destination)
    conflict: ir.Value | None = None
    everywhere = tuple(range(array_type(destination).rank))
    for value, spec in zip(builder.values, builder.operands):
        if spec.index_map is None or not e.facts.may_meet(destination, value):
            continue
        if value is destination or value in known:
            continue
        array = e.get(value)
        found = share_memory(e, target, array)
        if spec.index_map == everywhere and array.dtype == target.dtype:
            found = e.b.and_(found, e.b.not_(same_layout(e, target, array)))
        conflict = found if conflict is None else e.b.or_(conflict, found)
    return conflict


@rule("is_same")
def emit_is_same(e: Emitter, operation: Operation) -> list[Emitted]:
    x, y = (e.get(value) for value in operation.operands)
    return [same_layout(e, x, y) if len(x.shape) == len(y.shape) else I1(0)]


@rule("overlaps")
def emit_overlaps(e: Emitter, operation: Operation) -> list[Emitted]:
    return [overlap(e, *(e.get(value) for value in operation.operands))]
