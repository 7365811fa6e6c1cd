"""Native code that reads the dicts or instances in a list as columns: one pass that checks each entry and takes what it holds.

A column of numbers is an object of bytes, one of texts a list. One function for each sequence of types, kept on disk as all code is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from types import GenericAlias
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.entry_places import EntryCode, ValuePlace, value_place
from autograph_jit.backends.cpu.library import ENTRY, Library
from autograph_jit.backends.cpu.part_readers import LIST_ITEMS, SIZE_AT, TYPE_AT, PartReaderCode, numbers_in
from autograph_jit.backends.cpu.python_ints import read_int
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I8, I64, PTR

NUMBER_AT = symbols.OBJECT_SIZE  # in a float, and in a complex, which has two
BYTES_AT = bytes.__basicsize__ - 1  # the first byte of an object of bytes
ITEM_SIZES: dict[type, int] = {bool: 1, int: 8, float: 8, complex: 16}
GOLDEN = -7046029254386353131  # 2**64 over the golden ratio, as a number with a sign: Knuth, The Art of Computer Programming 3, 6.4
NONE = type(None)
Columns = dict[str, tuple[type, bool]]  # by name: of what type the entries are, whether they may be None; of NONE, there are none
Read = Callable[[list[Any]], "tuple[Any, ...] | None"]


def entries_reader(kind: type, keys: tuple[str, ...], columns: Columns) -> tuple[Read, set[str]]:
    """A function of a list of instances of a class, or of dicts with these keys, that gives the columns, then, for those that may be None,
    which are there; None where any entry is missing or of another type. Also under which names there may be what an instance has by its
    class."""
    is_dict = kind is dict
    places = [ValuePlace(entry=keys.index(name) if name in keys else None) if is_dict else value_place(kind, name) for name in columns]
    read = native_reader(tuple(columns.values()), tuple(places), is_dict)
    names = tuple(map(sys.intern, columns))
    if not is_dict:
        return partial(read, names, kind), {name for name, place in zip(columns, places) if not place.is_known}

    def read_dicts(rows: list[Any]) -> tuple[Any, ...] | None:
        own = {key: key for key in rows[0]} if rows and type(rows[0]) is dict else {}
        return read(tuple(map(own.get, names, names)), dict, rows)  # type: ignore[no-any-return]

    return read_dicts, set()


@cache
def native_reader(types: tuple[tuple[type, bool], ...], places: tuple[ValuePlace, ...], is_dict: bool) -> Callable[..., Any]:
    """The code for such columns: a function of names, the class and a list."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    EntriesReaderCode(Routine(module, ENTRY, function), types, places, is_dict).build()
    return Library(str(module)).callable(ENTRY, "columns")


@cache
def distinctness() -> Callable[[type, list[Any]], Any]:
    """A function of a class and a list that gives its length where it holds different objects of that class alone, or else None."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    DistinctnessCode(Routine(module, ENTRY, function), GenericAlias(tuple, ())).build()
    made: Callable[[type, list[Any]], Any] = Library(str(module)).callable(ENTRY, "distinct")
    return made


@cache
def row_picker() -> Callable[[list[Any], list[int]], Any]:
    """A function of a list and of numbers that gives the items at these places, or None where there is no such place."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    RowPickerCode(Routine(module, ENTRY, function), GenericAlias(tuple, (int,))).build()
    made: Callable[[list[Any], list[int]], Any] = Library(str(module)).callable(ENTRY, "picked")
    return made


