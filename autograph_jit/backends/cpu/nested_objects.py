"""Python's lists, dicts and tuples of those that are rows of tables: first empty lists and dicts, then tuples, then what those hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.boundary import fail_if_null, hold
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.python_lists import LIST_ITEMS, LIST_SIZE, address_of_item, object_of_item
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import ITEMS, LENGTH, OBJECT, Routine
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.symbols import TUPLE_ITEMS
from autograph_jit.backends.cpu.values import Emitted
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ListType, ScalarType, Type
from autograph_jit.ops.nested import Form, count_all_parts, count_parts

SIGNATURES.update(
    {
        "PyDict_New": (PTR, []),
        "PyDict_SetItem": (I32, [PTR, PTR, PTR]),
        "PyDict_Size": (I64, [PTR]),
        "PyUnicode_FromOrdinal": (PTR, [I32]),
    }
)
Part = tuple[ir.Value, Type]  # where the items of a row's part stand, and their type


@rule("nested_objects")
def emit_nested_objects(e: Emitter, operation: Operation) -> list[Emitted]:
    """A tuple of the lists of all rows, and of the dicts."""
    e.call("ag_take_gil", e.frame)
    headers = [e.get(operand) for operand in operation.operands]
    name = f"ag_nested.{sum(each.name.startswith('ag_nested') for each in e.module.functions)}"
    function = ir.Function(e.module, ir.FunctionType(PTR, [PTR] * len(headers)), name)
    function.linkage = "internal"
    types = [operand.type for operand in operation.operands]
    RowsCode(Routine(e.module, name, function), types, operation.attributes).build()  # type: ignore[arg-type]
    made = e.b.call(function, headers)
    fail_if_null(e, made)
    return [hold(e, made)]


class RowsCode:
    """The code for the tables of one program, and a list or dict that is no row: `starts` are the first parts of each."""

    def __init__(self, r: Routine, types: list[ListType], attributes: Any) -> None:
        self.r, self.types = r, types
        self.kinds: list[str] = [made for made, _ in attributes["tables"]]
        self.forms: list[tuple[Form, ...]] = [forms for _, forms in attributes["tables"]]
        self.root = len(self.kinds) - 1 if attributes["has_root"] else None  # the place of what is no row
        counts = [count_all_parts(*each) for each in attributes["tables"]]
        self.starts = [sum(counts[:place]) for place in range(len(counts))]
        self.found = r.b.alloca(PTR)
        self.result = PTR(None)
        self.made: list[ir.Value] = []

    def build(self) -> None:
        r = self.r
        self.result = r.call("PyTuple_New", I64(len(self.forms)))
        r.leave_if(r.is_null(self.result), PTR(None))
        for place, _ in enumerate(self.forms):
            rows = r.call("PyList_New", self.count(place))
            self.expect(rows)
            r.call("PyTuple_SetItem", self.result, I64(place), rows)
            self.made.append(rows)
        places = [place for place, kind in enumerate(self.kinds) if kind]
        for place in places:
            if self.kinds[place] == "tuple":
                self.begin_tuples(place)
            else:
                r.each(self.count(place), lambda row, place=place: self.begin(row, place))  # type: ignore[misc]
        for place in places:
            r.each(self.count(place), lambda row, place=place: self.fill(row, place))  # type: ignore[misc]
        r.b.ret(self.result)

    def count(self, place: int) -> ir.Value:
        """How many rows a table has."""
        if not self.kinds[place]:
            return I64(0)
        return I64(1) if place == self.root else self.r.get(self.r.args[self.starts[place]], LENGTH)

    def expect(self, object_: ir.Value) -> None:
        """Leave with the exception that is pending where there is no such object."""
        with self.r.b.if_then(self.r.is_null(object_), likely=False):
            self.r.call("Py_DecRef", self.result)
            self.r.b.ret(PTR(None))

    def is_flat(self, place: int) -> bool:
        """Whether the parts of a table are those of all rows, or of its one row."""
        return place == self.root or self.kinds[place] == "tuple"

    def header(self, place: int, column: int, row: ir.Value) -> ir.Value:
        """A part of a row."""
        part = self.r.args[self.starts[place] + column]
        return part if self.is_flat(place) else self.r.b.load(self.r.b.gep(self.r.get(part, ITEMS, PTR), [row], source_etype=PTR), typ=PTR)

    def slot(self, place: int, row: ir.Value) -> ir.Value:
        """Where the object of a row stands."""
        return self.r.b.gep(self.r.field(self.made[place], LIST_ITEMS, PTR), [row], source_etype=PTR)

    def begin(self, row: ir.Value, place: int) -> None:
        """The object of a row, empty: that which its first part has got from another row, or a new one."""
        r, first = self.r, self.header(place, 0, row)
        with r.b.if_then(r.is_null(r.get(first, OBJECT, PTR))):
            made = r.call("PyDict_New") if self.kinds[place] == "dict" else r.call("PyList_New", r.get(first, LENGTH))
            self.expect(made)
            r.set(first, OBJECT, made)
        known = r.get(first, OBJECT, PTR)
        r.call("Py_IncRef", known)
        r.b.store(known, self.slot(place, row))

    def begin_tuples(self, place: int) -> None:
        """The tuples of a table, empty: those that an operation before has made, which the first part keeps, and new ones."""
        r, first = self.r, self.r.args[self.starts[place]]
        known, count = r.get(first, OBJECT, PTR), r.b.alloca(I64)
        r.b.store(I64(0), count)
        with r.b.if_then(r.b.not_(r.is_null(known))):
            r.b.store(r.field(known, LIST_SIZE), count)

        def begin(row: ir.Value) -> None:
            with r.b.if_else(r.b.icmp_signed("<", row, r.b.load(count, typ=I64))) as (again, new):
                with again:
                    made = r.b.load(r.b.gep(r.field(known, LIST_ITEMS, PTR), [row], source_etype=PTR), typ=PTR)
                    r.call("Py_IncRef", made)
                    r.b.store(made, self.slot(place, row))
                with new:
                    made = r.call("PyTuple_New", I64(len(self.forms[place])))
                    self.expect(made)
                    r.b.store(made, self.slot(place, row))

        r.each(self.count(place), begin)
        with r.b.if_then(r.b.not_(r.is_null(known))):
            r.call("Py_DecRef", known)
        r.call("Py_IncRef", self.made[place])
        r.set(first, OBJECT, self.made[place])

    def parts(self, place: int, row: ir.Value, columns: range) -> list[Part]:
        found = []
        for column in columns:
            elem = self.types[self.starts[place] + column].elem
            assert self.is_flat(place) or isinstance(elem, ListType)
            found.append((self.r.get(self.header(place, column, row), ITEMS, PTR), elem if self.is_flat(place) else elem.elem))  # type: ignore[union-attr]
        return found

    def fill(self, row: ir.Value, place: int) -> None:
        """What an object holds, which no other row, and no operation before, has filled."""
        if self.kinds[place] == "dict":
            self.fill_dict(row, place)
            return
        r, forms = self.r, self.forms[place]
        count = I64(len(forms)) if self.kinds[place] == "tuple" else r.get(self.header(place, 0, row), LENGTH)
        made = r.b.load(self.slot(place, row), typ=PTR)
        items = r.field(made, LIST_ITEMS, PTR) if self.kinds[place] == "list" else r.b.gep(made, [I64(TUPLE_ITEMS)], source_etype=I8)
        with r.b.if_then(r.b.icmp_signed(">", count, I64(0))), r.b.if_then(r.is_null(r.b.load(items, typ=PTR))):
            parts = self.parts(place, row, range(sum(map(count_parts, forms))))
            if self.kinds[place] == "tuple":
                given = iter(parts)
                for index, form in enumerate(forms):
                    item = self.item(form, list(islice(given, count_parts(form))), row)
                    r.b.store(item, r.b.gep(items, [I64(index)], source_etype=PTR))
                return
            r.each(count, lambda index: r.b.store(self.item(forms[0], parts, index), r.b.gep(items, [index], source_etype=PTR)))

    def fill_dict(self, row: ir.Value, place: int) -> None:
        """The positions of keys have no gaps."""
        r, made = self.r, self.r.b.load(self.slot(place, row), typ=PTR)
        of_key, of_value = self.forms[place]
        values = 1 + count_parts(of_key)
        count = r.get(self.header(place, 1, row), LENGTH)
        with r.b.if_then(r.b.icmp_signed("==", r.call("PyDict_Size", made), I64(0))):
            keys = self.parts(place, row, range(1, values))
            contents = self.parts(place, row, range(values, values + count_parts(of_value)))

            def fill(index: ir.Value) -> None:
                key = self.item(of_key, keys, index)
                value = self.item(of_value, contents, index)
                status = r.call("PyDict_SetItem", made, key, value)
                r.call("Py_DecRef", key)
                r.call("Py_DecRef", value)
                self.expect(r.b.select(r.b.icmp_signed("==", status, I32(0)), made, PTR(None)))

            r.each(count, fill)

    def item(self, form: Form, parts: list[Part], index: ir.Value) -> ir.Value:
        """A new reference to an item."""
        self.r.b.store(PTR(None), self.found)
        self.make_item(form, iter(parts), index)
        found = self.r.b.load(self.found, typ=PTR)
        self.expect(found)
        return found

    def make_item(self, form: Form, parts: Iterator[Part], index: ir.Value) -> None:
        """Store what the form makes of its parts; those of its other alternatives are gone over."""
        b = self.r.b
        if form[0] == "none or":
            with b.if_else(self.truth(next(parts), index)) as (present, absent):
                with present:
                    self.make_item(form[1], parts, index)
                with absent:
                    self.store_new(self.r.global_object("_Py_NoneStruct"))
        elif form[0] == "one of":
            tag = self.number(next(parts), index)
            for place, each in enumerate(form[1]):
                with b.if_then(b.icmp_signed("==", tag, I64(place))):
                    self.make_item(each, parts, index)
        elif form[0] == "told":
            given = list(islice(parts, count_parts(form)))
            is_row, (*others, row) = b.icmp_signed(">=", self.number(given[-1], index), I64(0)), form[1]
            for each, place, condition in ((row, -1, is_row), *((each, 0, b.not_(is_row)) for each in others)):
                with b.if_then(condition):
                    self.make_item(each, iter(given[place:]), index)
        elif form[0] == "number":
            self.choose_number(form, parts, index)
        elif form[0] == "tuple":
            self.make_tuple(form, parts, index)
        elif form[0] == "empty":
            next(parts)
            self.store(self.r.call("PyTuple_New", I64(0)))
        elif form[0] == "row":
            self.store_new(b.load(self.slot(form[1], self.number(next(parts), index)), typ=PTR))
        elif form[0] == "letter":
            code = b.load(self.place(next(parts), index), typ=I32)
            self.store(self.r.call("PyUnicode_FromOrdinal", code))
        else:
            self.store(self.made_of(next(parts), index))

    def make_tuple(self, form: Form, parts: Iterator[Part], index: ir.Value) -> None:
        """Store a tuple of what the forms in it make."""
        made = self.r.call("PyTuple_New", I64(len(form[1])))
        self.expect(made)
        for place, each in enumerate(form[1]):
            item = self.item(each, [next(parts) for _ in range(count_parts(each))], index)
            self.r.call("PyTuple_SetItem", made, I64(place), item)
        self.store(made)

    def choose_number(self, form: Form, parts: Iterator[Part], index: ir.Value) -> None:
        b, value = self.r.b, next(parts)
        if len(form[1]) == 1:
            self.store(self.made_of(value, index))
            return
        tag = self.number(next(parts), index)
        whole = next(parts) if form[2] else value
        for place, letter in enumerate(form[1]):
            with b.if_then(b.icmp_signed("==", tag, I64(place))):
                part = whole if letter in "bi" else value
                is_true = b.zext(self.truth(part, index), I64) if letter == "b" else None
                self.store(self.made_of(part, index) if is_true is None else self.r.call("PyBool_FromLong", is_true))

    def place(self, part: Part, index: ir.Value) -> ir.Value:
        return address_of_item(self.r, part[0], index, part[1])

    def made_of(self, part: Part, index: ir.Value) -> ir.Value:
        return object_of_item(self.r, self.place(part, index), part[1], False)

    def number(self, part: Part, index: ir.Value) -> ir.Value:
        return self.r.b.load(self.place(part, index), typ=I64)

    def truth(self, part: Part, index: ir.Value) -> ir.Value:
        """Whether a number of a part is not 0."""
        elem, place = part[1], self.place(part, index)
        assert isinstance(elem, ScalarType)
        if elem.dtype.kind == "f":
            return self.r.b.fcmp_unordered("!=", self.r.b.load(place, typ=ir.DoubleType()), ir.Constant(ir.DoubleType(), 0.0))
        width = ir.IntType(8 * elem.dtype.itemsize)
        return self.r.b.icmp_unsigned("!=", self.r.b.load(place, typ=width), width(0))

    def store_new(self, object_: ir.Value) -> None:
        """Store an object that there is."""
        self.r.call("Py_IncRef", object_)
        self.store(object_)

    def store(self, object_: ir.Value) -> None:
        self.r.b.store(object_, self.found)
