"""Sums combined in pairs: a stack that holds at most one sum of each power of two of blocks, like the digits of a binary counter."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.signatures import I1, I64

STACK_LEVELS = 64


class PairwiseStack:
    """The stack, one for each register of a number; how many blocks were pushed so far is a register of the loop that pushes."""

    def __init__(self, e: Emitter, zeros: list[ir.Value]) -> None:
        self.e, self.zeros = e, zeros
        self.slots = [e.slots(STACK_LEVELS, zero.type) for zero in zeros]

    def address(self, slots: ir.Value, level: ir.Value, type: ir.Type) -> ir.Value:
        return self.e.b.gep(slots, [level], source_etype=type)

    def add_level(self, level: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        """What the stack holds at a level, plus these sums."""
        return [
            self.e.b.fadd(self.e.b.load(self.address(slots, level, total.type), typ=total.type), total)
            for slots, total in zip(self.slots, sums)
        ]

    def push(self, pushed: ir.Value, sums: list[ir.Value]) -> ir.Value:
        """Add a block's sum; the trailing ones of the number of blocks so far say how many levels it swallows."""
        e = self.e
        depth = e.intrinsic("llvm.ctpop.i64", I64, pushed)
        swallowed = e.intrinsic("llvm.cttz.i64", I64, e.b.not_(pushed), I1(0))

        def swallow(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            return self.add_level(e.sub(e.sub(depth, I64(1)), index), registers)

        totals = emit_loop(e, swallowed, sums, swallow, in_vectors=False)
        for slots, total in zip(self.slots, totals):
            e.b.store(total, self.address(slots, e.sub(depth, swallowed), total.type))
        return e.b.add(pushed, I64(1))

    def total(self, pushed: ir.Value) -> list[ir.Value]:
        """The sum of all blocks, the smallest groups first."""
        return self.added(pushed, self.zeros)

    def added(self, pushed: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        """These sums and all that were pushed, the smallest groups first."""
        e = self.e
        depth = e.intrinsic("llvm.ctpop.i64", I64, pushed)

        def pop(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            return self.add_level(e.sub(e.sub(depth, I64(1)), index), registers)

        return emit_loop(e, depth, sums, pop, in_vectors=False)
