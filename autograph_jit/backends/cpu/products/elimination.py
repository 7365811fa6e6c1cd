"""Gauss's elimination with pivots as native code that all programs share: for matrices so small that calling a library takes longer.

    for each column:  the row with the largest element below comes here;  rows below lose their multiple of this one
    for each row from the last one on:  its right sides are divided;  rows above lose their multiple of them

The right sides are columns behind the matrix. Row by row, as in Golub and Van Loan, Matrix Computations, section 3.4.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.loop_hints import UNROLLED, loop_hints
from autograph_jit.backends.cpu.products.tiles import Routine
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I32, I64, PTR

NAME = "ag_eliminate"
# The matrix with its right sides, rows behind each other; rows, right sides. The result is the sign of the permutation, 0 where a pivot is.
ELIMINATION_TYPE = ir.FunctionType(I32, [PTR, I64, I64])
SINGULAR = I32(0)
FUSED = ["contract"]


class Elimination(Routine):
    """The function of a module that solves systems of float64."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module, NAME, ELIMINATION_TYPE)
        self.as_written = loop_hints(module, UNROLLED)
        self.number, self.item = ir.DoubleType(), I64(8)
        self.matrix, self.rows, self.sides = self.args
        self.columns = self.b.add(self.rows, self.sides)
        self.build()

    def place(self, row: ir.Value, column: ir.Value) -> ir.Value:
        return self.at(self.matrix, self.b.mul(self.b.add(self.b.mul(row, self.columns), column), self.item))

    def load(self, row: ir.Value, column: ir.Value) -> ir.Value:
        return self.b.load(self.place(row, column), typ=self.number)

    def absolute(self, number: ir.Value) -> ir.Value:
        return self.intrinsic("llvm.fabs.f64", self.number, number)

    def build(self) -> None:
        singular = self.function.append_basic_block("singular")

        def eliminate(column: ir.Value, signs: list[ir.Value]) -> list[ir.Value]:
            best, at = self.find_pivot(column)
            regular = self.function.append_basic_block("regular")
            self.b.cbranch(self.b.fcmp_ordered("==", best, self.number(0.0)), singular, regular)
            self.b.position_at_end(regular)
            moves = self.b.icmp_signed("!=", at, column)
            with self.b.if_then(moves):
                self.swap_rows(column, at)
            self.clear_below(column)
            return [self.b.select(moves, self.b.neg(signs[0]), signs[0])]

        (sign,) = self.loop(I64(0), self.rows, I64(1), eliminate, [I32(1)])
        with self.b.if_else(self.b.icmp_signed("==", self.sides, I64(1))) as (single, several):
            with single:
                self.substitute_back(I64(1))
            with several:
                self.substitute_back(self.sides)
        self.b.ret(sign)
        self.b.position_at_end(singular)
        self.b.ret(SINGULAR)

    def find_pivot(self, column: ir.Value) -> list[ir.Value]:
        """The largest number of a column from its diagonal on, without its sign, and the first row that has it."""

        def look(row: ir.Value, found: list[ir.Value]) -> list[ir.Value]:
            size = self.absolute(self.load(row, column))
            larger = self.b.fcmp_ordered(">", size, found[0])
            return [self.b.select(larger, size, found[0]), self.b.select(larger, row, found[1])]

        first = self.absolute(self.load(column, column))
        return self.loop(self.b.add(column, I64(1)), self.rows, I64(1), look, [first, column])

    def swap_rows(self, row: ir.Value, other: ir.Value) -> None:
        def swap(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            here, there = self.place(row, column), self.place(other, column)
            mine, theirs = self.b.load(here, typ=self.number), self.b.load(there, typ=self.number)
            self.b.store(theirs, here)
            self.b.store(mine, there)
            return []

        self.loop(row, self.columns, I64(1), swap, [])

    def clear_below(self, column: ir.Value) -> None:
        pivot, following = self.load(column, column), self.b.add(column, I64(1))

        def clear(row: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            self.subtract(row, column, self.b.fdiv(self.load(row, column), pivot), following, self.columns)
            return []

        self.loop(following, self.rows, I64(1), clear, [])

    def subtract(self, row: ir.Value, other: ir.Value, factor: ir.Value, first: ir.Value, stop: ir.Value) -> None:
        """A row less a multiple of another one, from one column to another."""

        def element(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            place = self.place(row, column)
            product = self.b.fmul(factor, self.load(other, column), flags=FUSED)
            self.b.store(self.b.fsub(self.b.load(place, typ=self.number), product, flags=FUSED), place)
            return []

        self.loop(first, stop, I64(1), element, [])

    def substitute_back(self, sides: ir.Value) -> None:
        stop = self.b.add(self.rows, sides)

        def substitute(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            row = self.b.sub(self.b.sub(self.rows, I64(1)), number)
            pivot = self.load(row, row)

            def divide(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                self.b.store(self.b.fdiv(self.load(row, column), pivot), self.place(row, column))
                return []

            def above(other: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                self.subtract(other, row, self.load(other, row), self.rows, stop)
                return []

            self.loop(self.rows, stop, I64(1), divide, [])
            self.loop(I64(0), row, I64(1), above, [])
            return []

        self.loop(I64(0), self.rows, I64(1), substitute, [])


def load_elimination() -> str:
    """The name by which compiled code calls the elimination."""
    return publish(NAME, Elimination)
