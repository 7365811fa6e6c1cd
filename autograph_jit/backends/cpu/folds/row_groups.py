"""Rows folded into columns four at a time: what is kept for a column is loaded and stored once for four rows.

for first in range(0, rows, 4):                     the rest of the rows one by one
    for j in range(columns):
        out[j] = ((out[j] + x[first, j]) + x[first + 1, j]) + ...
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk, address, emit_loop, emit_nest, unit_stride, with_unit_stride
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import constant_of
from autograph_jit.ir.scalar import Expr

GROUP = 4
LARGEST_EXPRESSION = 12  # nodes: longer code is not worth repeating
RowBody = Callable[[list[ir.Value], list[list[ir.Value]], ir.Value], None]


def is_worth_grouping(sizes: tuple[ir.Value, ...], axis: int, expression: Expr) -> bool:
    """Whether there may be enough rows, and little to do for each element."""
    known = constant_of(sizes[axis])
    return (known is None or known >= GROUP) and count_nodes(expression) <= LARGEST_EXPRESSION


def count_nodes(expression: Expr) -> int:
    return 1 + sum(map(count_nodes, expression.args)) if expression.op not in ("operand", "const") else 0


def emit_row_groups(e: Emitter, sizes: tuple[ir.Value, ...], kept: list[Walk], read: list[Walk], axis: int, body: RowBody) -> None:
    """A nest whose body gets pointers to what is kept, pointers to each row of a group, and the number of the first row."""
    last = len(sizes) - 1
    unit = unit_stride(e, [*kept, *read], last)
    if constant_of(unit) == 1:
        emit_version(e, sizes, kept, read, axis, body)
        return
    with e.b.if_else(unit) as (contiguous, strided):
        with contiguous:
            plain = [[with_unit_stride(walk, last) for walk in walks] for walks in (kept, read)]
            emit_version(e, sizes, plain[0], plain[1], axis, body)
        with strided:
            emit_version(e, sizes, kept, read, axis, body)


def emit_version(e: Emitter, sizes: tuple[ir.Value, ...], kept: list[Walk], read: list[Walk], axis: int, body: RowBody) -> None:
    """Groups of rows, then single rows, for every place along the axes before."""
    rank = len(sizes)

    def slab(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        kept_here = [Walk(pointer, walk.strides, walk.itemsize) for pointer, walk in zip(pointers, kept)]

        def run(count: ir.Value, start: ir.Value, width: int) -> None:
            def group(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
                first = e.add(start, e.mul(index, I64(width)))
                rows = [e.add(first, I64(row)) for row in range(width)]
                moved = [
                    Walk(address(e, walk, axis, pointer, row), walk.strides, walk.itemsize)
                    for row in rows
                    for pointer, walk in zip(pointers[len(kept) :], read)
                ]

                def element(at: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
                    rest = at[len(kept) :]
                    body(at[: len(kept)], [rest[row * len(read) : (row + 1) * len(read)] for row in range(width)], first)
                    return []

                with independent_trips(e):  # each element of what is kept has memory of its own, and nothing else is written
                    return emit_nest(e, sizes, [*kept_here, *moved], [], element, tuple(range(axis + 1, rank)))

            emit_loop(e, count, [], group)

        groups = e.b.udiv(sizes[axis], I64(GROUP))
        done = e.mul(groups, I64(GROUP))
        run(groups, I64(0), GROUP)
        run(e.sub(sizes[axis], done), done, 1)
        return []

    emit_nest(e, sizes, [*kept, *read], [], slab, tuple(range(axis)))
