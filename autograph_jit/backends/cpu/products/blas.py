"""Products of matrices by BLAS through numba's binding: one function for each kind of number, which copies what BLAS cannot walk.

target = x @ y in C order is, in BLAS's column order, the product of the transposes in the other order.
"""

from __future__ import annotations

import functools
import importlib

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.products.tiles import Routine
from autograph_jit.backends.cpu.published import declared, publish
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, VOID
from autograph_jit.backends.cpu.values import Array

KINDS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
# x and its strides by rows and by columns, in bytes; y and its strides; the result, whose rows lie side by side; rows, terms, columns;
# whether the product is added to what the result has. It gives 0, or NO_MEMORY, or what it is where BLAS has raised an exception.
BLAS_TYPE = ir.FunctionType(I32, [PTR, I64, I64, PTR, I64, I64, PTR, I64, I64, I64, I1])
NO_MEMORY = I32(1)
Matrix = tuple[ir.Value, ir.Value, ir.Value, ir.Value, ir.Value]  # pointer, strides, rows and columns
Operand = tuple[ir.Value, ir.Value, ir.Value, ir.Value]  # pointer, 'n' or 't', leading dimension, and a copy that is freed later


class BlasProduct(Routine):
    """The function of a module that multiplies matrices of one dtype."""

    def __init__(self, module: ir.Module, name: str, dtype: np.dtype) -> None:
        super().__init__(module, name, BLAS_TYPE)
        self.item = dtype.itemsize
        x, x_row, x_step, y, y_row, y_step, result, rows, terms, columns, adds = self.args
        part = ir.FloatType() if dtype.name in ("float32", "complex64") else ir.DoubleType()
        scale = self.b.alloca(I64, I64(4))
        scale.type = PTR
        one, other = self.at(scale, I64(0)), self.at(scale, I64(16))
        for place, number in ((one, ir.Constant(part, 1)), (other, self.b.uitofp(adds, part))):
            self.b.store(I64(0), place)
            self.b.store(I64(0), self.at(place, I64(8)))
            self.b.store(number, place)
        first, first_letter, first_lead, first_copy = self.operand((x, x_row, x_step, rows, terms), PTR(None))
        second, second_letter, second_lead, second_copy = self.operand((y, y_row, y_step, terms, columns), first_copy)
        status = self.intrinsic(
            "numba_xxgemm", I32, I8(ord(KINDS[dtype.name])), second_letter, first_letter, columns, rows, terms,
            one, second, second_lead, first, first_lead, other, result, columns,
        )  # fmt: skip
        self.intrinsic("free", VOID, first_copy)
        self.intrinsic("free", VOID, second_copy)
        failed = self.b.icmp_signed("!=", status, I32(0))
        self.b.ret(self.b.select(failed, I32(-1), I32(0)))

    def operand(self, matrix: Matrix, earlier: ir.Value) -> Operand:
        """A matrix as BLAS takes it; `earlier` is freed where there is no memory for a copy."""
        pointer, row, step, rows, columns = matrix
        forward, backward = self.is_walkable(row, step, columns), self.is_walkable(step, row, rows)
        direct, copies, merge = (self.function.append_basic_block(name) for name in ("direct", "copies", "merge"))
        self.b.cbranch(self.b.or_(forward, backward), direct, copies)
        self.b.position_at_end(copies)
        copied = self.copy(matrix, earlier)
        end = self.b.block
        self.b.branch(merge)
        self.b.position_at_end(direct)
        letter = self.b.select(forward, I8(ord("n")), I8(ord("t")))
        lead = self.b.sdiv(self.b.select(forward, row, step), I64(self.item))
        self.b.branch(merge)
        self.b.position_at_end(merge)
        phis = [self.b.phi(type) for type in (PTR, I8, I64, PTR)]
        there, here = (pointer, letter, lead, PTR(None)), (copied, I8(ord("n")), columns, copied)
        for phi, mine, other in zip(phis, there, here, strict=True):
            phi.add_incoming(mine, direct)
            phi.add_incoming(other, end)
        return phis[0], phis[1], phis[2], phis[3]

    def is_walkable(self, outer: ir.Value, inner: ir.Value, length: ir.Value) -> ir.Value:
        """Whether the inner stride is one element, and the outer one whole rows of so many, a number of elements that BLAS can hold."""
        whole = self.b.icmp_signed("==", self.b.srem(outer, I64(self.item)), I64(0))
        enough = self.b.icmp_signed(">=", outer, self.b.mul(length, I64(self.item)))
        fits = self.b.icmp_signed("<", outer, I64(self.item << 31))
        dense = self.b.icmp_signed("==", inner, I64(self.item))
        return self.b.and_(self.b.and_(whole, enough), self.b.and_(fits, dense))

    def copy(self, matrix: Matrix, earlier: ir.Value) -> ir.Value:
        """The elements in C order in memory of their own."""
        pointer, row, step, rows, columns = matrix
        element = ir.IntType(8 * self.item)
        target = self.intrinsic("malloc", PTR, self.b.mul(self.b.mul(rows, columns), I64(self.item)))
        with self.b.if_then(self.b.icmp_unsigned("==", target, PTR(None)), likely=False):
            self.intrinsic("free", VOID, earlier)
            self.b.ret(NO_MEMORY)

        def line(i: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            source, place = self.at(pointer, self.b.mul(i, row)), self.at(target, self.b.mul(self.b.mul(i, columns), I64(self.item)))

            def one(j: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                found = self.b.load(self.at(source, self.b.mul(j, step)), typ=element, align=1)
                self.b.store(found, self.at(place, self.b.mul(j, I64(self.item))), align=1)
                return []

            self.loop(I64(0), columns, I64(1), one, [])
            return []

        self.loop(I64(0), rows, I64(1), line, [])
        return target


@functools.cache
def load_blas() -> None:
    """Import what numba looks BLAS up in before a program runs: Ctrl-C during the import would be taken for a missing function."""
    importlib.import_module("scipy.linalg.cython_blas")


def call_gemm(e: Emitter, x: Array, y: Array, target: Array, adds: bool = False) -> None:
    """target = x @ y, or target += x @ y."""
    load_blas()
    name = f"ag_blas_{target.dtype.name}"
    function = declared(e.module, publish(name, lambda module: BlasProduct(module, name, target.dtype), as_written=True), BLAS_TYPE)
    rows, columns = target.shape
    arguments = [x.pointer, *x.strides, y.pointer, *y.strides, target.pointer, rows, x.shape[1], columns, I1(int(adds))]
    status = e.b.call(function, arguments)
    with e.b.if_then(e.b.icmp_signed("!=", status, I32(0)), likely=False):
        if e.function.ftype.return_type == I32:  # the program's function for products (`large.py`), whose caller knows the line
            with e.b.if_then(e.b.icmp_signed("==", status, NO_MEMORY)):
                e.b.ret(NO_MEMORY)
        else:
            e.guard(e.b.icmp_signed("!=", status, NO_MEMORY), lambda: MemoryError("compiled code cannot allocate an array"))
        e.leave(PENDING)
