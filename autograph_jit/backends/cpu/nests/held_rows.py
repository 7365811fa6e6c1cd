"""Assignments to a slice that read other slices of the same array, literal distances away: a few rows are held back, not a whole copy.

    u[1:-1, 1:-1] += u[2:, 1:-1] + u[:-2, 1:-1]         for row in range(rows + 1):
                                                            held[row % 2] = the row of the expression          but for the last time
                                                            row - 1 of u[1:-1, 1:-1] = held[(row - 1) % 2]     but for the first time

A row is stored when no later one reads what stands there: after as many rows as the farthest operand lies behind. In three dimensions rows
are counted through all planes.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk, emit_loop, emit_store_nest, walk_array
from autograph_jit.backends.cpu.nests.operands import load_operands
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.values import Array, array_type
from autograph_jit.ir.graph import Value
from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import LoopNest, Store
from autograph_jit.kernels.slices import place_of
from autograph_jit.records import dataclass

FARTHEST = 4  # planes and rows
Place = list[ir.Value]  # a plane and a row in it


def rows_behind(e: Emitter, destination: Value, builder: NestBuilder, expression: Expr) -> set[tuple[int, int]] | None:
    """How many planes and rows operands lie behind the target; None where that is not known."""
    type = array_type(destination)
    base, starts = place_of(destination)
    if type.rank not in (2, 3) or starts is None or not e.facts.is_contiguous(base):
        return None
    if in_array_loop(expression, builder.values).outside:
        return None
    found = set()
    for value, spec in zip(builder.values, builder.operands):
        if spec.index_map is None or not e.facts.may_meet(destination, value):
            continue
        other, at = place_of(value)
        if other is not base or at is None or array_type(value).dims != type.dims:
            return None
        behind = [start - first for start, first in zip(starts, at)][:-1]
        if max(map(abs, behind)) > FARTHEST:
            return None
        found.add((behind[0] if type.rank == 3 else 0, behind[-1]))
    return found


@dataclass(slots=True)
class Rows:
    """An array of two or three dimensions by rows."""

    e: Emitter
    walk: Walk

    def at(self, place: Place) -> Walk:
        """The walk over one row."""
        pointer = self.walk.pointer
        for index, stride in zip(place[-(len(self.walk.strides) - 1) :], self.walk.strides):
            pointer = self.e.offset(pointer, self.e.mul(index, stride))
        return Walk(pointer, self.walk.strides[-1:], self.walk.itemsize)


def fill_behind_rows(
    e: Emitter, target: Array, destination: Value, builder: NestBuilder, expression: Expr, behind: set[tuple[int, int]]
) -> None:
    """Store the expression row by row, each row as late as `behind` demands."""
    type = array_type(destination)
    e.nests.append(LoopNest("assign", type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
    formula = in_array_loop(expression, builder.values).expression
    rows, length = target.shape[-2:]
    delay: ir.Value = I64(0)
    for planes, lines in behind:
        delay = e.maximum(delay, e.add(e.mul(I64(planes), rows), I64(lines)))
    held = e.add(delay, I64(1))
    ring = e.allocate((held, length), target.dtype)
    everywhere = tuple(range(type.rank))
    store = Rows(e, walk_array(e, target, type.dims, everywhere, type.dims))
    sources = [
        Rows(e, walk_array(e, e.get(value), array_type(value).dims, spec.index_map, type.dims))
        for value, spec in zip(builder.values, builder.operands)
        if spec.index_map is not None
    ]

    def slot(number: ir.Value) -> Walk:
        return Walk(e.offset(ring.pointer, e.mul(number, ring.strides[0])), ring.strides[1:], ring.dtype.itemsize)

    def compute(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        number = emit_expression(e, formula, load_operands(e, builder, pointers[1:]))
        e.store_number(number, pointers[0], type.dtype, True, ring.scope)
        return []

    def give_back(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        number = e.load_number(pointers[1], type.dtype, True, ring.scope)
        e.store_number(number, pointers[0], type.dtype, target.contiguous, target.scope)
        return []

    def following(place: Place) -> Place:
        further = e.add(place[1], I64(1))
        ends = e.compare("==", further, rows)
        return [e.select(ends, e.add(place[0], I64(1)), place[0]), e.select(ends, I64(0), further)]

    total = e.product(target.shape[:-1])

    def step(row: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        here, back, number = registers[:2], registers[2:4], registers[4]
        after = e.add(number, I64(1))
        after = e.select(e.compare("==", after, held), I64(0), after)
        with e.b.if_then(e.compare("<", row, total)):
            emit_store_nest(e, (length,), [slot(number), *(source.at(here) for source in sources)], compute)
        is_due = e.compare(">=", row, delay)
        with e.b.if_then(is_due):
            emit_store_nest(e, (length,), [store.at(back), slot(after)], give_back)
        moved = [e.select(is_due, new, old) for new, old in zip(following(back), back)]
        return [*following(here), *moved, after]

    with e.b.if_then(e.compare(">", total, I64(0))):
        emit_loop(e, e.add(total, delay), [I64(0)] * 5, step)
    e.call("ag_release", e.frame, ring.owner)
