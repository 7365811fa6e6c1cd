"""Kernels that reduce: one thread for each result, or one block for each part of a result with a tree over its threads.

Which part a thread adds up depends on sizes alone, so a reduction gives the same bits at every run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograph_jit.backends.cuda.expressions import Statements, dtype_name
from autograph_jit.backends.cuda.kernel_text import Kernel, KernelText, Leaf, begin, declare_leaves, split_index
from autograph_jit.ir.scalar import Expr
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Folding:
    """What is reduced: an element, the step that takes it in, over operands (total, element), and the identity, if there is one."""

    element: Expr
    step: Expr
    identity: Expr | None
    leaves: tuple[Leaf, ...]
    kept: int
    reduced: int


def lines_kernel(folding: Folding) -> Kernel:
    """out[o] = the fold of the line o, by one thread."""
    text = begin()
    results, length = text.number("results"), text.number("length")
    text.add(0, "o = int64(cuda.grid(1))", f"while o < {results}:")
    read = element_reader(text, folding, 1)
    start_total(text, folding, 1, read, "int64(0)")
    text.add(1, "r = int64(0)", f"while r < {length}:")
    text.add(2, *combined(folding, read(2, "r")), "r += 1")
    text.add(1, "out[o] = total", "o += int64(cuda.gridsize(1))")
    text.vector("out", folding.element.dtype)
    return text.finish()


def blocks_kernel(folding: Folding, threads: int) -> Kernel:
    """out[o * parts + p] = the fold of part p of the line o, by one block."""
    text = begin()
    dtype = folding.element.dtype
    results, length, parts, part = (text.number(name) for name in ("results", "length", "parts", "part"))
    text.add(0, f"shared = cuda.shared.array({threads}, dtype_{dtype_name(dtype)})", "thread = cuda.threadIdx.x")
    text.add(0, "job = int64(cuda.blockIdx.x)", f"while job < {results} * {parts}:")
    text.add(1, f"o = job // {parts}", f"start = (job % {parts}) * {part}")
    text.add(1, f"stop = start + {part} if start + {part} < {length} else {length}")
    read = element_reader(text, folding, 1)
    start_total(text, folding, 1, read, "start")
    text.add(1, "r = start + thread", "while r < stop:")
    text.add(2, *combined(folding, read(2, "r")), f"r += {threads}")
    text.add(1, "shared[thread] = total", "cuda.syncthreads()", f"half = {threads // 2}", "while half > 0:", "    if thread < half:")
    text.add(3, "total = shared[thread]", *combined(folding, "shared[thread + half]"), "shared[thread] = total")
    text.add(2, "cuda.syncthreads()", "half //= 2")
    text.add(1, "if thread == 0:", "    out[job] = shared[0]", "cuda.syncthreads()", "job += int64(cuda.gridDim.x)")
    text.vector("out", dtype)
    return text.finish()


def element_reader(text: KernelText, folding: Folding, depth: int) -> Callable[[int, str], str]:
    """Statements that compute the element at a position of the current line; the line's own index is split once."""
    kept = split_index(text, depth, "o", "k", folding.kept)
    read_leaves = declare_leaves(text, folding.leaves, folding.kept + folding.reduced)
    sizes: list[str] = [text.number(f"r{axis}_size") for axis in range(1, folding.reduced)]

    def read(depth: int, position: str) -> str:
        index, rest = [f"r{axis}" for axis in range(folding.reduced)], position
        for axis in range(folding.reduced - 1, 0, -1):
            text.add(depth, f"r{axis} = {rest} % {sizes[axis - 1]}", f"r{axis}_rest = {rest} // {sizes[axis - 1]}")
            rest = f"r{axis}_rest"
        text.add(depth, f"r0 = {rest}")
        statements = Statements("t")
        value = statements.emit(folding.element, read_leaves(depth, [*kept, *index], position))
        text.add(depth, *statements.lines)
        return value

    return read


def start_total(text: KernelText, folding: Folding, depth: int, read: Callable[[int, str], str], first: str) -> None:
    """The total before the first step: the identity, or the first element where a repeated element changes nothing."""
    if folding.identity is not None:
        statements = Statements("z")
        text.add(depth, f"total = {statements.emit(folding.identity, [])}")
        text.lines[-1:-1] = ["    " * depth + line for line in statements.lines]
    else:
        text.add(depth, f"total = {read(depth, first)}")


def combined(folding: Folding, element: str) -> list[str]:
    """Statements that take an element into the total."""
    statements = Statements("c")
    value = statements.emit(folding.step, ["total", "element"])
    return [f"element = {element}", *statements.lines, f"total = {value}"]


def matmul_kernel(dtype: np.dtype, product: Expr, step: Expr, tile: int) -> Kernel:
    """out[b, m, n] = sum over k of x[b, m, k] * y[b, k, n]: each block computes a square of the result from squares in shared memory."""
    text = begin()
    batches, rows, columns, inner = (text.number(name) for name in ("batches", "rows", "columns", "inner"))
    place = {name: text.array(name, dtype, 3) for name in ("out", "x", "y")}
    name = dtype_name(dtype)
    text.add(0, f"left = cuda.shared.array(({tile}, {tile}), dtype_{name})", f"right = cuda.shared.array(({tile}, {tile}), dtype_{name})")
    text.add(0, "down = cuda.threadIdx.y", "across = cuda.threadIdx.x", "job = int64(cuda.blockIdx.x)")
    text.add(0, f"tiles_down = ({rows} + {tile - 1}) // {tile}", f"tiles_across = ({columns} + {tile - 1}) // {tile}")
    text.add(0, f"while job < {batches} * tiles_down * tiles_across:")
    text.add(1, "b = job // (tiles_down * tiles_across)", "rest = job % (tiles_down * tiles_across)")
    text.add(1, f"m = (rest // tiles_across) * {tile} + down", f"n = (rest % tiles_across) * {tile} + across", f"total = {name}(0)")
    text.add(1, "k = int64(0)", f"while k < {inner}:", f"    left[down, across] = {name}(0)", f"    right[down, across] = {name}(0)")
    text.add(2, f"if m < {rows} and k + across < {inner}:", f"    left[down, across] = x[{place['x'](['b', 'm', '(k + across)'])}]")
    text.add(2, f"if n < {columns} and k + down < {inner}:", f"    right[down, across] = y[{place['y'](['b', '(k + down)', 'n'])}]")
    text.add(2, "cuda.syncthreads()", f"for j in range({tile}):")
    statements = Statements("p")
    value = statements.emit(product, ["left_element", "right_element"])
    text.add(3, "left_element = left[down, j]", "right_element = right[j, across]", *statements.lines, f"element = {value}")
    steps = Statements("c")
    total = steps.emit(step, ["total", "element"])
    text.add(3, *steps.lines, f"total = {total}")
    text.add(2, "cuda.syncthreads()", f"k += {tile}")
    text.add(1, f"if m < {rows} and n < {columns}:", f"    out[{place['out'](['b', 'm', 'n'])}] = total", "job += int64(cuda.gridDim.x)")
    return text.finish()
