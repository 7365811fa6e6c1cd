"""Large products by tiles, in blocks of rows that stay in a cache, or of columns; threads can share the blocks.

Every element is the same sum, whoever computes it: the result does not depend on the number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.products.panels import has_product
from autograph_jit.backends.cpu.signatures import I1, I64, PTR
from autograph_jit.backends.cpu.threading.sharing import Outline, outline, share
from autograph_jit.backends.cpu.values import Array
from autograph_jit.ir.graph import Value

UNIT = 16  # rows: a multiple of the height of every tile
ROWS = 128  # of a block: with 192 terms two thirds of a cache of 256 kB, and enough for the copy of a panel to be worth it
TURNED_UNIT = 32  # rows, where the panels that a piece copies are turned
TURNED_ROWS = 512  # of a block where columns of y lie side by side, which take longer to copy
FEWEST_ROWS = 64  # with fewer, threads share the columns
FEWEST_TURNED = 16  # for which columns of y that lie side by side are worth copying
COLUMNS = 96  # a multiple of the width of every tile
LARGEST_FACTOR = 1 << 21  # elements of y, all of which every block of rows reads from memory
WIDE_ROW, WIDEST_ROW = 1 << 15, 1 << 18  # bytes: of wider rows that a nest reads, a block has fewer; of still wider ones no cache has any
ROWS_OF_WIDE = 32
FAR_BYTES = 7 << 21  # of a product that is worth a nest block by block: before it is done, its first rows have left the caches
PICOSECONDS_FOR_A_BYTE = 2  # of each product of two elements
BATCH = 40_000_000_000  # picoseconds between looks at signals
Multiply = Callable[[Array, Array, Array], None]  # of x and y into an array
Tail = Callable[[Outline], Callable[[ir.Value, ir.Value, list[ir.Value]], None]]  # in a piece: for rows, how many, and where products lie


def may_share(e: Emitter, target: Array) -> bool:
    """Whether there is code for tiles, and the program is in the form in which threads share nests."""
    return e.shares and not e.is_outlined and has_product(target.dtype)


def suits_blocks(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether there are rows enough for what y is, and it is not very large."""
    can_be_cut = e.b.or_(e.compare(">=", x.shape[0], I64(FEWEST_TURNED)), is_straight(e, y))
    return e.b.and_(can_be_cut, e.compare("<=", e.mul(*y.shape), I64(LARGEST_FACTOR)))


def is_straight(e: Emitter, y: Array) -> ir.Value:
    """Whether the elements of a row lie side by side."""
    return e.compare("==", y.strides[1], I64(y.dtype.itemsize))


def is_far(e: Emitter, made: Array) -> ir.Value:
    """Whether a nest that waits for all of a product finds it in memory, and would find a block of it in a cache."""
    row = e.mul(made.shape[1], I64(made.dtype.itemsize))
    return e.b.and_(e.compare(">=", e.mul(made.shape[0], row), I64(FAR_BYTES)), e.compare("<=", row, I64(WIDEST_ROW)))


def share_product(e: Emitter, x: Array, y: Array, target: Array, multiply: Multiply) -> None:
    """A product by blocks of rows, by columns where there are few rows; `multiply` emits that of one block."""
    rows, columns = target.shape
    by_columns, straight = e.compare("<", rows, I64(FEWEST_ROWS)), is_straight(e, y)
    length = e.select(by_columns, columns, rows)
    height = e.select(by_columns, columns, e.select(straight, I64(ROWS), I64(TURNED_ROWS)))
    unit = e.select(by_columns, I64(COLUMNS), e.select(straight, I64(UNIT), I64(TURNED_UNIT)))
    whole = e.select(by_columns, rows, I64(0)), e.select(by_columns, I64(0), columns)  # of what is not cut, how much; 0 of what is
    along = e.select(by_columns, target.strides[1], target.strides[0])
    steps = e.select(by_columns, I64(0), x.strides[0]), e.select(by_columns, y.strides[1], I64(0)), along

    def piece(made: Outline) -> None:
        arrays = [made.capture_value(array) for array in (x, y, target)]
        strides, (uncut_rows, uncut_columns) = list(map(made.capture, steps)), map(made.capture, whole)

        def block(start: ir.Value, count: ir.Value) -> None:
            high, wide = (e.select(e.compare("==", size, I64(0)), count, size) for size in (uncut_rows, uncut_columns))
            places = [e.offset(array.pointer, e.mul(start, stride)) for array, stride in zip(arrays, strides, strict=True)]
            shapes = (high, arrays[0].shape[1]), (arrays[1].shape[0], wide), (high, wide)
            multiply(*(replace(array, pointer=place, shape=shape) for array, place, shape in zip(arrays, places, shapes, strict=True)))

        emit_blocks(e, made, length, height, unit, block)

    share(e, outline(e, [], piece), pieces_of(e, length, unit), e.product((rows, columns, price_of(e, x))), BATCH)


