"""A set of the caller's that is data: asked for items, gone through, copied, joined with others. Where it is changed, it is Python's."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.families import decisions_for
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.native_tables import GivenTable, NativeTable
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.table_views import native_list
from autograph_jit.tracing.containers.tables import Rows
from autograph_jit.tracing.joining.list_references import BEFORE_JOINING
from autograph_jit.tracing.sequences.dynamic import decided, table_kind
from autograph_jit.tracing.structures.getters import Named, Positional
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import Restart, active, emit
from autograph_jit.tracing.values.types import TableOf, join_items


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

    def renamed(self, kind: Any, reference: list[Value]) -> Any:
        """Another name for what may be this set, or one of the program's: whether that is changed is seen when the trace is complete."""
        made = TracedSet()
        made.key, made.depth, made.kind, made.native = self.key, len(active().regions), kind, NativeTable(kind, reference)
        made.dynamic = made.native.index
        return made


def expect_tables(*values: Any) -> None:
    """Two sets, one of which is meant, and at least one of which the trace knows: a restart with both as tables, if they can be."""
    known = [key_of_known(value) if type(value) is set else None for value in values]
    if not any(known) or any(key is None and not isinstance(value, TracedSet) for key, value in zip(known, values)):
        return
    kind = join_items({value.kind if isinstance(value, TracedSet) else table_kind(value, None) for value in values})
    if isinstance(kind, TableOf):
        own = [decisions_for(value, kind) for value in values if isinstance(value, TracedSet)]
        wanted = set().union(*own, (("dynamic", key, kind) for key in known if key is not None))
        if not wanted <= active().decisions:  # after which one may have turned out to be Python's
            raise Restart(*wanted)


def key_of_known(x: set[Any]) -> Any:
    """What names a set whose items the trace knows, and that can be a table: one that the program makes, or an argument."""
    made, given = active().outside.made.get(id(x)), active().inputs.origins.get(id(x))
    if made is not None:
        return made[1]
    return ("argument", given[2]) if given is not None and given[0] is x and isinstance(given[1], (Positional, Named)) else None


BEFORE_JOINING.append(expect_tables)
GivenSet.__name__ = GivenSet.__qualname__ = "set"  # in the texts of errors that Python raises itself
GivenSet.__module__ = "builtins"
