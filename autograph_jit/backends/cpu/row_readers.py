"""Native code that reads the entries of the dicts in a list as columns: one pass that checks each entry and takes what it holds.

A column of numbers is an object of bytes, one of texts a list. One function for each sequence of types, kept on disk as all code is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from types import GenericAlias
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.library import ENTRY, Library
from autograph_jit.backends.cpu.part_readers import LIST_ITEMS, SIZE_AT, PartReaderCode, numbers_in
from autograph_jit.backends.cpu.python_ints import read_int
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I8, I64, PTR

NUMBER_AT = symbols.OBJECT_SIZE  # in a float, and in a complex, which has two
BYTES_AT = bytes.__basicsize__ - 1  # the first byte of an object of bytes
ITEM_SIZES: dict[type, int] = {bool: 1, int: 8, float: 8, complex: 16}
GOLDEN = -7046029254386353131  # 2**64 over the golden ratio, as a number with a sign: Knuth, The Art of Computer Programming 3, 6.4
NONE = type(None)
Types = tuple[tuple[type, bool], ...]  # of each column: of what type its entries are, whether they may be None; of NONE, there are none


@cache
def entries_reader(types: Types) -> Callable[[tuple[str, ...], list[Any]], tuple[Any, ...] | None]:
    """A function of keys and a list of dicts that gives a column for each key, then, for those that may be None, which are there; None
    where any entry is missing or of another type."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    EntriesReaderCode(Routine(module, ENTRY, function), types).build()
    made: Callable[[tuple[str, ...], list[Any]], tuple[Any, ...] | None] = Library(str(module)).callable(ENTRY, "columns")
    return made


