"""The keys, values and items of a dict of compiled code: gone through natively, a list where all are asked for, else a view of Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.containers.tables import Rows, Table
from autograph_jit.tracing.sequences.dynamic import Rowed, register
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import demand_python
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import emit
from autograph_jit.tracing.values.types import NEVER, Tuple, ValueType


class TableView(Rowed):
    """`d.keys()`, `d.values()` or `d.items()` of a dict that is a table."""

    __rebuilt_type__: type
    knows_depth = True

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name, self.depth = table, name, table.depth

    @classmethod
    def of(cls, table: Table, name: str) -> TableView:
        """That of a dict, of the class that it has in Python."""
        kind: Any = type(view_in_python(table, name))
        return view_class(kind)(table, name)

    def __parts__(self) -> tuple[tuple[Any, ...], list[Any], Callable[[list[Any]], Any]]:
        return ("view", type(self)), [self.table], lambda parts: type(self)(parts[0], self.name)

    def example(self) -> Any:
        """A view of this class, for the texts of Python's errors."""
        return view_in_python(self.table, self.name)

    @property
    def is_native(self) -> bool:
        return self.table.is_native

    def rows(self) -> Indexed:
        return rows_of(self.table, self.name)

    def rows_one_by_one(self) -> Indexed:
        return Keys(self.table) if self.name == "keys" else self.rows()

    def length(self) -> Any:
        return self.table.length()

    def __template__(self, template: Template) -> Rebuild:
        build, name = template.of(self.table), self.name
        return lambda values: getattr(build(values), name)()

    def __iter__(self) -> Any:
        self.table.expect_known()
        return demand_python(self.length(), "elements")

    def listed(self) -> TracedList:
        return listed(self.table, self.name)

    def contains(self, item: Any) -> Any:
        """`item in view`."""
        if self.name == "keys":
            return self.table.contains(item)
        return language.compare("in", item, self.listed())


def view_in_python(table: Table, name: str) -> Any:
    """The view of an empty dict of the class."""
    return getattr(table.__rebuilt_type__(), name)()


@functools.cache
def view_class(kind: type) -> type[TableView]:
    """The stand-ins of views of a class."""
    return type(kind.__name__, (TableView,), {"__rebuilt_type__": kind})


def rows_of(table: Table, name: str) -> Rows:
    """The keys, values or items of a dict, by position."""
    native = table.native
    native.close_gaps()
    readers: dict[str, Callable[[Any], Any]] = {
        "keys": native.keys.get,
        "values": native.value_at,
        "items": lambda index: (native.keys.get(index), native.value_at(index)),
    }
    return Rows(table, readers[name])


class Keys(Rows):
    """The keys of a dict for an iterator, in a list that stays so; `next(iter(d))`, which asks for the first one alone, needs none."""

    def __init__(self, table: Table) -> None:
        super().__init__(table, table.native.keys_now().get, gaps_count=False)

    def item(self, index: Any) -> Any:
        native = self.source.native
        return native.keys.get(native.end("table_first")) if isinstance(index, int) and index == 0 else super().item(index)


def listed(table: Table, name: str) -> TracedList:
    """The keys, values or items as a new native list."""
    native = table.native
    native.close_gaps()
    assert native.values is not None
    columns = {"keys": [native.keys], "values": [native.values], "items": [native.keys, native.values]}[name]
    kinds = [items.kind for items in columns]
    kind: ValueType = kinds[0] if name != "items" else Tuple(tuple, tuple(kinds))
    if NEVER in kinds:  # there are no entries
        kind, columns = NEVER, columns[:1]
    if name == "values":
        return native_list(native.values.copied())
    parts = [emit("list_copy", part).result for items in columns for part in items.parts]
    made = NativeList(kind, [*parts, emit("list_identity", parts[0]).result])
    if name == "items":
        made.rows.fields[1].add_all(native.values.rows)
        native.values.rows = made.rows.fields[1]
    return native_list(made)


def native_list(items: NativeList) -> TracedList:
    """A list of converted code around a native one that is its own, or of the kind that earlier traces asked for."""
    made = TracedList()
    kind = register(made, "listed")
    made.kind, made.native, made.dynamic = items.kind, items, items.parts[0]
    if kind in (None, items.kind):
        return made
    other = TracedList()
    other.key, other.depth = made.key, made.depth
    other.become(kind)
    language.for_each(made, other.append)
    return other
