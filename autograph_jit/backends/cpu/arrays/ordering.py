"""The stable order of many numbers as native code that all programs share: sorted by one digit after the other, the last one first.

    keys = integers in the order of the numbers, the least of which is 0       places = 0, 1, 2, ...
    for each digit in which they differ, from the last on:
        count how often each of its values occurs, which tells where the first key with it goes
        for each key, in the order so far: put it, and its place, there

Numbers that are in order already are only looked at. NaNs come last, and zeros are equal, as in NumPy.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.products.tiles import Routine
from autograph_jit.backends.cpu.published import publish
from autograph_jit.backends.cpu.signatures import I1, I64, PTR, VOID
from autograph_jit.backends.cpu.values import register_type

DIGIT = 11  # bits
VALUES = 1 << DIGIT
SIGN = I64(-(1 << 63))
ORDERED = tuple(np.dtype(name) for name in ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"))
# The first number, the distance to the next one in bytes, how many, where the places go, scratch memory: see `scratch_slots`.
ORDERING_TYPE = ir.FunctionType(VOID, [PTR, I64, I64, PTR, PTR])
KEYS, OTHER_KEYS, OTHER_PLACES, ARRAYS = 0, 1, 2, 3


class Ordering(Routine):
    """A function of a module that writes the places of the sorted numbers of a dtype."""

    def __init__(self, module: ir.Module, name: str, dtype: np.dtype) -> None:
        super().__init__(module, name, ORDERING_TYPE)
        self.dtype = dtype
        self.source, self.stride, self.count, self.target, scratch = self.args
        self.counts = scratch
        self.arrays = [self.at(scratch, I64(8 * VALUES), self.b.mul(self.count, I64(8 * place))) for place in range(ARRAYS)]
        self.build()

    def build(self) -> None:
        least, greatest, is_turned = self.gather()
        sorting, done = self.function.append_basic_block("sorting"), self.function.append_basic_block("in_order")
        self.b.cbranch(is_turned, sorting, done)
        self.b.position_at_end(done)
        self.b.ret_void()
        self.b.position_at_end(sorting)
        bits = self.b.sub(I64(64), self.intrinsic("llvm.ctlz.i64", I64, self.b.sub(greatest, least), I1(0)))
        digits = self.b.udiv(self.b.add(bits, I64(DIGIT - 1)), I64(DIGIT))
        start = [self.arrays[KEYS], self.arrays[OTHER_KEYS], self.target, self.arrays[OTHER_PLACES]]
        *_, places, _ = self.loop(I64(0), digits, I64(1), lambda digit, state: self.sort_by_digit(digit, least, state), start)
        leaving, copying = self.function.append_basic_block("leaving"), self.function.append_basic_block("copying")
        self.b.cbranch(self.b.icmp_unsigned("==", places, self.target), leaving, copying)
        self.b.position_at_end(copying)
        self.loop(I64(0), self.count, I64(1), lambda index, _: self.put(self.target, index, self.get(places, index)), [])
        self.b.branch(leaving)
        self.b.position_at_end(leaving)
        self.b.ret_void()

    def get(self, array: ir.Value, index: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(array, [index], source_etype=I64), typ=I64)

    def put(self, array: ir.Value, index: ir.Value, value: ir.Value) -> list[ir.Value]:
        self.b.store(value, self.b.gep(array, [index], source_etype=I64))
        return []

    def gather(self) -> list[ir.Value]:
        """Write the keys, and their places; the least, the greatest, whether one is less than that in front of it."""

        def take(index: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
            least, greatest, is_turned, before = state
            key = self.key_of(self.b.load(self.at(self.source, self.b.mul(index, self.stride)), typ=register_type(self.dtype), align=1))
            self.put(self.arrays[KEYS], index, key)
            self.put(self.target, index, index)
            is_less, is_more = self.b.icmp_unsigned("<", key, least), self.b.icmp_unsigned(">", key, greatest)
            turned = self.b.or_(is_turned, self.b.icmp_unsigned("<", key, before))
            return [self.b.select(is_less, key, least), self.b.select(is_more, key, greatest), turned, key]

        return self.loop(I64(0), self.count, I64(1), take, [I64(-1), I64(0), I1(0), I64(0)])[:3]

    def key_of(self, number: ir.Value) -> ir.Value:
        """An integer without a sign that is less where the number is."""
        if self.dtype.kind == "u":
            return number if self.dtype.itemsize == 8 else self.b.zext(number, I64)
        if self.dtype.kind == "i":
            return self.b.xor(number if self.dtype.itemsize == 8 else self.b.sext(number, I64), SIGN)
        wide = number if self.dtype.itemsize == 8 else self.b.fpext(number, ir.DoubleType())
        wide = self.b.fadd(wide, ir.Constant(ir.DoubleType(), 0.0))  # -0.0 becomes 0.0
        pattern = self.b.bitcast(wide, I64)
        key = self.b.select(self.b.icmp_signed("<", pattern, I64(0)), self.b.not_(pattern), self.b.xor(pattern, SIGN))
        return self.b.select(self.b.fcmp_unordered("uno", wide, wide), I64(-1), key)

    def sort_by_digit(self, digit: ir.Value, least: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
        keys, other_keys, places, other_places = state
        shift = self.b.mul(digit, I64(DIGIT))

        def value_of(key: ir.Value) -> ir.Value:
            return self.b.and_(self.b.lshr(self.b.sub(key, least), shift), I64(VALUES - 1))

        def count(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            value = value_of(self.get(keys, index))
            return self.put(self.counts, value, self.b.add(self.get(self.counts, value), I64(1)))

        def begin(value: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
            following = self.b.add(state[0], self.get(self.counts, value))
            self.put(self.counts, value, state[0])
            return [following]

        def move(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            key = self.get(keys, index)
            value = value_of(key)
            place = self.get(self.counts, value)
            self.put(self.counts, value, self.b.add(place, I64(1)))
            self.put(other_keys, place, key)
            return self.put(other_places, place, self.get(places, index))

        self.loop(I64(0), I64(VALUES), I64(1), lambda value, _: self.put(self.counts, value, I64(0)), [])
        self.loop(I64(0), self.count, I64(1), count, [])
        self.loop(I64(0), I64(VALUES), I64(1), begin, [I64(0)])
        self.loop(I64(0), self.count, I64(1), move, [])
        return [other_keys, keys, other_places, places]


def scratch_slots(count: ir.Value, b: ir.IRBuilder) -> ir.Value:
    """How many words of scratch memory so many numbers take."""
    return b.add(b.mul(count, I64(ARRAYS)), I64(VALUES))


def load_ordering(dtype: np.dtype) -> str:
    """The name by which compiled code calls an ordering."""
    name = f"ag_ordered_places_{dtype.name}"
    return publish(name, lambda module: Ordering(module, name, dtype))
