"""Tables of lists, dicts and tuples whose items may be such again: one column, of the lists or dicts themselves; of the tuples of a length
one for each place.

Before: `tree = (symbol, tree, 1)` in a loop
After:  native lists of symbols, of left and of right parts; `tree` is the number of a row
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.in_c import DICT_LEFT, OTHER_PARTS, ROW_LEFT, ROW_MADE, TABLE_MADE, TUPLE_LEFT, TUPLE_MADE, WHOLE, InC
from autograph_jit.ops.nested import Form
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.families import relatives
from autograph_jit.tracing.aliasing.references import NestedReference, table_of_nested
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import repeat
from autograph_jit.tracing.containers.objects_of_rows import Builders, NestedObjects
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.sequences.dynamic import decided, kind_of
from autograph_jit.tracing.structures.rebuilding import Fixed, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar
from autograph_jit.tracing.values.nesting import Nested, NestedDict, NestedTuple, is_nested, order_of
from autograph_jit.tracing.values.trace import Restart, active, constant, emit, in_c
from autograph_jit.tracing.values.types import (
    LETTER,
    NEVER,
    PYTHON_OBJECT,
    ListOf,
    OneOf,
    Optional,
    Reference,
    Scalar,
    TextType,
    Tuple,
    ValueType,
    join_items,
    nested,
)

ITEMS = "items"  # the name of the column
Contents = tuple[str, tuple[Form, ...], list[Any]]
NOTHING: Contents = ("", (), [])
UNSEEN = object()  # what stands in a column where no row was made so far
TRACER_CLASSES = {
    kind.made: type(kind.__name__, (NestedReference,), {"__slots__": (), "__rebuilt_type__": kind.made}) for kind in Nested.__subclasses__()
}


class NestedTable(InstanceTable):
    """The lists or dicts of a program that stand among numbers and texts. One may have several rows: what tells it from others is its own
    number. `pushes`: the operations that make a row each; all `left` for Python where any does."""

    left: ClassVar[InC] = ROW_LEFT

    def __init__(self, kind: type) -> None:
        super().__init__(kind)
        self.pushes: list[Operation] = []

    def reference(self, row: Value) -> Any:
        return TRACER_CLASSES[self.kind.made](self, row)  # type: ignore[attr-defined]

    def new_row(self, value: Any) -> Value:
        """A new row for a list, dict or tuple."""
        column = self.column(ITEMS, value)
        if forms_of(column.kind) is None or any(map(is_callers, relatives(value))):
            self.give_up()
        self.expect_native_rows(column)
        row = emit("list_len", column.native.parts[0]).result
        with in_c(ROW_MADE):
            self.pushes.append(column.native.push_numbers(column.native.numbers(value)))
        return row

    def opened(self, row: Value) -> Any:
        """The list, dict or tuple in a row."""
        column = self.columns.get(ITEMS)
        if column is None:  # none was put in so far
            column = self.column(ITEMS, TracedDict.made({}) if self.kind is NestedDict else TracedList.made([]))
        self.expect_native_rows(column)
        with in_c(WHOLE):
            return column.native.get(StagedScalar(row, True))

    def object_of(self, x: Any) -> Any:
        """The object of a row, where Python is given it as an argument of an exception."""
        return x

    def contents(self) -> Contents:
        """What the rows are made into, of what forms and columns; nothing where none was made."""
        column = self.columns.get(ITEMS)
        self.note_left()
        return NOTHING if column is None else (self.kind.made.__name__, forms_of(column.kind) or (), [column])  # type: ignore[attr-defined]

    def note_left(self) -> None:
        """The rows leave."""
        for pushed in self.pushes:
            pushed.for_c = DICT_LEFT if self.kind is NestedDict else self.left

    def may_hold(self, x: Any) -> bool:
        """Whether a list or dict may be one of the rows."""
        column = self.columns.get(ITEMS)
        member = column.native.rows.member if column is not None and column.is_native else None
        return member is not None and x.family is not None and member.family is x.family

    def expect_native_rows(self, column: TracedList) -> None:
        """Name what stands for all lists or dicts of the table: what an earlier trace asked of one of them, all of them are."""
        if column.native.rows.member is None:
            row: Any = TracedDict() if self.kind is NestedDict else TracedList()
            row.key, row.depth = (("rows of table", self.kind), 0), 0
            row.kind = column.kind if self.kind is NestedDict else column.kind.inner[0]
            column.native.rows.add(row)
        known = decided(active(), column.native.rows.member.key)
        if known is None:
            return
        if known == PYTHON_OBJECT:
            self.give_up()
        kind = join_items({column.kind, known if self.kind is NestedDict else ListOf(known)})
        if kind != column.kind:
            self.foresee(column, kind)

    def kind_of_entry(self, value: Any) -> ValueType:
        """The type of the lists or dicts that this one is among: what stands in it is a row where it is a list or dict."""
        if self.kind is NestedDict:
            kind = value.content_kind() if value.dynamic is None else value.kind
        else:
            kind = ListOf(value.item_kind or NEVER)
        return kind.of(nested(each, isinstance(each, (ListOf, Tuple))) for each in kind.inner)  # type: ignore[no-any-return]

    def add_to(self, template: Template, builders: Builders) -> None:
        if self.kind not in builders.tables:
            leaf = leaf_of_objects(self, template)
            builders.tables.update({kind: NestedObjects(kind, leaf, place) for place, kind in enumerate(nested_kinds())})

    def rebuild(self, template: Template, x: Any) -> Rebuild:
        """How a row leaves; or a list or dict that is none but holds some."""
        if getattr(self.kind, "length", None) == 0:
            return Fixed(())
        if isinstance(x, NestedReference):
            return NestedObject(leaf_of_objects(self, template), nested_kinds().index(self.kind), template.leaves.position(x.value))
        if any(map(is_callers, relatives(x))):
            self.give_up()
        return NestedObject(leaf_of_objects(self, template, x), len(nested_kinds()), None)


def is_callers(x: Any) -> bool:
    """Whether a list or dict is an argument: what a row leaves as is a new one."""
    return getattr(x, "is_argument", False) or (x.key is not None and x.key[0] == "argument")


class TupleTable(NestedTable):
    """The tuples of a length."""

    left = TUPLE_LEFT

    @property
    def places(self) -> list[str]:
        """The names of the columns."""
        return list(map(str, range(self.kind.length)))  # type: ignore[attr-defined]

    def new_row(self, value: Any) -> Value:
        columns = self.columns_for(value)
        if None in [form_of_item(column.kind) for column in columns]:
            self.give_up()
        values = [column.native.numbers(item) for column, item in zip(columns, value)]
        row = emit("list_len", columns[0].native.parts[0]).result if columns else constant(np.int64(0))
        for place, (column, given) in enumerate(zip(columns, values)):
            with in_c(OTHER_PARTS if place else TUPLE_MADE):
                pushed = column.native.push_numbers(given)
            self.pushes += [] if place else [pushed]
        return row

    def new_column(self, name: str, value: Any) -> TracedList:
        with in_c(TABLE_MADE):
            return super().new_column(name, value)

    def open_column(self, name: str) -> None:
        with in_c(TABLE_MADE):
            super().open_column(name)

    def columns_for(self, items: tuple[Any, ...]) -> list[Any]:
        """The columns, that take these items: trace again where any cannot, once for all."""
        found, wanted = [], list[Any]()
        for name, item in zip(self.places, items):
            try:
                found.append(self.column(name, item))
            except Restart as restart:
                wanted += restart.decisions
        if wanted:
            raise Restart(*wanted)
        return found

    def opened(self, row: Value) -> Any:
        columns = self.columns_for((UNSEEN,) * len(self.places))
        with in_c(WHOLE):
            return tuple([column.native.get(StagedScalar(row, True)) for column in columns])

    def contents(self) -> Contents:
        columns = [self.columns[name] for name in self.places if name in self.columns]
        if not columns or len(columns) < len(self.places):
            return NOTHING
        self.note_left()
        return "tuple", tuple(form_of_item(column.kind) or () for column in columns), columns

    def object_of(self, x: Any) -> Any:
        if not all(issubclass(kind, NestedTuple) for kind in nested_kinds()):
            return x
        rows = StagedObject(objects_of_rows(self, None), tuple)
        place = nested_kinds().index(self.kind)
        return host_object(item_of_row, rows, place, StagedScalar(x.value, True), label="row", pure=True, fails=False)

    def kind_of_entry(self, value: Any) -> ValueType:
        if value is UNSEEN:
            return NEVER
        kind = kind_of(value)
        return nested(kind, isinstance(kind, (ListOf, Tuple)))


def nested_kinds() -> list[type]:
    """The classes of such rows in the program."""
    return sorted(filter(is_nested, active().aliasing.tables), key=order_of)


@dataclass(frozen=True, slots=True, eq=False)
class NestedObject:
    """The object of one row; of what is no row there is one."""

    leaf: int
    place: int
    row: int | None

    def __call__(self, values: Sequence[Any]) -> Any:
        return values[self.leaf][self.place][0 if self.row is None else int(values[self.row])]


def leaf_of_objects(table: NestedTable, template: Template, root: Any = None) -> int:
    """The leaf that has the lists, dicts and tuples of all rows, and of a list or dict that is no row."""
    if template.of_call or not template.convert or template.is_late:
        table.give_up()
    return template.leaves.position(objects_of_rows(table, root))


def objects_of_rows(table: NestedTable, root: Any) -> Value:
    """The objects of all rows."""
    found = [active().aliasing.tables[kind].contents() for kind in nested_kinds()]
    for made, _, columns in found:
        if made == dict.__name__:
            close_gaps(columns[0].native)
    if root is not None:
        is_list: bool = isinstance(root, list)
        forms = forms_of(ListOf(root.kind) if is_list else root.kind)
        if forms is None:
            return table.give_up()
        if len(forms) == 2:
            root.native.close_gaps()
        found.append(((dict if len(forms) == 2 else list).__name__, forms, [root]))
    parts = [part for _, _, columns in found for column in columns for part in column.native.parts]
    stored = tuple((made, forms) for made, forms, _ in found)
    return emit("nested_objects", *parts, tables=stored, has_root=root is not None).result


def item_of_row(rows: Any, place: int, row: int) -> Any:
    """The object of a row; None where the number stands for nothing."""
    return rows[place][row] if row < len(rows[place]) else None


def close_gaps(rows: Any) -> None:
    """Number the keys of each dict of a list anew where any was removed."""
    repeat(rows.length().value, lambda row: rows.get(StagedScalar(row, True)).native.close_gaps())


def forms_of(kind: ValueType) -> tuple[Form, ...] | None:
    """What the items of lists and tuples, or the keys and values of dicts, are made of; None where they are anything but numbers of
    Python's, texts, None, rows and tuples of such."""
    found = [form_of_item(each) for each in kind.inner]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def form_of_item(x: ValueType) -> Form | None:
    """The same of one type."""
    if isinstance(x, Reference):
        if getattr(x.kinds[0], "length", None) == 0:
            return ("empty",)
        return ("row", nested_kinds().index(table_of_nested(x.kinds[0]).kind)) if is_nested(x.kinds[0]) else None
    if isinstance(x, TextType):
        return ("letter",) if x == LETTER else ("text",)
    if isinstance(x, (OneOf, Optional)) or isinstance(x, Tuple) and x.kind is tuple:
        inner = [form_of_item(each) for each in x.inner]
        if None in inner:
            return None
        if isinstance(x, Optional):
            return ("none or", *inner)
        return ("told" if isinstance(x, OneOf) and x.is_told else "one of" if isinstance(x, OneOf) else "tuple", tuple(inner))
    if not isinstance(x, Scalar) or not all(weak for _, weak in x.kinds):
        return None
    letters = "".join(dtype.kind for dtype, _ in x.kinds) or "i"
    return None if "c" in letters and len(letters) > 1 else ("number", letters, x.has_whole)
