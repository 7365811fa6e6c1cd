"""A set of the caller's that is data: asked for items and its length. Where its order would show, or it is changed, it is Python's."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.values.types import TableOf, ValueType


class GivenSet(TracedSet):
    """A set among the arguments. The order of a set follows from all that was done to it, which nobody knows of the caller's."""

    @classmethod
    def of_columns(cls, kind: TableOf, keys: list[Value]) -> GivenSet:
        """The set of the keys whose numbers stand in columns."""
        made = cls()
        made.be_argument(kind, keys, [])
        return made

    def expect_no_order(self) -> Any:
        self.restructure()

    def rows(self) -> Any:
        return self.expect_no_order()

    def note_change(self) -> None:
        self.expect_no_order()

    listed = empty = copy = __iter__ = rows

    def renamed(self, kind: ValueType, reference: list[Value]) -> Any:
        return self.expect_no_order()


GivenSet.__name__ = GivenSet.__qualname__ = "set"  # in the texts of errors that Python raises itself
GivenSet.__module__ = "builtins"
