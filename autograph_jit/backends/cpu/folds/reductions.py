"""Reductions as loop nests: sums of floats by blocks that are combined in pairs, the rest in one pass.

The sum of a row is taken by blocks of 512 elements, inside which LLVM may reorder (vector accumulators); block sums go to a
stack and are combined like the digits of a binary counter, so that the error grows with the logarithm of the length
(pairwise summation: Higham, SIAM J. Sci. Comput. 14, 1993).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.control.long_loops import emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.pairwise import PairwiseStack
from autograph_jit.backends.cpu.folds.row_groups import RowBody, emit_row_groups, is_worth_grouping
from autograph_jit.backends.cpu.folds.stretches import fold_stretches
from autograph_jit.backends.cpu.nests.domains import (
    Guard,
    NestBody,
    Walk,
    address,
    emit_either,
    emit_guarded_loop,
    emit_loop,
    emit_nest,
    emit_store_nest,
    unit_stride,
    with_unit_stride,
)
from autograph_jit.backends.cpu.nests.elementwise import guard_of
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.nests.operands import Reading, is_flat, load_operands, reading_elsewhere, walk_flat, walk_operands
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.threading.sharing import Outline, cost_of, is_large, may_be_large, scalars_of, share_nest
from autograph_jit.backends.cpu.values import Array, Complex, Emitted, array_type, constant_of, literal, register_type
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.opdef import Reduction
from autograph_jit.ir.scalar import Expr, operand, real_dtype
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import Fold, LoopNest
from autograph_jit.kernels.vecmath.expand import Expansion
from autograph_jit.records import dataclass

RowsNest = Callable[[tuple[ir.Value, ...], list[Walk]], None]
BLOCK = 512
COLUMNS = 64  # that one thread folds at a time
NUMPY_NAMES = {"min": "minimum", "max": "maximum"}


@dataclass(slots=True)
class Folding:
    """One reduction: its domain, how it walks the operands, and the expression that is folded. What is folded into one number may be
    combined `in_pairs` where it stands in for the sum of a vector, which NumPy adds so."""

    op: str
    dtype: np.dtype
    axes: tuple[int, ...]
    sizes: tuple[ir.Value, ...]
    walks: list[Walk]
    builder: NestBuilder
    expansion: Expansion
    combine: Expr | None
    in_pairs: bool = False

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self.sizes)) if axis not in self.axes)

    @property
    def cost(self) -> int:
        return cost_of(self.expansion.expression)

    @property
    def is_divisible(self) -> bool:
        """Whether the result, to the bit, is that of a fold over the results of stretches."""
        return len(self.sizes) < 3 and (self.is_pairwise or self.dtype.kind in "biu" or (self.dtype.kind == "f" and self.op in NUMPY_NAMES))

    @property
    def is_pairwise(self) -> bool:
        return self.op == "sum" and self.dtype.kind in "fc"


@rule("reduce")
def emit_reduce(e: Emitter, operation: Operation) -> list[Emitted]:
    if operation in e.ready:
        return [e.ready.pop(operation)]
    folding = plan_folding(e, operation)
    with reading_elsewhere(e, folding.builder, folding.expansion.original, folding.walks):
        return emit_folding(e, operation, folding)


def emit_folding(e: Emitter, operation: Operation, folding: Folding) -> list[Emitted]:
    result = operation.result
    if folding.op in NUMPY_NAMES:
        check_not_empty(e, folding)
    if isinstance(result.type, ScalarType):
        return [fold_all(e, folding)]
    sizes, rank = e.get(operation.operands[0]).shape, array_type(operation.operands[0]).rank
    gone = {axis % rank for axis in operation.attributes["axes"]}
    keepdims = operation.attributes["keepdims"]
    shape = tuple(I64(1) if axis in gone else size for axis, size in enumerate(sizes) if keepdims or axis not in gone)
    target = e.allocate(shape, folding.dtype, result=result)
    walk = walk_result(folding, target, keepdims)
    last = len(folding.sizes) - 1
    if folding.axes and last not in folding.axes:
        fold_columns(e, folding, walk)
    else:
        fold_rows(e, folding, walk)
    return [target]


def plan_folding(e: Emitter, operation: Operation) -> Folding:
    """The nest of a reduction; axes that are all reduced, in memory order, become one."""
    value, kernel = operation.operands[0], operation.opdef.kernel
    type, op = array_type(value), operation.attributes["op"]
    assert isinstance(kernel, Reduction)
    axes = tuple(sorted(axis % type.rank for axis in operation.attributes["axes"]))
    sizes = e.get(value).shape
    builder = NestBuilder(type.rank, e.consumers)
    expression = builder.expression_of(value)
    e.nests.append(LoopNest("reduce", type.dims, tuple(builder.operands), expression, Fold(op, type.dtype, axes)))
    expansion = in_array_loop(expression, builder.values)
    combine = kernel.combine(op, operand(0, type.dtype), operand(1, type.dtype))
    kept = type.rank - len(axes)
    if len(axes) > 1 and axes[0] == kept and is_flat(e, builder, type):
        shape = (*sizes[:kept], e.product(sizes[kept:]))
        return Folding(op, type.dtype, (kept,), shape, walk_flat(e, builder, kept), builder, expansion, combine)
    in_pairs = operation.attributes.get("in_pairs", False)
    return Folding(op, type.dtype, axes, sizes, walk_operands(e, builder, type.dims), builder, expansion, combine, in_pairs)


def check_not_empty(e: Emitter, folding: Folding) -> None:
    """A ValueError where a minimum or maximum is taken of nothing."""
    reduced = e.product(tuple(folding.sizes[axis] for axis in folding.axes))
    if constant_of(reduced) is not None and constant_of(reduced) != 0:
        return
    name = NUMPY_NAMES[folding.op]
    e.guard(e.compare("!=", reduced, I64(0)), lambda: ValueError(f"zero-size array to reduction operation {name} which has no identity"))


def identity(op: str, dtype: np.dtype) -> Emitted:
    """What a reduction starts from; for a minimum the largest number."""
    if op in ("sum", "prod"):
        return literal(0 if op == "sum" else 1, dtype)
    if op in ("any", "or", "xor"):
        return literal(0, dtype)
    if op in ("all", "and"):
        return register_type(dtype)(-1) if dtype.kind != "b" else I1(1)
    if dtype.kind == "b":
        return I1(int(op == "min"))
    if dtype.kind == "f":
        return literal(np.inf if op == "min" else -np.inf, dtype)
    if dtype.kind == "c":
        return Complex(*(literal(np.inf if op == "min" else -np.inf, real_dtype(dtype)) for _ in range(2)))
    return literal(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min, dtype)


def in_parts(value: Emitted) -> list[ir.Value]:
    return [value.re, value.im] if isinstance(value, Complex) else [value]


def whole(registers: list[ir.Value]) -> Emitted:
    return Complex(*registers) if len(registers) == 2 else registers[0]


def step(e: Emitter, folding: Folding, total: Emitted, value: Emitted) -> Emitted:
    """total (op) value, free to be reordered where the contract allows it: sums and products of floats."""
    if folding.is_pairwise:
        return whole([e.b.fadd(x, y, flags=["reassoc"]) for x, y in zip(in_parts(total), in_parts(value))])
    if folding.op == "prod" and folding.dtype.kind == "f":
        return e.b.fmul(total, value, flags=["reassoc"])
    if folding.op in NUMPY_NAMES and folding.dtype.kind == "f":
        name = f"llvm.{NUMPY_NAMES[folding.op]}.f{8 * folding.dtype.itemsize}"
        chosen = as_choice(e, value)
        return e.intrinsic(name, total.type, total, chosen, fastmath=("nsz",))  # which of -0.0 and 0.0 NumPy gives is chance
    assert folding.combine is not None
    return emit_expression(e, folding.combine, [total, value])


def as_choice(e: Emitter, value: ir.Value) -> ir.Value:
    """A number; a choice with a literal becomes one whose literal LLVM does not know. It would make a choice of extrema of the extremum of
    a choice, where one side changes nothing, and has no vectors for that."""
    if not isinstance(value, ir.SelectInstr):
        return value
    condition, *sides = value.operands
    if not any(isinstance(side, ir.Constant) for side in sides):
        return value
    return e.b.select(condition, *(e.opaque(side) if isinstance(side, ir.Constant) else side for side in sides))


def element(e: Emitter, folding: Folding, formula: Expr, pointers: list[ir.Value], reading: Reading = Reading.ALL) -> Emitted:
    return emit_expression(e, formula, load_operands(e, folding.builder, pointers, reading=reading))


def accumulating(e: Emitter, folding: Folding) -> tuple[NestBody, Guard | None]:
    """What folds one element into the registers."""

    def adding(formula: Expr, reading: Reading = Reading.ALL) -> NestBody:
        return lambda pointers, registers: in_parts(step(e, folding, whole(registers), element(e, folding, formula, pointers, reading)))

    return adding(folding.expansion.expression), guard_of(e, folding.builder, folding.expansion, adding)


def fold_columns(e: Emitter, folding: Folding, walk: Walk) -> None:
    """The last axis stays: rows are folded into the result element by element, as NumPy does."""
    kept = folding.kept
    start = identity(folding.op, folding.dtype)

    def clear(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(start, pointers[0], folding.dtype, True, "fresh")
        return []

    def accumulating(formula: Expr, reading: Reading = Reading.ALL) -> NestBody:
        def accumulate(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            total = e.load_number(pointers[0], folding.dtype, True, "fresh")
            value = element(e, folding, formula, pointers[1:], reading)
            e.store_number(step(e, folding, total, value), pointers[0], folding.dtype, True, "fresh")
            return []

        return accumulate

    guard = guard_of(e, folding.builder, folding.expansion, accumulating, skipped=1)
    rows = max(folding.axes)

    def fold(sizes: tuple[ir.Value, ...], walks: list[Walk]) -> None:
        emit_nest(e, sizes, walks[:1], [], clear, kept)
        if guard is None and is_worth_grouping(sizes, rows, folding.expansion.expression):
            emit_row_groups(e, sizes, walks[:1], walks[1:], rows, accumulating_rows(e, folding))
            return
        emit_store_nest(e, sizes, walks, accumulating(folding.expansion.expression), guard)

    unit = COLUMNS if kept[0] == len(folding.sizes) - 1 else 1
    share_nest(e, folding.sizes, [walk, *folding.walks], kept[0], unit, folding.cost, folding.builder, fold)


def accumulating_rows(e: Emitter, folding: Folding) -> RowBody:
    """What folds one column of a group of rows into the result, in their order or in pairs."""

    def accumulate(kept: list[ir.Value], rows: list[list[ir.Value]], _: ir.Value) -> None:
        total = e.load_number(kept[0], folding.dtype, True, "fresh")
        values = [element(e, folding, folding.expansion.expression, pointers) for pointers in rows]
        while folding.in_pairs and len(values) > 1:
            values = [in_order(e, folding, *pair) for pair in zip(values[::2], values[1::2])]
        for value in values:
            total = in_order(e, folding, total, value)
        e.store_number(total, kept[0], folding.dtype, True, "fresh")

    return accumulate


def in_order(e: Emitter, folding: Folding, total: Emitted, value: Emitted) -> Emitted:
    """total (op) value, not to be reordered: the rows of a column are added as NumPy adds them."""
    if folding.is_pairwise:
        return whole([e.b.fadd(x, y) for x, y in zip(in_parts(total), in_parts(value))])
    if folding.op == "prod" and folding.dtype.kind == "f":
        return e.b.fmul(total, value)
    assert folding.combine is not None
    return emit_expression(e, folding.combine, [total, value])


def walk_result(folding: Folding, target: Array, keepdims: bool) -> Walk:
    """How the domain walks the result: not at all along reduced axes."""
    strides, rest = [], iter(target.strides)
    for axis in range(len(folding.sizes)):
        if axis in folding.axes:
            strides.append(I64(0))
            if keepdims:
                next(rest)
        else:
            strides.append(next(rest))
    return Walk(target.pointer, tuple(strides), folding.dtype.itemsize)


def fold_rows(e: Emitter, folding: Folding, walk: Walk, nest: RowsNest | None = None) -> None:
    """For each element of the result, the fold of what belongs to it; by a nest that does the same, where one is given."""
    fold = nest or functools.partial(fold_each_row, e, folding)
    walks = [walk, *folding.walks]
    if folding.kept:
        share_nest(e, folding.sizes, walks, folding.kept[0], 1, folding.cost, folding.builder, fold)
    else:
        fold(folding.sizes, walks)


def fold_each_row(e: Emitter, folding: Folding, sizes: tuple[ir.Value, ...], walks: list[Walk]) -> None:
    """The folds of rows one by one."""
    here = replace(folding, sizes=sizes, walks=walks[1:])

    def row(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        total = fold_versions(e, here, pointers[1:])
        e.store_number(total, pointers[0], folding.dtype, True, "fresh")
        return []

    with independent_trips(e):
        emit_nest(e, sizes, walks, [], row, folding.kept)


def fold_all(e: Emitter, folding: Folding) -> Emitted:
    """One number; by stretches where threads may share it."""
    alone = lambda: fold_versions(e, folding, [walk.pointer for walk in folding.walks])  # noqa: E731
    if not folding.is_divisible or not may_be_large(e, folding.builder, folding.sizes, folding.cost):
        return alone()
    work = e.mul(e.product(folding.sizes), I64(folding.cost))
    return whole(emit_either(e, is_large(e, work), lambda: fold_shared(e, folding, work), lambda: in_parts(alone())))


def fold_shared(e: Emitter, folding: Folding, work: ir.Value) -> list[ir.Value]:
    """One number from stretches of blocks, each a part of a row."""
    start = in_parts(identity(folding.op, folding.dtype))

    def combine(count: ir.Value, stretch: Callable[[ir.Value], list[ir.Value]]) -> list[ir.Value]:
        if not folding.is_pairwise:
            return emit_loop(e, count, start, lambda index, total: in_parts(step(e, folding, whole(total), whole(stretch(index)))))
        stack = PairwiseStack(e, start)
        (pushed,) = emit_loop(e, count, [I64(0)], lambda index, pushed: [stack.push(pushed[0], stretch(index))])
        return stack.total(pushed)

    def fold(made: Outline, first: ir.Value, count: ir.Value) -> list[ir.Value]:
        sizes, walks = tuple(map(made.capture, folding.sizes)), list(map(made.capture_walk, folding.walks))
        if len(sizes) > 1:
            return fold_blocks(e, replace(folding, sizes=sizes, walks=walks), first, count)
        begin = e.mul(first, I64(BLOCK))
        length = e.minimum(e.sub(sizes[0], begin), e.mul(count, I64(BLOCK)))
        here = replace(folding, sizes=(length,), walks=walks)
        return in_parts(fold_versions(e, here, [address(e, walk, 0, walk.pointer, begin) for walk in walks]))

    blocks = e.mul(e.product(folding.sizes[:-1]), blocks_of_row(e, folding))
    types = [register.type for register in start]
    return fold_stretches(e, blocks, work, scalars_of(folding.builder), types, fold, combine)


def fold_blocks(e: Emitter, folding: Folding, first: ir.Value, count: ir.Value) -> list[ir.Value]:
    """The fold of so many blocks of a matrix from one on, in a second version for contiguous rows."""
    unit = unit_stride(e, folding.walks, 1)
    contiguous = replace(folding, walks=[with_unit_stride(walk, 1) for walk in folding.walks])
    if constant_of(unit) == 1:
        return fold_blocks_of(e, folding, first, count)
    return emit_either(e, unit, lambda: fold_blocks_of(e, contiguous, first, count), lambda: fold_blocks_of(e, folding, first, count))


def fold_blocks_of(e: Emitter, folding: Folding, first: ir.Value, count: ir.Value) -> list[ir.Value]:
    """As `fold_blocks`, for one version."""
    start, in_row = in_parts(identity(folding.op, folding.dtype)), blocks_of_row(e, folding)
    stack = PairwiseStack(e, start) if folding.is_pairwise else None
    row = e.b.udiv(first, in_row)

    def one(_: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        row, block, *state = registers
        pointers = [address(e, walk, 0, walk.pointer, row) for walk in folding.walks]
        found = fold_block(e, folding, folding.walks, pointers, e.mul(block, I64(BLOCK)))
        following = e.add(block, I64(1))
        ends = e.compare("==", following, in_row)
        place = [e.select(ends, e.add(row, I64(1)), row), e.select(ends, I64(0), following)]
        return [*place, *([stack.push(state[0], found)] if stack else in_parts(step(e, folding, whole(state), whole(found))))]

    entering = [row, e.sub(first, e.mul(row, in_row)), *([I64(0)] if stack else start)]
    state = emit_loop(e, count, entering, one)[2:]
    return stack.total(state[0]) if stack else state


def blocks_of_row(e: Emitter, folding: Folding) -> ir.Value:
    """How many blocks a row has."""
    return e.b.sdiv(e.b.add(folding.sizes[-1], I64(BLOCK - 1)), I64(BLOCK))


def fold_block(e: Emitter, folding: Folding, walks: list[Walk], pointers: list[ir.Value], first: ir.Value) -> list[ir.Value]:
    """The fold of one block of a row from an element on."""
    last = folding.axes[-1]
    count = e.minimum(e.sub(folding.sizes[last], first), I64(BLOCK))

    def locate(index: ir.Value) -> list[ir.Value]:
        return [address(e, walk, last, pointer, e.b.add(first, index, flags=["nsw"])) for walk, pointer in zip(walks, pointers)]

    return emit_guarded_loop(e, count, in_parts(identity(folding.op, folding.dtype)), locate, *accumulating(e, folding))


def fold_versions(e: Emitter, folding: Folding, pointers: list[ir.Value]) -> Emitted:
    """The fold over the reduced axes, in a second version for strides that turn out to be the item size."""
    walks = [Walk(pointer, walk.strides, walk.itemsize) for pointer, walk in zip(pointers, folding.walks)]
    if not folding.axes:
        body, guard = accumulating(e, folding)
        return whole(emit_nest(e, (), walks, in_parts(identity(folding.op, folding.dtype)), body, guard=guard))
    last = folding.axes[-1]
    unit = unit_stride(e, walks, last)
    if constant_of(unit) == 1:
        return fold_domain(e, folding, walks)
    contiguous = [with_unit_stride(walk, last) for walk in walks]
    forms = [lambda each=each: in_parts(fold_domain(e, folding, each)) for each in (contiguous, walks)]
    return whole(emit_either(e, unit, *forms))


def fold_domain(e: Emitter, folding: Folding, walks: list[Walk]) -> Emitted:
    start = identity(folding.op, folding.dtype)
    if folding.is_pairwise and not is_short(folding):
        return fold_pairwise(e, folding, walks, start)
    body, guard = accumulating(e, folding)
    nest = emit_nest if folding.kept or folding.is_divisible else emit_long_nest
    return whole(nest(e, folding.sizes, walks, in_parts(start), body, folding.axes, guard))


def is_short(folding: Folding) -> bool:
    """Whether so few elements are summed that one block holds them."""
    count = 1
    for axis in folding.axes:
        known = constant_of(folding.sizes[axis])
        if known is None:
            return False
        count *= known
    return count <= BLOCK


def fold_pairwise(e: Emitter, folding: Folding, walks: list[Walk], start: Emitted) -> Emitted:
    """Block sums of every row, pushed on a stack that holds one sum of each power of two of blocks, but for the last block's, which what is
    there is added to: a single block needs no stack."""
    zeros = in_parts(start)
    stack = PairwiseStack(e, zeros)
    last, outer = folding.axes[-1], folding.axes[:-1]
    blocks = e.b.sdiv(e.b.add(folding.sizes[last], I64(BLOCK - 1)), I64(BLOCK))
    final = e.b.sub(e.mul(e.product(tuple(folding.sizes[axis] for axis in outer)), blocks), I64(1))

    def row(pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        def block(index: ir.Value, so_far: list[ir.Value]) -> list[ir.Value]:
            pushed = so_far[0] if outer else index
            sums = fold_block(e, folding, walks, pointers, e.mul(index, I64(BLOCK)))
            # Whether there is one block only would not change in the loop, which LLVM would write out for either case.
            is_last, push = e.compare("==", pushed, final), lambda: [stack.push(pushed, sums), *sums][1:]
            total = emit_either(e, is_last, lambda: stack.added(pushed, sums), push)
            return [*([e.b.add(pushed, I64(1))] if outer else []), *total]

        return emit_loop(e, blocks, registers, block, is_row=True)

    nest = emit_nest if folding.kept or folding.is_divisible else emit_long_nest
    found = nest(e, folding.sizes, walks, [*([I64(0)] if outer else []), *zeros], row, outer)
    return whole(found[bool(outer) :])
