"""Products of small matrices whose sizes are known: all rows of the second factor in registers, no loop within a row.

row i of the product = x[i, 0] * (row 0 of y) + x[i, 1] * (row 1 of y) + ...          each row a vector
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.target import has_fused_multiply_add
from autograph_jit.backends.cpu.values import Array, constant_of, register_type

LARGEST = 16  # rows, columns, and terms of a sum
LEAST_WORK = 28  # products: for fewer a nest is as good, whose numbers LLVM keeps in registers
MOST_TERMS = 64  # of all rows that are written out


def is_unrolled(x: Array, y: Array, target: Array) -> bool:
    """Whether sizes are known and small, and rows lie in one piece."""
    sizes = [constant_of(size) or 0 for size in (*x.shape, y.shape[1])]
    if target.dtype not in (np.float32, np.float64) or not all(1 < size <= LARGEST for size in sizes):
        return False
    lie = all(constant_of(array.strides[1]) == target.dtype.itemsize for array in (y, target))
    return lie and math.prod(sizes) >= LEAST_WORK


def multiply_unrolled(e: Emitter, x: Array, y: Array, target: Array) -> None:
    """target = x @ y."""
    rows, inner, columns = (int(constant_of(size) or 0) for size in (*x.shape, y.shape[1]))
    type = ir.VectorType(register_type(target.dtype), columns)
    factors = [load_row(e, y, type, I64(k)) for k in range(inner)]

    def row(index: ir.Value) -> None:
        start = e.offset(x.pointer, e.mul(index, x.strides[0]))
        total: ir.Value | None = None
        for k, factor in enumerate(factors):
            number = e.load_number(e.offset(start, e.mul(I64(k), x.strides[1])), x.dtype, x.contiguous, x.scope)
            total = add_multiple(e, splat(e, number, type), factor, total)
        stored = e.b.store(total, e.offset(target.pointer, e.mul(index, target.strides[0])), align=target.dtype.itemsize)
        e.mark_scope(stored, target.scope)

    if rows * inner <= MOST_TERMS:
        for index in range(rows):
            row(I64(index))
        return

    def one(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        row(index)
        return []

    emit_loop(e, I64(rows), [], one, in_vectors=False)


def load_row(e: Emitter, array: Array, type: ir.VectorType, index: ir.Value) -> ir.Value:
    pointer = e.offset(array.pointer, e.mul(index, array.strides[0]))
    loaded = e.b.load(pointer, typ=type, align=array.dtype.itemsize if array.contiguous else 1)
    e.mark_scope(loaded, array.scope)
    return loaded


def splat(e: Emitter, number: ir.Value, type: ir.VectorType) -> ir.Value:
    one = e.b.insert_element(type(ir.Undefined), number, I32(0))
    return e.b.shuffle_vector(one, type(ir.Undefined), ir.VectorType(I32, type.count)([0] * type.count))


def add_multiple(e: Emitter, x: ir.Value, y: ir.Value, total: ir.Value | None) -> ir.Value:
    """x * y + total, rounded once where the processor can."""
    if total is None:
        return e.b.fmul(x, y)
    if not has_fused_multiply_add():
        return e.b.fadd(total, e.b.fmul(x, y))
    kind = "f32" if isinstance(x.type.element, ir.FloatType) else "f64"
    return e.intrinsic(f"llvm.fma.v{x.type.count}{kind}", x.type, x, y, total)
