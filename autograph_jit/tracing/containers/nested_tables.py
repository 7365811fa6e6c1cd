"""Tables of lists, dicts and tuples whose items may be such again: one column, of the lists, dicts or tuples themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import ROW_MADE, WHOLE
from autograph_jit.ops.nested import Form
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.families import relatives
from autograph_jit.tracing.aliasing.references import NestedReference
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import repeat
from autograph_jit.tracing.containers.objects_of_rows import Builders, NestedObjects
from autograph_jit.tracing.sequences.dynamic import decided, kind_of
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.nesting import Nested, NestedDict, NestedList, NestedTuple
from autograph_jit.tracing.values.trace import Restart, active, emit, in_c
from autograph_jit.tracing.values.types import (
    LETTER,
    NEVER,
    PYTHON_OBJECT,
    STORED_TEXT,
    ListOf,
    OneOf,
    Optional,
    Reference,
    Scalar,
    TableOf,
    Tuple,
    ValueType,
    join_items,
    nested,
)

ITEMS = "items"  # the name of the column
NESTED_CLASSES = (NestedList, NestedDict, NestedTuple)
PARTS = ("items", "entries", "tuples")  # what the operation calls their forms
TRACER_CLASSES = {
    kind: type(kind.__name__, (NestedReference,), {"__slots__": (), "__rebuilt_type__": kind.made}) for kind in Nested.__subclasses__()
}


class NestedTable(InstanceTable):
    """The lists, dicts or tuples of a program that stand among numbers and texts. One may have several rows: what tells it from others is
    its own number."""

    def reference(self, row: Value) -> Any:
        return TRACER_CLASSES[self.kind](self, row)

    def new_row(self, value: Any) -> Value:
        """A new row for a list, dict or tuple; of the tuples in a tuple first."""
        column = self.column(ITEMS, value)
        is_callers = self.kind is not NestedTuple and any(getattr(each, "is_argument", False) for each in relatives(value))
        if is_callers or forms_of(column.kind) is None:
            self.give_up()
        self.expect_native_rows(column)
        with in_c(ROW_MADE):
            values = column.native.numbers(value)
            row = emit("list_len", column.native.parts[0]).result
            column.native.push_numbers(values)
        return row

    def opened(self, row: Value) -> Any:
        """The list, dict or tuple in a row."""
        column = self.columns.get(ITEMS)
        if column is None:  # none was put in so far
            empty: Any = TracedDict.made if self.kind is NestedDict else TracedList.made if self.kind is NestedList else tuple
            column = self.column(ITEMS, empty(()))
        self.expect_native_rows(column)
        with in_c(WHOLE):
            return column.native.get(StagedScalar(row, True))

    def kinds_inside(self) -> tuple[ValueType, ...]:
        """The types of what the lists, dicts or tuples hold so far."""
        return self.columns[ITEMS].kind.inner if ITEMS in self.columns else ()

    def may_hold(self, x: Any) -> bool:
        """Whether a list or dict may be one of the rows."""
        member = self.columns[ITEMS].native.rows.member if ITEMS in self.columns else None
        return member is not None and x.family is not None and member.family is x.family

    def expect_native_rows(self, column: TracedList) -> None:
        """Name what stands for all lists or dicts of the table: what an earlier trace asked of one of them, all of them are."""
        if self.kind is NestedTuple:
            return
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
            raise Restart(("dynamic", column.key, kind))

    def kind_of_entry(self, value: Any) -> ValueType:
        """The type of the lists or dicts that this one is among: what stands in it is a row where it is a list or dict."""
        if self.kind is NestedDict:
            kind = value.content_kind() if value.dynamic is None else value.kind
        elif self.kind is NestedList:
            kind = ListOf(value.item_kind or NEVER)
        else:
            kind = ListOf(join_items(map(kind_of, value)), tuple) if type(value) is tuple else value.kind_as_item()
        return kind.of(nested(each, isinstance(each, (ListOf, Tuple))) for each in kind.inner)  # type: ignore[no-any-return]

    def expect_native(self, kind: Any) -> None:
        super().expect_native(kind.inner[0] if self.kind is NestedTuple and kind.inner else kind)

    def add_to(self, template: Template, builders: Builders) -> None:
        if self.kind not in builders.tables:
            leaf = leaf_of_objects(self, template)
            builders.tables.update({kind: NestedObjects(kind, leaf, place) for place, kind in enumerate(NESTED_CLASSES)})

    def rebuild(self, template: Template, x: Any) -> Rebuild:
        """How a row leaves; or a list or dict that is none but holds some. A tuple becomes one."""
        if self.kind is NestedTuple and not isinstance(x, NestedReference):
            x = self.reference(self.new_row(x))
        if isinstance(x, NestedReference):
            return NestedObject(leaf_of_objects(self, template), NESTED_CLASSES.index(self.kind), template.leaves.position(x.value))
        if any(getattr(each, "is_argument", False) for each in relatives(x)):
            self.give_up()
        return NestedObject(leaf_of_objects(self, template, x), len(NESTED_CLASSES), None)


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
    tables = active().aliasing.tables
    forms, parts = dict[str, Any](), list[Value]()
    for kind, name in zip(NESTED_CLASSES, PARTS):
        column = tables[kind].columns.get(ITEMS) if kind in tables else None
        forms[name] = () if column is None else forms_of(column.kind)
        parts += [] if column is None else column.native.parts
    if forms["entries"]:
        close_gaps(tables[NestedDict].columns[ITEMS].native)
    forms["root"] = () if root is None else forms_of(root.kind if isinstance(root.kind, TableOf) else ListOf(root.kind))
    if forms["root"] is None:
        table.give_up()
    if len(forms["root"]) == 2:
        root.native.close_gaps()
    return template.leaves.position(emit("nested_objects", *parts, *([] if root is None else root.native.parts), **forms).result)


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
        return ("row", NESTED_CLASSES.index(x.kinds[0])) if x.kinds[0] in NESTED_CLASSES else None  # type: ignore[arg-type]
    if x in (LETTER, STORED_TEXT):
        return ("text",) if x == STORED_TEXT else ("letter",)
    if isinstance(x, (OneOf, Optional)) or isinstance(x, Tuple) and x.kind is tuple:
        inner = [form_of_item(each) for each in x.inner]
        if None in inner:
            return None
        return ("none or", *inner) if isinstance(x, Optional) else ("one of" if isinstance(x, OneOf) else "tuple", tuple(inner))
    if not isinstance(x, Scalar) or not all(weak for _, weak in x.kinds):
        return None
    letters = "".join(dtype.kind for dtype, _ in x.kinds) or "i"
    return None if "c" in letters and len(letters) > 1 else ("number", letters, x.has_whole)
