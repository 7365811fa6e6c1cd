"""Elementwise operations: scalars in registers, arrays as loop nests with the operations that were fused into them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.chains import emit_alone, emit_chained, is_chained
from autograph_jit.backends.cpu.arithmetic.divisions import divide_by_positive
from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression, floor_division
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Guard, NestBody, Walk, address, emit_store_nest, walk_array
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.nests.lanes import emit_lanes, lane_count
from autograph_jit.backends.cpu.nests.operands import (
    Reading,
    is_astray,
    is_flat,
    load_operands,
    reading_elsewhere,
    staying_operands,
    waiting_of,
    walk_flat,
    walk_operands,
)
from autograph_jit.backends.cpu.signatures import I1, I64, PTR
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.threading.sharing import FLAT_UNIT, cost_of, share_nest
from autograph_jit.backends.cpu.values import Array, Deferred, Emitted, array_type, constant_of
from autograph_jit.ir.dims import Size, combine, scale
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.scalar import Expr
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.invariants import DIVISIONS
from autograph_jit.kernels.loop_nest import LoopNest, Store
from autograph_jit.kernels.vecmath.expand import Expansion

I64_DTYPE, U64_DTYPE = np.dtype(np.int64), np.dtype(np.uint64)
COPIES = 4  # vectors that a flat loop over a long expression works on at once
Runner = Callable[..., None]  # as `share_nest`
INTEGER_SUMS = {"add": "add", "subtract": "sub", "multiply": "mul"}


def emit_pointwise(e: Emitter, operation: Operation) -> list[Emitted]:
    """A scalar, or a fresh array that a nest fills."""
    (result,) = operation.results
    if operation.name in INTEGER_SUMS and result.type == I64_TYPE and (operation in e.assured or e.ranges.cannot_overflow(operation)):
        return [getattr(e.b, INTEGER_SUMS[operation.name])(*(e.get(value) for value in operation.operands), flags=["nsw"])]
    if operation.name == "remainder" and result.type == I64_TYPE and is_within_a_period(e, operation):
        return [wrapped_once(e, operation)]
    if operation.name in DIVISIONS and result.type == I64_TYPE and all(e.ranges.is_nonnegative(x, operation) for x in operation.operands):
        quotient, remainder = floor_division(e, U64_DTYPE, *(e.get(value) for value in operation.operands))
        return [quotient if operation.name == "floor_divide" else remainder]
    if operation.name in DIVISIONS and result.type == I64_TYPE:
        divided = divide_by_positive(e, operation)
        if divided is not None:
            return [divided]
    if operation in e.trip_sums:
        return [e.b.fadd(*(e.get(value) for value in operation.operands), flags=["reassoc"])]
    if isinstance(result.type, ScalarType):
        return [emit_number(e, operation)]
    shape, type = broadcast_shape(e, operation), array_type(result)
    builder = NestBuilder(type.rank, e.consumers)
    expression = builder.apply(operation)
    target = take_over(e, e.reuses[operation]) if operation in e.reuses else e.allocate(shape, type.dtype, result=result)
    if operation not in e.updates:
        fill_apart(e, operation.name, target, type, builder, expression, e.runners.get(operation, share_nest))
    return [target]


def emit_number(e: Emitter, operation: Operation) -> Emitted:
    """The result of an operation on numbers."""
    if operation in e.chained:
        return emit_chained(e, operation, is_quick=True)
    if e.loop_depth and is_chained(operation):
        return emit_alone(e, operation)
    return emit_chained(e, operation, is_quick=False)


def take_over(e: Emitter, operand: Value) -> Array:
    """An operand with the reference to it, for the result that is written in its place."""
    del e.scopes[-1][operand]
    taken = e.get(operand)
    assert isinstance(taken, Array)
    return taken


def is_within_a_period(e: Emitter, remainder: Operation) -> bool:
    """Whether a number is surely at most one period away from its remainder: a neighbour's index on a ring."""
    x, period = (e.ranges.exact(value, e.ranges.facts_before(remainder)) for value in remainder.operands)
    if x is None or period is None or isinstance(period, int):
        return False
    beyond = combine(combine(scale(period, 2), x, -1), 1, -1)
    return all(e.ranges.is_surely_nonnegative(form, remainder) for form in (combine(x, period, 1), beyond))


def wrapped_once(e: Emitter, remainder: Operation) -> ir.Value:
    """The remainder of such a number, without a division."""
    x, period = remainder.operands
    number, length = e.get(x), e.get(period)
    nonnegative, below = e.ranges.is_nonnegative(x, remainder), e.ranges.is_index(x, e.ranges.affine(period), remainder)[1]
    wrapped = number if below else e.b.select(e.compare("<", number, length), number, e.b.sub(number, length))
    return wrapped if nonnegative else e.b.select(e.compare("<", number, I64(0)), e.b.add(number, length), wrapped)


