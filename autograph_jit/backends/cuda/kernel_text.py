"""Kernels as Python source: what every kernel shares, and the kernels that fill, fold, gather and scatter.

A kernel walks a domain of sizes by a grid-stride loop over its flat index. An array is a vector over its whole buffer, an offset
and a stride for each axis of the domain, all in elements. A kernel does nothing once the error flag is set: what follows a failed
operation leaves no trace, as if the exception had been raised at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from autograph_jit.backends.cuda.expressions import Statements, dtype_name, literal
from autograph_jit.ir.scalar import Expr
from autograph_jit.records import dataclass

I64 = np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class Leaf:
    """An operand of a nest: an "array", a "scalar", or "index", the flat index of the domain."""

    kind: str
    dtype: np.dtype


@dataclass(frozen=True, slots=True)
class Kernel:
    """Source of one function `kernel`, and its parameters: name, dtype, and whether it is a vector of that dtype."""

    source: str
    parameters: tuple[tuple[str, np.dtype, bool], ...]


@dataclass(slots=True)
class KernelText:
    """Collects parameters and lines of a kernel."""

    parameters: list[tuple[str, np.dtype, bool]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def vector(self, name: str, dtype: np.dtype) -> str:
        self.parameters.append((name, dtype, True))
        return name

    def number(self, name: str, dtype: np.dtype = I64) -> str:
        self.parameters.append((name, dtype, False))
        return name

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def array(self, name: str, dtype: np.dtype, rank: int) -> Callable[[list[str]], str]:
        """Parameters of an array walked by `rank` axes; the function gives its element's place at an index."""
        self.vector(name, dtype)
        offset = self.number(f"{name}_at")
        strides = [self.number(f"{name}_by{axis}") for axis in range(rank)]
        return lambda index: " + ".join([offset, *(f"{i} * {stride}" for i, stride in zip(index, strides, strict=True))])

    def finish(self) -> Kernel:
        names = ", ".join(name for name, _, _ in self.parameters)
        source = "\n".join([f"def kernel({names}):", *("    " + line for line in self.lines), ""])
        return Kernel(source, tuple(self.parameters))


def begin() -> KernelText:
    """A kernel that stops where the flag is set."""
    text = KernelText()
    text.vector("flag", I64)
    text.add(0, "if flag[0] != 0:", "    return")
    return text


def split_index(text: KernelText, depth: int, flat: str, prefix: str, rank: int) -> list[str]:
    """Statements that split a flat index into one for each axis; the sizes of all axes but the first are parameters."""
    names = [f"{prefix}{axis}" for axis in range(rank)]
    rest = flat
    for axis in range(rank - 1, 0, -1):
        size = text.number(f"{prefix}{axis}_size")
        text.add(depth, f"{prefix}{axis} = {rest} % {size}", f"{prefix}{axis}_rest = {rest} // {size}")
        rest = f"{prefix}{axis}_rest"
    text.add(depth, f"{prefix}0 = {rest}")
    return names


def loop_elements(text: KernelText, rank: int) -> list[str]:
    """Open the grid-stride loop over a domain; the index of each axis. `close_loop` ends it."""
    count = text.number("count")
    text.add(0, "i = int64(cuda.grid(1))", f"while i < {count}:")
    return split_index(text, 1, "i", "i", rank)


def close_loop(text: KernelText) -> Kernel:
    text.add(1, "i += int64(cuda.gridsize(1))")
    return text.finish()


def declare_leaves(text: KernelText, leaves: tuple[Leaf, ...], rank: int) -> Callable[[int, list[str], str], list[str]]:
    """Parameters of the operands; the function adds the statements that read them at an index."""
    places = [text.array(f"x{k}", leaf.dtype, rank) if leaf.kind == "array" else None for k, leaf in enumerate(leaves)]
    for k, leaf in enumerate(leaves):
        if leaf.kind == "scalar":
            text.number(f"x{k}", leaf.dtype)

    def read(depth: int, index: list[str], flat: str) -> list[str]:
        names = []
        for k, (leaf, place) in enumerate(zip(leaves, places)):
            names.append(f"v{k}" if leaf.kind == "array" else flat if leaf.kind == "index" else f"x{k}")
            if place is not None:
                text.add(depth, f"v{k} = x{k}[{place(index)}]")
        return names

    return read


