"""What a counted loop runs over: its indices as registers, and how many there are."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import constant_of
from autograph_jit.records import dataclass

SHORT = 64  # a loop of so few trips is paid for by the loop around it


@dataclass(frozen=True, slots=True)
class Range:
    """What a counted loop runs over; `trips` is None where comparing the index with `stop` is enough."""

    start: ir.Value
    stop: ir.Value
    step: ir.Value
    trips: ir.Value | None

    @property
    def is_upward(self) -> bool:
        return constant_of(self.step) != -1

    def runs(self, e: Emitter) -> ir.Value:
        """Whether there is a trip."""
        if self.trips is not None:
            return e.b.icmp_signed("!=", self.trips, I64(0))
        return e.compare("<" if self.is_upward else ">", self.start, self.stop)

    def last(self, e: Emitter) -> ir.Value:
        """The index of the last trip, if there is one."""
        if self.trips is not None:
            return e.b.add(self.start, e.b.mul(e.b.sub(self.trips, I64(1)), self.step))
        return e.sub(self.stop, I64(1)) if self.is_upward else e.add(self.stop, I64(1))

    @property
    def is_short(self) -> bool:
        start, stop = constant_of(self.start), constant_of(self.stop)
        return start is not None and stop is not None and abs(stop - start) <= SHORT


def range_of(e: Emitter, start: ir.Value, stop: ir.Value, step: ir.Value) -> Range:
    return Range(start, stop, step, trip_count(e, start, stop, step))


def trip_count(e: Emitter, start: ir.Value, stop: ir.Value, step: ir.Value) -> ir.Value | None:
    """How often a loop runs, as an unsigned number; None for steps of 1 and -1, where comparing the index is enough."""
    known = constant_of(step)
    if known in (1, -1):
        return None
    b = e.b
    upward = b.icmp_signed(">", step, I64(0))
    low, high = b.select(upward, start, stop), b.select(upward, stop, start)
    width = b.select(upward, step, b.neg(step))
    safe = b.select(b.icmp_signed("==", width, I64(0)), I64(1), width)
    span = b.sub(b.sub(high, low), I64(1))
    return b.select(b.icmp_signed("<", low, high), b.add(b.udiv(span, safe), I64(1)), I64(0))


def distance_of(e: Emitter, over: Range, first: ir.Value, last: ir.Value) -> ir.Value:
    """How far the index went."""
    return e.b.sub(last, first) if over.is_upward else e.b.sub(first, last)
