"""Positions of extrema: a long line by the extrema of its blocks, columns side by side, what is short element by element.

argmax of rows:     sixteen elements at a time (`short_rows`), if they are not long
argmax of a line:   the maximum of each block of 1024, in vector registers; then the first element of the best block that equals it
argmax by columns:  row by row, the best value and its row for all columns at once; a `max` of the same columns is found in passing
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import NUMPY_NAMES, identity
from autograph_jit.backends.cpu.folds.row_groups import emit_row_groups
from autograph_jit.backends.cpu.folds.short_rows import LONGEST, Row, buffer_of, has_vectors
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import (
    Walk,
    address,
    emit_either,
    emit_loop,
    emit_nest,
    unit_stride,
    with_unit_stride,
)
from autograph_jit.backends.cpu.nests.operands import is_flat, load_operands, walk_flat, walk_operands
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.scalar import Expr, and_, eq, lt, ne, operand, or_
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import Fold, LoopNest
from autograph_jit.ops.reduction import combine
from autograph_jit.records import dataclass

I64_DTYPE = np.dtype(np.int64)
BLOCK = 1024
SHORT, FEW = 16, 4


@dataclass(slots=True)
class Line:
    """What is searched: the domain and how it walks the operands of the expression whose extremum is wanted."""

    op: str
    dtype: np.dtype
    sizes: tuple[ir.Value, ...]
    walks: list[Walk]
    builder: NestBuilder
    expression: Expr

    def at(self, e: Emitter, pointers: list[ir.Value]) -> Emitted:
        return emit_expression(e, self.expression, load_operands(e, self.builder, pointers))

    def is_better(self, e: Emitter, value: Emitted, best: Emitted) -> ir.Value:
        """Whether a value takes the place of the best so far; a NaN counts as extreme."""
        x, y = operand(0, self.dtype), operand(1, self.dtype)
        better = lt(x, y) if self.op == "min" else lt(y, x)
        if self.dtype.kind == "f":
            better = or_(better, and_(ne(x, x), eq(y, y)))
        return emit_expression(e, better, [value, best])

    def is_same(self, e: Emitter, value: Emitted, extremum: Emitted) -> ir.Value:
        x, y = operand(0, self.dtype), operand(1, self.dtype)
        same = or_(eq(x, y), and_(ne(x, x), ne(y, y))) if self.dtype.kind == "f" else eq(x, y)
        return emit_expression(e, same, [value, extremum])

    def extreme(self, e: Emitter, value: Emitted, best: Emitted) -> Emitted:
        if self.dtype.kind == "f":
            return e.intrinsic(f"llvm.{NUMPY_NAMES[self.op]}.f{8 * self.dtype.itemsize}", best.type, best, value)
        return emit_expression(e, combine(self.op, operand(0, self.dtype), operand(1, self.dtype)), [best, value])


@rule("arg_reduce")
def emit_arg_reduce(e: Emitter, operation: Operation) -> list[Emitted]:
    value, op, axis = operation.operands[0], operation.attributes["op"], operation.attributes["axis"]
    type, sizes = array_type(value), e.get(value).shape
    if type.dtype.kind == "c":
        return emit_by_eager_rule(e, operation)
    axes = tuple(range(type.rank)) if axis is None else (axis % type.rank,)
    reduced = e.product(tuple(sizes[each] for each in axes))
    if constant_of(reduced) in (None, 0):
        e.guard(e.compare("!=", reduced, I64(0)), lambda: ValueError(f"attempt to get {op} of an empty sequence"))
    line = plan_line(e, operation, axes)
    if isinstance(operation.result.type, ScalarType):
        return [find_position(e, line, [walk.pointer for walk in line.walks], axes if len(line.sizes) == type.rank else (0,))]
    target, into = allocate_result(e, operation, axes)
    kept = tuple(each for each in range(type.rank) if each not in axes)
    if kept and kept[-1] == type.rank - 1:
        search_columns(e, line, into, axes[0], e.found_with.get(operation))
        return [target]

    def search(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(find_position(e, line, pointers[1:], axes), pointers[0], I64_DTYPE, True, "fresh")
        return []

    if not kept or not may_be_row(line, axes[0]) or is_in_memory(line, axes[0]):
        emit_long_nest(e, sizes, [into, *line.walks], [], search, kept)
        return [target]
    with e.b.if_else(e.compare("<=", reduced, I64(LONGEST))) as (short, long):
        with short:
            search_rows(e, line, into, axes[0])
        with long:
            emit_long_nest(e, sizes, [into, *line.walks], [], search, kept)
    return [target]


def plan_line(e: Emitter, operation: Operation, axes: tuple[int, ...]) -> Line:
    """The domain of a search; axes that are all searched for one number, in memory order, become one."""
    value = operation.operands[0]
    type, sizes = array_type(value), e.get(value).shape
    op = operation.attributes["op"].removeprefix("arg")
    builder = NestBuilder(type.rank, e.consumers)
    expression = builder.expression_of(value)
    e.nests.append(LoopNest("arg_reduce", type.dims, tuple(builder.operands), expression, Fold(op, type.dtype, axes)))
    one_number = isinstance(operation.result.type, ScalarType) and len(axes) == type.rank > 1
    if one_number and is_flat(e, builder, type):
        return Line(op, type.dtype, (e.product(sizes),), walk_flat(e, builder), builder, expression)
    return Line(op, type.dtype, sizes, walk_operands(e, builder, type.dims), builder, expression)


def allocate_result(e: Emitter, operation: Operation, axes: tuple[int, ...]) -> tuple[Array, Walk]:
    """The array of positions, and how the domain walks it."""
    sizes, keepdims = e.get(operation.operands[0]).shape, operation.attributes["keepdims"]
    shape = tuple(I64(1) if axis in axes else size for axis, size in enumerate(sizes) if keepdims or axis not in axes)
    target = e.allocate(shape, I64_DTYPE)
    rest = iter(target.strides[axis] for axis in range(len(shape)) if not keepdims or axis not in axes)
    strides = tuple(I64(0) if axis in axes else next(rest) for axis in range(len(sizes)))
    return target, Walk(target.pointer, strides, I64_DTYPE.itemsize)


def find_position(e: Emitter, line: Line, pointers: list[ir.Value], axes: tuple[int, ...]) -> ir.Value:
    """The position, in C order over `axes`, of the first extremum."""
    size = line.sizes[axes[0]]
    count = constant_of(size)
    if len(axes) == 1 and len(line.sizes) > 1 and may_be_row(line, axes[0]) and is_in_memory(line, axes[0]):
        in_chunks = lambda: [Row(e, line.op, line.dtype, pointers[0], size).search()]  # noqa: E731
        if count is not None:
            return in_chunks()[0]
        (position,) = emit_either(e, e.compare("<=", size, I64(LONGEST)), in_chunks, lambda: [search_blocks(e, line, pointers, axes[0])])
        return position
    if len(axes) == 1 and count is None and len(line.sizes) > 1:
        is_short = e.compare("<=", size, I64(SHORT))
        short = lambda: [search_one_by_one(e, line, pointers, axes)]  # noqa: E731
        (position,) = emit_either(e, is_short, short, lambda: [search_blocks(e, line, pointers, axes[0])])
        return position
    if len(axes) == 1 and (count is None or count > SHORT):
        return search_blocks(e, line, pointers, axes[0])
    return search_one_by_one(e, line, pointers, axes)


def may_be_row(line: Line, axis: int) -> bool:
    """Whether a line may be searched as a row that is not long; one of a few elements is not worth it."""
    count = constant_of(line.sizes[axis])
    return has_vectors() and (count is None or FEW < count <= LONGEST)


def is_in_memory(line: Line, axis: int) -> bool:
    """Whether the elements of a row lie side by side, not computed."""
    return line.expression.op == "operand" and len(line.walks) == 1 and constant_of(line.walks[0].strides[axis]) == line.dtype.itemsize


def search_rows(e: Emitter, line: Line, into: Walk, axis: int) -> None:
    """Rows of up to LONGEST elements that are computed or do not lie side by side: some at a time are put into a buffer first."""
    *outer, last = (each for each in range(len(line.sizes)) if each != axis)
    size, buffer = line.sizes[axis], buffer_of(e, line.dtype)
    stride = e.mul(size, I64(line.dtype.itemsize))
    room = e.b.udiv(I64(LONGEST), size)
    strides = tuple(stride if each == last else I64(line.dtype.itemsize) if each == axis else I64(0) for each in range(len(line.sizes)))

    def store(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(line.at(e, pointers[1:]), pointers[0], line.dtype)
        return []

    def some(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        here = [replace(walk, pointer=pointer) for walk, pointer in zip((into, *line.walks), pointers)]

        def group(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            first = e.mul(number, room)
            count = e.minimum(e.sub(line.sizes[last], first), room)
            sizes = tuple(count if each == last else length for each, length in enumerate(line.sizes))
            result, *read = [walk.moved(e, last, first) for walk in here]
            emit_nest(e, sizes, [Walk(buffer, strides, line.dtype.itemsize), *read], [], store, (last, axis))

            def search(row: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                found = Row(e, line.op, line.dtype, e.offset(buffer, e.mul(row, stride)), size).search()
                e.store_number(found, address(e, result, last, result.pointer, row), I64_DTYPE, True, "fresh")
                return []

            return emit_loop(e, count, [], search)

        return emit_loop(e, e.b.udiv(e.sub(e.add(line.sizes[last], room), I64(1)), room), [], group)

    emit_long_nest(e, line.sizes, [into, *line.walks], [], some, tuple(outer))


def search_one_by_one(e: Emitter, line: Line, pointers: list[ir.Value], axes: tuple[int, ...]) -> ir.Value:
    """As `find_position`, for few elements."""

    def element(at: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        best, place, index = registers
        value = line.at(e, at)
        wins = line.is_better(e, value, best)
        return [e.b.select(wins, value, best), e.b.select(wins, index, place), e.b.add(index, I64(1))]

    walks = [Walk(pointer, walk.strides, walk.itemsize) for pointer, walk in zip(pointers, line.walks)]
    return emit_nest(e, line.sizes, walks, [line.at(e, pointers), I64(0), I64(0)], element, axes)[1]


def search_blocks(e: Emitter, line: Line, pointers: list[ir.Value], axis: int) -> ir.Value:
    """The first block with the extremum, and in it the first element that is the extremum."""
    unit = unit_stride(e, line.walks, axis)
    if constant_of(unit) == 1:
        best, first = best_block(e, line, line.walks, pointers, axis)
    else:
        versions = []
        with e.b.if_else(unit) as (contiguous, strided):
            for version, walks in ((contiguous, [with_unit_stride(walk, axis) for walk in line.walks]), (strided, line.walks)):
                with version:
                    versions.append((best_block(e, line, walks, pointers, axis), e.b.block))
        best, first = phis = [e.b.phi(register.type) for register in versions[0][0]]
        for registers, block in versions:
            for phi, register in zip(phis, registers):
                phi.add_incoming(register, block)
    return first_equal(e, line, pointers, axis, best, first)


def best_block(e: Emitter, line: Line, walks: list[Walk], pointers: list[ir.Value], axis: int) -> list[ir.Value]:
    """The extremum of a line and where the first block begins that has it."""
    count, start = line.sizes[axis], identity(line.op, line.dtype)

    def block(number: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        first = e.mul(number, I64(BLOCK))

        def element(index: ir.Value, so_far: list[ir.Value]) -> list[ir.Value]:
            place = e.b.add(first, index, flags=["nsw"])
            value = line.at(e, [address(e, walk, axis, pointer, place) for walk, pointer in zip(walks, pointers)])
            return [line.extreme(e, value, so_far[0])]

        (value,) = emit_loop(e, e.minimum(e.sub(count, first), I64(BLOCK)), [start], element)
        wins = line.is_better(e, value, registers[0])
        return [e.b.select(wins, value, registers[0]), e.b.select(wins, first, registers[1])]

    blocks = e.b.sdiv(e.b.add(count, I64(BLOCK - 1)), I64(BLOCK))
    return emit_long_loop(e, blocks, [start, I64(0)], block, (I64(BLOCK),))


def first_equal(e: Emitter, line: Line, pointers: list[ir.Value], axis: int, best: ir.Value, first: ir.Value) -> ir.Value:
    """The first element from `first` on that is the extremum; the last one at the latest."""
    last = e.sub(line.sizes[axis], I64(1))
    before, search, further, found = e.b.block, e.block("search"), e.block("further"), e.block("found")
    e.b.branch(search)
    e.b.position_at_end(search)
    index = e.b.phi(I64)
    index.add_incoming(first, before)
    e.b.cbranch(e.compare("<", index, last), further, found)
    e.b.position_at_end(further)
    value = line.at(e, [address(e, walk, axis, pointer, index) for walk, pointer in zip(line.walks, pointers)])
    same = line.is_same(e, value, best)
    index.add_incoming(e.b.add(index, I64(1)), e.b.block)
    e.b.cbranch(same, found, search)
    e.b.position_at_end(found)
    return index


def search_columns(e: Emitter, line: Line, into: Walk, axis: int, extremum: Operation | None) -> None:
    """Row by row: the best value of each column in scratch memory, which is the result of `extremum` if there is one; its row in `into`."""
    scratch = e.allocate(tuple(line.sizes[axis + 1 :]), line.dtype, result=extremum.result if extremum else None)
    best = Walk(scratch.pointer, (*(I64(0) for _ in range(axis + 1)), *scratch.strides), line.dtype.itemsize)

    def first_row(at: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(line.at(e, at[2:]), at[0], line.dtype, True, "fresh")
        e.store_number(I64(0), at[1], I64_DTYPE, True, "fresh")
        return []

    def improve(kept: list[ir.Value], rows: list[list[ir.Value]], first: ir.Value) -> None:
        so_far, place = e.load_number(kept[0], line.dtype, True, "fresh"), e.load_number(kept[1], I64_DTYPE, True, "fresh")
        for row, pointers in enumerate(rows):
            value = line.at(e, pointers)
            wins = line.is_better(e, value, so_far)
            so_far, place = e.b.select(wins, value, so_far), e.b.select(wins, e.add(first, I64(row)), place)
        e.store_number(so_far, kept[0], line.dtype, True, "fresh")
        e.store_number(place, kept[1], I64_DTYPE, True, "fresh")

    def slab(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        here = [Walk(pointer, walk.strides, walk.itemsize) for pointer, walk in zip(pointers, (into, *line.walks))]
        inner = tuple(range(axis + 1, len(line.sizes)))
        emit_nest(e, line.sizes, [best, *here], [], first_row, inner)
        emit_row_groups(e, inside(line.sizes, axis), [best, here[0]], here[1:], axis, improve)
        return []

    emit_nest(e, line.sizes, [into, *line.walks], [], slab, tuple(range(axis)))
    if extremum is None:
        e.call("ag_release", e.frame, scratch.owner)
    else:
        e.ready[extremum] = scratch


def inside(sizes: tuple[ir.Value, ...], axis: int) -> tuple[ir.Value, ...]:
    """The sizes of the domain at one place along the axes before."""
    return tuple(I64(1) if other < axis else size for other, size in enumerate(sizes))
