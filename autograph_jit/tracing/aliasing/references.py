"""Instances of users' classes in compiled code, by reference: the number of a row in the table of the class.

Before: `nodes.append(Node(i))` in a loop, then `nodes[k].weight += 1.0`
After:  one native list for each attribute of `Node`; the list `nodes` holds row numbers, the attribute is an item of its list at the row
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.families import decisions_for
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, may_be_rows
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.function_rows import function_class, is_made_of_code
from autograph_jit.tracing.structures.templates import is_made_here
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar
from autograph_jit.tracing.values.alternatives import renumbered
from autograph_jit.tracing.values.nesting import class_of_row, is_nested
from autograph_jit.tracing.values.trace import Restart, active, constant, emit, note_tracer, user_span
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ListOf, Reference, TableOf, nested

COLUMN = "column"


class InstanceReference:
    """The stand-in of an instance that is a row of a table. Its class has the special methods of the user's, which Python looks up."""

    __slots__ = ("table", "value", "__weakref__")
    __array_ufunc__ = None

    def __init__(self, table: Any, value: Value) -> None:
        self.table, self.value = table, value
        note_tracer(self)

    @property
    def instance_class(self) -> type:
        """The user's class."""
        kind: type = self.table.kind
        return kind

    def __getattr__(self, name: str) -> Any:
        return self.table.attribute(self, name)

    def __eq__(self, other: Any) -> Any:
        return is_same_instance(self, other) if isinstance(other, InstanceReference) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return is_other_instance(self, other) if isinstance(other, InstanceReference) else NotImplemented

    def __hash__(self) -> int:
        raise Restart(as_no_rows(self.table.kind))

    def __staged_object__(self) -> StagedObject:
        """Python would be given a copy: instances of the class are no rows instead."""
        raise Restart(as_no_rows(self.table.kind))

    def __template__(self, template: Any) -> Any:
        """How the instance leaves: as the object of its row."""
        return self.table.rebuild(template, self)


class NestedReference:
    """The stand-in of a list, dict or tuple that is a row of a table, as one of several things that a value may be: it is taken from the
    table where it is that."""

    __slots__ = ("table", "value", "__weakref__")

    def __init__(self, table: Any, value: Value) -> None:
        self.table, self.value = table, value
        note_tracer(self)

    def opened(self) -> Any:
        """The list, dict or tuple."""
        return self.table.opened(self.value)

    def __template__(self, template: Any) -> Any:
        """How it leaves."""
        return self.table.rebuild(template, self)


def is_same_instance(x: InstanceReference, y: InstanceReference) -> Any:
    """`x is y`."""
    return x.table is y.table and StagedScalar(emit("equal", x.value, y.value).result, True)


def is_other_instance(x: InstanceReference, y: InstanceReference) -> Any:
    """`x is not y`."""
    return x.table is not y.table or StagedScalar(emit("not_equal", x.value, y.value).result, True)


def references_in(x: Any) -> list[InstanceReference]:
    """The rows that a value may be, if it is one in any case."""
    found = list(x.alternatives) if isinstance(x, Chosen) else [x]
    return found if all(isinstance(each, InstanceReference) for each in found) else []


def expect_no_choice(x: Any) -> None:
    """One of several instances is about to be gone through while other things happen: trace again without rows."""
    if rows := references_in(x) if isinstance(x, Chosen) else []:
        raise Restart(*(as_no_rows(each.instance_class) for each in rows))
    if isinstance(x, Chosen):
        why = "each may say in Python what its items are"
        raise ConversionError("the run decides which of several objects is gone through", user_span(), why, "use `list(x)`")


def chosen_method(x: Any, name: str) -> Chosen | None:
    """The method of an instance of one of several classes, where each has one of the name."""
    rows = references_in(x)
    if not isinstance(x, Chosen) or not rows or not all(each.table.has_method(name) for each in rows):
        return None
    return x.each(lambda row: row.table.attribute(row, name))


def reference_type(x: Any) -> Reference | None:
    """The type of an instance that is a row of a table, or can become one; None for anything else."""
    if isinstance(x, NestedReference):
        return Reference((x.table.kind,))
    if found := references_in(x):
        return Reference(tuple(each.instance_class for each in found))
    return Reference((type(x),)) if is_made_here(x) and may_be_rows(active(), type(x)) else None


