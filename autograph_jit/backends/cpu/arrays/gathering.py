"""Gathers and scatters with integer arrays: the broadcast index outside, whole axes inside, every index checked."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.arrays import indexing
from autograph_jit.backends.cpu.control.long_loops import emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import fail_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import Walk, emit_nest
from autograph_jit.backends.cpu.nests.elementwise import I64_DTYPE, fill_apart
from autograph_jit.backends.cpu.nests.operands import load_operands, walk_operands
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Deferred, Emitted, array_type, constant_of, dtype_of
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.scalar import Expr, div, operand, sub
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.elsewhere import has_own_nest
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.ops import expressions as ex
from autograph_jit.records import dataclass

COMBINE = {"add": ex.add, "subtract": sub, "multiply": ex.multiply, "divide": div, "min": ex.minimum_or_nan, "max": ex.maximum_or_nan}


@dataclass(frozen=True, slots=True)
class Selection:
    """What an advanced index selects: the domain is the broadcast index, then the axes taken whole."""

    array: Array
    indexed: tuple[int, ...]  # axes of the array that an index selects on
    whole: tuple[int, ...]  # axes that are taken whole
    indices: tuple[Emitted, ...]  # one for each indexed axis: a scalar or an array
    index_shape: tuple[ir.Value, ...]
    position: int  # where the index's axes stand in the result

    @property
    def sizes(self) -> tuple[ir.Value, ...]:
        return (*self.index_shape, *(self.array.shape[axis] for axis in self.whole))

    @property
    def shape(self) -> tuple[ir.Value, ...]:
        """Sizes of the result, the index's axes where NumPy puts them."""
        rest = self.sizes[len(self.index_shape) :]
        return (*rest[: self.position], *self.index_shape, *rest[self.position :])

    def domain_axis(self, axis: int) -> int:
        """The axis of the domain that an axis of the result is."""
        rank = len(self.index_shape)
        if axis < self.position:
            return rank + axis
        return axis - self.position if axis < self.position + rank else axis


def select_by(e: Emitter, operation: Operation, indices: list[Value]) -> Selection:
    """Read an advanced index; a misfit of the index arrays is NumPy's error."""
    array, items = e.get(operation.operands[0]), operation.attributes["items"]
    indexed = tuple(axis for axis, item in enumerate(items) if item[0] == "array")
    whole = tuple(axis for axis, item in enumerate(items) if item[0] != "array")
    adjacent = all(after - before == 1 for before, after in zip(indexed, indexed[1:]))
    position = sum(axis < indexed[0] for axis in whole) if indexed and adjacent else 0
    shape = broadcast_sizes(e, operation, [value for value in indices if isinstance(value.type, ArrayType)])
    return Selection(array, indexed, whole, tuple(e.get(value) for value in indices), shape, position)


def broadcast_sizes(e: Emitter, operation: Operation, arrays: list[Value]) -> tuple[ir.Value, ...]:
    """The sizes that arrays broadcast to."""
    rank = max((array_type(value).rank for value in arrays), default=0)
    sizes: list[ir.Value] = []
    fits: ir.Value = I1(1)
    for back in range(-rank, 0):
        total: ir.Value = I64(1)
        found = [(array_type(value).dims[back], e.get(value).shape[back]) for value in arrays if array_type(value).rank >= -back]
        proved = len({dim for dim, _ in found if dim != 1}) <= 1
        for dim, size in found:
            if proved:
                total = size if dim != 1 else total
                continue
            total = e.select(e.compare("==", total, I64(1)), size, total)
        if not proved:
            for _, size in found:
                fits = e.b.and_(fits, e.b.or_(e.compare("==", size, total), e.compare("==", size, I64(1))))
        sizes.append(total)
    fail_by_eager_rule(e, operation, fits)
    return tuple(sizes)


def broadcast_walk(e: Emitter, array: Array, rank: int, positions: list[int]) -> Walk:
    """The walk of an array that is broadcast, its last axis on the last of `positions` in the domain."""
    strides: list[ir.Value] = [I64(0)] * rank
    count = len(array.shape)
    for axis, target in enumerate(positions[len(positions) - count :]):
        size, stride = array.shape[axis], array.strides[axis]
        known = constant_of(size)
        repeated = I1(int(known == 1)) if known is not None else e.compare("==", size, I64(1))
        strides[target] = e.select(repeated, I64(0), stride)
    return Walk(array.pointer, tuple(strides), array.dtype.itemsize)


