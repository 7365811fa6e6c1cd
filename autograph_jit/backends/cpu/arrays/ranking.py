"""The order of a few numbers as native code that all programs share: calling a library takes longer than the work.

    for each eight numbers x:  rank = how many numbers are less, or equal and in front of it
    for each number:           result[rank] = the number, or its place

Comparing all pairs takes no branch that a processor may be mistaken about, and whole vectors at a time. The order is stable. Which order
NumPy's other routines give to equal numbers depends on the processor: where that would show, the result is "not done", as it is for a NaN.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I1, I64, PTR
from autograph_jit.backends.cpu.values import register_type

LONGEST = 256  # numbers, for which all pairs take about as long as calling NumPy
VECTOR_BYTES = 64
RANKED = tuple(np.dtype(name) for name in ("float64", "float32", "int64", "int32"))
# The first number and the distance to the next one in bytes, how many, whether equal numbers keep their order, where the result goes.
# The result says whether it is done.
RANKING_TYPE = ir.FunctionType(I1, [PTR, I64, I64, I1, PTR])


class Ranking(Routine):
    """A function of a module that sorts numbers of a dtype, or, as `places`, gives the places where the sorted ones stand."""

    def __init__(self, module: ir.Module, name: str, dtype: np.dtype, places: bool) -> None:
        super().__init__(module, name, RANKING_TYPE)
        self.dtype, self.places = dtype, places
        self.lanes, self.number = VECTOR_BYTES // dtype.itemsize, register_type(dtype)
        self.rank = ir.IntType(8 * dtype.itemsize)
        self.vector, self.ranks = ir.VectorType(self.number, self.lanes), ir.VectorType(self.rank, self.lanes)
        self.source, self.stride, self.count, self.stable, self.target = self.args
        self.numbers, self.found, self.ordered = (self.memory(type) for type in (self.number, self.rank, self.number))
        self.build()

    def build(self) -> None:
        failing, passed = self.function.append_basic_block("not_done"), self.function.append_basic_block("comparable")
        self.b.cbranch(self.gather(), failing, passed)
        self.b.position_at_end(passed)
        self.loop(I64(0), self.count, I64(self.lanes), self.rank_vector, [])
        self.loop(I64(0), self.count, I64(1), self.put, [])
        self.b.ret(self.is_certain() if self.places else I1(1))
        self.b.position_at_end(failing)
        self.b.ret(I1(0))

    def memory(self, type: ir.Type) -> ir.Value:
        """Room on the stack, for a whole last vector."""
        memory = self.b.alloca(type, LONGEST + self.lanes)
        memory.type = PTR  # llvmlite's own pointers of a type go with neither vectors nor bytes
        return memory

    def gather(self) -> ir.Value:
        """The numbers side by side; whether one of them is a NaN, or a negative zero, which is equal to a zero that it is not."""

        def take(index: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
            number = self.b.load(self.at(self.source, self.b.mul(index, self.stride)), typ=self.number, align=1)
            self.b.store(number, self.place(self.numbers, index))
            if self.dtype.kind != "f":
                return state
            zero = self.b.and_(self.is_negative_zero(number), self.b.not_(self.stable))
            return [self.b.or_(state[0], self.b.or_(self.b.fcmp_unordered("uno", number, number), zero))]

        return self.loop(I64(0), self.count, I64(1), take, [I1(0)])[0]

    def is_negative_zero(self, number: ir.Value) -> ir.Value:
        return self.b.icmp_signed("==", self.b.bitcast(number, self.rank), self.rank(1 << (self.rank.width - 1)))

    def place(self, start: ir.Value, index: ir.Value, bytes: int | None = None) -> ir.Value:
        return self.at(start, self.b.mul(index, I64(bytes or self.dtype.itemsize)))

    def compare(self, operator: str, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.fcmp_ordered(operator, x, y) if self.dtype.kind == "f" else self.b.icmp_signed(operator, x, y)

    def rank_vector(self, start: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        """The ranks of the numbers of a vector: those in front of it count also where they are equal."""
        here = self.b.load(self.place(self.numbers, start), typ=self.vector, align=self.dtype.itemsize)
        end = self.b.add(start, I64(self.lanes))
        steps = ir.Constant(self.ranks, list(range(self.lanes)))

        def counted(how: str, first: ir.Value, stop: ir.Value, ranks: ir.Value) -> ir.Value:
            def other(index: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
                number = self.spread(self.b.load(self.place(self.numbers, index), typ=self.number), self.lanes)
                before = self.compare("<=" if how == "in front" else "<", number, here)
                if how == "inside":
                    lane = self.b.sub(index, start)
                    lane = self.b.trunc(lane, self.rank) if self.rank.width < 64 else lane
                    equal = self.b.and_(self.compare("==", number, here), self.b.icmp_signed("<", self.spread(lane, self.lanes), steps))
                    before = self.b.or_(before, equal)
                return [self.b.sub(sums[0], self.b.sext(before, self.ranks))]

            return self.loop(first, stop, I64(1), other, [ranks])[0]

        ranks = counted("in front", I64(0), start, ir.Constant(self.ranks, None))
        ranks = counted("inside", start, self.minimum(end, self.count), ranks)
        ranks = counted("behind", end, self.count, ranks)
        self.b.store(ranks, self.place(self.found, start), align=self.dtype.itemsize)
        return []

    def put(self, index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        rank = self.b.load(self.place(self.found, index), typ=self.rank)
        place = self.b.zext(rank, I64) if self.rank.width < 64 else rank
        number = self.b.load(self.place(self.numbers, index), typ=self.number)
        if self.places:
            self.b.store(index, self.place(self.target, place, 8))
            self.b.store(number, self.place(self.ordered, place))
        else:
            self.b.store(number, self.place(self.target, place))
        return []

    def is_certain(self) -> ir.Value:
        """Whether equal numbers keep their order, or there are none."""

        def differ(index: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
            x, y = (self.b.load(self.place(self.ordered, place), typ=self.number) for place in (index, self.b.add(index, I64(1))))
            return [self.b.or_(state[0], self.compare("==", x, y))]

        (equal,) = self.loop(I64(0), self.b.sub(self.count, I64(1)), I64(1), differ, [I1(0)])
        return self.b.or_(self.stable, self.b.not_(equal))


def load_ranking(dtype: np.dtype, places: bool) -> str:
    """The name by which compiled code calls a ranking."""
    name = f"ag_{'places' if places else 'order'}_{dtype.name}"
    return publish(name, lambda module: Ranking(module, name, dtype, places))
