"""Native code that reads a list of tuples, or of numbers, as columns: one pass that checks each item and hands on what it holds.

One function for each kind of item, made where it is first needed and kept on disk as all code is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.library import ENTRY, Library
from autograph_jit.backends.cpu.python_ints import digits_of
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, SIGNATURES

TYPE_AT, SIZE_AT, LIST_ITEMS, TUPLE_ITEMS = symbols.OBJECT_SIZE - 8, symbols.OBJECT_SIZE, symbols.OBJECT_SIZE + 8, symbols.TUPLE_ITEMS
CLASSES = {bool: "PyBool_Type", int: "PyLong_Type", float: "PyFloat_Type", complex: "PyComplex_Type", str: "PyUnicode_Type"}
MOST_DIGITS = 2  # of CPython's, of an int that is read
Reader = Callable[[Any], "tuple[list[Any], ...] | None"]

SIGNATURES.update(
    {
        "PyDict_Size": (I64, [PTR]),
        "PyDict_Next": (I32, [PTR, PTR, PTR, PTR]),
        "PyGC_Disable": (I32, []),
        "PyGC_Enable": (I32, []),
    }
)


@cache
def reader(form: Any) -> Reader:
    """A function of a list of items of a type, in Python's notation, that gives their columns, or None."""
    known = [*classes_in(form), *constants_in(form)]
    read = Library(str(module_for(form))).callable(ENTRY, "columns")
    return partial(read, *known) if known else read


