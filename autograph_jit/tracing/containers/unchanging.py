"""Objects of Python's that never change, and whose items stand in a container of compiled code: tuples and frozensets."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.types import ValueType


class Unchanging(StagedObject):
    """An object by its `items`, which nothing else refers to; one of the caller's with the object that it is, the `source`."""

    __slots__ = ("items", "source")
    items: Any
    source: StagedObject | None
    python_type: type

    def length(self) -> Any:
        return self.items.length()

    def listed(self) -> Any:
        """The items as a list of compiled code."""
        raise NotImplementedError

    def kind_where_paths_meet(self) -> ValueType | None:
        """The type of what paths hand on; None where that is an object of Python's."""
        raise NotImplementedError
