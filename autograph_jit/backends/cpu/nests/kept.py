"""A line that an update overwrites and keeps (`kernels.kept`): its elements in the update's loop, its ends in front of it."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from autograph_jit.backends.cpu.boundary import copy_bytes
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.runtime_module import I64
from autograph_jit.backends.cpu.values import Array, Emitted


@dataclass(frozen=True, slots=True)
class Keep:
    """Where a line is kept, and the line."""

    target: Array
    source: Array

    def element(self, e: Emitter, index: ir.Value, number: Emitted) -> None:
        """Keep an element that is at hand."""
        place = e.offset(self.target.pointer, e.mul(index, I64(self.target.dtype.itemsize)))
        e.store_number(number, place, self.target.dtype, True, self.target.scope)

    def ends(self, e: Emitter, first: ir.Value, last: ir.Value) -> None:
        """Copy what lies before `first` and from `last` on, which may be behind the end of the line."""
        length = self.source.shape[0]
        first, last = e.minimum(first, length), e.minimum(last, length)
        self.part(e, I64(0), first)
        self.part(e, last, length)

    def part(self, e: Emitter, start: ir.Value, stop: ir.Value) -> None:
        """Copy the elements from `start` to `stop`."""
        item = I64(self.target.dtype.itemsize)
        skipped = e.mul(start, item)
        target, source = e.offset(self.target.pointer, skipped), e.offset(self.source.pointer, skipped)
        copy_bytes(e, target, source, e.mul(e.sub(stop, start), item))

