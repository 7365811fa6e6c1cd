"""Products of matrices as native code of our own: tiles of the result in registers, panels of the second matrix in the nearest cache.

    for each block of the terms, for each panel of columns:
        copy the panel where rows enough will read it
        for each few rows:  tile += x[rows, block] @ panel

Every element is the sum of its products in their order, by blocks of equal length, and does not depend on where the element stands.
After Goto and van de Geijn, ACM Trans. Math. Softw. 34 (2008), without copies of the first matrix, whose elements are read one by one.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine, TileMemory, TileShape, build_tile
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I1, I64, PTR, VOID
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import memory_type

NAMES = {"float32": "ag_product_f32", "float64": "ag_product_f64"}
# x and its strides by rows and by columns, in bytes; y and its strides; the result and its stride by rows; rows, terms, columns; whether
# the product is added to what the result has.
PRODUCT_TYPE = ir.FunctionType(VOID, [PTR, I64, I64, PTR, I64, I64, PTR, I64, I64, I64, I64, I1])
MOST_TERMS = 192  # in a block: its panel fills two thirds of a nearest cache of 48 kB
WIDE = 8  # vectors of a tile of one row
FEW_ROWS = 24  # for which a panel is not worth copying
Bounds = tuple[ir.Value, ir.Value]


class Product(Routine):
    """The function of a module that multiplies matrices of one dtype."""

    def __init__(self, module: ir.Module, dtype: np.dtype) -> None:
        super().__init__(module, NAMES[dtype.name], PRODUCT_TYPE)
        self.shape = TileShape(dtype, vector_bytes())
        self.item = I64(dtype.itemsize)
        self.tiles = {
            (rows, vectors): build_tile(module, self.shape, rows, vectors)
            for rows in self.shape.heights
            for vectors in range(1, self.shape.vectors + 1)
        }
        self.wide = {vectors: build_tile(module, self.shape, 1, vectors, all_partial=True) for vectors in (WIDE // 2, WIDE)}
        self.panel = self.b.alloca(ir.ArrayType(memory_type(dtype), MOST_TERMS * self.shape.columns))
        self.panel.align, self.panel.type = 64, PTR  # llvmlite's alloca still has a typed pointer
        self.build()

    def build(self) -> None:
        """The loops over blocks of terms and panels of columns."""
        x, x_row, x_step, y, y_row, y_step, result, result_row, rows, terms, columns, adds_all = self.args
        block, width = self.fair(terms, MOST_TERMS, 1), self.fair(columns, self.shape.columns, self.shape.lanes)
        few = self.b.icmp_signed("<", rows, I64(FEW_ROWS))
        stays = self.b.and_(few, self.b.icmp_signed("==", y_step, self.item))
        is_wide = self.b.and_(stays, self.b.icmp_signed("==", rows, I64(1)))
        width = self.b.select(is_wide, I64(WIDE * self.shape.lanes), width)

        def of_terms(first: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            count = self.minimum(block, self.b.sub(terms, first))
            adds = self.b.or_(adds_all, self.b.icmp_signed(">", first, I64(0)))
            here = self.at(x, self.b.mul(first, x_step))

            def of_columns(start: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                some = self.minimum(width, self.b.sub(columns, start))
                corner = self.at(y, self.b.mul(first, y_row), self.b.mul(start, y_step))
                with self.b.if_then(self.b.not_(stays)):
                    self.copy_panel(corner, y_row, y_step, count, some)
                panel = self.b.select(stays, corner, self.panel)
                panel_row = self.b.select(stays, y_row, I64(self.shape.columns * self.shape.dtype.itemsize))
                target = self.at(result, self.b.mul(start, self.item))
                with self.b.if_else(is_wide) as (single, several):
                    with single:
                        self.run_wide(here, x_row, x_step, panel, panel_row, target, result_row, count, some, adds)
                    with several:
                        self.run_tiles(here, x_row, x_step, panel, panel_row, target, result_row, rows, count, some, adds)
                return []

            self.loop(I64(0), columns, width, of_columns, [])
            return []

        self.loop(I64(0), self.b.select(self.b.icmp_signed("<", terms, I64(1)), I64(1), terms), block, of_terms, [])
        self.b.ret_void()

    def fair(self, total: ir.Value, most: int, multiple: int) -> ir.Value:
        """The length of the fewest equal blocks of at most so many, a multiple of a number, at least that."""
        count = self.b.sdiv(self.b.add(total, I64(most - 1)), I64(most))
        count = self.b.select(self.b.icmp_signed("<", count, I64(1)), I64(1), count)
        length = self.b.mul(self.up(self.up(total, count), I64(multiple)), I64(multiple))
        return self.b.select(self.b.icmp_signed("<", length, I64(multiple)), I64(multiple), length)

    def up(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """x / y, rounded up."""
        return self.b.sdiv(self.b.sub(self.b.add(x, y), I64(1)), y)

    def copy_panel(self, corner: ir.Value, y_row: ir.Value, y_step: ir.Value, terms: ir.Value, columns: ir.Value) -> None:
        """Rows of y side by side: vectors of each; squares that are turned, where columns are what lies side by side; or elements."""
        turned, in_squares = self.b.icmp_signed("==", y_row, self.item), I64(-self.shape.lanes)
        with self.b.if_else(self.b.icmp_signed("==", y_step, self.item)) as (by_rows, by_columns):
            with by_rows:
                self.copy_lines(corner, y_row, terms, columns)
            with by_columns:
                nothing = I64(0)
                far, wide = (self.b.select(turned, self.b.and_(size, in_squares), nothing) for size in (terms, columns))
                self.copy_squares(corner, y_step, far, wide)
                self.copy_elements(corner, y_row, y_step, (far, terms), (nothing, wide))
                self.copy_elements(corner, y_row, y_step, (nothing, terms), (wide, columns))

    def place(self, term: ir.Value, column: ir.Value) -> ir.Value:
        """The address of an element of the panel."""
        length = I64(self.shape.columns * self.shape.dtype.itemsize)
        return self.at(self.panel, self.b.mul(term, length), self.b.mul(column, self.item))

    def copy_lines(self, corner: ir.Value, y_row: ir.Value, terms: ir.Value, columns: ir.Value) -> None:
        """Rows of which the elements lie side by side."""
        memory = TileMemory(self, self.shape, self.shape.vectors, columns, all_partial=True)

        def line(term: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            source, place = self.at(corner, self.b.mul(term, y_row)), self.place(term, I64(0))
            for part in range(self.shape.vectors):
                memory.store(memory.load(source, part), place, part)
            return []

        self.loop(I64(0), terms, I64(1), line, [])

    def copy_squares(self, corner: ir.Value, y_step: ir.Value, terms: ir.Value, columns: ir.Value) -> None:
        """Columns of which the elements lie side by side: squares of as many as a vector has, turned in registers."""
        vector, lanes = ir.VectorType(memory_type(self.shape.dtype), self.shape.lanes), self.shape.lanes

        def square(term: ir.Value, column: ir.Value) -> None:
            source = self.at(corner, self.b.mul(column, y_step), self.b.mul(term, self.item))
            vectors = [self.b.load(self.at(source, self.b.mul(I64(k), y_step)), typ=vector, align=1) for k in range(lanes)]
            for k, turned in enumerate(self.turned(vectors)):
                self.b.store(turned, self.place(self.b.add(term, I64(k)), column), align=1)

        def squares(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            def one(term: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                square(term, column)
                return []

            self.loop(I64(0), terms, I64(lanes), one, [])
            return []

        self.loop(I64(0), columns, I64(lanes), squares, [])

    def copy_elements(self, corner: ir.Value, y_row: ir.Value, y_step: ir.Value, terms: Bounds, columns: Bounds) -> None:
        """Elements one by one, column after column."""

        def column(number: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            def element(term: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                source = self.at(corner, self.b.mul(number, y_step), self.b.mul(term, y_row))
                self.b.store(self.b.load(source, typ=memory_type(self.shape.dtype), align=1), self.place(term, number))
                return []

            self.loop(*terms, I64(1), element, [])
            return []

        self.loop(*columns, I64(1), column, [])

    def run_wide(self, *arguments: ir.Value) -> None:
        """A single row: its sums wait for each other, so that there are more of them side by side."""
        few = self.b.icmp_signed("<=", arguments[-2], I64(WIDE // 2 * self.shape.lanes))
        with self.b.if_else(few) as (half, whole):
            with half:
                self.b.call(self.wide[WIDE // 2], list(arguments))
            with whole:
                self.b.call(self.wide[WIDE], list(arguments))

    def run_tiles(self, x: ir.Value, x_row: ir.Value, *rest: ir.Value) -> None:
        """All rows of a panel, in tiles as high as there are rows for."""
        x_step, panel, panel_row, target, target_row, rows, terms, columns, adds = rest
        exact = self.b.sdiv(self.b.add(columns, I64(self.shape.lanes - 1)), I64(self.shape.lanes))
        done = self.function.append_basic_block("panel_done")
        cases = [self.function.append_basic_block(f"of_{vectors}") for vectors in range(1, self.shape.vectors + 1)]
        switch = self.b.switch(exact, done)
        for vectors, case in enumerate(cases, 1):
            switch.add_case(I64(vectors), case)
            self.b.position_at_end(case)
            first: ir.Value = I64(0)
            for height in self.shape.heights:

                def some(row: ir.Value, _: list[ir.Value], height: int = height, vectors: int = vectors) -> list[ir.Value]:
                    here, there = self.at(x, self.b.mul(row, x_row)), self.at(target, self.b.mul(row, target_row))
                    arguments = [here, x_row, x_step, panel, panel_row, there, target_row, terms, columns, adds]
                    self.b.call(self.tiles[height, vectors], arguments)
                    return [self.b.add(row, I64(height))]

                last = self.b.sub(rows, I64(height - 1))
                (first,) = self.loop(first, last, I64(height), some, [first])
            self.b.branch(done)
        self.b.position_at_end(done)


def has_product(dtype: np.dtype) -> bool:
    """Whether there is such code: for floats, on processors with vectors that can be loaded and stored in part."""
    return dtype.name in NAMES and vector_bytes() >= 32


def load_product(dtype: np.dtype) -> str:
    """The name by which compiled code calls the product of a dtype."""
    return publish(NAMES[dtype.name], lambda module: Product(module, dtype), as_written=True)