def function_type(x: Any) -> Reference | None:
    """The type of a function that can be a row, or of one of several; None for anything else."""
    options = x.alternatives if isinstance(x, Chosen) else (x,)
    kinds = [function_class(option, active()) for option in options]
    if None in kinds or not all(may_be_rows(active(), kind) for kind in kinds if kind is not None):
        return None
    if len(set(kinds)) < len(kinds) and any(is_made_of_code(kind) for kind in kinds if kind is not None):
        return None
    return Reference(tuple(dict.fromkeys(kind for kind in kinds if kind is not None)))


def referred(x: Reference, values: Iterator[Value]) -> InstanceReference | Chosen:
    """The stand-in of the instance in a row of the table of a class, or of one of several."""
    row, tables = next(values), active().aliasing.tables
    missing = [("rows", kind) for kind in x.kinds if kind not in tables]
    if missing:
        raise Restart(*missing)
    found = tuple(tables[kind].reference(row) for kind in x.kinds)
    return found[0] if len(found) == 1 else Chosen(next(values), found)


def parts_of_reference(x: Reference, value: Any) -> list[Value]:
    """The row of an instance, and the number of its class among several: where it is no row yet, trace again with all instances of the
    class as rows; where it is another one, without rows."""
    if is_nested(x.kinds[0]):
        return [nested_row(x.kinds[0], value)]
    rows = references_in(value) or known_functions(x, value)
    if not rows or not all(each.instance_class in x.kinds for each in rows):
        missing = [kind for kind in x.kinds if kind not in active().aliasing.tables]
        raise Restart(*([("rows", kind) for kind in missing] or map(as_no_rows, x.kinds)))
    if len(x.kinds) == 1:
        return [rows[0].value]
    places = [x.kinds.index(each.instance_class) for each in rows]
    return [rows[0].value, renumbered(value.selector, places) if isinstance(value, Chosen) else constant(np.int64(places[0]))]


def known_functions(x: Reference, value: Any) -> list[InstanceReference]:
    """The rows of a function from outside, or of one of several; none of anything else, or where there are no such rows yet."""
    options = value.alternatives if isinstance(value, Chosen) else (value,)
    tables: list[Any] = [active().aliasing.tables.get(function_class(option, active()) or NoneType) for option in options]
    return [] if None in tables or any(is_made_of_code(table.kind) for table in tables) else [table.known() for table in tables]


def nested_row(kind: type, value: Any) -> Value:
    """The row of a list, dict or tuple in the table of such: a new one where it comes from elsewhere."""
    if isinstance(value, NestedReference):
        return value.value
    found: Value = table_of_nested(kind).new_row(value)
    return found


def table_of_nested(kind: type) -> Any:
    """The table of the lists, dicts or tuples of the program."""
    if kind not in active().aliasing.tables:
        raise Restart(("rows", kind))
    return active().aliasing.tables[kind]


def rebuilt_row(x: Any, template: Any) -> Any:
    """How a list or dict leaves that is a row, or holds some; one that holds dicts is traced again with these as rows, or as Python's where
    there can be none. None of others."""
    if any(map(is_nested, x.kind.classes)) or stands_for_row(x):
        kind = class_of_row(x)
        if kind not in active().aliasing.tables and not may_be_rows(active(), kind):
            raise Restart(*decisions_for(x, PYTHON_OBJECT))
        return table_of_nested(kind).rebuild(template, x)
    content = x.kind.content if isinstance(x.kind, TableOf) else x.kind
    if x.key[0] != "argument" and (holds_dict(content) or may_hold_rows(x)) and nested(content) is not content:
        x.restructure(replace(x.kind, value=nested(content)) if content is not x.kind else nested(content))
    return None


def stands_for_row(x: Any) -> bool:
    """Whether a list or dict may be one of those that are rows."""
    table = active().aliasing.tables.get(class_of_row(x)) if isinstance(x, (list, dict, tuple)) else None
    return table is not None and bool(table.may_hold(x))


def may_hold_rows(x: Any) -> bool:
    """Whether a list, or a dict, holds lists or dicts that may be rows, though it does not refer to them by their rows."""
    native = x.native if issubclass(type(x), (list, dict)) and x.is_native else None
    items = getattr(native, "values", native)
    member = items.rows.member if items is not None else None
    return member is not None and (stands_for_row(member) or may_hold_rows(member))


def holds_dict(kind: Any) -> bool:
    """Whether values of a type are dicts, or lists that hold dicts."""
    return isinstance(kind, TableOf) and kind.value is not None or isinstance(kind, ListOf) and holds_dict(kind.item)