class EntriesReaderCode(PartReaderCode):
    """The code of one reader."""

    def __init__(self, r: Routine, types: tuple[tuple[type, bool], ...], places: tuple[ValuePlace, ...], is_dict: bool) -> None:
        self.types, self.places, self.is_dict = types, places, is_dict
        flags = (bool for _, has_none in types if has_none)
        super().__init__(r, GenericAlias(tuple, (*(kind for kind, _ in types if kind is not NONE), *flags)))
        self.held = r.b.alloca(PTR)  # a value that was fetched by C's interface, of which this code has a reference

    def build(self) -> None:
        r = self.r
        for slot in (*self.slots, self.held):
            r.b.store(PTR(None), slot)
        names, known, listed = map(self.argument, range(3))
        count = r.field(listed, SIZE_AT)
        made = [self.new_column(count, kind, slot) for kind, slot in zip(numbers_in(self.form), self.slots)]

        def read(index: ir.Value) -> None:
            columns = iter(made)
            flags = iter(made[sum(kind is not NONE for kind, _ in self.types) :])
            for number, ((kind, has_none), place) in enumerate(zip(self.types, self.places)):
                self.expect(r.b.icmp_signed("<", index, r.field(listed, SIZE_AT)))  # comparing keys may be the work of the user's
                row = self.item(listed, index)
                self.expect(r.b.icmp_unsigned("==", r.field(row, TYPE_AT, PTR), known))
                x = self.entry(row, r.field(names, symbols.TUPLE_ITEMS + 8 * number, PTR), place)
                self.expect(r.is_null(x) if kind is NONE else r.b.not_(r.is_null(x)))
                if kind is not NONE:
                    self.take_entry(x, kind, next(columns), index, next(flags) if has_none else None)
                if not self.is_dict and not place.is_known:
                    self.let_go(self.held)
                    r.b.store(PTR(None), self.held)

        r.each(count, read)
        if NONE in map(itemgetter(0), self.types):
            self.expect(r.is_null(r.call("PyErr_Occurred")))
        self.give(made)
        r.b.position_at_end(self.bad)
        r.call("PyErr_Clear")
        for slot in (*self.slots, self.held):
            self.let_go(slot)
        self.leave_with_none()

    def entry(self, row: ir.Value, name: ir.Value, place: ValuePlace) -> ir.Value:
        """What a dict or an instance has under a name; null where it has nothing there."""
        if self.is_dict:
            return EntryCode(self.r, place, self.r.function.append_basic_block("search")).value_in_dict(row, name)
        if place.is_known:
            return self.r.b.load(EntryCode(self.r, place, self.bad).in_instance(row, name), typ=PTR)
        fetched = self.r.call("PyObject_GetAttr", row, name)
        self.r.b.store(fetched, self.held)
        return fetched

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


class RowPickerCode(PartReaderCode):
    """The code that gives the items of a list at some places."""

    def build(self) -> None:
        r = self.r
        r.b.store(PTR(None), self.slots[0])
        listed, places = self.argument(0), self.argument(1)
        self.expect(self.is_of(places, "PyList_Type"))
        made = self.new_list(r.field(places, SIZE_AT))
        r.b.store(made, self.slots[0])

        def pick(index: ir.Value) -> None:
            place = read_int(r, self.item(places, index))[0]
            self.expect(r.b.icmp_unsigned("<", place, r.field(listed, SIZE_AT)))
            self.store_reference(made, LIST_ITEMS, index, self.item(listed, place), inside=False)

        r.each(r.field(places, SIZE_AT), pick)
        r.b.ret(made)
        r.b.position_at_end(self.bad)
        r.call("PyErr_Clear")
        self.let_go(self.slots[0])
        self.leave_with_none()


class DistinctnessCode(PartReaderCode):
    """The code that tells whether the items of a list are different objects of a class, by a table of their addresses."""

    def build(self) -> None:
        r = self.r
        known, listed = self.argument(0), self.argument(1)
        count = r.field(listed, SIZE_AT)
        unused = r.b.ctlz(r.b.or_(r.b.mul(count, I64(2)), I64(15)), ir.IntType(1)(0))  # the table has twice as many places, or more
        mask = r.b.lshr(I64(-1), unused)
        table = r.call("calloc", r.b.add(mask, I64(1)), I64(8))
        r.leave_if(r.is_null(table), self.none())

        def note(index: ir.Value) -> None:
            x = self.item(listed, index)
            self.expect(r.b.icmp_unsigned("==", r.field(x, TYPE_AT, PTR), known))
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