@cache
def distinctness() -> Callable[[list[Any]], Any]:
    """A function of a list that gives its length where it holds different dicts and nothing else, or else None."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    DistinctnessCode(Routine(module, ENTRY, function), GenericAlias(tuple, ())).build()
    made: Callable[[list[Any]], Any] = Library(str(module)).callable(ENTRY, "distinct")
    return made


class EntriesReaderCode(PartReaderCode):
    """The code of one reader."""

    def __init__(self, r: Routine, types: Types) -> None:
        self.types = types
        flags = (bool for _, has_none in types if has_none)
        super().__init__(r, GenericAlias(tuple, (*(kind for kind, _ in types if kind is not NONE), *flags)))

    def build(self) -> None:
        r = self.r
        for slot in self.slots:
            r.b.store(PTR(None), slot)
        names, listed = self.argument(0), self.argument(1)
        count = r.field(listed, SIZE_AT)
        made = [self.new_column(count, kind, slot) for kind, slot in zip(numbers_in(self.form), self.slots)]

        def read(index: ir.Value) -> None:
            self.expect(r.b.icmp_signed("<", index, r.field(listed, SIZE_AT)))  # comparing keys may be the work of the user's
            columns = iter(made)
            flags = iter(made[sum(kind is not NONE for kind, _ in self.types) :])
            for place, (kind, has_none) in enumerate(self.types):
                row = self.item(listed, index)
                self.expect(self.is_of(row, "PyDict_Type"))
                x = r.call("PyDict_GetItemWithError", row, r.field(names, symbols.TUPLE_ITEMS + 8 * place, PTR))
                self.expect(r.is_null(x) if kind is NONE else r.b.not_(r.is_null(x)))
                if kind is not NONE:
                    self.take_entry(x, kind, next(columns), index, next(flags) if has_none else None)

        r.each(count, read)
        if NONE in map(itemgetter(0), self.types):
            self.expect(r.is_null(r.call("PyErr_Occurred")))
        self.give(made)
        r.b.position_at_end(self.bad)
        r.call("PyErr_Clear")
        for slot in self.slots:
            column = r.b.load(slot, typ=PTR)
            with r.b.if_then(r.b.not_(r.is_null(column))):
                r.call("Py_DecRef", column)
        self.leave_with_none()

    def new_column(self, count: ir.Value, kind: type, slot: ir.Value) -> ir.Value:
        """The memory of a column, kept before it is filled."""
        if kind is str:
            made = self.new_list(count)
        else:
            made = self.r.call("PyBytes_FromStringAndSize", PTR(None), self.r.b.mul(count, I64(ITEM_SIZES[kind])))
            self.expect(self.r.b.not_(self.r.is_null(made)))
        self.r.b.store(made, slot)
        return made

    def take_entry(self, x: ir.Value, kind: type, column: ir.Value, index: ir.Value, flags: ir.Value | None) -> None:
        """Put an entry into its column; zero where it is None, which `flags` then tell."""
        r = self.r
        if flags is None:
            self.expect(self.is_number(x, kind))
            self.store_entry(x, kind, column, index)
            return
        is_there = r.b.icmp_unsigned("!=", x, self.r.global_object("_Py_NoneStruct"))
        r.b.store(r.b.zext(is_there, I8), self.element(flags, index, 1))
        with r.b.if_else(is_there) as (there, missing):
            with there:
                self.expect(self.is_number(x, kind))
                self.store_entry(x, kind, column, index)
            with missing:
                for offset in range(0, ITEM_SIZES[kind], 8):
                    zero = I64(0) if ITEM_SIZES[kind] > 1 else I8(0)
                    r.b.store(zero, r.b.gep(self.element(column, index, ITEM_SIZES[kind]), [I64(offset)], source_etype=I8))

    def element(self, column: ir.Value, index: ir.Value, size: int) -> ir.Value:
        """Where a number of a column is."""
        return self.r.b.gep(column, [self.r.b.add(I64(BYTES_AT), self.r.b.mul(index, I64(size)))], source_etype=I8)

    def store_entry(self, x: ir.Value, kind: type, column: ir.Value, index: ir.Value) -> None:
        """What a number or text holds, in a column."""
        r = self.r
        if kind is str:
            self.store_reference(column, LIST_ITEMS, index, x, inside=False)
            return
        target = self.element(column, index, ITEM_SIZES[kind])
        if kind is int:
            r.b.store(read_int(r, x)[0], target)
        elif kind is bool:
            r.b.store(r.b.zext(r.b.icmp_unsigned("==", x, self.r.global_object("_Py_TrueStruct")), I8), target)
        else:
            for offset in range(0, ITEM_SIZES[kind], 8):
                r.b.store(r.field(x, NUMBER_AT + offset, ir.DoubleType()), r.b.gep(target, [I64(offset)], source_etype=I8))


class DistinctnessCode(PartReaderCode):
    """The code that tells whether the items of a list are different dicts, by a table of their addresses."""

    def build(self) -> None:
        r = self.r
        listed = self.argument(0)
        count = r.field(listed, SIZE_AT)
        unused = r.b.ctlz(r.b.or_(r.b.mul(count, I64(2)), I64(15)), ir.IntType(1)(0))  # the table has twice as many places, or more
        mask = r.b.lshr(I64(-1), unused)
        table = r.call("calloc", r.b.add(mask, I64(1)), I64(8))
        r.leave_if(r.is_null(table), self.none())

        def note(index: ir.Value) -> None:
            x = self.item(listed, index)
            self.expect(self.is_of(x, "PyDict_Type"))
            number = r.b.ptrtoint(x, I64)
            first = r.b.lshr(r.b.mul(number, I64(GOLDEN)), unused)
            before, look, is_other, put = r.b.block, *(r.function.append_basic_block(name) for name in ("look", "other", "put"))
            r.b.branch(look)
            r.b.position_at_end(look)
            place = r.b.phi(I64)
            place.add_incoming(first, before)
            slot = r.b.gep(table, [place], source_etype=I64)
            found = r.b.load(slot, typ=I64)
            r.b.cbranch(r.b.icmp_unsigned("==", found, I64(0)), put, is_other)
            r.b.position_at_end(is_other)
            self.expect(r.b.icmp_unsigned("!=", found, number))
            place.add_incoming(r.b.and_(r.b.add(place, I64(1)), mask), r.b.block)
            r.b.branch(look)
            r.b.position_at_end(put)
            r.b.store(number, slot)

        r.each(count, note)
        r.call("free", table)
        r.b.ret(r.call("PyLong_FromLongLong", count))
        r.b.position_at_end(self.bad)
        r.call("free", table)
        self.leave_with_none()

    def none(self) -> ir.Value:
        """None, with a reference to it."""
        found = self.r.global_object("_Py_NoneStruct")
        self.r.call("Py_IncRef", found)
        return found