def module_for(form: Any) -> ir.Module:
    """The module of a reader, with CPython's calling convention."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    PartReaderCode(Routine(module, ENTRY, function), form).build()
    return module


class PartReaderCode:
    """The code of one reader."""

    def __init__(self, r: Routine, form: Any) -> None:
        self.r, self.form, self.classes, self.constants = r, form, classes_in(form), constants_in(form)
        self.bad = r.function.append_basic_block("bad")
        self.slots = [r.b.alloca(PTR) for _ in numbers_in(form)]  # the columns that there are so far
        self.collected: ir.Value | None = None  # whether the garbage collector is to be on again at the end

    def build(self) -> None:
        r = self.r
        for slot in self.slots:
            r.b.store(PTR(None), slot)
        listed = self.argument(len(self.classes) + len(self.constants))
        with r.b.if_then(r.b.not_(self.is_of(listed, "PyList_Type"))):
            self.leave_with_none()
        made, inner = get_origin(self.form), get_args(self.form)
        if made is dict or made is list and is_tuple(inner[0]):  # of many lists, none of which lives on, it would look at all
            self.collected = r.call("PyGC_Disable")
        if is_tuple(self.form) or made is UnionType:
            self.give(self.read_tuples(listed, self.form, lambda place, column: r.b.store(column, self.slots[place])))
        elif made is list and is_tuple(inner[0]):
            self.give(self.read_rows(listed, inner[0]))
        elif made is dict:
            self.give(self.read_dicts(listed, *inner))
        else:
            self.expect_all(listed, self.form)
            result = r.call("PyTuple_New", I64(1))
            r.leave_if(r.is_null(result), PTR(None))
            self.store_reference(result, TUPLE_ITEMS, I64(0), listed)
            self.leave(result)
        r.b.position_at_end(self.bad)
        for slot in self.slots:
            self.let_go(slot)
        self.leave_with_none()

    def let_go(self, slot: ir.Value) -> None:
        """Give up the reference to what stands in a slot, if anything does."""
        found = self.r.b.load(slot, typ=PTR)
        with self.r.b.if_then(self.r.b.not_(self.r.is_null(found))):
            self.r.call("Py_DecRef", found)

    def leave_with_none(self) -> None:
        none = self.r.global_object("_Py_NoneStruct")
        self.r.call("Py_IncRef", none)
        self.leave(none)

    def leave(self, result: ir.Value) -> None:
        """Return, with the garbage collector as it was."""
        if self.collected is not None:
            with self.r.b.if_then(self.r.b.icmp_signed("!=", self.collected, I32(0))):
                self.r.call("PyGC_Enable")
        self.r.b.ret(result)

    def is_of(self, x: ir.Value, name: str) -> ir.Value:
        return self.r.b.icmp_unsigned("==", self.r.field(x, TYPE_AT, PTR), self.r.global_object(name))

    def argument(self, place: int) -> ir.Value:
        """One of the classes of named tuples, one of the constants, or the list behind them."""
        return self.r.field(self.r.args[1], TUPLE_ITEMS + 8 * place, PTR)

    def item(self, listed: ir.Value, index: ir.Value) -> ir.Value:
        return self.r.b.load(self.r.b.gep(self.r.field(listed, LIST_ITEMS, PTR), [index], source_etype=PTR), typ=PTR)

    def store_reference(self, target: ir.Value, offset: int, index: ir.Value, x: ir.Value, inside: bool = True) -> None:
        """Put an object into a new tuple, or the items of a new list."""
        r = self.r
        r.call("Py_IncRef", x)
        items = r.b.gep(target, [I64(offset)], source_etype=I8) if inside else r.field(target, offset, PTR)
        r.b.store(x, r.b.gep(items, [index], source_etype=PTR))

    def new_list(self, count: ir.Value) -> ir.Value:
        """A list without items yet; where there is no memory, the call goes another way."""
        made = self.r.call("PyList_New", count)
        with self.r.b.if_then(self.r.is_null(made), likely=False):
            self.r.call("PyErr_Clear")
            self.r.b.branch(self.bad)
        return made

    def read_tuples(self, listed: ir.Value, form: Any, keep: Callable[[int, ir.Value], None]) -> list[ir.Value]:
        """The columns of a list of tuples, each kept before it is filled."""
        r = self.r
        count, columns = r.field(listed, SIZE_AT), list[ir.Value]()
        for place, _ in enumerate(numbers_in(form)):
            columns.append(self.new_list(count))
            keep(place, columns[-1])

        def read(index: ir.Value) -> None:
            targets = iter(columns)
            self.take(self.item(listed, index), form, lambda x: self.store_reference(next(targets), LIST_ITEMS, index, x, inside=False))

        r.each(count, read)
        return columns

    def lists_of_columns(self, count: ir.Value) -> list[ir.Value]:
        """A list for each column, with room for one list of each of so many items."""
        columns = []
        for slot in self.slots:
            columns.append(self.new_list(count))
            self.r.b.store(columns[-1], slot)
        return columns

    def put_list(self, column: ir.Value, index: ir.Value, made: ir.Value) -> None:
        """A new list goes to its place in a column."""
        self.r.b.store(made, self.r.b.gep(self.r.field(column, LIST_ITEMS, PTR), [index], source_etype=PTR))

    def read_rows(self, listed: ir.Value, form: Any) -> list[ir.Value]:
        """The columns of a list of lists of tuples: lists of the columns of each."""
        r = self.r
        columns = self.lists_of_columns(r.field(listed, SIZE_AT))

        def read(index: ir.Value) -> None:
            row = self.item(listed, index)
            self.expect(self.is_of(row, "PyList_Type"))
            self.read_tuples(row, form, lambda place, column: self.put_list(columns[place], index, column))

        r.each(r.field(listed, SIZE_AT), read)
        return columns

    def read_dicts(self, listed: ir.Value, key: Any, value: Any) -> list[ir.Value]:
        """The columns of a list of dicts: lists of those of the keys of each, then of the values."""
        r = self.r
        place, found_key, found_value = (r.b.alloca(x) for x in (I64, PTR, PTR))
        columns = self.lists_of_columns(r.field(listed, SIZE_AT))

        def read(index: ir.Value) -> None:
            row = self.item(listed, index)
            self.expect(self.is_of(row, "PyDict_Type"))
            count, made = r.call("PyDict_Size", row), list[ir.Value]()
            for column in columns:
                made.append(self.new_list(count))
                self.put_list(column, index, made[-1])
            r.b.store(I64(0), place)

            def read_entry(number: ir.Value) -> None:
                targets = iter(made)
                r.call("PyDict_Next", row, place, found_key, found_value)
                for found, form in ((found_key, key), (found_value, value)):
                    taken = r.b.load(found, typ=PTR)
                    self.take(taken, form, lambda x: self.store_reference(next(targets), LIST_ITEMS, number, x, inside=False))

            r.each(count, read_entry)

        r.each(r.field(listed, SIZE_AT), read)
        return columns

    def give(self, columns: list[ir.Value]) -> None:
        """Return the columns."""
        r = self.r
        result = r.call("PyTuple_New", I64(len(columns)))
        with r.b.if_then(r.is_null(result), likely=False):
            r.call("PyErr_Clear")
            r.b.branch(self.bad)
        for place, column in enumerate(columns):
            r.b.store(column, r.b.gep(result, [I64(TUPLE_ITEMS + 8 * place)], source_etype=I8))
        self.leave(result)

    def take(self, x: ir.Value, form: Any, give: Callable[[ir.Value], None]) -> None:
        """Give each number of an item; goes to `bad` where it is of another type."""
        if get_origin(form) is None:
            self.expect(self.is_number(x, form))
            give(x)
            return
        parts = get_args(form)
        made = get_origin(form)
        if made is UnionType:
            self.take_one_of(x, parts, give)
            return
        if is_of_any_length(form):
            self.take_listed(x, parts[0], give)
            return
        if made is list:
            self.expect(self.is_of(x, "PyList_Type"))
            self.expect_all(x, parts[0])
            give(x)
            return
        kind = self.argument(self.classes.index(made)) if made is not tuple else self.r.global_object("PyTuple_Type")
        self.expect(self.r.b.icmp_unsigned("==", self.r.field(x, TYPE_AT, PTR), kind))
        self.expect(self.r.b.icmp_signed("==", self.r.field(x, SIZE_AT), I64(len(parts))))
        for place, part in enumerate(parts):
            self.take(self.r.field(x, TUPLE_ITEMS + 8 * place, PTR), part, give)

    def take_listed(self, x: ir.Value, kind: type, give: Callable[[ir.Value], None]) -> None:
        """Give the items of a tuple of any length as a list."""
        r = self.r
        self.expect(self.is_of(x, "PyTuple_Type"))
        count, items = r.field(x, SIZE_AT), r.b.gep(x, [I64(TUPLE_ITEMS)], source_etype=I8)

        def item(index: ir.Value) -> ir.Value:
            return r.b.load(r.b.gep(items, [index], source_etype=PTR), typ=PTR)

        r.each(count, lambda index: self.expect(self.is_number(item(index), kind)))
        made = self.new_list(count)
        r.each(count, lambda index: self.store_reference(made, LIST_ITEMS, index, item(index), inside=False))
        give(made)
        r.call("Py_DecRef", made)

    def take_one_of(self, x: ir.Value, kinds: tuple[type, ...], give: Callable[[ir.Value], None]) -> None:
        """Give which of several types an item has, and what it is under each, as `tracing.structures.item_parts` does."""
        b, numbers = self.r.b, [kind for kind in kinds if kind not in (str, NoneType)]
        is_none = b.icmp_unsigned("==", x, self.r.global_object("_Py_NoneStruct"))
        tests = {kind: is_none if kind is NoneType else self.is_number(x, kind) for kind in kinds}
        self.expect(functools.reduce(b.or_, tests.values()))
        if NoneType in kinds:
            give(b.select(is_none, self.constant(False), self.constant(True)))
        if numbers and str in kinds:
            give(b.select(tests[str], self.constant(1), self.constant(0)))
        if len(numbers) == 1:
            give(b.select(tests[numbers[0]], x, self.constant(numbers[0]())))
        elif numbers:
            is_number = functools.reduce(b.or_, (tests[kind] for kind in numbers))
            common = numbers[-1]
            self.give_converted(common, b.select(is_number, x, self.constant(common())), b.or_(tests[common], b.not_(is_number)), give)
            tag = self.constant(0)
            for k, kind in enumerate(numbers[1:], 1):
                tag = b.select(tests[kind], self.constant(k), tag)
            give(tag)
            if numbers[-1] is float and int in numbers:
                is_whole = functools.reduce(b.or_, (tests[kind] for kind in numbers[:-1]))
                is_int = b.not_(tests[bool]) if bool in tests else ir.Constant(I1, 1)
                self.give_converted(int, b.select(is_whole, x, self.constant(0)), is_int, give)
        if str in kinds:
            give(b.select(tests[str], x, self.constant("")))

    def give_converted(self, kind: type, x: ir.Value, is_one: ir.Value, give: Callable[[ir.Value], None]) -> None:
        """Give a number as one of another type, which the column keeps, where it is not of that."""
        r = self.r
        with r.b.goto_entry_block():
            slot = r.b.alloca(PTR)
        r.b.store(x, slot)
        with r.b.if_then(r.b.not_(is_one)):
            made = r.call("PyNumber_Float" if kind is float else "PyNumber_Long", x)
            with r.b.if_then(r.is_null(made), likely=False):
                r.call("PyErr_Clear")
                r.b.branch(self.bad)
            r.b.store(made, slot)
        give(r.b.load(slot, typ=PTR))
        with r.b.if_then(r.b.not_(is_one)):
            r.call("Py_DecRef", r.b.load(slot, typ=PTR))

    def constant(self, x: Any) -> ir.Value:
        """One of the constants."""
        return self.argument(len(self.classes) + next(k for k, known in enumerate(self.constants) if type(known) is type(x) and known == x))

    def expect(self, condition: ir.Value) -> None:
        fits = self.r.function.append_basic_block("fits")
        self.r.b.cbranch(condition, fits, self.bad)
        self.r.b.position_at_end(fits)

    def is_number(self, x: ir.Value, kind: type) -> ir.Value:
        """Whether an object is a number, or text, of a class of Python's, an int of few digits."""
        b, same = self.r.b, self.is_of(x, CLASSES[kind])
        if kind is not int:
            return same
        return b.and_(same, b.icmp_unsigned("<=", digits_of(self.r, x), I64(MOST_DIGITS)))

    def expect_all(self, listed: ir.Value, form: Any) -> None:
        """All items of a list are numbers of one class, or lists of such."""

        def check(index: ir.Value) -> None:
            x = self.item(listed, index)
            if get_origin(form) is list:
                self.expect(self.is_of(x, "PyList_Type"))
                self.expect_all(x, *get_args(form))
            else:
                self.expect(self.is_number(x, form))

        self.r.each(self.r.field(listed, SIZE_AT), check)


