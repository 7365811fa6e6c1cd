"""Boolean masks: select, assign, positions of nonzero elements; one pass counts, a second one writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import compare, emit_expression
from autograph_jit.backends.cpu.arrays.gathering import snapshot
from autograph_jit.backends.cpu.arrays.routines import walk_all
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule, fail_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import Walk, emit_loop, emit_nest
from autograph_jit.backends.cpu.nests.elementwise import I64_DTYPE
from autograph_jit.backends.cpu.nests.operands import load_operands, walk_operands
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, literal
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import LoopNest, Store
from autograph_jit.kernels.masked import MaskedUpdate


def is_set(e: Emitter, array: Array, pointer: ir.Value) -> ir.Value:
    """Whether the element at a pointer is nonzero."""
    value = e.load_number(pointer, array.dtype, array.contiguous, array.scope)
    return value if array.dtype.kind == "b" else compare(e, "ne", array.dtype, value, literal(0, array.dtype))


def count_set(e: Emitter, array: Array) -> ir.Value:
    def element(pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        return [e.b.add(registers[0], e.b.zext(is_set(e, array, pointers[0]), I64), flags=["nsw"])]

    return emit_long_nest(e, array.shape, [walk_all(array)], [I64(0)], element)[0]


def check_mask(e: Emitter, operation: Operation, array: Array, mask: Array) -> None:
    """NumPy's error where the mask has other sizes than the axes that it covers."""
    dims, mask_dims = array_type(operation.operands[0]).dims, array_type(operation.operands[1]).dims
    fits: ir.Value = I1(1)
    for axis, dim in enumerate(mask_dims):
        if dim != dims[axis]:
            fits = e.b.and_(fits, e.compare("==", mask.shape[axis], array.shape[axis]))
    fail_by_eager_rule(e, operation, fits)


def inner_walk(array: Array, pointer: ir.Value, outer: int) -> Walk:
    """The walk of the axes that the mask does not cover."""
    return Walk(pointer, array.strides[outer:], array.dtype.itemsize)


