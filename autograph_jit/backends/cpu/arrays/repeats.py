"""Elements that are repeated, each as often as a count says; one pass adds the counts up, a second one writes.

    total = signs = written = 0                for x, count in zip(array, counts):
    for count in counts:                           for start in range(0, max(count, 1), BLOCK):
        total += count                                 result[written + start : written + start + BLOCK] = x
        signs |= count | total                     written += count

Whole blocks are written, and what is behind the count again by what comes next: of small counts, no branch to be mistaken about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.arrays.routines import I64_DTYPE, walk_all
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import LoopBody, Walk, address, emit_loop, emit_nest
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted
from autograph_jit.ir.graph import Operation

BLOCK = 4  # elements
Loop = Callable[[Emitter, ir.Value, list[ir.Value], LoopBody], list[ir.Value]]


def count_at(e: Emitter, counts: Array, index: ir.Value) -> ir.Value:
    return e.load_number(address(e, walk_all(counts), 0, counts.pointer, index), I64_DTYPE, counts.contiguous, counts.scope)


@rule("repeat")
def emit_repeat(e: Emitter, operation: Operation) -> list[Emitted]:
    """Counts below zero, too large ones, and those that NumPy stretches or refuses are left to it."""
    source, counts = (e.get(value) for value in operation.operands)
    axis = operation.attributes["axis"] % len(source.shape)

    def add(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        count, (total, signs) = count_at(e, counts, index), registers
        total = e.b.add(total, count)
        return [total, e.b.or_(signs, e.b.or_(count, total))]

    total, signs = emit_long_loop(e, counts.shape[0], [I64(0), I64(0)], add)

    def write(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        shape = (*source.shape[:axis], total, *source.shape[axis + 1 :])
        if axis < len(shape) - 1:
            target = e.allocate(shape, source.dtype)
            emit_slices(e, source, counts, axis, target)
        else:
            target = allocate_with_block(e, shape, source)
            emit_elements(e, source, counts, axis, target)
        return I1(1), [target]

    fits = e.b.and_(e.compare("==", counts.shape[0], source.shape[axis]), e.compare(">=", signs, I64(0)))
    return emit_alternatives(e, operation, fits, write, partial(emit_by_eager_rule, e, operation))


def allocate_with_block(e: Emitter, shape: tuple[ir.Value, ...], source: Array) -> Array:
    """A fresh array with memory for one more block behind it: whole lines more, so that what is too large is seen."""
    lines = e.select(e.compare(">=", shape[-1], I64(BLOCK)), I64(1), I64(BLOCK)) if len(shape) > 1 else I64(BLOCK)
    roomy = (e.add(shape[0], lines), *(e.maximum(size, I64(1)) for size in shape[1:]))
    made = e.allocate(roomy, source.dtype)
    return replace(made, shape=shape, strides=e.contiguous_strides(shape, source.dtype.itemsize))


def emit_elements(e: Emitter, source: Array, counts: Array, axis: int, target: Array) -> None:
    """The elements along the last axis, one line behind the other."""
    dtype = source.dtype

    def put(number: Emitted, place: ir.Value) -> None:
        for distance in range(BLOCK):
            at = e.b.add(place, I64(distance), flags=["nsw"])
            e.store_number(number, e.offset(target.pointer, e.mul(at, I64(dtype.itemsize))), dtype, True, "fresh")

    def write_line(pointer: ir.Value, written: ir.Value, loop: Loop) -> ir.Value:
        def element(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            count, (first,) = count_at(e, counts, index), registers
            number = e.load_number(address(e, walk_all(source), axis, pointer, index), dtype, source.contiguous, source.scope)
            put(number, first)
            with e.b.if_then(e.compare(">", count, I64(BLOCK))):

                def block(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                    put(number, e.b.add(first, e.b.mul(e.b.add(index, I64(1)), I64(BLOCK)), flags=["nsw"]))
                    return []

                emit_loop(e, e.b.udiv(e.b.sub(count, I64(1)), I64(BLOCK)), [], block)
            return [e.b.add(first, count, flags=["nsw"])]

        return loop(e, source.shape[axis], [written], element)[0]

    if not axis:
        write_line(source.pointer, I64(0), emit_long_loop)
        return
    outer = Walk(source.pointer, source.strides[:axis], dtype.itemsize)

    def next_line(pointers: list[ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        return [write_line(pointers[0], state[0], emit_loop)]

    emit_long_nest(e, source.shape[:axis], [outer], [I64(0)], next_line, price=source.shape[axis])


def emit_slices(e: Emitter, source: Array, counts: Array, axis: int, target: Array) -> None:
    """What lies behind the axis is written as often as the count says."""
    dtype, rest = source.dtype, source.shape[axis + 1 :]

    def copy(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(e.load_number(pointers[0], dtype, source.contiguous, source.scope), pointers[1], dtype, True, "fresh")
        return []

    def write(pointers: list[ir.Value], loop: Loop) -> None:
        def slice_(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            start = Walk(address(e, walk_all(source), axis, pointers[0], index), source.strides[axis + 1 :], dtype.itemsize)

            def once(_: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
                into = Walk(e.offset(pointers[1], e.mul(state[0], target.strides[axis])), target.strides[axis + 1 :], dtype.itemsize)
                emit_nest(e, rest, [start, into], [], copy)
                return [e.b.add(state[0], I64(1), flags=["nsw"])]

            return emit_loop(e, count_at(e, counts, index), registers, once)

        loop(e, source.shape[axis], [I64(0)], slice_)

    if not axis:
        write([source.pointer, target.pointer], emit_long_loop)
        return
    walks = [Walk(array.pointer, array.strides[:axis], dtype.itemsize) for array in (source, target)]

    def line(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        write(pointers, emit_loop)
        return []

    emit_long_nest(e, source.shape[:axis], walks, [], line, price=e.product(source.shape[axis:]))