def map_kernel(expression: Expr, leaves: tuple[Leaf, ...], rank: int) -> Kernel:
    """target[index] = expression, for every index of the domain."""
    text = begin()
    index = loop_elements(text, rank)
    target = text.array("out", expression.dtype, rank)
    operands = declare_leaves(text, leaves, rank)(1, index, "i")
    statements = Statements("t")
    value = statements.emit(expression, operands)
    text.add(1, *statements.lines, f"out[{target(index)}] = {value}")
    return close_loop(text)


def gather_kernel(dtype: np.dtype, indices: int, rank: int) -> Kernel:
    """target[index] = source[...], an element whose place is told by index arrays; out of bounds sets the flag."""
    text = begin()
    index = loop_elements(text, rank)
    target, source = text.array("out", dtype, rank), text.array("x", dtype, rank)
    place = gathered_place(text, indices, rank, index, source(index))
    text.add(1, "if inside:", f"    out[{target(index)}] = x[{place}]")
    return close_loop(text)


def gathered_place(text: KernelText, indices: int, rank: int, index: list[str], start: str) -> str:
    """Statements that read the index arrays, wrap and check them: `inside` and the place of the element."""
    site = text.number("site")
    text.add(1, "inside = True", f"place = {start}")
    for k in range(indices):
        where = text.array(f"index{k}", I64, rank)
        size, stride = text.number(f"size{k}"), text.number(f"stride{k}")
        text.add(1, f"j{k} = index{k}[{where(index)}]", f"if j{k} < 0:", f"    j{k} += {size}")
        text.add(1, f"if j{k} < 0 or j{k} >= {size}:", "    inside = False", f"    flag[0] = {site}")
        text.add(1, f"place += j{k} * {stride}")
    return "place"


def scatter_kernel(dtype: np.dtype, mode: str, leaf: Leaf, indices: int, rank: int) -> Kernel:
    """Write or accumulate `value` at places told by index arrays.

    mode    "check": nothing but the bounds; "claim": the greatest flat index that writes a place is kept in an array of
            integers; "set": the index that claimed the place writes; "add", "subtract", "min", "max": atomic
    """
    text = begin()
    index = loop_elements(text, rank)
    text.array("y", I64 if mode == "claim" else dtype, rank)
    start = " + ".join(["y_at", *(f"{i} * y_by{axis}" for axis, i in enumerate(index))])
    place = gathered_place(text, indices, rank, index, start)
    if mode == "check":
        return close_loop(text)
    if mode == "claim":
        text.add(1, f"cuda.atomic.max(y, {place}, i)")
        return close_loop(text)
    claims = ""
    if mode == "set":
        claims = gathered_claim(text, indices, rank, index)
    (value,) = declare_leaves(text, (leaf,), rank)(1, index, "i")
    if mode == "set":
        text.add(1, f"if owner[{claims}] == i:", f"    y[{place}] = {value}")
    else:
        value = f"{dtype_name(dtype)}({literal(dtype.type(0))} - {value})" if mode == "subtract" else value
        text.add(1, f"cuda.atomic.{'add' if mode == 'subtract' else mode}(y, {place}, {value})")
    return close_loop(text)


def gathered_claim(text: KernelText, indices: int, rank: int, index: list[str]) -> str:
    """The place in the array of claims, which has the shape of the target in C order; the indices are read already."""
    owner = text.array("owner", I64, rank)
    strides = [text.number(f"owner_stride{k}") for k in range(indices)]
    return " + ".join([owner(index), *(f"j{k} * {stride}" for k, stride in enumerate(strides))])