def emit_deferred(e: Emitter, operation: Operation) -> Deferred | Array:
    """Only the sizes of an operation that runs inside its consumer, with the check that its operands fit; of a view of all of an array,
    those of the array. A temporary that updates hold (`kernels.held`) is an array without memory, of which views have sizes."""
    (result,) = operation.results
    if result in e.absent:
        dtype = array_type(result).dtype
        shape = shape_of_temporary(e, operation)
        return Array(PTR(None), PTR(None), shape, e.contiguous_strides(shape, dtype.itemsize), dtype, True, "fresh")
    if not isinstance(operation.opdef.kernel, Pointwise):
        return Deferred(e.get(operation.operands[0]).shape)
    return Deferred(broadcast_shape(e, operation))


def checked_sizes(e: Emitter, sizes: list[Value]) -> tuple[ir.Value, ...]:
    """Operands that are a shape; a ValueError where one is negative."""
    shape = tuple(e.get(size) for size in sizes)
    for size in shape:
        known = constant_of(size)
        ok = e.compare(">=", size, I64(0)) if known is None else I1(int(known >= 0))
        e.guard(ok, lambda: ValueError("negative dimensions are not allowed"))
    return shape


def shape_of_temporary(e: Emitter, maker: Operation) -> tuple[ir.Value, ...]:
    """The sizes of what an operation makes that has no nest of its own."""
    if maker.name == "copy":
        shape: tuple[ir.Value, ...] = e.get(maker.operands[0]).shape
        return shape
    return shape_of_full(e, maker) if maker.name == "full" else broadcast_shape(e, maker)


def shape_of_full(e: Emitter, full: Operation) -> tuple[ir.Value, ...]:
    """The sizes of an array of equal numbers."""
    sizes = full.operands[1:]
    return tuple(e.get(size) for size in sizes) if full.attributes.get("checked") else checked_sizes(e, sizes)


def broadcast_shape(e: Emitter, operation: Operation) -> tuple[ir.Value, ...]:
    """The sizes of an elementwise result; a ValueError where operands do not broadcast."""
    type = array_type(operation.result)
    operands = [(value.type.dims, e.get(value).shape) for value in operation.operands if isinstance(value.type, ArrayType)]
    shape = tuple(broadcast_axis(e, type.dims[axis], axis - type.rank, operands) for axis in range(type.rank))
    unproved = [
        (size, shape[axis])
        for dims, sizes in operands
        for axis, (dim, size) in enumerate(zip(dims, sizes), type.rank - len(dims))
        if dim != type.dims[axis] and dim != 1
    ]
    if unproved:
        fits: ir.Value = I1(1)
        for size, wanted in unproved:
            fits = e.b.and_(fits, e.b.or_(e.compare("==", size, wanted), e.compare("==", size, I64(1))))
        ranks = tuple(value.type.rank if isinstance(value.type, ArrayType) else 0 for value in operation.operands)
        payload = [(size, I64_DTYPE) for _, sizes in operands for size in sizes]
        e.guard(fits, broadcast_error(ranks), *payload)
    return shape


def broadcast_axis(e: Emitter, dim: Size, position: int, operands: list[tuple[tuple[Size, ...], tuple[ir.Value, ...]]]) -> ir.Value:
    """One size of the result: literal, an operand's that is proved equal, or the first that is not 1."""
    if isinstance(dim, int):
        return I64(dim)
    found = [(dims[position], sizes[position]) for dims, sizes in operands if len(dims) >= -position]
    for known, size in found:
        if known == dim:
            return size
    total: ir.Value = I64(1)
    for _, size in found:
        total = e.select(e.compare("==", total, I64(1)), size, total)
    return total


def shapes_text(ranks: tuple[int, ...], numbers: tuple[Any, ...]) -> list[str]:
    """Shapes as NumPy's messages have them."""
    rest = [int(number) for number in numbers]
    shapes = []
    for rank in ranks:
        shapes.append(tuple(rest[:rank]))
        del rest[:rank]
    return [str(shape).replace(" ", "") for shape in shapes]


def broadcast_error(ranks: tuple[int, ...]) -> Callable[..., Exception]:
    return lambda *numbers: ValueError(f"operands could not be broadcast together with shapes {' '.join(shapes_text(ranks, numbers))} ")


def fill_apart(
    e: Emitter, name: str, target: Array, type: ArrayType, builder: NestBuilder, expression: Expr, run: Runner = share_nest
) -> None:
    """As `fill`, for an array of which every element has memory of its own."""
    with independent_trips(e):
        fill_elements(e, name, target, type, builder, expression, run)


