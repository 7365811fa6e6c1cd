"""A set of the caller's that is data: asked for items, gone through, copied, joined with others. Where it is changed, it is Python's."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.native_tables import GivenTable, NativeTable
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.table_views import native_list
from autograph_jit.tracing.containers.tables import Rows
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import active, emit
from autograph_jit.tracing.values.types import TableOf, ValueType


class GivenSet(TracedSet):
    """A set among the arguments, which gives its items in the order in which they were read, and has the slots of Python's set."""

    native_class: type[NativeTable] = GivenTable
    source: StagedObject

    @classmethod
    def of_columns(cls, kind: TableOf, keys: list[Value], source: StagedObject) -> GivenSet:
        """The set of the keys whose numbers stand in columns, which is the object `source`."""
        made, index = cls(), emit("table_of_set", source.value, keys[0]).result
        made.kind, made.native, made.is_data = kind, GivenTable(kind, [index, *keys, emit("list_identity", index).result]), True
        made.dynamic, made.source = index, source
        return made

    def __template__(self, template: Template) -> Rebuild:
        """To Python code it is the caller's own."""
        return template.of(self.source)

    def rows(self) -> Any:
        note_read(self)
        return Rows(self, self.native.keys.get, gaps_count=False)

    def listed(self) -> Any:
        note_read(self)
        return native_list(self.native.keys.copied())

    def empty(self) -> TracedSet:
        """A new set, which is the program's own; one that becomes another kind of set has been filled by Python."""
        made, key = TracedSet(), active().occurrence(("copy", self.key))
        made.key, made.depth = key, len(active().regions)
        if decided(active(), key) not in (None, self.kind):
            self.restructure()
        made.become_table(self.kind)
        return made

    def note_change(self) -> None:
        self.restructure()

    def __iter__(self) -> Any:
        self.restructure()

    def renamed(self, kind: ValueType, reference: list[Value]) -> Any:
        self.restructure()


GivenSet.__name__ = GivenSet.__qualname__ = "set"  # in the texts of errors that Python raises itself
GivenSet.__module__ = "builtins"
