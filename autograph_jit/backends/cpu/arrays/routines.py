"""Library routines as loop nests: arange, concatenation, linear recurrences."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import cast, emit_expression, select
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import in_parts, whole
from autograph_jit.backends.cpu.host import fail_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import Walk, address
from autograph_jit.backends.cpu.nests.elementwise import fill_elements
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64, PTR
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of, literal
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.rotations import rotation_of
from autograph_jit.ir.scalar import add, mul, operand
from autograph_jit.kernels.fusion import NestBuilder

I64_DTYPE = np.dtype(np.int64)


def walk_all(array: Array) -> Walk:
    """The walk of an array over its own axes."""
    return Walk(array.pointer, array.strides, array.dtype.itemsize)


@rule("arange")
def emit_arange(e: Emitter, operation: Operation) -> list[Emitted]:
    start, step, count = (e.get(value) for value in operation.operands)
    dtype = array_type(operation.result).dtype
    count = e.maximum(count, I64(0)) if constant_of(count) is None else I64(max(count.constant, 0))
    target = e.allocate((count,), dtype)
    formula = add(operand(0, dtype), mul(operand(1, dtype), operand(2, dtype)))

    def element(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        value = emit_expression(e, formula, [start, step, cast(e, index, I64_DTYPE, dtype)])
        if dtype.kind == "f":
            value = select(e, e.b.icmp_signed("==", index, I64(0)), start, value)
        e.store_number(value, address(e, walk_all(target), 0, target.pointer, index), dtype, True, "fresh")
        return []

    emit_long_loop(e, count, [], element)
    return [target]


@rule("concat")
def emit_concat(e: Emitter, operation: Operation) -> list[Emitted]:
    arrays, types = [e.get(value) for value in operation.operands], [array_type(value) for value in operation.operands]
    axis = operation.attributes["axis"] % types[0].rank
    fits: ir.Value = I1(1)
    for array, type in zip(arrays[1:], types[1:]):
        for other in range(type.rank):
            if other != axis and type.dims[other] != types[0].dims[other]:
                fits = e.b.and_(fits, e.compare("==", array.shape[other], arrays[0].shape[other]))
    fail_by_eager_rule(e, operation, fits)
    total: ir.Value = I64(0)
    for array in arrays:
        total = e.add(total, array.shape[axis])
    shape = tuple(total if other == axis else size for other, size in enumerate(arrays[0].shape))
    target = e.allocate(shape, types[0].dtype)
    position: ir.Value = I64(0)
    for value, array, type in zip(operation.operands, arrays, types):
        pointer = e.offset(target.pointer, e.mul(position, target.strides[axis]))
        contiguous = axis == 0
        part = Array(pointer, target.owner, array.shape, target.strides, type.dtype, contiguous, "fresh")
        builder = NestBuilder(type.rank, {})
        fill_elements(e, "concat", part, type, builder, builder.expression_of(value))
        position = e.add(position, array.shape[axis])
    return [target]


def defer_rotation(e: Emitter, operation: Operation) -> Array:
    """A rotation that nests read where the array lies: it has sizes, as its parts have, and no memory."""
    rotation = rotation_of(operation)
    assert rotation is not None
    shape, dtype = e.get(rotation.source).shape, array_type(operation.result).dtype
    return Array(PTR(None), PTR(None), shape, e.contiguous_strides(shape, dtype.itemsize), dtype, True, "fresh")


@rule("linear_recurrence")
def emit_recurrence(e: Emitter, operation: Operation) -> list[Emitted]:
    factors, terms = (e.get(value) for value in operation.operands)
    dtype, axis = array_type(operation.result).dtype, operation.attributes["axis"] % len(terms.shape)
    fits: ir.Value = I1(1)
    if operation.can_fail:
        for size, other in zip(factors.shape, terms.shape):
            fits = e.b.and_(fits, e.compare("==", size, other))
    fail_by_eager_rule(e, operation, fits)
    target = e.allocate(terms.shape, dtype)
    first, step = operand(1, dtype), add(mul(operand(0, dtype), operand(2, dtype)), operand(1, dtype))
    walks = [walk_all(factors), walk_all(terms), walk_all(target)]

    def line(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        def element(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            factor, term, write = (address(e, walk, axis, pointer, index) for walk, pointer in zip(walks, pointers))
            a = e.load_number(factor, dtype, factors.contiguous, factors.scope)
            b = e.load_number(term, dtype, terms.contiguous, terms.scope)
            is_first = e.b.icmp_signed("==", index, I64(0))
            y = select(e, is_first, emit_expression(e, first, [a, b]), emit_expression(e, step, [a, b, whole(registers)]))
            e.store_number(y, write, dtype, True, "fresh")
            return in_parts(y)

        emit_long_loop(e, terms.shape[axis], in_parts(literal(0.0, dtype)), element)
        return []

    emit_long_nest(e, terms.shape, walks, [], line, tuple(other for other in range(len(terms.shape)) if other != axis))
    return [target]
