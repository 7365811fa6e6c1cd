"""Running reductions: rows folded into the row before, running extrema of lines eight elements at a time, the rest element by element.

for first in range(0, n, 8):        chunk = larger(chunk, chunk moved by 1), then by 2, by 4: each lane is the largest up to it
    out[first : first + 8] = larger(chunk, so_far);   so_far = larger(so_far, last lane of chunk)

A chunk waits for the one before in one comparison only. Sums and products are NumPy's, in the order of the elements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression, select
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop, emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import NUMPY_NAMES, identity, in_parts, whole
from autograph_jit.backends.cpu.nests.domains import Walk, address, emit_either, emit_loop, emit_nest
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of, literal, memory_type
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.scalar import Expr, operand
from autograph_jit.ops.reduction import combine
from autograph_jit.records import dataclass

LANES = 8


@dataclass(frozen=True, slots=True)
class Scan:
    """One running reduction: of what, into what, along which axis."""

    op: str
    axis: int
    source: Array
    target: Array

    @property
    def dtype(self) -> np.dtype:
        return self.target.dtype

    @property
    def step(self) -> Expr:
        return combine(self.op, operand(0, self.dtype), operand(1, self.dtype))

    @property
    def start(self) -> Emitted:
        return literal(-0.0, self.dtype) if self.op == "sum" and self.dtype.kind == "f" else identity(self.op, self.dtype)

    @property
    def walks(self) -> list[Walk]:
        return [Walk(array.pointer, array.strides, self.dtype.itemsize) for array in (self.source, self.target)]

    def load(self, e: Emitter, pointer: ir.Value) -> Emitted:
        return e.load_number(pointer, self.dtype, self.source.contiguous, self.source.scope)


@rule("scan")
def emit_scan(e: Emitter, operation: Operation) -> list[Emitted]:
    source, dtype = e.get(operation.operands[0]), array_type(operation.result).dtype
    axis = operation.attributes["axis"] % len(source.shape)
    target = e.allocate(source.shape, dtype, result=operation.result)
    scan = Scan(operation.attributes["op"], axis, source, target)
    if axis < len(source.shape) - 1:
        scan_rows(e, scan)
    else:
        lines = tuple(range(axis))
        emit_long_nest(e, source.shape, scan.walks, [], lambda pointers, _: scan_line(e, scan, pointers), lines)
    return [target]


def scan_rows(e: Emitter, scan: Scan) -> None:
    """Along an axis that is not the last one: all of a row at once, from the result's row before."""
    axis, sizes = scan.axis, scan.source.shape
    before, behind = tuple(range(axis)), tuple(range(axis + 1, len(sizes)))

    def slab(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        read, write = (Walk(pointer, walk.strides, walk.itemsize) for walk, pointer in zip(scan.walks, pointers))

        def first(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            e.store_number(scan.load(e, ends[0]), ends[1], scan.dtype, True, "fresh")
            return []

        def further(ends: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
            total = emit_expression(e, scan.step, [e.load_number(ends[2], scan.dtype, True, "fresh"), scan.load(e, ends[0])])
            e.store_number(total, ends[1], scan.dtype, True, "fresh")
            return []

        def row(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            following = e.b.add(index, I64(1), flags=["nsw"])
            moved = [read.moved(e, axis, following), write.moved(e, axis, following), write.moved(e, axis, index)]
            emit_nest(e, sizes, moved, [], further, behind)
            return []

        emit_nest(e, (*sizes[:axis], e.minimum(sizes[axis], I64(1)), *sizes[axis + 1 :]), [read, write], [], first, (axis, *behind))
        emit_long_loop(e, e.sub(sizes[axis], I64(1)), [], row, sizes[axis + 1 :])
        return []

    emit_long_nest(e, sizes, scan.walks, [], slab, before)


def scan_line(e: Emitter, scan: Scan, pointers: list[ir.Value]) -> list[ir.Value]:
    """Along the last axis, from two pointers on."""
    count, stride = scan.source.shape[scan.axis], scan.walks[0].strides[scan.axis]
    if scan.op not in NUMPY_NAMES or scan.dtype.kind not in "iuf":
        return scan_elements(e, scan, pointers, I64(0), count, in_parts(scan.start))

    def in_chunks() -> list[ir.Value]:
        chunks = e.b.udiv(count, I64(LANES))
        done = e.mul(chunks, I64(LANES))
        so_far = scan_chunks(e, scan, pointers, chunks)
        return scan_elements(e, scan, pointers, done, e.sub(count, done), [so_far])

    if constant_of(stride) is not None:
        return in_chunks() if stride.constant == scan.dtype.itemsize else scan_elements(e, scan, pointers, I64(0), count, [scan.start])
    is_dense = e.compare("==", stride, I64(scan.dtype.itemsize))
    return emit_either(e, is_dense, in_chunks, lambda: scan_elements(e, scan, pointers, I64(0), count, [scan.start]))


def scan_elements(
    e: Emitter, scan: Scan, pointers: list[ir.Value], first: ir.Value, count: ir.Value, so_far: list[ir.Value]
) -> list[ir.Value]:
    """So many elements, one after the other."""

    def element(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        place = e.add(index, first)
        read, write = (address(e, walk, scan.axis, pointer, place) for walk, pointer in zip(scan.walks, pointers))
        number = scan.load(e, read)
        total = emit_expression(e, scan.step, [whole(registers), number])
        if scan.dtype.kind == "c":  # no complex number leaves all others as they are when it is added to them, or multiplied by them
            total = select(e, e.b.icmp_signed("==", place, I64(0)), number, total)
        e.store_number(total, write, scan.dtype, True, "fresh")
        return in_parts(total)

    loop: Callable[..., list[ir.Value]] = emit_long_loop if constant_of(first) == 0 else emit_loop
    loop(e, count, so_far, element)
    return []


def scan_chunks(e: Emitter, scan: Scan, pointers: list[ir.Value], chunks: ir.Value) -> ir.Value:
    """The first chunks of a line whose elements lie side by side; the extremum of all of them."""
    type, itemsize = ir.VectorType(memory_type(scan.dtype), LANES), scan.dtype.itemsize
    nothing = type([scan.start] * LANES)
    last = ir.VectorType(I32, LANES)([LANES - 1] * LANES)

    def better(x: ir.Value, y: ir.Value) -> ir.Value:
        kind = scan.dtype.kind
        name = f"{NUMPY_NAMES[scan.op]}" if kind == "f" else f"{'s' if kind == 'i' else 'u'}{scan.op}"
        fastmath = ("nsz",) if kind == "f" else ()
        return e.intrinsic(f"llvm.{name}.v{LANES}{'f' if kind == 'f' else 'i'}{8 * itemsize}", type, x, y, fastmath=fastmath)

    def chunk(index: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        distance = e.mul(index, I64(LANES * itemsize))
        read, write = (e.offset(pointer, distance) for pointer in pointers)
        found = e.b.load(read, typ=type, align=itemsize if scan.source.contiguous else 1)
        e.mark_scope(found, scan.source.scope)
        for by in (1, 2, 4):
            places = ir.VectorType(I32, LANES)([lane - by if lane >= by else LANES for lane in range(LANES)])
            found = better(found, e.b.shuffle_vector(found, nothing, places))
        stored = e.b.store(better(found, registers[0]), write, align=itemsize)
        e.mark_scope(stored, "fresh")
        return [better(registers[0], e.b.shuffle_vector(found, nothing, last))]

    (so_far,) = emit_long_loop(e, chunks, [nothing], chunk, (I64(LANES),))
    return e.b.extract_element(so_far, I32(0))
