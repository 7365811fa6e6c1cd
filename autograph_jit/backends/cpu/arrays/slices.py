"""Slices of one axis: first position, length and step, by Python's rules; nothing is clamped that ranges prove to be inside."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import constant_of
from autograph_jit.ir.dims import Size, combine, lower_bound
from autograph_jit.ir.graph import Value

LARGEST = 2**63 - 1

Slice = tuple[ir.Value, ir.Value, ir.Value]


def emit_slice(e: Emitter, bounds: list[Value | None], size: ir.Value, dim: Size, result_dim: Size) -> Slice:
    """First position, length and step of a slice of an axis."""
    start, stop, step = (None if bound is None else e.get(bound) for bound in bounds)
    if step is not None:
        known = constant_of(step)
        e.guard(e.compare("!=", step, I64(0)) if known is None else I1(int(known != 0)), lambda: ValueError("slice step cannot be zero"))
    if step is not None and constant_of(step) != 1:
        return stepped_slice(e, start, stop, step, size)
    from_inside, to_inside = (bound is None or is_inside(e, bound, dim) for bound in bounds[:2])
    first = I64(0) if start is None else start if from_inside else clamp(e, start, size, dim)
    length = e.size(result_dim)
    if length is None and from_inside and to_inside:
        length = length_inside(e, bounds[0], bounds[1], size, dim)
    if length is None:
        last = size if stop is None else stop if to_inside else clamp(e, stop, size, dim)
        length = e.maximum(e.sub(last, first), I64(0))
    return first, length, I64(1)


def is_inside(e: Emitter, bound: Value, dim: Size) -> bool:
    """Whether a bound is surely from 0 to the size."""
    known = constant_of(e.get(bound))
    if known is not None:
        return 0 <= known <= (lower_bound(dim) or 0)
    return all(e.ranges.is_index(bound, combine(dim, 1, 1), e.operation))


def length_inside(e: Emitter, start: Value | None, stop: Value | None, size: ir.Value, dim: Size) -> ir.Value | None:
    """How far it is from one proved bound to the other, where that is surely not backwards."""
    low = 0 if start is None else e.ranges.affine(start)
    way = combine(dim if stop is None else e.ranges.affine(stop), low, -1)
    if not e.ranges.is_surely_nonnegative(way, e.operation):
        return None
    length = e.size(way)
    return e.sub(size if stop is None else e.get(stop), I64(0) if start is None else e.get(start)) if length is None else length


def clamp(e: Emitter, position: ir.Value, size: ir.Value, dim: Size) -> ir.Value:
    """A slice's bound between 0 and the size; nothing to do for a literal that the size is known not to fall below."""
    known, bound = constant_of(position), lower_bound(dim) or 0
    if known is not None:
        if 0 <= known <= bound:
            return position
        if known < 0:
            return e.add(size, position) if -known <= bound else e.maximum(e.add(size, position), I64(0))
        return e.minimum(position, size)
    from_end = e.b.select(e.compare("<", position, I64(0)), e.b.add(position, size), position)
    return e.minimum(e.maximum(from_end, I64(0)), size)


def stepped_slice(e: Emitter, start: ir.Value | None, stop: ir.Value | None, step: ir.Value, size: ir.Value) -> Slice:
    """As CPython's PySlice_AdjustIndices."""
    known = constant_of(step)
    backward = e.compare("<", step, I64(0)) if known is None else I1(int(known < 0))
    step = e.maximum(step, I64(-LARGEST)) if known is None else I64(max(known, -LARGEST))
    low, high = e.select(backward, I64(-1), I64(0)), e.select(backward, e.sub(size, I64(1)), size)

    def bound(position: ir.Value | None, default: ir.Value) -> ir.Value:
        if position is None:
            return default
        from_end = e.b.select(e.compare("<", position, I64(0)), e.b.add(position, size), position)
        return e.minimum(e.maximum(from_end, low), high)

    first, last = bound(start, e.select(backward, high, I64(0))), bound(stop, e.select(backward, I64(-1), size))
    span = e.select(backward, e.sub(first, last), e.sub(last, first))
    width = e.select(backward, e.sub(I64(0), step), step)
    count = e.b.add(e.b.sdiv(e.b.sub(span, I64(1)), width), I64(1))
    return first, e.b.select(e.compare(">", span, I64(0)), count, I64(0)), step
