"""Tables of lists and dicts whose items may be such lists and dicts: one column, of the lists or dicts themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import WHOLE
from autograph_jit.tracing.aliasing.references import NestedReference
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.containers.item_readers import rows_reader_of
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_tables import entries_of
from autograph_jit.tracing.containers.objects_of_rows import Builders, NestedObjects, Objects, Reader, RowObject, builders_for
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.nesting import Nested, NestedDict
from autograph_jit.tracing.values.trace import emit, in_c
from autograph_jit.tracing.values.types import ListOf, Reference, TableOf, ValueType

ITEMS = "items"  # the name of the column
TRACER_CLASSES = {
    kind: type(kind.__name__, (NestedReference,), {"__slots__": (), "__rebuilt_type__": kind.made}) for kind in Nested.__subclasses__()
}


class NestedTable(InstanceTable):
    """The lists, or dicts, of a program that stand among numbers and texts. One may have several rows: what tells it from others is its
    own number."""

    def reference(self, row: Value) -> Any:
        return TRACER_CLASSES[self.kind](self, row)

    def row_of(self, value: Any) -> Value:
        """A new row for a list or dict."""
        column = self.column(ITEMS, value)
        row = emit("list_len", column.native.parts[0]).result
        column.native.push(value)
        return row

    def opened(self, row: Value) -> Any:
        """The list or dict in a row."""
        if ITEMS not in self.columns:  # none was put in so far
            self.column(ITEMS, TracedDict.made({}) if self.kind is NestedDict else TracedList.made([]))
        with in_c(WHOLE):
            return self.columns[ITEMS].native.get(StagedScalar(row, True))

    def add_to(self, template: Template, builders: Builders) -> None:
        if template.of_call or not template.convert:
            self.give_up()
        if self.kind in builders.tables:
            return
        column = self.columns[ITEMS]
        made = builders.tables[self.kind] = NestedObjects(self.kind)
        builders_for(template, column.kind)
        made.columns.append((ITEMS, [template.leaves.position(part) for part in column.native.parts], contents_reader_of(column.kind)))

    def rebuild(self, template: Template, x: Any) -> Rebuild:
        return RowObject(builders_for(template, Reference((self.kind,))), self.kind, template.leaves.position(x.value))


def contents_reader_of(kind: ValueType) -> Reader:
    """What makes the items of each of several lists, or the entries of dicts, of what their parts hold."""
    inner = [(rows_reader_of(each), len(each.parts)) for each in kind.inner]

    def read_contents(columns: Iterator[Any], objects: Objects) -> list[Any]:
        indices = next(columns) if isinstance(kind, TableOf) else []
        found = []
        for read, count in inner:
            taken = list(islice(columns, count))
            items = iter(read(iter([list(chain.from_iterable(column)) for column in taken]), objects))
            found.append([list(islice(items, len(first))) for first in taken[0]])
        return found[0] if isinstance(kind, ListOf) else list(map(entries_of, indices, *found))

    return read_contents
