"""A fold over all elements by stretches, which threads can share; what the stretches give is combined in their order.

A stretch is a power of two of blocks. Sums of stretches combined in pairs are then, to the bit, what sums of blocks combined in
pairs are; the other folds are exact, however they are cut.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests import Walk, address, emit_either, emit_loop
from autograph_jit.backends.cpu.runtime_module import I1, I64
from autograph_jit.backends.cpu.sharing import Outline, is_large, outline, share_now
from autograph_jit.ir.graph import Value

LEAST_BLOCKS, MOST_STRETCHES = 16, 128

Fold = Callable[[ir.Value, list[Walk]], list[ir.Value]]  # of a number of elements and where they are, to registers
Combine = Callable[[ir.Value, Callable[[ir.Value], list[ir.Value]]], list[ir.Value]]  # of so many stretches, given each by its number


def fold_stretches(
    e: Emitter,
    length: ir.Value,
    block: int,
    walks: list[Walk],
    cost: int,
    scalars: list[Value],
    types: list[ir.Type],
    fold: Fold,
    combine: Combine,
) -> list[ir.Value]:
    """The registers, of these types, of a fold over one axis; without stretches where there is little to do."""
    work = e.mul(length, I64(cost))
    return emit_either(
        e,
        is_large(e, work),
        lambda: fold_large(e, length, block, walks, work, scalars, types, fold, combine),
        lambda: fold(length, walks),
    )


def fold_large(
    e: Emitter,
    length: ir.Value,
    block: int,
    walks: list[Walk],
    work: ir.Value,
    scalars: list[Value],
    types: list[ir.Type],
    fold: Fold,
    combine: Combine,
) -> list[ir.Value]:
    """The fold by stretches."""
    blocks = e.b.udiv(e.add(length, I64(block - 1)), I64(block))
    stretch = blocks_of_stretch(e, blocks)
    partial = e.slots(MOST_STRETCHES * len(types), types[0])

    def place(b: ir.IRBuilder, start: ir.Value, number: ir.Value, part: int) -> ir.Value:
        return b.gep(start, [b.add(b.mul(number, I64(len(types))), I64(part))], source_etype=types[0])

    def piece(made: Outline) -> None:
        total, size, results = made.capture(length), e.mul(made.capture(stretch), I64(block)), made.capture(partial)
        captured = [made.capture_walk(walk) for walk in walks]

        def one(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            number = e.add(made.first, index)
            first = e.mul(number, size)
            moved = [Walk(address(e, walk, 0, walk.pointer, first), walk.strides, walk.itemsize) for walk in captured]
            for part, register in enumerate(fold(e.minimum(e.sub(total, first), size), moved)):
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
