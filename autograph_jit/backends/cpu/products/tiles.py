"""Tiles of a matrix product: a few rows of a few vectors, kept in registers while products are added to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.loop_hints import AS_WRITTEN, loop_hints
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, VOID
from autograph_jit.backends.cpu.target import has_fused_multiply_add
from autograph_jit.backends.cpu.values import memory_type
from autograph_jit.records import dataclass

# x and its strides by rows and by terms, all strides in bytes; the panel of y and its stride by rows; the result and its stride by
# rows; how many terms and columns; whether to add to what is there.
TILE_TYPE = ir.FunctionType(VOID, [PTR, I64, I64, PTR, I64, PTR, I64, I64, I64, I1])
LoopBody = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]


@dataclass(frozen=True, slots=True)
class TileShape:
    """What fits into the registers of a processor with vectors of so many bytes."""

    dtype: np.dtype
    vector_bytes: int

    @property
    def lanes(self) -> int:
        return self.vector_bytes // self.dtype.itemsize

    @property
    def vectors(self) -> int:
        return 3

    @property
    def columns(self) -> int:
        return self.lanes * self.vectors

    @property
    def heights(self) -> tuple[int, ...]:
        """Rows of the tiles that there is code for, largest first; any number of rows is a sum of them."""
        return (8, 4, 2, 1) if self.vector_bytes == 64 else (4, 2, 1)


class Routine:
    """One function of the module while it is built."""

    def __init__(self, module: ir.Module, name: str, type: ir.FunctionType, inner: bool = False) -> None:
        self.module, self.function = module, ir.Function(module, type, name)
        self.function.attributes.add("nounwind")
        if inner:
            self.function.linkage = "internal"
            self.function.attributes.add("noinline")
        self.args = self.function.args
        self.as_written = loop_hints(module, AS_WRITTEN)  # in vectors already, and compiled in every process
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))

    def at(self, pointer: ir.Value, *distances: ir.Value) -> ir.Value:
        for distance in distances:
            pointer = self.b.gep(pointer, [distance], source_etype=I8)
        return pointer

    def minimum(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)

    def intrinsic(self, name: str, result: ir.Type, *args: ir.Value) -> ir.Value:
        function = self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(result, [arg.type for arg in args]), name)
        return self.b.call(function, list(args))

    def spread(self, number: ir.Value, lanes: int) -> ir.Value:
        """A vector of one number."""
        vector = ir.VectorType(number.type, lanes)
        nothing = ir.Constant(vector, ir.Undefined)
        single = self.b.insert_element(nothing, number, I32(0))
        return self.b.shuffle_vector(single, nothing, ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))

    def turned(self, rows: list[ir.Value]) -> list[ir.Value]:
        """The columns of a square whose rows are vectors; pairs of rows exchange parts across the diagonal, larger and larger ones."""
        count, distance = len(rows), 1
        while distance < count:
            near = [k if not k & distance else count + k - distance for k in range(count)]
            far = [k + distance if not k & distance else count + k for k in range(count)]
            following = list(rows)
            for k in (k for k in range(count) if not k & distance):
                pair = rows[k], rows[k + distance]
                following[k], following[k + distance] = (self.b.shuffle_vector(*pair, lanes_of(order)) for order in (near, far))
            rows, distance = following, 2 * distance
        return rows

    def loop(self, start: ir.Value, stop: ir.Value, step: ir.Value, body: LoopBody, carried: list[ir.Value]) -> list[ir.Value]:
        """for index in range(start, stop, step), with registers carried from one trip to the next; their last values."""
        before = self.b.block
        header, inside, done = (self.function.append_basic_block(name) for name in ("loop", "inside", "done"))
        self.b.branch(header)
        self.b.position_at_end(header)
        index, *phis = (self.b.phi(register.type) for register in (start, *carried))
        self.b.cbranch(self.b.icmp_signed("<", index, stop), inside, done)
        self.b.position_at_end(inside)
        registers = body(index, phis)
        following = [self.b.add(index, step, flags=["nsw"]), *registers]
        for phi, first, value in zip((index, *phis), (start, *carried), following, strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(value, self.b.block)
        self.b.branch(header).set_metadata("llvm.loop", self.as_written)
        self.b.position_at_end(done)
        return list(phis)


def lanes_of(numbers: list[int]) -> ir.Constant:
    """Which lanes of two vectors a shuffle takes."""
    return ir.Constant(ir.VectorType(I32, len(numbers)), numbers)


class TileMemory:
    """Loads and stores of the vectors of a row: of the last one, or `all_partial`, only the lanes in which there are columns."""

    def __init__(self, r: Routine, shape: TileShape, vectors: int, columns: ir.Value, all_partial: bool = False) -> None:
        self.r, self.shape = r, shape
        lanes = shape.lanes
        self.vector = ir.VectorType(memory_type(shape.dtype), lanes)
        self.suffix = f"v{lanes}f{8 * shape.dtype.itemsize}"
        self.masks: dict[int, ir.Value] = {}
        for number in range(vectors) if all_partial else [vectors - 1]:
            left = r.b.trunc(r.b.sub(columns, I64(lanes * number)), I32)
            steps = ir.Constant(ir.VectorType(I32, lanes), list(range(lanes)))
            self.masks[number] = r.b.icmp_signed("<", steps, r.spread(left, lanes))

    def address(self, row: ir.Value, number: int) -> ir.Value:
        return self.r.at(row, I64(self.shape.vector_bytes * number))

    def load(self, row: ir.Value, number: int) -> ir.Value:
        if number not in self.masks:
            return self.r.b.load(self.address(row, number), typ=self.vector, align=1)
        name, zeros = f"llvm.masked.load.{self.suffix}.p0", ir.Constant(self.vector, None)
        return self.r.intrinsic(name, self.vector, self.address(row, number), I32(1), self.masks[number], zeros)

    def store(self, value: ir.Value, row: ir.Value, number: int) -> None:
        if number not in self.masks:
            self.r.b.store(value, self.address(row, number), align=1)
            return
        self.r.intrinsic(f"llvm.masked.store.{self.suffix}.p0", VOID, value, self.address(row, number), I32(1), self.masks[number])


def build_tile(module: ir.Module, shape: TileShape, rows: int, vectors: int, all_partial: bool = False) -> ir.Function:
    """result[rows, columns] = or += x[rows, terms] @ panel[terms, columns], where the last vector, or `all_partial`, has some columns."""
    r = Routine(module, f"ag_tile_{rows}_{vectors}{'_partial' if all_partial else ''}", TILE_TYPE, inner=True)
    x, x_row, x_step, panel, panel_row, result, result_row, terms, columns, adds = r.args
    for pointer in (x, panel, result):
        pointer.add_attribute("noalias")
    memory = TileMemory(r, shape, vectors, columns, all_partial)
    parts = range(vectors)
    starts = [r.at(x, r.b.mul(I64(row), x_row)) for row in range(rows)]

    def term(index: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        line = r.at(panel, r.b.mul(index, panel_row))
        loaded = [memory.load(line, part) for part in parts]
        following = []
        for row in range(rows):
            place = r.at(starts[row], r.b.mul(index, x_step))
            factor = r.spread(r.b.load(place, typ=memory_type(shape.dtype), align=1), shape.lanes)
            following += [multiply_and_add(r, memory, factor, loaded[part], sums[row * vectors + part]) for part in parts]
        return following

    sums = r.loop(I64(0), terms, I64(1), term, [ir.Constant(memory.vector, None)] * (rows * vectors))
    lines = [r.at(result, r.b.mul(I64(row), result_row)) for row in range(rows)]
    places = [(line, part) for line in lines for part in parts]
    before, adding, storing = r.b.block, r.function.append_basic_block("adding"), r.function.append_basic_block("storing")
    r.b.cbranch(adds, adding, storing)
    r.b.position_at_end(adding)
    added = [r.b.fadd(memory.load(*place), total) for place, total in zip(places, sums)]
    r.b.branch(storing)
    r.b.position_at_end(storing)
    chosen = [r.b.phi(memory.vector) for _ in sums]
    for phi, total, longer in zip(chosen, sums, added):
        phi.add_incoming(total, before)
        phi.add_incoming(longer, adding)
    for place, number in zip(places, chosen):
        memory.store(number, *place)
    r.b.ret_void()
    return r.function


def multiply_and_add(r: Routine, memory: TileMemory, factor: ir.Value, part: ir.Value, total: ir.Value) -> ir.Value:
    if has_fused_multiply_add():
        return r.intrinsic(f"llvm.fma.{memory.suffix}", memory.vector, factor, part, total)
    return r.b.fadd(total, r.b.fmul(factor, part))