def share_products(
    e: Emitter, factors: list[tuple[Array, Array]], like: Array, multiply: Multiply, values: list[Value], tail: Tail, cost: int
) -> None:
    """Products of the sizes of an array by blocks of rows, and what comes next for the rows of each block: it uses values of the graph, and
    takes so many picoseconds for an element."""
    rows, columns = like.shape
    item, failed = I64(like.dtype.itemsize), e.slots(1)
    e.b.store(I64(0), failed)
    height = e.select(e.compare("<=", e.mul(columns, item), I64(WIDE_ROW)), I64(ROWS), I64(ROWS_OF_WIDE))

    def piece(made: Outline) -> None:
        inside = [(made.capture_value(x), made.capture_value(y)) for x, y in factors]
        behind, most, length, flag = tail(made), made.capture(height), made.capture(columns), made.capture(failed)
        scratch = [e.call("malloc", e.product((most, length, item))) for _ in factors]

        def block(start: ir.Value, count: ir.Value) -> None:
            for (x, y), place in zip(inside, scratch, strict=True):
                here = replace(like, pointer=place, shape=(count, length), strides=(e.mul(length, item), item))
                multiply(rows_of(e, x, start, count), y, here)
            behind(start, count, scratch)

        missing: ir.Value = I1(0)
        for place in scratch:
            missing = e.b.or_(missing, e.b.icmp_unsigned("==", place, PTR(None)))
        with e.b.if_else(missing, likely=False) as (without, within):
            with without:
                e.b.store(I64(1), flag)
            with within:
                emit_blocks(e, made, rows, height, I64(UNIT), block)
        for place in scratch:
            e.call("free", place)

    price = functools.reduce(e.add, [price_of(e, x) for x, _ in factors], I64(cost))
    share(e, outline(e, values, piece), pieces_of(e, rows, I64(UNIT)), e.product((rows, columns, price)), BATCH)
    e.guard(e.b.icmp_unsigned("==", e.b.load(failed, typ=I64), I64(0)), lambda: MemoryError("compiled code cannot allocate an array"))


def emit_blocks(
    e: Emitter, made: Outline, rows: ir.Value, height: ir.Value, unit: ir.Value, block: Callable[[ir.Value, ir.Value], None]
) -> None:
    """In the function of a piece: code for each block of at most so many of its rows, of the first one and how many there are."""
    most, rows_of_unit, all_rows = made.capture(height), made.capture(unit), made.capture(rows)
    begin = e.mul(made.first, rows_of_unit)
    length = e.sub(e.minimum(e.mul(made.last, rows_of_unit), all_rows), begin)

    def trip(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        passed = e.mul(index, most)
        block(e.add(begin, passed), e.minimum(e.sub(length, passed), most))
        return []

    emit_loop(e, pieces_of(e, length, most), [], trip)


def pieces_of(e: Emitter, rows: ir.Value, unit: ir.Value) -> ir.Value:
    """How many times so many rows hold all, the last time perhaps fewer."""
    return e.b.udiv(e.sub(e.add(rows, unit), I64(1)), unit)


def price_of(e: Emitter, x: Array) -> ir.Value:
    """What an element of a product takes, in picoseconds."""
    return e.mul(x.shape[1], I64(PICOSECONDS_FOR_A_BYTE * x.dtype.itemsize))


def rows_of(e: Emitter, array: Array, first: ir.Value, count: ir.Value) -> Array:
    """So many rows of a matrix from one on."""
    return replace(array, pointer=e.offset(array.pointer, e.mul(first, array.strides[0])), shape=(count, array.shape[1]))
