"""Integers that lie close together are sorted by counting how often each of them occurs.

lowest, highest = min(x), max(x)           counts = zeros(highest - lowest + 1)
if highest - lowest is small:              for number in x: counts[number - lowest] += 1
                                           for k, count in enumerate(counts): result gets lowest + k, count times
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.arithmetic.scalars import cast
from autograph_jit.backends.cpu.arrays.routines import I64_DTYPE, walk_all
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import address, emit_loop
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted
from autograph_jit.ir.graph import Operation

WIDEST = 1 << 18  # between the lowest and the highest number: what is counted stays in a cache
BOUNDS = np.iinfo(np.int64)


def is_countable(dtype: np.dtype) -> bool:
    """Whether all numbers of a dtype are numbers of an i64."""
    return dtype.kind in "bi" or dtype.kind == "u" and dtype.itemsize < I64_DTYPE.itemsize


def emit_counting(e: Emitter, operation: Operation, source: Array, by_python: Callable[[], list[Emitted]]) -> list[Emitted]:
    """The sorted integers of a vector, by Python where they lie further apart than there are of them."""
    count, dtype = source.shape[0], source.dtype

    def number_at(index: ir.Value) -> ir.Value:
        number = e.load_number(address(e, walk_all(source), 0, source.pointer, index), dtype, source.contiguous, source.scope)
        return cast(e, number, dtype, I64_DTYPE)

    def widen(index: ir.Value, ends: list[ir.Value]) -> list[ir.Value]:
        number = number_at(index)
        return [e.minimum(ends[0], number), e.maximum(ends[1], number)]

    lowest, highest = emit_long_loop(e, count, [I64(BOUNDS.max), I64(BOUNDS.min)], widen)
    width = e.b.sub(highest, lowest)  # as a number without a sign
    close = e.b.icmp_unsigned("<", width, e.minimum(count, I64(WIDEST)))

    def counted(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        target = e.allocate((count,), dtype)
        counts = e.allocate((e.b.add(width, I64(1)),), I64_DTYPE, zero=True)

        def take(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            place = address(e, walk_all(counts), 0, counts.pointer, e.b.sub(number_at(index), lowest))
            e.store_number(e.b.add(e.load_number(place, I64_DTYPE), I64(1)), place, I64_DTYPE)
            return []

        emit_long_loop(e, count, [], take)
        write_counted(e, counts, lowest, target)
        e.call("ag_release", e.frame, counts.owner)
        return I1(1), [target]

    return emit_alternatives(e, operation, close, counted, by_python)


def write_counted(e: Emitter, counts: Array, lowest: ir.Value, target: Array) -> None:
    """Write each number as often as it was counted."""

    def write(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        (written,) = registers
        times = e.load_number(address(e, walk_all(counts), 0, counts.pointer, index), I64_DTYPE)
        number = cast(e, e.b.add(lowest, index), I64_DTYPE, target.dtype)

        def put(offset: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            place = address(e, walk_all(target), 0, target.pointer, e.b.add(written, offset, flags=["nsw"]))
            e.store_number(number, place, target.dtype, True, "fresh")
            return []

        emit_loop(e, times, [], put)
        return [e.b.add(written, times, flags=["nsw"])]

    emit_long_loop(e, counts.shape[0], [I64(0)], write)