@rule("mask_select")
def emit_mask_select(e: Emitter, operation: Operation) -> list[Emitted]:
    array, mask = (e.get(value) for value in operation.operands)
    check_mask(e, operation, array, mask)
    outer, dtype = len(mask.shape), array.dtype
    rest = array.shape[outer:]
    if not rest:
        return [select_elements(e, array, mask)]
    target = e.allocate((count_set(e, mask), *rest), dtype)

    def element(pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        (written,) = registers
        take, skip = e.block("take"), e.block("skip")
        before = e.b.block
        e.b.cbranch(is_set(e, mask, pointers[0]), take, skip)
        e.b.position_at_end(take)
        into = Walk(e.offset(target.pointer, e.mul(written, target.strides[0])), target.strides[1:], dtype.itemsize)

        def copy(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            e.store_number(e.load_number(ends[0], dtype, array.contiguous, array.scope), ends[1], dtype, True, "fresh")
            return []

        emit_nest(e, rest, [inner_walk(array, pointers[1], outer), into], [], copy)
        following, end = e.b.add(written, I64(1), flags=["nsw"]), e.b.block
        e.b.branch(skip)
        e.b.position_at_end(skip)
        count = e.b.phi(I64)
        count.add_incoming(written, before)
        count.add_incoming(following, end)
        return [count]

    covered = Walk(array.pointer, array.strides[:outer], dtype.itemsize)
    emit_long_nest(e, mask.shape, [walk_all(mask), covered], [I64(0)], element)
    return [target]


def with_one_more(e: Emitter, count: ir.Value, dtype: np.dtype) -> Array:
    """A vector with memory for one more element, which may be written in vain: what comes after all that is selected."""
    return replace(e.allocate((e.add(count, I64(1)),), dtype), shape=(count,))


def select_elements(e: Emitter, array: Array, mask: Array) -> Array:
    """The selected elements. Each element is stored, the next one in its place if it is not selected: no branch to be mistaken about."""
    target = with_one_more(e, count_set(e, mask), array.dtype)

    def element(pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        place = e.offset(target.pointer, e.mul(registers[0], I64(array.dtype.itemsize)))
        number = e.load_number(pointers[1], array.dtype, array.contiguous, array.scope)
        e.store_number(number, place, array.dtype, True, "fresh")
        return [e.b.add(registers[0], e.b.zext(is_set(e, mask, pointers[0]), I64), flags=["nsw"])]

    emit_long_nest(e, mask.shape, [walk_all(mask), walk_all(array)], [I64(0)], element)
    return target


def check_selection(e: Emitter, operation: Operation) -> None:
    """A selection that its assignment makes where the elements lie: the mask is checked now."""
    check_mask(e, operation, *(e.get(value) for value in operation.operands))


def update_masked(e: Emitter, operation: Operation, parts: MaskedUpdate) -> None:
    """Compute and store the selected elements where they lie."""
    destination, chosen = operation.operands[:2]
    target, mask, type = e.get(destination), e.get(chosen), array_type(destination)
    builder = NestBuilder(type.rank, e.consumers)
    for selection in parts.selections:
        builder.memo[selection.result] = builder.add_operand(selection.operands[0])
    expression = builder.expression_of(parts.value)
    e.nests.append(LoopNest("masked update", type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
    expansion = in_array_loop(expression, builder.values)
    formula = expansion.expression if expansion.outside is None else expression

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        with e.b.if_then(is_set(e, mask, pointers[0])):
            number = emit_expression(e, formula, load_operands(e, builder, pointers[2:]))
            e.store_number(number, pointers[1], type.dtype, target.contiguous, target.scope)
        return []

    emit_long_nest(e, mask.shape, [walk_all(mask), walk_all(target), *walk_operands(e, builder, type.dims)], [], element)


@rule("mask_assign")
def emit_mask_assign(e: Emitter, operation: Operation) -> list[Emitted]:
    """A number goes to every selected element; a vector's elements one by one."""
    array, mask = (e.get(value) for value in operation.operands[:2])
    if operation in e.masked:
        update_masked(e, operation, e.masked[operation])
        return []
    given, outer = operation.operands[2], len(mask.shape)
    is_scalar = isinstance(given.type, ScalarType)
    if not is_scalar and (outer != len(array.shape) or array_type(given).rank != 1):
        return emit_by_eager_rule(e, operation)
    check_mask(e, operation, array, mask)
    value = e.get(given) if is_scalar else snapshot(e, operation.operands[0], given)
    step: ir.Value = I64(0)
    if not is_scalar:
        single = e.compare("==", value.shape[0], I64(1))
        fail_by_eager_rule(e, operation, e.b.or_(single, e.compare("==", value.shape[0], count_set(e, mask))))
        step = e.select(single, I64(0), value.strides[0])

    def element(pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        before = e.b.block
        with e.b.if_then(is_set(e, mask, pointers[0])):
            number = value if is_scalar else e.load_number(registers[0], array.dtype, value.contiguous, value.scope)

            def place(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
                e.store_number(number, ends[0], array.dtype, array.contiguous, array.scope)
                return []

            emit_nest(e, array.shape[outer:], [inner_walk(array, pointers[1], outer)], [], place)
            following = None if is_scalar else e.offset(registers[0], step)
            end = e.b.block
        if is_scalar:
            return []
        phi = e.b.phi(registers[0].type)
        phi.add_incoming(registers[0], before)
        phi.add_incoming(following, end)
        return [phi]

    covered = Walk(array.pointer, array.strides[:outer], array.dtype.itemsize)
    emit_long_nest(e, mask.shape, [walk_all(mask), covered], [] if is_scalar else [value.pointer], element)
    return []


@rule("nonzero")
def emit_nonzero(e: Emitter, operation: Operation) -> list[Emitted]:
    array = e.get(operation.operands[0])
    count = count_set(e, array)
    targets = [with_one_more(e, count, I64_DTYPE) for _ in array.shape]

    def descend(axis: int, pointer: ir.Value, indices: list[ir.Value], written: ir.Value) -> list[ir.Value]:
        if axis == len(array.shape):
            return [record(pointer, indices, written)]

        def inside(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            return descend(axis + 1, e.offset(pointer, e.mul(index, array.strides[axis])), [*indices, index], registers[0])

        loop = emit_loop if axis else emit_long_loop
        return loop(e, array.shape[axis], [written], inside, *(() if axis else (array.shape[1:],)))

    def record(pointer: ir.Value, indices: list[ir.Value], written: ir.Value) -> ir.Value:
        for target, index in zip(targets, indices):
            e.store_number(index, e.offset(target.pointer, e.mul(written, I64(8))), I64_DTYPE, True, "fresh")
        return e.b.add(written, e.b.zext(is_set(e, array, pointer), I64), flags=["nsw"])

    descend(0, array.pointer, [], I64(0))
    return list(targets)