def index_walks(e: Emitter, selection: Selection) -> list[Walk]:
    rank = len(selection.sizes)
    positions = list(range(len(selection.index_shape)))
    arrays = [index for index in selection.indices if isinstance(index, Array)]
    if len(arrays) == 1:  # which nothing stretches
        (index,) = arrays
        return [Walk(index.pointer, (*index.strides, *(I64(0) for _ in selection.whole)), index.dtype.itemsize)]
    return [broadcast_walk(e, index, rank, positions) for index in arrays]


def selected_address(e: Emitter, selection: Selection, pointers: list[ir.Value], checked: bool) -> ir.Value:
    """The address in the array at the index's current element, whole axes at 0."""
    address, rest = selection.array.pointer, iter(pointers)
    for axis, index in zip(selection.indexed, selection.indices):
        number = e.load_number(next(rest), I64_DTYPE, index.contiguous, index.scope) if isinstance(index, Array) else index
        size = selection.array.shape[axis]
        if checked:
            position = indexing.found_or_wrapped(e, axis, number, size)
        else:
            position = e.b.select(e.compare("<", number, I64(0)), e.b.add(number, size), number)
        address = e.offset(address, e.mul(position, selection.array.strides[axis]))
    return address


@rule("gather")
def emit_gather(e: Emitter, operation: Operation) -> list[Emitted]:
    if operation in e.waiting:
        return [gather_elements(e, operation)]
    selection = select_by(e, operation, operation.operands[1:])
    source, dtype = selection.array, selection.array.dtype
    target = e.allocate(selection.shape, dtype)
    rank, outer = len(selection.sizes), len(selection.index_shape)
    strides: list[ir.Value] = [I64(0)] * rank
    for axis, stride in enumerate(target.strides):
        strides[selection.domain_axis(axis)] = stride
    into = Walk(target.pointer, tuple(strides), dtype.itemsize)

    def place(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        address = selected_address(e, selection, pointers[1:], checked=True)
        walks = [Walk(pointers[0], into.strides, dtype.itemsize), whole_walk(selection, address)]

        def element(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            e.store_number(e.load_number(ends[1], dtype, source.contiguous, source.scope), ends[0], dtype, True, "fresh")
            return []

        return emit_nest(e, selection.sizes, walks, [], element, tuple(range(outer, rank)))

    emit_long_nest(e, selection.sizes, [into, *index_walks(e, selection)], [], place, tuple(range(outer)))
    return [target]


def gather_elements(e: Emitter, operation: Operation) -> Array:
    """A gather of elements as a nest of its own, into which its indices are fused."""
    type = array_type(operation.result)
    target = e.allocate(defer_gather(e, operation).shape, type.dtype, result=operation.result)
    builder = NestBuilder(type.rank, e.consumers)
    fill_apart(e, "gather", target, type, builder, builder.add_gather(operation))
    return target


def defer_gather(e: Emitter, operation: Operation) -> Deferred:
    """The sizes of a gather that is read in a nest; its indices are looked at now, or there."""
    indices = operation.operands[1:]
    if has_own_nest(operation):
        type = array_type(operation.result)
        sizes = broadcast_sizes(e, operation, [value for value in indices if isinstance(value.type, ArrayType)])
        builder = NestBuilder(type.rank, e.consumers)
        numbers = [builder.add_index(value, 0, type.rank) for value in indices]
        walks, axes = walk_operands(e, builder, type.dims), tuple(range(type.rank))
        look_first(e, operation, sizes, walks, axes, lambda pointers: numbers_of(e, builder, numbers, pointers))
        return Deferred(sizes)
    selection = select_by(e, operation, indices)
    axes = tuple(range(len(selection.index_shape)))
    look_first(e, operation, selection.sizes, index_walks(e, selection), axes, lambda pointers: selected_numbers(e, selection, pointers))
    return Deferred(selection.shape)


def numbers_of(e: Emitter, builder: NestBuilder, indices: list[Expr], pointers: list[ir.Value]) -> list[ir.Value]:
    """The integers that expressions give at the current element."""
    operands = load_operands(e, builder, pointers)
    return [emit_expression(e, index, operands) for index in indices]


def selected_numbers(e: Emitter, selection: Selection, pointers: list[ir.Value]) -> list[ir.Value]:
    """The integers of an index at its current element."""
    rest = iter(pointers)
    return [
        e.load_number(next(rest), I64_DTYPE, index.contiguous, index.scope) if isinstance(index, Array) else index
        for index in selection.indices
    ]


def look_first(
    e: Emitter,
    operation: Operation,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    axes: tuple[int, ...],
    at: Callable[[list[ir.Value]], list[ir.Value]],
) -> None:
    """Look through the indices of a gather whether one is out of bounds, unless the nest that reads it does; then find the first one."""
    array = e.get(operation.operands[0])
    indexed = [axis for axis, item in enumerate(operation.attributes["items"]) if item[0] == "array"]

    def look(pointers: list[ir.Value], found: list[ir.Value]) -> list[ir.Value]:
        for axis, number in zip(indexed, at(pointers)):
            size = array.shape[axis]
            outside = e.b.icmp_unsigned(">=", e.b.add(number, size), e.b.shl(size, I64(1)))
            found = [e.b.or_(found[0], e.b.zext(outside, I64))]
        return found

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        for axis, number in zip(indexed, at(pointers)):
            indexing.found_or_wrapped(e, axis, number, array.shape[axis])
        return []

    def check() -> None:
        emit_nest(e, sizes, walks, [], element, axes)

    if operation in e.waiting:
        e.pending[operation] = check
        return
    (found,) = emit_long_nest(e, sizes, walks, [I64(0)], look, axes)
    with e.b.if_then(e.b.icmp_unsigned("!=", found, I64(0)), likely=False):
        check()


def whole_walk(selection: Selection, address: ir.Value) -> Walk:
    """The walk of the axes that are taken whole, from an address."""
    strides = [I64(0)] * len(selection.index_shape) + [selection.array.strides[axis] for axis in selection.whole]
    return Walk(address, tuple(strides), selection.array.dtype.itemsize)


@rule("scatter")
def emit_scatter(e: Emitter, operation: Operation) -> list[Emitted]:
    """All indices are checked before anything is written, as NumPy does; then elements in C order of the index."""
    target, given, *indices = operation.operands
    selection = select_by(e, operation, indices)
    dtype, mode = dtype_of(target), operation.attributes["mode"]
    value = snapshot(e, target, given) if isinstance(given.type, ArrayType) else e.get(given)
    rank, outer = len(selection.sizes), len(selection.index_shape)
    index_axes, whole_axes = tuple(range(outer)), tuple(range(outer, rank))
    walks = index_walks(e, selection)

    if isinstance(given.type, ArrayType):
        check_value_fits(e, operation, selection, value)
        positions = [selection.domain_axis(axis) for axis in range(rank)]
        walks = [broadcast_walk(e, drop_leading(value, rank), rank, positions), *walks]
    numbers_at = lambda pointers: selected_numbers(e, selection, pointers)  # noqa: E731
    look_first(e, operation, selection.sizes, index_walks(e, selection), index_axes, numbers_at)
    formula = None if mode == "set" else COMBINE[mode](operand(0, dtype), operand(1, dtype))

    def place(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        has_array = isinstance(given.type, ArrayType)
        address = selected_address(e, selection, pointers[1:] if has_array else pointers, checked=False)
        inner = [whole_walk(selection, address), *([Walk(pointers[0], walks[0].strides, dtype.itemsize)] if has_array else [])]

        def element(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            number = e.load_number(ends[1], dtype, value.contiguous, value.scope) if has_array else value
            write(e, selection.array, ends[0], number, formula)
            return []

        return emit_nest(e, selection.sizes, inner, [], element, whole_axes)

    emit_long_nest(e, selection.sizes, walks, [], place, index_axes)
    return []


def write(e: Emitter, array: Array, pointer: ir.Value, number: Emitted, formula: Expr | None) -> None:
    """Store a number, or combine it with the one that is there."""
    if formula is not None:
        number = emit_expression(e, formula, [e.load_number(pointer, array.dtype, array.contiguous, array.scope), number])
    e.store_number(number, pointer, array.dtype, array.contiguous, array.scope)


def snapshot(e: Emitter, target: Value, value: Value) -> Array:
    """The value, copied first where it may lie in the memory that is written."""
    array = e.get(value)
    if not e.facts.may_alias(target, value):
        return array
    copied = e.allocate(array.shape, array.dtype)
    builder = NestBuilder(array_type(value).rank, {})
    fill_apart(e, "copy", copied, array_type(value), builder, builder.expression_of(value))
    return copied


def drop_leading(array: Array, rank: int) -> Array:
    """Without leading axes beyond `rank`, which are of size 1."""
    extra = max(len(array.shape) - rank, 0)
    return Array(array.pointer, array.owner, array.shape[extra:], array.strides[extra:], array.dtype, array.contiguous, array.scope)


def check_value_fits(e: Emitter, operation: Operation, selection: Selection, value: Array) -> None:
    """NumPy's error where the value does not broadcast to what is selected."""
    shape, fits = selection.shape, I1(1)
    for back, size in enumerate(reversed(value.shape)):
        single = e.compare("==", size, I64(1))
        ok = single if back >= len(shape) else e.b.or_(single, e.compare("==", size, shape[len(shape) - 1 - back]))
        fits = e.b.and_(fits, ok)
    fail_by_eager_rule(e, operation, fits)
