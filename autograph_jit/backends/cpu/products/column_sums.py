"""Products of a vector and a matrix as native code of our own: eight rows at a time, scaled and added to the result in one passage.

    for each eight rows, then for each four, two, one that are left:
        result[columns] += y[row] * x[row, columns] + y[row + 1] * x[row + 1, columns] + ...

Every element is a sum of sums of up to eight products, in their order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine, TileMemory, TileShape, multiply_and_add
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I64, PTR, VOID
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import memory_type

NAMES = {"float32": "ag_column_sums_f32", "float64": "ag_column_sums_f64"}
# y and its stride; x and its stride by rows, in bytes; the result; rows, columns. Columns of x and elements of the result lie side by side.
COLUMN_SUMS_TYPE = ir.FunctionType(VOID, [PTR, I64, PTR, I64, PTR, I64, I64])
HEIGHTS = (8, 4, 2, 1)  # rows that are added together
VECTORS = 2  # of the result, whose sums do not wait for each other

Stretch = Callable[[TileMemory, ir.Value], None]  # vectors of columns, from so many bytes on


class ColumnSums(Routine):
    """The function of a module that multiplies vectors by matrices of one dtype."""

    def __init__(self, module: ir.Module, dtype: np.dtype) -> None:
        super().__init__(module, NAMES[dtype.name], COLUMN_SUMS_TYPE)
        self.shape = TileShape(dtype, vector_bytes())
        self.y, self.y_step, self.x, self.x_row, self.result, rows, self.columns = self.args
        for pointer in (self.y, self.x, self.result):
            pointer.add_attribute("noalias")
        self.each_stretch(lambda memory, distance: self.put(memory, distance, [ir.Constant(memory.vector, None)] * VECTORS))
        first: ir.Value = I64(0)
        for height in HEIGHTS:

            def some(row: ir.Value, _: list[ir.Value], height: int = height) -> list[ir.Value]:
                self.add_rows(row, height)
                return [self.b.add(row, I64(height))]

            (first,) = self.loop(first, self.b.sub(rows, I64(height - 1)), I64(height), some, [first])
        self.b.ret_void()

    def add_rows(self, row: ir.Value, height: int) -> None:
        """Some rows, scaled, added to the result."""
        numbers = [self.b.add(row, I64(number)) for number in range(height)]
        places = [self.at(self.y, self.b.mul(number, self.y_step)) for number in numbers]
        loaded = [self.b.load(place, typ=memory_type(self.shape.dtype), align=1) for place in places]
        factors = [self.spread(factor, self.shape.lanes) for factor in loaded]
        lines = [self.at(self.x, self.b.mul(number, self.x_row)) for number in numbers]

        def stretch(memory: TileMemory, distance: ir.Value) -> None:
            sums = [self.b.fmul(factors[0], memory.load(self.at(lines[0], distance), part)) for part in range(VECTORS)]
            for factor, line in zip(factors[1:], lines[1:], strict=True):
                here = self.at(line, distance)
                sums = [multiply_and_add(self, memory, factor, memory.load(here, part), total) for part, total in enumerate(sums)]
            there = self.at(self.result, distance)
            self.put(memory, distance, [self.b.fadd(memory.load(there, part), total) for part, total in enumerate(sums)])

        self.each_stretch(stretch)

    def put(self, memory: TileMemory, distance: ir.Value, sums: list[ir.Value]) -> None:
        for part, total in enumerate(sums):
            memory.store(total, self.at(self.result, distance), part)

    def each_stretch(self, body: Stretch) -> None:
        """The body for some vectors of columns after others, and for the last columns in part."""
        step = VECTORS * self.shape.lanes
        whole = self.b.sub(self.columns, self.b.srem(self.columns, I64(step)))
        inside = TileMemory(self, self.shape, VECTORS, I64(step))
        inside.masks.clear()
        left = TileMemory(self, self.shape, VECTORS, self.b.sub(self.columns, whole), all_partial=True)
        for memory, begin, end in ((inside, I64(0), whole), (left, whole, self.columns)):

            def some(column: ir.Value, _: list[ir.Value], memory: TileMemory = memory) -> list[ir.Value]:
                body(memory, self.b.mul(column, I64(self.shape.dtype.itemsize)))
                return []

            self.loop(begin, end, I64(step), some, [])


def load_column_sums(dtype: np.dtype) -> str:
    """The name by which compiled code calls the product of a dtype."""
    return publish(NAMES[dtype.name], lambda module: ColumnSums(module, dtype), as_written=True)
