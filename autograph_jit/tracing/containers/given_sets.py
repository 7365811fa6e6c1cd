"""A set of the caller's that is data: asked for items and its length, gone through. Where it is changed, it is Python's."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.native_tables import GivenTable, NativeTable
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.table_views import native_list
from autograph_jit.tracing.containers.tables import Rows
from autograph_jit.tracing.values.types import TableOf, ValueType


class GivenSet(TracedSet):
    """A set among the arguments, which gives its items in the order in which they were read. The order of a set that is made of it, or
    changed, follows from all that was done to it, which nobody knows of the caller's."""

    native_class: type[NativeTable] = GivenTable

    @classmethod
    def of_columns(cls, kind: TableOf, keys: list[Value]) -> GivenSet:
        """The set of the keys whose numbers stand in columns."""
        made = cls()
        made.be_argument(kind, keys, [])
        return made

    def expect_no_order(self) -> Any:
        self.restructure()

    def rows(self) -> Any:
        note_read(self)
        return Rows(self, self.native.keys.get, gaps_count=False)

    def listed(self) -> Any:
        note_read(self)
        return native_list(self.native.keys.copied())

    def note_change(self) -> None:
        self.expect_no_order()

    def empty(self) -> Any:
        return self.expect_no_order()

    copy = __iter__ = empty

    def renamed(self, kind: ValueType, reference: list[Value]) -> Any:
        return self.expect_no_order()


GivenSet.__name__ = GivenSet.__qualname__ = "set"  # in the texts of errors that Python raises itself
GivenSet.__module__ = "builtins"
