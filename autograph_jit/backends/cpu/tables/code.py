"""What functions of tables are built with: the columns of a key, loops over slots, access to the words of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import ITEMS, declare
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR
from autograph_jit.backends.cpu.tables.hashing import hash_key
from autograph_jit.backends.cpu.values import memory_type, register_type
from autograph_jit.ops.tables import HEAD, LINEAR_PROBES, MASK, PERTURB_SHIFT
from autograph_jit.records import dataclass

WORD = 4  # bytes
NO_MEMORY = -1
WITH_ANOTHER = -1  # further numbers: the headers of another index and of its columns, then two numbers
MOST_SLOTS = 1 << 30  # whose numbers, and those of positions, fit into 32 bits
# By name: what the function returns, how it is built, whether it takes a key, how many further numbers; `functions` puts them here.
FUNCTIONS: dict[str, tuple[ir.Type, Callable[[Any], None], bool, int]] = {}


@dataclass(frozen=True, slots=True)
class Keys:
    """What keys are made of."""

    form: str
    dtypes: tuple[np.dtype, ...]

    def name(self, stem: str) -> str:
        """The name of a function on tables of such keys."""
        return f"ag_table_{stem}.{self.form}.{'.'.join(dtype.char for dtype in self.dtypes)}"

    def get(self, module: ir.Module, stem: str) -> ir.Function:
        """A function on tables of such keys, made where it is first used."""
        result, build, takes_key, extra = FUNCTIONS[stem]
        known = module.globals.get(self.name(stem))
        if known is not None:
            return known
        numbers = [register_type(dtype) for dtype in self.dtypes] if takes_key else []
        arguments = [PTR] * (1 + len(self.dtypes)) + numbers + [I64] * (extra if extra != WITH_ANOTHER else 3 + len(self.dtypes))
        function = ir.Function(module, ir.FunctionType(result, arguments), self.name(stem))
        function.linkage = "internal"
        function.attributes.add("nounwind")
        build(Code(function, self))
        return function


class Code:
    """A function of a table while it is built."""

    def __init__(self, function: ir.Function, keys: Keys) -> None:
        self.module, self.function, self.keys = function.module, function, keys
        count = len(keys.dtypes)
        self.index, self.columns, self.rest = function.args[0], list(function.args[1 : 1 + count]), list(function.args[1 + count :])
        self.b = ir.IRBuilder(function.append_basic_block("entry"))

    @property
    def numbers(self) -> list[ir.Value]:
        """The numbers of the key."""
        return self.rest[: len(self.keys.dtypes)]

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def var(self, value: ir.Value) -> ir.Value:
        """A variable, which LLVM puts into registers."""
        with self.b.goto_entry_block():
            slot = self.b.alloca(value.type)
            slot.type = PTR
        self.b.store(value, slot)
        return slot

    def read(self, slot: ir.Value, type: ir.Type = I64) -> ir.Value:
        return self.b.load(slot, typ=type)

    def field(self, header: ir.Value, slot: int, type: ir.Type = I64) -> ir.Value:
        return self.b.load(self.b.gep(header, [I64(slot)], source_etype=I64), typ=type)

    def set_field(self, header: ir.Value, slot: int, value: ir.Value) -> None:
        self.b.store(value, self.b.gep(header, [I64(slot)], source_etype=I64))

    def word_address(self, items: ir.Value, place: ir.Value) -> ir.Value:
        return self.b.gep(items, [place], source_etype=I32)

    def word(self, items: ir.Value, place: int) -> ir.Value:
        return self.b.sext(self.b.load(self.word_address(items, I64(place)), typ=I32), I64)

    def set_word(self, items: ir.Value, place: int, value: ir.Value) -> None:
        self.b.store(self.b.trunc(value, I32), self.word_address(items, I64(place)))

    def slot(self, items: ir.Value, slot: ir.Value) -> ir.Value:
        return self.b.sext(self.b.load(self.word_address(items, self.b.add(slot, I64(HEAD))), typ=I32), I64)

    def set_slot(self, items: ir.Value, slot: ir.Value, value: ir.Value) -> None:
        self.b.store(self.b.trunc(value, I32), self.word_address(items, self.b.add(slot, I64(HEAD))))

    def key_at(self, position: ir.Value) -> list[ir.Value]:
        """The numbers of the key at a position."""
        found = []
        for column, dtype in zip(self.columns, self.keys.dtypes):
            address = self.b.gep(self.field(column, ITEMS, PTR), [position], source_etype=memory_type(dtype))
            number = self.b.load(address, typ=memory_type(dtype))
            found.append(self.b.icmp_unsigned("!=", number, I8(0)) if dtype.kind == "b" else number)
        return found

    def is_key_at(self, position: ir.Value) -> ir.Value:
        """Whether the key at a position is this one."""
        same: ir.Value = I1(1)
        for found, number, dtype in zip(self.key_at(position), self.numbers, self.keys.dtypes):
            equal = self.b.fcmp_ordered("==", found, number) if dtype.kind == "f" else self.b.icmp_unsigned("==", found, number)
            same = self.b.and_(same, equal)
        return same

    def hash(self, numbers: list[ir.Value]) -> ir.Value:
        return hash_key(self.b, self.keys.form, numbers, list(self.keys.dtypes))

    def call(self, stem: str, *args: ir.Value) -> ir.Value:
        return self.b.call(self.keys.get(self.module, stem), list(args))

    def call_c(self, name: str, *args: ir.Value) -> ir.Value:
        return self.b.call(declare(self.module, name), list(args))

    def probe(self, items: ir.Value, code: ir.Value, visit: Callable[[ir.Value, ir.Value], None]) -> None:
        """Go through the slots of a hash: `visit(slot, position)` leaves the function, or ends in a block from which the next one is
        looked at."""
        mask = self.word(items, MASK)
        perturb, start = self.var(code), self.var(self.b.and_(code, mask))
        outer, inner, onward, following = (self.block(name) for name in ("group", "probe", "onward", "next"))
        slot, last = self.var(I64(0)), self.var(I64(0))
        self.b.branch(outer)
        self.b.position_at_end(outer)
        first = self.read(start)
        end = self.b.add(first, I64(LINEAR_PROBES))
        self.b.store(first, slot)
        self.b.store(self.b.select(self.b.icmp_unsigned("<=", end, mask), end, first), last)
        self.b.branch(inner)
        self.b.position_at_end(inner)
        here = self.read(slot)
        visit(here, self.slot(items, here))
        self.b.store(self.b.add(here, I64(1)), slot)
        self.b.cbranch(self.b.icmp_unsigned("==", here, self.read(last)), onward, following)
        self.b.position_at_end(following)
        self.b.branch(inner)
        self.b.position_at_end(onward)
        self.b.store(self.b.lshr(self.read(perturb), I64(PERTURB_SHIFT)), perturb)
        turned = self.b.add(self.b.add(self.b.mul(first, I64(5)), I64(1)), self.read(perturb))
        self.b.store(self.b.and_(turned, mask), start)
        self.b.branch(outer)

    def each(self, count: ir.Value, visit: Callable[[ir.Value], None]) -> None:
        """`for i in range(count): visit(i)`."""
        i = self.var(I64(0))
        test, body, done = (self.block(name) for name in ("test", "body", "done"))
        self.b.branch(test)
        self.b.position_at_end(test)
        self.b.cbranch(self.b.icmp_signed("<", self.read(i), count), body, done)
        self.b.position_at_end(body)
        visit(self.read(i))
        self.b.store(self.b.add(self.read(i), I64(1)), i)
        self.b.branch(test)
        self.b.position_at_end(done)

    def double(self, number: ir.Value, least: ir.Value) -> None:
        """Double a variable until it is more than `least`."""
        test, body, done = (self.block(name) for name in ("test", "double", "enough"))
        self.b.branch(test)
        self.b.position_at_end(test)
        self.b.cbranch(self.b.icmp_signed("<=", self.read(number), least), body, done)
        self.b.position_at_end(body)
        self.b.store(self.b.shl(self.read(number), I64(1)), number)
        self.b.branch(test)
        self.b.position_at_end(done)

    def leave_if(self, condition: ir.Value, result: ir.Value) -> None:
        with self.b.if_then(condition):
            self.b.ret(result)
