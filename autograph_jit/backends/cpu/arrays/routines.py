"""Library routines as loop nests: arange, concatenation, linear recurrences, binary search."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import cast, emit_expression, select
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import parts, whole
from autograph_jit.backends.cpu.host import emit_by_eager_rule, fail_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import Walk, address
from autograph_jit.backends.cpu.nests.elementwise import fill
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import I1, I64, PTR
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of, literal
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.rotations import rotation_of
from autograph_jit.ir.scalar import add, and_, eq, lt, mul, ne, operand, or_
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.fusion import NestBuilder

I64_DTYPE = np.dtype(np.int64)
SEARCH = 16  # elements of an array that a search takes as long as


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
        fill(e, "concat", part, type, builder, builder.expression_of(value))
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
            return parts(y)

        emit_long_loop(e, terms.shape[axis], parts(literal(0.0, dtype)), element)
        return []

    emit_long_nest(e, terms.shape, walks, [], line, tuple(other for other in range(len(terms.shape)) if other != axis))
    return [target]


@rule("searchsorted")
def emit_searchsorted(e: Emitter, operation: Operation) -> list[Emitted]:
    array, values = e.get(operation.operands[0]), e.get(operation.operands[1])
    dtype, side = array.dtype, operation.attributes["side"]
    if dtype.kind == "c":
        return emit_by_eager_rule(e, operation)
    if isinstance(operation.operands[1].type, ScalarType):
        return [bisect(e, array, values, side)]
    target = e.allocate(values.shape, I64_DTYPE)

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        value = e.load_number(pointers[0], dtype, values.contiguous, values.scope)
        e.store_number(bisect(e, array, value, side), pointers[1], I64_DTYPE, True, "fresh")
        return []

    emit_long_nest(e, values.shape, [walk_all(values), walk_all(target)], [], element, price=I64(SEARCH))
    return [target]


def bisect(e: Emitter, array: Array, value: Emitted, side: str) -> ir.Value:
    """The first position whose element does not come before the value (left), or comes after it (right); NaN is last. How often is halved
    depends on the length only, and none of them is a branch that a processor may be mistaken about."""
    dtype = array.dtype
    x, y = operand(0, dtype), operand(1, dtype)
    before = lt(x, y)
    if dtype.kind == "f":
        before = or_(before, and_(ne(y, y), eq(x, x)))

    def advanced(place: ir.Value, low: ir.Value, by: ir.Value) -> ir.Value:
        """`low`, so much further where the position lies behind the element at a place."""
        found = e.load_number(e.offset(array.pointer, e.mul(place, array.strides[0])), dtype, array.contiguous, array.scope)
        further = emit_expression(e, before, [found, value] if side == "left" else [value, found])
        ends = (e.b.add(low, by), low) if side == "left" else (low, e.b.add(low, by))
        chosen = e.b.select(further, *ends)
        chosen.set_metadata("unpredictable", e.module.add_metadata([]))
        return chosen

    entry, loop, body, done = e.b.block, e.block("bisect"), e.block("halve"), e.block("found")
    e.b.branch(loop)
    e.b.position_at_end(loop)
    low, length = e.b.phi(I64), e.b.phi(I64)
    e.b.cbranch(e.compare(">", length, I64(1)), body, done)
    e.b.position_at_end(body)
    half = e.b.lshr(length, I64(1))
    further = advanced(e.b.sub(e.b.add(low, half), I64(1)), low, half)
    for phi, start, step in zip((low, length), (I64(0), array.shape[0]), (further, e.b.sub(length, half))):
        phi.add_incoming(start, entry)
        phi.add_incoming(step, body)
    e.b.branch(loop)
    e.b.position_at_end(done)
    before_last, last, end = e.b.block, e.block("last"), e.block("position")
    e.b.cbranch(e.compare("==", length, I64(1)), last, end)
    e.b.position_at_end(last)
    position = advanced(low, low, I64(1))
    e.b.branch(end)
    e.b.position_at_end(end)
    found = e.b.phi(I64)
    found.add_incoming(low, before_last)
    found.add_incoming(position, last)
    return found
