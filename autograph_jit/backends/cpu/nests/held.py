"""Updates of an array that hold temporaries (`kernels.held`): elements of a line in registers, planes and rows in a ring of a few.

for i in range(n):                              for row in range(rows):
    t0 = 0.2 * u[i + 1]                             held[row % 4] = 0.2 * (row + 1 of u)
    u[i] = ((u[i] + t0) + t2) - 2 * t1              row of u = (row of u + held[row % 4]) + held[(row - 2) % 4]
    t1, t2 = t0, t1

The ends of a line, which not all updates have, are walked element by element with conditions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk, emit_loop, unit_stride
from autograph_jit.backends.cpu.nests.updates import Part, emit_rows, operands_of, part_of
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of, register_type
from autograph_jit.ir.graph import Value
from autograph_jit.kernels.held import Held, shift_of
from autograph_jit.kernels.slices import place_of
from autograph_jit.kernels.updates import Update
from autograph_jit.records import dataclass

Registers = list[list[ir.Value]]  # of each temporary, the newest element first


@dataclass(frozen=True, slots=True)
class Temporary:
    """A temporary with what computes it."""

    held: Held
    parts: list[Part]

    @property
    def dtype(self) -> np.dtype:
        return array_type(self.held.array).dtype


def emit_held_updates(e: Emitter, updates: list[Update], held: list[Held]) -> None:
    """All updates of a run and the temporaries that they read; a second version where an operand is repeated along the last axis."""
    base = e.get(updates[0].base)
    parts = [present_part(e, update, "update") for update in updates]
    temporaries = [Temporary(each, [present_part(e, part, "held") for part in each.parts]) for each in held]
    emit = emit_line if len(base.shape) == 1 else emit_planes
    axis = len(base.shape) - 1
    everything = [*parts, *(part for temporary in temporaries for part in temporary.parts)]
    unit = unit_stride(e, [walk for part in everything for walk in part.walks.values()], axis)
    if constant_of(unit) == 1:
        emit(e, base, parts, temporaries, True)
        return
    with e.b.if_else(unit) as (contiguous, repeated):
        with contiguous:
            plain = [replace(each, parts=[part.with_unit_stride(axis) for part in each.parts]) for each in temporaries]
            emit(e, base, [part.with_unit_stride(axis) for part in parts], plain, True)
        with repeated:
            emit(e, base, parts, temporaries, False)


def present_part(e: Emitter, update: Update, name: str) -> Part:
    """An update with the walks of the operands that have memory."""
    part = part_of(e, update, name)
    return replace(part, walks={value: walk for value, walk in part.walks.items() if place_of(value)[0] not in e.absent})


def is_inside(e: Emitter, part: Part, axis: int, index: ir.Value) -> ir.Value:
    start, stop = I64(part.update.starts[axis]), part.stops[axis]
    return e.b.and_(e.compare("<=", start, index), e.compare("<", index, stop))


# Lines.


def emit_line(e: Emitter, base: Array, parts: list[Part], temporaries: list[Temporary], in_vectors: bool) -> None:
    """What all updates have in one loop, what lies before and behind with conditions."""
    begin = min(0, *(each.held.lead for each in temporaries))
    starts = [(each.update.starts[0], each.stops[0], 0) for each in parts]
    starts += [(part.update.starts[0], part.stops[0], each.held.lead) for each in temporaries for part in each.parts]
    first = e.minimum(I64(max(start + lead for start, _, lead in starts)), base.shape[0])
    last = base.shape[0]
    for _, stop, lead in starts:
        last = e.minimum(last, e.add(stop, I64(lead)))
    last = e.maximum(last, first)
    registers = [ir.Constant(register_type(each.dtype), 0) for each in temporaries for _ in range(each.held.depth)]

    def ends(start: ir.Value, stop: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
        def end(index: ir.Value, inner: list[ir.Value]) -> list[ir.Value]:
            return flat(at_an_end(e, base, parts, temporaries, e.add(start, index), grouped(temporaries, inner)))

        return emit_loop(e, e.sub(stop, start), state, end, in_vectors=False)

    def middle(index: ir.Value, inner: list[ir.Value]) -> list[ir.Value]:
        return flat(in_the_middle(e, base, parts, temporaries, e.add(first, index), grouped(temporaries, inner)))

    count = e.sub(last, first)
    registers = ends(I64(begin), first, registers)
    registers = emit_long_loop(e, count, registers, middle) if in_vectors else emit_loop(e, count, registers, middle, in_vectors=False)
    ends(last, base.shape[0], registers)


def flat(registers: Registers) -> list[ir.Value]:
    return [number for numbers in registers for number in numbers]


def grouped(temporaries: list[Temporary], state: list[ir.Value]) -> Registers:
    numbers = iter(state)
    return [[next(numbers) for _ in range(each.held.depth)] for each in temporaries]


def in_the_middle(e: Emitter, base: Array, parts: list[Part], temporaries: list[Temporary], index: ir.Value, past: Registers) -> Registers:
    """An element that all updates have; what is held for the next one."""
    present: Registers = []
    for each, before in zip(temporaries, past):
        number: Emitted = ir.Constant(register_type(each.dtype), 0)
        for part in each.parts:
            number = changed_element(e, part, Reached(temporaries, present, index), each.held.lead, number)
        present.append([number, *before])
    place = e.offset(base.pointer, e.mul(index, base.strides[0]))
    number = e.load_number(place, base.dtype, base.contiguous, base.scope)
    for part in parts:
        number = changed_element(e, part, Reached(temporaries, present, index), 0, number)
    e.store_number(number, place, base.dtype, base.contiguous, base.scope)
    return [numbers[: each.held.depth] for each, numbers in zip(temporaries, present)]


def at_an_end(e: Emitter, base: Array, parts: list[Part], temporaries: list[Temporary], index: ir.Value, past: Registers) -> Registers:
    """An element that some updates have."""
    present: Registers = []
    for each, before in zip(temporaries, past):
        number: ir.Value = ir.Constant(register_type(each.dtype), 0)
        for part in each.parts:
            compute = functools.partial(changed_element, e, part, Reached(temporaries, present, index), each.held.lead, number)
            number = conditional_number(e, is_inside(e, part, 0, e.sub(index, I64(each.held.lead))), compute, number)
        present.append([number, *before])
    place = e.offset(base.pointer, e.mul(index, base.strides[0]))
    for part in parts:
        with e.b.if_then(is_inside(e, part, 0, index)):
            number = e.load_number(place, base.dtype, base.contiguous, base.scope)
            number = changed_element(e, part, Reached(temporaries, present, index), 0, number)
            e.store_number(number, place, base.dtype, base.contiguous, base.scope)
    return [numbers[: each.held.depth] for each, numbers in zip(temporaries, present)]


@dataclass(frozen=True, slots=True)
class Reached:
    """Where a line is: an element of the array, and the elements of the temporaries that are there so far."""

    temporaries: list[Temporary]
    present: Registers
    index: ir.Value


def changed_element(e: Emitter, part: Part, at: Reached, lead: int, number: Emitted) -> Emitted:
    """The number that an update makes of an element: of the array, or of a temporary that lies `lead` elements behind."""
    read: dict[Value, Emitted] = {}
    for value in part.update.others:
        for each, numbers in zip(at.temporaries, at.present):
            if place_of(value)[0] is each.held.array:
                shift = shift_of(part.update, value)
                assert shift is not None
                read[value] = numbers[shift[0] + lead - each.held.lead]
    moved = part.moved(e, 0, e.sub(at.index, I64(lead)))
    return emit_expression(e, part.expression, operands_of(e, moved, number, read))


def conditional_number(e: Emitter, condition: ir.Value, compute: Callable[[], Emitted], otherwise: ir.Value) -> ir.Value:
    """A number that is computed under a condition only."""
    before = e.b.block
    with e.b.if_then(condition):
        computed = compute()
        end = e.b.block
    phi = e.b.phi(otherwise.type)
    phi.add_incoming(otherwise, before)
    phi.add_incoming(computed, end)
    return phi


# Planes and rows.


def emit_planes(e: Emitter, base: Array, parts: list[Part], temporaries: list[Temporary], in_vectors: bool) -> None:
    """Plane by plane, or row by row: first the planes of the temporaries that become due, then the updates of one."""
    begin = min(0, *(each.held.lead for each in temporaries))
    rings = [ring_of(e, each.held) for each in temporaries]

    def plane(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        index = e.add(number, I64(begin))
        for each, ring in zip(temporaries, rings):
            here = e.sub(index, I64(each.held.lead))
            due = e.b.and_(e.compare("<=", I64(0), here), e.compare("<", here, e.get(each.held.array).shape[0]))
            with e.b.if_then(due):
                active = [is_inside(e, part, 0, here) for part in each.parts]
                place = slot(e, each.held, ring, here)
                moved = [with_slots(e, part, temporaries, rings, here).moved(e, 0, here) for part in each.parts]
                emit_rows(e, ring, place, moved, 1, active, in_vectors)
        with e.b.if_then(e.compare("<=", I64(0), index) if begin else I1(1)):
            moved = [with_slots(e, part, temporaries, rings, index).moved(e, 0, index) for part in parts]
            place = e.offset(base.pointer, e.mul(index, base.strides[0]))
            emit_rows(e, base, place, moved, 1, [is_inside(e, part, 0, index) for part in parts], in_vectors)
        return []

    emit_long_loop(e, e.sub(base.shape[0], I64(begin)), [], plane, base.shape[1:])
    for ring in rings:
        e.call("ag_release", e.frame, ring.owner)


def ring_of(e: Emitter, held: Held) -> Array:
    """Memory for so many planes of a temporary as are held, a power of two."""
    return e.allocate((I64(1 << held.depth.bit_length()), *e.get(held.array).shape[1:]), array_type(held.array).dtype)


def slot(e: Emitter, held: Held, ring: Array, plane: ir.Value) -> ir.Value:
    """Where the ring has a plane."""
    number = e.b.and_(plane, I64((1 << held.depth.bit_length()) - 1))
    return e.offset(ring.pointer, e.mul(number, ring.strides[0]))


def with_slots(e: Emitter, part: Part, temporaries: list[Temporary], rings: list[Array], index: ir.Value) -> Part:
    """An update that reads its temporaries from their rings, for one plane of the array."""
    walks = dict(part.walks)
    for value in part.update.others:
        array, starts = place_of(value)
        for each, ring in zip(temporaries, rings):
            if array is each.held.array:
                shift = shift_of(part.update, value)
                assert shift is not None and starts is not None
                pointer = slot(e, each.held, ring, e.sub(index, I64(shift[0])))
                for start, stride in zip(starts[1:], ring.strides[1:]):
                    pointer = e.offset(pointer, e.mul(I64(start), stride))
                walks[value] = Walk(pointer, (I64(0), *ring.strides[1:]), ring.dtype.itemsize)
    return replace(part, walks=walks)
