"""What functions of tables are built with: the columns of a key, loops over slots, access to the words of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.loop_hints import NOT_UNROLLED, loop_hints
from autograph_jit.backends.cpu.runtime_module import declare
from autograph_jit.backends.cpu.signatures import I1, I32, I64, PTR
from autograph_jit.backends.cpu.tables.hashing import Elem, are_same, each_below, hash_key, number_at, register_of, variable
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
    elems: tuple[Elem, ...]  # of the columns

    def name(self, stem: str) -> str:
        """The name of a function on tables of such keys."""
        return f"ag_table_{stem}.{self.form}.{'.'.join(map(str, self.elems))}"

    def get(self, module: ir.Module, stem: str) -> ir.Function:
        """A function on tables of such keys, made where it is first used."""
        result, build, takes_key, extra = FUNCTIONS[stem]
        known = module.globals.get(self.name(stem))
        if known is not None:
            return known
        numbers = [register_of(elem) for elem in self.elems] if takes_key else []
        arguments = [PTR] * (1 + len(self.elems)) + numbers + [I64] * (extra if extra != WITH_ANOTHER else 3 + len(self.elems))
        function = ir.Function(module, ir.FunctionType(result, arguments), self.name(stem))
        function.linkage = "internal"
        function.attributes.add("nounwind")
        build(Code(function, self))
        return function


class Code:
    """A function of a table while it is built."""

    def __init__(self, function: ir.Function, keys: Keys) -> None:
        self.module, self.function, self.keys = function.module, function, keys
        count = len(keys.elems)
        self.index, self.columns, self.rest = function.args[0], list(function.args[1 : 1 + count]), list(function.args[1 + count :])
        self.b = ir.IRBuilder(function.append_basic_block("entry"))

    @property
    def numbers(self) -> list[ir.Value]:
        """The numbers of the key."""
        return self.rest[: len(self.keys.elems)]

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def var(self, value: ir.Value) -> ir.Value:
        """A variable, which LLVM puts into registers."""
        return variable(self.b, value)

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
        return [number_at(self.b, column, position, elem) for column, elem in zip(self.columns, self.keys.elems)]

    def is_key_at(self, position: ir.Value) -> ir.Value:
        """Whether the key at a position is this one."""
        same: ir.Value = I1(1)
        for found, number, elem in zip(self.key_at(position), self.numbers, self.keys.elems):
            same = self.b.and_(same, are_same(self.b, found, number, elem))
        return same

    def hash(self, numbers: list[ir.Value]) -> ir.Value:
        return hash_key(self.b, self.keys.form, numbers, self.keys.elems)

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
        self.b.branch(inner).set_metadata("llvm.loop", loop_hints(self.module, NOT_UNROLLED))  # one slot or two are looked at
        self.b.position_at_end(onward)
        self.b.store(self.b.lshr(self.read(perturb), I64(PERTURB_SHIFT)), perturb)
        turned = self.b.add(self.b.add(self.b.mul(first, I64(5)), I64(1)), self.read(perturb))
        self.b.store(self.b.and_(turned, mask), start)
        self.b.branch(outer)

    def each(self, count: ir.Value, visit: Callable[[ir.Value], None]) -> None:
        """`for i in range(count): visit(i)`."""
        each_below(self.b, count, visit)

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
