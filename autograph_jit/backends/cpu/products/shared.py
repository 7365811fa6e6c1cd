"""Large products by tiles, in blocks of rows that stay in a cache; threads can share the blocks.

Every element is the same sum, whoever computes it: the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.products.panels import has_product
from autograph_jit.backends.cpu.runtime_module import I64
from autograph_jit.backends.cpu.threading.sharing import Outline, outline, share
from autograph_jit.backends.cpu.values import Array

UNIT = 16  # rows: a multiple of the height of every tile
ROWS = 128  # of a block: with 192 terms two thirds of a cache of 256 kB, and enough for the copy of a panel to be worth it
TURNED_UNIT = 32  # rows, where the panels that a piece copies are turned
TURNED_ROWS = 512  # of a block where columns of y lie side by side, which take longer to copy
FEWEST_ROWS = 64  # for fewer, BLAS has threads share the columns
LARGEST_FACTOR = 1 << 21  # elements of y, all of which every block of rows reads from memory
PICOSECONDS_FOR_A_BYTE = 2  # of each product of two elements
BATCH = 40_000_000_000  # picoseconds between looks at signals
Multiply = Callable[[Array, Array, Array], None]  # of x and y into an array


def may_share(e: Emitter, target: Array) -> bool:
    """Whether there is code for tiles, and the program is in the form in which threads share nests."""
    return e.shares and not e.is_outlined and has_product(target.dtype)


def suits_blocks(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether there are rows enough, and y is not very large."""
    return e.b.and_(e.compare(">=", x.shape[0], I64(FEWEST_ROWS)), e.compare("<=", e.mul(*y.shape), I64(LARGEST_FACTOR)))


def share_product(e: Emitter, x: Array, y: Array, target: Array, multiply: Multiply) -> None:
    """A product by blocks of rows; `multiply` emits that of one block."""
    rows, columns = target.shape
    straight = e.compare("==", y.strides[1], I64(y.dtype.itemsize))
    height, unit = e.select(straight, I64(ROWS), I64(TURNED_ROWS)), e.select(straight, I64(UNIT), I64(TURNED_UNIT))

    def piece(made: Outline) -> None:
        first, second, result = (made.capture_value(array) for array in (x, y, target))
        most, rows_of_unit = made.capture(height), made.capture(unit)
        begin = e.mul(made.first, rows_of_unit)
        length = e.sub(e.minimum(e.mul(made.last, rows_of_unit), result.shape[0]), begin)

        def block(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            passed = e.mul(index, most)
            start, count = e.add(begin, passed), e.minimum(e.sub(length, passed), most)
            multiply(rows_of(e, first, start, count), second, rows_of(e, result, start, count))
            return []

        emit_loop(e, e.b.udiv(e.sub(e.add(length, most), I64(1)), most), [], block)

    units = e.b.udiv(e.sub(e.add(rows, unit), I64(1)), unit)
    price = I64(PICOSECONDS_FOR_A_BYTE * target.dtype.itemsize)
    share(e, outline(e, [], piece), units, e.product((rows, x.shape[1], columns, price)), BATCH)


def rows_of(e: Emitter, array: Array, first: ir.Value, count: ir.Value) -> Array:
    """So many rows of a matrix from one on."""
    return replace(array, pointer=e.offset(array.pointer, e.mul(first, array.strides[0])), shape=(count, array.shape[1]))