def is_tuple(form: Any) -> bool:
    """Whether items are tuples."""
    return issubclass(get_origin(form) or object, tuple)


def is_of_any_length(form: Any) -> bool:
    """Whether items are tuples of any length."""
    return get_origin(form) is tuple and get_args(form)[-1:] == (...,)


def classes_in(form: Any) -> list[type]:
    """The classes of named tuples in a type."""
    own = [get_origin(form)] if is_tuple(form) and get_origin(form) is not tuple else []
    return list(dict.fromkeys([*own, *(kind for part in get_args(form) for kind in classes_in(part))]))


def constants_in(form: Any) -> list[Any]:
    """What stands in columns for what an item of one of several types is not, and the numbers of the types."""
    if get_origin(form) is UnionType:
        return [False, True, 0, 1, 2, 0.0, 0j, ""]
    return next(filter(None, map(constants_in, get_args(form))), [])


def numbers_in(form: Any) -> Iterator[Any]:
    """The types of the numbers of an item, or what stands for the columns of one of several types."""
    if get_origin(form) is UnionType:
        kinds = get_args(form)
        numbers = [kind for kind in kinds if kind not in (str, NoneType)]
        further = NoneType in kinds, bool(numbers) and str in kinds, len(numbers) > 1, len(numbers) > 1 and {float, int} <= set(numbers)
        yield from (form for _ in range(sum(further) + bool(numbers) + (str in kinds)))
        return
    if get_origin(form) is None or is_of_any_length(form):
        yield form
        return
    for part in get_args(form):
        yield from numbers_in(part)
