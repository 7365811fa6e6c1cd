"""Cholesky's decomposition as native code that all programs share: for matrices so small that calling a library takes longer.

    for each row:  it is divided by the root of its first number;  rows below lose their multiple of it

The work space has the matrix turned, so that a row is a column of the result, and rows of whole vectors: what stands in front of the
diagonal and behind the last column is computed too, and never read.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I1, I64, PTR

NAME = "ag_cholesky"
CHOLESKY_TYPE = ir.FunctionType(I1, [PTR, I64, I64])  # the work space, rows, and how far rows are apart; whether all roots are positive
LANES = 8
FUSED = ["contract"]


class Cholesky(Routine):
    """The function of a module that decomposes matrices of float64."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module, NAME, CHOLESKY_TYPE)
        self.number = ir.DoubleType()
        self.vector = ir.VectorType(self.number, LANES)
        self.matrix, self.rows, self.width = self.args
        self.build()

    def place(self, row: ir.Value, column: ir.Value) -> ir.Value:
        return self.at(self.matrix, self.b.mul(self.b.add(self.b.mul(row, self.width), column), I64(8)))

    def build(self) -> None:
        failing = self.function.append_basic_block("not_positive")

        def eliminate(row: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            pivot, positive = self.b.load(self.place(row, row), typ=self.number), self.function.append_basic_block("positive")
            self.b.cbranch(self.b.fcmp_ordered(">", pivot, self.number(0.0)), positive, failing)
            self.b.position_at_end(positive)
            root = self.intrinsic("llvm.sqrt.f64", self.number, pivot)
            self.over_row(row, lambda own, _: self.b.fdiv(own, self.spread(root, LANES)), row)
            self.loop(self.b.add(row, I64(1)), self.rows, I64(1), lambda below, _: self.subtract(below, row), [])
            return []

        self.loop(I64(0), self.rows, I64(1), eliminate, [])
        self.b.ret(I1(1))
        self.b.position_at_end(failing)
        self.b.ret(I1(0))

    def subtract(self, row: ir.Value, other: ir.Value) -> list[ir.Value]:
        """A row from its diagonal on less its multiple of another one."""
        factor = self.spread(self.b.load(self.place(other, row), typ=self.number), LANES)
        self.over_row(row, lambda own, given: self.b.fsub(own, self.b.fmul(factor, given, flags=FUSED), flags=FUSED), other)
        return []

    def over_row(self, row: ir.Value, change: Callable[[ir.Value, ir.Value], ir.Value], other: ir.Value) -> None:
        """The vectors of a row from the one with its diagonal on, changed with those of another row."""

        def vector(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            place = self.place(row, column)
            own, given = (self.b.load(where, typ=self.vector, align=8) for where in (place, self.place(other, column)))
            self.b.store(change(own, given), place, align=8)
            return []

        self.loop(self.b.and_(row, I64(-LANES)), self.rows, I64(LANES), vector, [])


def row_width(b: ir.IRBuilder, rows: ir.Value) -> ir.Value:
    """How many numbers the rows of the work space have."""
    return b.and_(b.add(rows, I64(LANES - 1)), I64(-LANES))


def load_cholesky() -> str:
    """The name by which compiled code calls the decomposition."""
    return publish(NAME, Cholesky)
