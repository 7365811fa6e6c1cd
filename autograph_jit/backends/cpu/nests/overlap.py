"""Whether two arrays overlap: by their bounds, and for rows of one matrix by the columns that they cover."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_either
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, constant_of
from autograph_jit.ir.graph import Value


def same_layout(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether two arrays of one rank have the same pointer, sizes and strides."""
    same = e.b.icmp_unsigned("==", x.pointer, y.pointer)
    for first, second in zip((*x.shape, *x.strides), (*y.shape, *y.strides)):
        if first is not second:
            same = e.b.and_(same, e.compare("==", first, second))
    return same


def bounds(e: Emitter, array: Array) -> tuple[ir.Value, ir.Value]:
    """The first byte and the one after the last, for an array that is not empty."""
    low = high = e.b.ptrtoint(array.pointer, I64)
    for size, stride in zip(array.shape, array.strides):
        span = e.mul(e.sub(size, I64(1)), stride)
        if array.contiguous:
            high = e.add(high, span)
            continue
        negative = e.compare("<", span, I64(0))
        low = e.add(low, e.b.select(negative, span, I64(0)))
        high = e.add(high, e.b.select(negative, I64(0), span))
    return low, e.add(high, I64(array.dtype.itemsize))


def overlap(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether the memory bounds of two arrays overlap; empty arrays never do."""
    (x_low, x_high), (y_low, y_high) = bounds(e, x), bounds(e, y)
    meets = e.b.and_(e.b.icmp_unsigned("<", x_low, y_high), e.b.icmp_unsigned("<", y_low, x_high))
    for size in (*x.shape, *y.shape):
        if constant_of(size) is None or constant_of(size) == 0:
            meets = e.b.and_(meets, e.compare("!=", size, I64(0)))
    return meets


def are_apart(e: Emitter, pairs: set[frozenset[Value]]) -> ir.Value:
    """Whether no two arrays of a pair overlap."""
    apart: ir.Value = I1(1)
    for pair in pairs:
        apart = e.b.and_(apart, e.b.not_(overlap(e, *(e.get(array) for array in pair))))
    return apart


def share_memory(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether two arrays may have memory in common: their bounds overlap, and they are not side by side in the rows of one matrix."""
    meets = overlap(e, x, y)
    if len(x.shape) < 2 or x.contiguous:
        return meets
    return emit_either(e, meets, lambda: [e.b.not_(are_side_by_side(e, x, y))], lambda: [I1(0)])[0]


def are_side_by_side(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether both lie in rows that are as far apart as those of `x`, and cover different columns: `a[k:, k]` and `a[k:, k + 1:]`."""
    pitch = x.strides[0]
    (x_low, x_width), (y_low, y_width) = columns(e, x, pitch), columns(e, y, pitch)
    positive = e.compare(">", pitch, I64(0))
    rest = e.b.srem(e.b.sub(y_low, x_low), e.b.select(positive, pitch, I64(1)))
    first = e.b.select(e.compare("<", rest, I64(0)), e.b.add(rest, pitch), rest)
    beside = e.b.and_(e.compare(">=", first, x_width), e.compare("<=", e.b.add(first, y_width), pitch))
    return e.b.and_(positive, beside)


def columns(e: Emitter, array: Array, pitch: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The lowest byte of an array's columns in some row of a matrix, and how many bytes wide they are; rows are `pitch` bytes apart."""
    low, width = e.b.ptrtoint(array.pointer, I64), I64(array.dtype.itemsize)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides)):
        span = e.mul(e.sub(size, I64(1)), stride)
        if axis == 0:
            span = e.b.select(e.compare("==", stride, pitch), I64(0), span)
        negative = e.compare("<", span, I64(0))
        low = e.b.add(low, e.b.select(negative, span, I64(0)))
        width = e.b.add(width, e.b.select(negative, e.b.neg(span), span))
    return low, width
