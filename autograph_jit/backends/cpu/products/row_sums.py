"""Products of a matrix and a vector as native code of our own: four rows at a time, which read the vector once.

    for each four rows, then for each row left:
        sums[row, lane] += x[row, columns] * y[columns]        two vectors of lanes for each row; its last columns in part
        result[row] = the sum over the lanes

What a row gives does not depend on where it stands: a row alone has the same lanes.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine, TileMemory, TileShape, multiply_and_add
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I64, PTR, VOID
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import memory_type

NAMES = {"float32": "ag_row_sums_f32", "float64": "ag_row_sums_f64"}
# x and its stride by rows, in bytes; y; the result; rows, columns. Columns of x, and elements of y and of the result, lie side by side.
ROW_SUMS_TYPE = ir.FunctionType(VOID, [PTR, I64, PTR, PTR, I64, I64])
TOGETHER = 4  # rows
VECTORS = 2  # of sums, for each row


class RowSums(Routine):
    """The function of a module that multiplies matrices of one dtype by vectors."""

    def __init__(self, module: ir.Module, dtype: np.dtype) -> None:
        super().__init__(module, NAMES[dtype.name], ROW_SUMS_TYPE)
        self.shape = TileShape(dtype, vector_bytes())
        x, x_row, y, result, rows, columns = self.args
        for pointer in (x, y, result):
            pointer.add_attribute("noalias")
        first: ir.Value = I64(0)
        for height in (TOGETHER, 1):

            def some(row: ir.Value, _: list[ir.Value], height: int = height) -> list[ir.Value]:
                starts = [self.at(x, self.b.mul(self.b.add(row, I64(number)), x_row)) for number in range(height)]
                for number, total in enumerate(self.sums(starts, y, columns)):
                    place = self.at(result, self.b.mul(self.b.add(row, I64(number)), I64(dtype.itemsize)))
                    self.b.store(total, place, align=1)
                return [self.b.add(row, I64(height))]

            (first,) = self.loop(first, self.b.sub(rows, I64(height - 1)), I64(height), some, [first])
        self.b.ret_void()

    def sums(self, starts: list[ir.Value], y: ir.Value, columns: ir.Value) -> list[ir.Value]:
        """The products of some rows and the vector."""
        step = VECTORS * self.shape.lanes
        whole = self.b.sub(columns, self.b.srem(columns, I64(step)))
        inside = TileMemory(self, self.shape, VECTORS, I64(step))
        inside.masks.clear()
        zero = ir.Constant(inside.vector, None)

        def add(memory: TileMemory, column: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            distance = self.b.mul(column, I64(self.shape.dtype.itemsize))
            factors = [memory.load(self.at(y, distance), part) for part in range(VECTORS)]
            numbers = [memory.load(self.at(start, distance), part) for start in starts for part in range(VECTORS)]
            pairs = zip(numbers, factors * len(starts), sums, strict=True)
            return [multiply_and_add(self, memory, number, factor, total) for number, factor, total in pairs]

        totals = self.loop(I64(0), whole, I64(step), lambda column, sums: add(inside, column, sums), [zero] * (VECTORS * len(starts)))
        left = TileMemory(self, self.shape, VECTORS, self.b.sub(columns, whole), all_partial=True)
        totals = self.loop(whole, columns, I64(step), lambda column, sums: add(left, column, sums), totals)
        return [self.total(totals[row * VECTORS : (row + 1) * VECTORS], inside) for row in range(len(starts))]

    def total(self, parts: list[ir.Value], memory: TileMemory) -> ir.Value:
        """The sum over all lanes of some vectors."""
        single = memory_type(self.shape.dtype)
        added = parts[0]
        for part in parts[1:]:
            added = self.b.fadd(added, part)
        name = f"llvm.vector.reduce.fadd.{memory.suffix}"
        function = self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(single, [single, memory.vector]), name)
        return self.b.call(function, [ir.Constant(single, -0.0), added], fastmath=("reassoc",))


def load_row_sums(dtype: np.dtype) -> str:
    """The name by which compiled code calls the product of a dtype."""
    return publish(NAMES[dtype.name], lambda module: RowSums(module, dtype), as_written=True)