def fill_elements(
    e: Emitter, name: str, target: Array, type: ArrayType, builder: NestBuilder, expression: Expr, run: Runner = share_nest
) -> None:
    """Store an expression at every index of an array that no operand overlaps, except at the same index; `run` runs the nest."""
    if target.contiguous and e.access_group is None:
        fill_apart(e, name, target, type, builder, expression, run)
        return
    e.nests.append(LoopNest(name, type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
    expansion = in_array_loop(expression, builder.values)
    if target.contiguous and type.rank > 1 and is_flat(e, builder, type):
        sizes: tuple[ir.Value, ...] = (e.product(target.shape),)
        walks = [Walk(target.pointer, (I64(type.dtype.itemsize),), type.dtype.itemsize), *walk_flat(e, builder)]
    else:
        sizes = target.shape
        walks = [walk_array(e, target, type.dims, tuple(range(type.rank)), type.dims), *walk_operands(e, builder, type.dims)]

    if expansion.outside is None and not e.flags.get(builder) and (count := lane_count(sizes, expansion.expression)):
        ends = [[address(e, walk, 0, walk.pointer, I64(lane)) for walk in walks] for lane in range(count)]
        values = emit_lanes(e, expansion.expression, [load_operands(e, builder, pointers[1:]) for pointers in ends])
        for value, pointers in zip(values, ends):
            e.store_number(value, pointers[0], type.dtype, target.contiguous, target.scope)
        return

    kept: dict[int, Emitted] = {}

    def storing(formula: Expr, reading: Reading = Reading.ALL) -> NestBody:
        def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            value = emit_expression(e, formula, load_operands(e, builder, pointers[1:], kept, reading))
            e.store_number(value, pointers[0], type.dtype, target.contiguous, target.scope)
            return []

        return element

    guard = guard_of(e, builder, expansion, storing, skipped=1)
    copies = COPIES if expansion.is_expanded and len(sizes) == 1 else 0
    unit = FLAT_UNIT if len(sizes) == 1 else 1

    def nest(lengths: tuple[ir.Value, ...], moved: list[Walk]) -> None:
        def enter(pointers: list[ir.Value]) -> None:
            """Load what stays along the innermost axis: nothing overwrites it, which LLVM cannot know of the target's own memory."""
            kept.clear()
            if len(lengths) > 1:
                kept.update(staying_operands(e, builder, moved[1:], pointers[1:]))

        emit_store_nest(e, lengths, moved, storing(expansion.expression), guard, copies, enter)

    with reading_elsewhere(e, builder, expression, walks[1:]):
        run(e, sizes, walks, 0, unit, cost_of(expansion.expression), builder, nest)


def fill_side_by_side(e: Emitter, targets: list[Array], type: ArrayType, builder: NestBuilder, expressions: list[Expr]) -> None:
    """Store several expressions, each in an array of its own that no operand overlaps, in one nest."""
    for expression in expressions:
        e.nests.append(LoopNest("side by side", type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
    formulas = [in_array_loop(expression, builder.values).expression for expression in expressions]
    everywhere, count = tuple(range(type.rank)), len(targets)
    walks = [*(walk_array(e, target, type.dims, everywhere, type.dims) for target in targets), *walk_operands(e, builder, type.dims)]

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        numbers = load_operands(e, builder, pointers[count:])
        values = [emit_expression(e, formula, numbers) for formula in formulas]
        for target, value, pointer in zip(targets, values, pointers):
            e.store_number(value, pointer, type.dtype, target.contiguous, target.scope)
        return []

    cost = sum(map(cost_of, formulas))
    with independent_trips(e):
        share_nest(e, targets[0].shape, walks, 0, 1, cost, builder, lambda sizes, moved: emit_store_nest(e, sizes, moved, element))


def guard_of(
    e: Emitter, builder: NestBuilder, expansion: Expansion, body: Callable[[Expr, Reading], NestBody], skipped: int = 0
) -> Guard | None:
    """Where the expansion does not hold, or integers may be out of bounds, what runs in its place; the operands' pointers follow `skipped`
    others."""
    outside, guard = expansion.outside, None
    if outside is not None:
        is_outside = lambda pointers: emit_expression(e, outside, load_operands(e, builder, pointers[skipped:]))  # noqa: E731
        guard = Guard(is_outside, body(expansion.original, Reading.ALL))
    if not waiting_of(e, builder):
        return guard
    formula = expansion.expression if outside is None else expansion.original
    return Guard(lambda pointers: is_astray(e, builder, pointers[skipped:]), body(formula, Reading.CAREFUL), guard, is_rare=True)
