"""Positions of extrema of rows that are not long: sixteen elements at a time, the rest of a row under a mask.

best = the largest of all lanes              for chunk in row: lanes = larger(lanes, chunk)
position = the first element that equals it     for chunk in row: if any(chunk == best): 16 * chunk + the first such lane

The first NaN counts as the extremum. Elements that do not lie side by side, or are computed, are put into a buffer first.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_either, emit_loop
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import literal, memory_type

LANES = 16
LONGEST = 1024  # elements of a row: longer ones are searched by blocks
MASK = ir.VectorType(I1, LANES)
COUNT = ir.IntType(LANES)


def has_vectors() -> bool:
    """Whether the processor loads vectors under a mask."""
    return vector_bytes() >= 32


class Row:
    """A row of numbers that lie side by side, of which the smallest or the largest is searched."""

    def __init__(self, e: Emitter, op: str, dtype: np.dtype, pointer: ir.Value, count: ir.Value) -> None:
        self.e, self.op, self.dtype, self.pointer, self.count = e, op, dtype, pointer, count
        self.type = ir.VectorType(memory_type(dtype), LANES)
        self.worst = self.type([lowest(op, dtype)] * LANES)

    def search(self) -> ir.Value:
        """The position of the extremum."""
        e = self.e
        is_single = e.compare("<=", self.count, I64(LANES))
        (position,) = emit_either(e, is_single, lambda: [self.search_one()], lambda: [self.search_several()])
        return position

    def search_one(self) -> ir.Value:
        """As `search`, for a row of one chunk."""
        present = self.present(I64(0))
        chunk = self.load(I64(0), present)
        hits = self.hits(chunk, present, self.across(chunk), self.any(self.is_none(chunk)))
        return self.e.b.zext(self.first(hits), I64)

    def search_several(self) -> ir.Value:
        e = self.e
        chunks = e.b.udiv(e.b.add(self.count, I64(LANES - 1)), I64(LANES))

        def look(number: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
            first = e.mul(number, I64(LANES))
            chunk = self.load(first, self.present(first))
            return [self.better(registers[0], chunk), e.b.or_(registers[1], self.is_none(chunk))]

        lanes, none = emit_loop(e, chunks, [self.worst, MASK([0] * LANES)], look, in_vectors=False)
        return self.find(chunks, self.across(lanes), self.any(none))

    def find(self, chunks: ir.Value, best: ir.Value, has_none: ir.Value) -> ir.Value:
        """The first element that is the extremum; it is in some chunk."""
        e = self.e
        before, search, found = e.b.block, e.block("chunk"), e.block("found")
        e.b.branch(search)
        e.b.position_at_end(search)
        number = e.b.phi(I64)
        first = e.mul(number, I64(LANES))
        present = self.present(first)
        hits = self.hits(self.load(first, present), present, best, has_none)
        following = e.b.add(number, I64(1))
        number.add_incoming(I64(0), before)
        number.add_incoming(following, e.b.block)
        ends = e.b.or_(e.b.icmp_unsigned("!=", hits, COUNT(0)), e.b.icmp_unsigned("==", following, chunks))
        e.b.cbranch(ends, found, search)
        e.b.position_at_end(found)
        return e.b.add(first, e.b.zext(self.first(hits), I64))

    def present(self, first: ir.Value) -> ir.Value:
        """Which lanes of the chunk from an element on are in the row."""
        e = self.e
        left = e.b.trunc(e.minimum(e.sub(self.count, first), I64(LANES)), I32)
        numbers = ir.VectorType(I32, LANES)(list(range(LANES)))
        return e.b.icmp_unsigned("<", numbers, self.splat(left))

    def load(self, first: ir.Value, present: ir.Value) -> ir.Value:
        e, itemsize = self.e, self.dtype.itemsize
        name = f"llvm.masked.load.v{LANES}{'f' if self.dtype.kind == 'f' else 'i'}{8 * itemsize}.p0"
        pointer = e.offset(self.pointer, e.mul(first, I64(itemsize)))
        return e.intrinsic(name, self.type, pointer, I32(1), present, self.worst)

    def splat(self, number: ir.Value) -> ir.Value:
        type = ir.VectorType(number.type, LANES)
        one = self.e.b.insert_element(type(ir.Undefined), number, I32(0))
        return self.e.b.shuffle_vector(one, type(ir.Undefined), ir.VectorType(I32, LANES)([0] * LANES))

    def better(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """The better one in each lane, any where one is NaN."""
        sign = "<" if self.op == "min" else ">"
        return self.e.b.select(self.compare(sign, x, y), x, y)

    def compare(self, sign: str, x: ir.Value, y: ir.Value) -> ir.Value:
        if self.dtype.kind == "f":
            return self.e.b.fcmp_ordered(sign, x, y)
        return (self.e.b.icmp_signed if self.dtype.kind == "i" else self.e.b.icmp_unsigned)(sign, x, y)

    def across(self, lanes: ir.Value) -> ir.Value:
        """The best of all lanes, by halves."""
        width = LANES
        while width > 1:
            width //= 2
            halves = [ir.VectorType(I32, width)(list(range(start, start + width))) for start in (0, width)]
            lanes = self.better(*(self.e.b.shuffle_vector(lanes, lanes.type(ir.Undefined), half) for half in halves))
        return self.e.b.extract_element(lanes, I32(0))

    def is_none(self, chunk: ir.Value) -> ir.Value:
        """Which lanes are NaN."""
        return self.e.b.fcmp_unordered("uno", chunk, chunk) if self.dtype.kind == "f" else MASK([0] * LANES)

    def any(self, lanes: ir.Value) -> ir.Value:
        return self.e.b.icmp_unsigned("!=", self.e.b.bitcast(lanes, COUNT), COUNT(0))

    def hits(self, chunk: ir.Value, present: ir.Value, best: ir.Value, has_none: ir.Value) -> ir.Value:
        """One bit for each lane that is the extremum."""
        same = self.compare("==", chunk, self.splat(best))
        if self.dtype.kind == "f":
            same = self.e.b.select(has_none, self.is_none(chunk), same)
        return self.e.b.bitcast(self.e.b.and_(same, present), COUNT)

    def first(self, hits: ir.Value) -> ir.Value:
        return self.e.intrinsic(f"llvm.cttz.i{LANES}", COUNT, hits, I1(0))


def lowest(op: str, dtype: np.dtype) -> ir.Constant:
    """What no element is worse than, as memory has it."""
    if dtype.kind == "b":
        return I8(int(op == "min"))
    if dtype.kind == "f":
        return literal(np.inf if op == "min" else -np.inf, dtype)
    return literal(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min, dtype)


def buffer_of(e: Emitter, dtype: np.dtype) -> ir.Value:
    """Memory for a row."""
    pointer = e.slots(LONGEST * dtype.itemsize // 8)
    assert pointer.type == PTR
    return pointer
