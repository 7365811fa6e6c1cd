"""A fold over all elements by stretches, which threads can share; what the stretches give is combined in their order.

A stretch is a power of two of blocks. Sums of stretches combined in pairs are then, to the bit, what sums of blocks combined in
pairs are; the other folds are exact, however they are cut.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.threading.sharing import Outline, outline, share_now
from autograph_jit.ir.graph import Value

LEAST_BLOCKS, MOST_STRETCHES = 16, 128

Fold = Callable[[Outline, ir.Value, ir.Value], list[ir.Value]]  # of so many blocks from one on, in an outlined function, to registers
Combine = Callable[[ir.Value, Callable[[ir.Value], list[ir.Value]]], list[ir.Value]]  # of so many stretches, given each by its number


def fold_stretches(
    e: Emitter, blocks: ir.Value, work: ir.Value, scalars: list[Value], types: list[ir.Type], fold: Fold, combine: Combine
) -> list[ir.Value]:
    """The registers, of these types, of a fold over many blocks, of which it is known that there is much to do."""
    stretch = blocks_of_stretch(e, blocks)
    partial = e.slots(MOST_STRETCHES * len(types), types[0])

    def place(b: ir.IRBuilder, start: ir.Value, number: ir.Value, part: int) -> ir.Value:
        return b.gep(start, [b.add(b.mul(number, I64(len(types))), I64(part))], source_etype=types[0])

    def piece(made: Outline) -> None:
        total, size, results = made.capture(blocks), made.capture(stretch), made.capture(partial)

        def one(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            number = e.add(made.first, index)
            first = e.mul(number, size)
            for part, register in enumerate(fold(made, first, e.minimum(e.sub(total, first), size))):
                e.b.store(register, place(e.b, results, number, part))
            return []

        emit_loop(e, e.sub(made.last, made.first), [], one)

    count = e.b.udiv(e.sub(e.add(blocks, stretch), I64(1)), stretch)
    share_now(e, outline(e, scalars, piece), count, work)
    return combine(count, lambda number: [e.b.load(place(e.b, partial, number, part), typ=type) for part, type in enumerate(types)])


def blocks_of_stretch(e: Emitter, blocks: ir.Value) -> ir.Value:
    """A power of two that makes at most MOST_STRETCHES stretches; it depends on the number of blocks only."""
    zeros = e.intrinsic("llvm.ctlz.i64", I64, e.b.udiv(blocks, I64(MOST_STRETCHES)), I1(0))
    return e.maximum(e.b.shl(I64(1), e.sub(I64(64), zeros)), I64(LEAST_BLOCKS))
