"""Numbers in lanes: vectors, progressions, masks, and the way out for all lanes where one fails."""

from __future__ import annotations

from dataclasses import field

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.divergence import Divergence
from autograph_jit.backends.cpu.signatures import I1, I32, I64
from autograph_jit.backends.cpu.values import dtype_of, literal, register_type
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.kernels.commuting import ElementSum
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Progression:
    """Integers that differ by the same step from lane to lane: `base + lane * step`."""

    base: ir.Value
    step: ir.Value


@dataclass(slots=True)
class Lanes:
    """Trips that run side by side.

    count    how many trips there are, at most `width`; the others are not active
    mask     the lanes that are active here; None where all are
    partial  whether a branch or loop has taken lanes out, so that the active ones need not be the first
    failing  where the code goes when a check fails in an active lane: the trips are done again one by one; None where none can fail
    inlined  a loop inside whose trips the lanes are
    sums     what all lanes add to one element, by the store, and None for its load and its addition
    slots    loads and stores of elements that are kept in registers meanwhile
    turns    counts the trips of loops that lanes leave apart, `busy` the lanes that took part in them
    """

    e: Emitter
    width: int
    divergence: Divergence
    count: ir.Value
    mask: ir.Value | None
    failing: ir.Block | None
    inlined: Operation | None = None
    sums: dict[Operation, ElementSum | None] = field(default_factory=dict)
    slots: dict[Operation, ir.Value] = field(default_factory=dict)
    turns: ir.Value = None
    busy: ir.Value = None
    partial: bool = False

    def type_of(self, dtype: np.dtype) -> ir.VectorType:
        return ir.VectorType(register_type(dtype), self.width)

    def constant(self, number: object, dtype: np.dtype) -> ir.Constant:
        return ir.Constant(ir.VectorType(register_type(dtype), self.width), literal(number, dtype).constant)

    def splat(self, register: ir.Value) -> ir.Value:
        """A number in all lanes."""
        type = ir.VectorType(register.type, self.width)
        if isinstance(register, ir.Constant):
            return ir.Constant(type, register.constant)
        first = self.e.b.insert_element(ir.Constant(type, ir.Undefined), register, I32(0))
        return self.e.b.shuffle_vector(first, ir.Constant(type, ir.Undefined), ir.Constant(ir.VectorType(I32, self.width), 0))

    def numbers(self) -> ir.Constant:
        """The number of each lane."""
        return ir.Constant(ir.VectorType(I64, self.width), list(range(self.width)))

    def vector(self, value: Value) -> ir.Value:
        """A scalar of the graph, one number for each lane."""
        return self.spread(self.e.get(value))

    def spread(self, emitted: ir.Value | Progression) -> ir.Value:
        if isinstance(emitted, Progression):
            steps = self.e.b.mul(self.numbers(), self.splat(emitted.step))
            return self.e.b.add(self.splat(emitted.base), steps)
        return emitted if isinstance(emitted.type, ir.VectorType) else self.splat(emitted)

    def last(self, progression: Progression) -> ir.Value:
        """The number of the last of the trips."""
        e = self.e
        return e.add(progression.base, e.mul(progression.step, e.sub(self.count, I64(1))))

    def zero(self, value: Value) -> ir.Constant:
        return self.constant(0, dtype_of(value))

    def full_mask(self) -> ir.Value:
        return ir.Constant(ir.VectorType(I1, self.width), 1) if self.mask is None else self.mask

    def any(self, mask: ir.Value) -> ir.Value:
        """Whether some lane's bit is set."""
        bits = ir.IntType(self.width)
        return self.e.b.icmp_unsigned("!=", self.e.b.bitcast(mask, bits), bits(0))

    def narrowed(self, condition: ir.Value) -> ir.Value:
        """The active lanes in which a condition holds."""
        return condition if self.mask is None else self.e.b.and_(self.mask, condition)

    def require(self, ok: ir.Value) -> None:
        """Go on only if a condition holds in every active lane."""
        bad = self.narrowed(self.e.b.not_(ok))
        passed = self.e.block("lanes_ok")
        self.e.b.cbranch(self.any(bad), self.failing, passed).set_weights([1, 1 << 20])
        self.e.b.position_at_end(passed)

    def require_all(self, ok: ir.Value) -> None:
        """Go on only if a condition holds that all lanes share."""
        passed = self.e.block("lanes_ok")
        self.e.b.cbranch(ok, passed, self.failing).set_weights([1 << 20, 1])
        self.e.b.position_at_end(passed)

    def count_busy(self, going: ir.Value) -> None:
        """Count a trip of a loop that lanes leave apart."""
        if self.turns is None:
            return
        b, bits = self.e.b, ir.IntType(self.width)
        active = self.e.intrinsic(f"llvm.ctpop.i{self.width}", bits, b.bitcast(going, bits))
        for slot, number in ((self.turns, I64(1)), (self.busy, b.zext(active, I64))):
            b.store(b.add(b.load(slot, typ=I64, align=8), number), slot, align=8)

    def are_idle(self, single: float, together: float) -> ir.Value:
        """Whether so many lanes waited for a few others that trips are faster one by one; the costs are of all lanes' trips."""
        b = self.e.b
        busy, turns = (b.load(slot, typ=I64, align=8) for slot in (self.busy, self.turns))
        return b.icmp_unsigned("<", b.mul(busy, I64(round(single))), b.mul(turns, I64(round(together * self.width))))
