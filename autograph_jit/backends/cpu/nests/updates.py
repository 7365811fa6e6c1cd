"""Updates of one array in one nest: a loop over the elements that all parts have, and short ones over those that some have alone.

for i in range(...):                            the axes before the last; each part has some of these rows
    for j in range(first, last):                what every part has
        u[i, j] = (u[i, j] + a[i, j]) - b[i, j - 1]
    for each part: two loops                    what lies before and behind; all of its row where another part does not have the row
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk, address, emit_loop, unit_stride, walk_array, with_unit_stride
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of
from autograph_jit.ir.graph import Value
from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.loop_nest import LoopNest, Store
from autograph_jit.kernels.updates import Update
from autograph_jit.records import dataclass

EDGES = 2
NOTHING: Mapping[Value, Emitted] = {}


@dataclass(frozen=True, slots=True)
class Part:
    """An update with the positions where it ends, and how its operands are walked."""

    update: Update
    expression: Expr
    stops: tuple[ir.Value, ...]
    walks: dict[Value, Walk]

    def moved(self, e: Emitter, axis: int, index: ir.Value) -> Part:
        """The part with its operands at an index of the array along an axis."""
        inside = e.sub(index, I64(self.update.starts[axis]))
        walks = {
            value: Walk(address(e, walk, axis, walk.pointer, inside), walk.strides, walk.itemsize) for value, walk in self.walks.items()
        }
        return Part(self.update, self.expression, self.stops, walks)

    def with_unit_stride(self, axis: int) -> Part:
        """The part where all strides along an axis are known to be the item size, but those that are literal."""
        walks = {value: with_unit_stride(walk, axis) for value, walk in self.walks.items()}
        return Part(self.update, self.expression, self.stops, walks)


def emit_updates(e: Emitter, updates: list[Update]) -> None:
    """All updates of a run, in a second version where an operand turns out to be repeated along the last axis."""
    base, axis = e.get(updates[0].base), len(e.get(updates[0].base).shape) - 1
    parts = [part_of(e, update) for update in updates]
    everywhere = [I1(1)] * len(parts)
    unit = unit_stride(e, [walk for part in parts for walk in part.walks.values()], axis)
    if constant_of(unit) == 1:
        emit_rows(e, base, base.pointer, parts, 0, everywhere)
        return
    with e.b.if_else(unit) as (contiguous, repeated):
        with contiguous:
            emit_rows(e, base, base.pointer, [part.with_unit_stride(axis) for part in parts], 0, everywhere)
        with repeated:
            emit_rows(e, base, base.pointer, parts, 0, everywhere, in_vectors=False)


def part_of(e: Emitter, update: Update, name: str = "update") -> Part:
    target, builder = e.get(update.target), update.builder
    dtype = array_type(update.base).dtype
    e.nests.append(LoopNest(name, update.dims, tuple(builder.operands), update.expression, Store("out", dtype)))
    stops = tuple(e.add(I64(start), size) for start, size in zip(update.starts, target.shape))
    walks = {
        value: walk_array(e, e.get(value), array_type(value).dims, spec.index_map, update.dims)
        for value, spec in zip(builder.values, builder.operands)
        if spec.index_map is not None and value not in update.own
    }
    return Part(update, in_array_loop(update.expression, builder.values).expression, stops, walks)


def emit_rows(
    e: Emitter, base: Array, pointer: ir.Value, parts: list[Part], axis: int, active: list[ir.Value], in_vectors: bool = True
) -> None:
    """Loops over the axes before the last; `active` tells which parts have the rows so far."""
    if axis == len(base.shape) - 1:
        emit_row(e, base, pointer, parts, active, in_vectors)
        return

    def row(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        found = []
        for part, before in zip(parts, active):
            start, stop = I64(part.update.starts[axis]), part.stops[axis]
            found.append(e.b.and_(before, e.b.and_(e.compare("<=", start, index), e.compare("<", index, stop))))
        place = e.offset(pointer, e.mul(index, base.strides[axis]))
        emit_rows(e, base, place, [part.moved(e, axis, index) for part in parts], axis + 1, found, in_vectors)
        return []

    if axis:
        emit_loop(e, base.shape[axis], [], row)
    else:
        emit_long_loop(e, base.shape[axis], [], row, base.shape[1:])


def emit_row(e: Emitter, base: Array, pointer: ir.Value, parts: list[Part], active: list[ir.Value], in_vectors: bool) -> None:
    """The last axis: what all parts have in one loop, then the rest of each part."""
    complete: ir.Value = I1(1)
    for each in active:
        complete = e.b.and_(complete, each)
    first = I64(max(part.update.starts[-1] for part in parts))
    last = parts[0].stops[-1]
    for part in parts[1:]:
        last = e.minimum(last, part.stops[-1])
    last = e.maximum(e.select(complete, last, I64(0)), first)
    emit_span(e, base, pointer, parts, first, e.sub(last, first), in_vectors)
    groups = [list(group) for _, group in groupby(zip(parts, active), key=lambda pair: (pair[0].update.starts, pair[0].update.dims))]
    if len(groups) == 1:
        return
    end = base.shape[-1]
    before, behind = e.select(complete, first, end), e.select(complete, last, end)
    for group in groups:
        part, has_row = group[0]
        start = I64(part.update.starts[-1])
        stop = e.select(has_row, part.stops[-1], start)
        emit_edges(e, base, pointer, [each for each, _ in group], (start, e.minimum(stop, before)), (e.maximum(start, behind), stop))


def emit_edges(
    e: Emitter, base: Array, pointer: ir.Value, parts: list[Part], before: tuple[ir.Value, ir.Value], behind: tuple[ir.Value, ir.Value]
) -> None:
    """What successive parts of one extent have alone, before and behind the rest: the same short loop runs twice."""

    def edge(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        is_first = e.compare("==", number, I64(0))
        start, stop = (e.b.select(is_first, x, y) for x, y in zip(before, behind))
        emit_span(e, base, pointer, parts, start, e.sub(stop, start), in_vectors=False)
        return []

    emit_loop(e, I64(EDGES), [], edge, in_vectors=False)


def emit_span(
    e: Emitter, base: Array, pointer: ir.Value, parts: list[Part], first: ir.Value, count: ir.Value, in_vectors: bool = True
) -> None:
    """A stretch of the last axis: each element through the updates of all parts, in registers."""
    axis = len(base.shape) - 1

    def element(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        here = e.add(first, index)
        place = e.offset(pointer, e.mul(here, base.strides[axis]))
        number = e.load_number(place, base.dtype, base.contiguous, base.scope)
        for part in parts:
            number = emit_expression(e, part.expression, operands_of(e, part.moved(e, axis, here), number))
        e.store_number(number, place, base.dtype, base.contiguous, base.scope)
        return []

    emit_loop(e, count, [], element, in_vectors=in_vectors)


def operands_of(e: Emitter, part: Part, here: Emitted, held: Mapping[Value, Emitted] = NOTHING) -> list[Emitted]:
    """The numbers of a part's operands at its pointers, but for those that are held."""
    numbers: list[Emitted] = []
    for value, spec in zip(part.update.builder.values, part.update.builder.operands):
        emitted = e.get(value)
        if value in part.update.own:
            numbers.append(here)
        elif value in held:
            numbers.append(held[value])
        elif spec.index_map is None:
            numbers.append(emitted)
        else:
            numbers.append(e.load_number(part.walks[value].pointer, spec.dtype, emitted.contiguous, emitted.scope))
    return numbers
