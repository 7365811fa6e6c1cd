"""Sizes of arrays that a loop carries or a handler takes: labels of its own for those that it does not keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograph_jit.ir.dims import Dim, Size
from autograph_jit.tracing.joining.descriptions import join
from autograph_jit.tracing.values.trace import Trace
from autograph_jit.tracing.values.types import Array, Composite, Optional, ValueType


class OwnSizes:
    """The labels that one loop or `try` made. A size with such a label may be any; a label from outside says that two sizes are equal,
    which holds no longer where one of them changes."""

    def __init__(self, trace: Trace, name: str) -> None:
        self.trace, self.name = trace, name
        self.made: set[Size] = set()

    def join(self, old: ValueType, new: ValueType) -> ValueType:
        """The least description that covers both; `old` itself where it differs in sizes only that may be any."""
        return self.with_settled(join(old, new), old)

    def with_settled(self, joined: ValueType, old: Any) -> ValueType:
        """A description with the arrays in it settled."""
        if isinstance(joined, Array):
            return self.settled(joined, old)
        if isinstance(joined, Optional):
            return replace(joined, content=self.with_settled(joined.content, old.content if isinstance(old, Optional) else old))
        if isinstance(joined, Composite):
            olds = old.items if isinstance(old, Composite) and old.shape == joined.shape else (None,) * len(joined.items)
            return joined.of(map(self.with_settled, joined.items, olds))
        return joined

    def settled(self, joined: Array, old: Any) -> Array:
        """A widened description that stays the same when it is widened by another size."""
        olds = old.dims if isinstance(old, Array) and len(old.dims) == len(joined.dims) else (None,) * len(joined.dims)
        return replace(joined, dims=tuple(map(self.settled_size, joined.dims, olds)))

    def settled_size(self, size: Size, before: Size | None) -> Size:
        if before is not None and (before == size or before in self.made):
            return before
        if isinstance(size, int) and before is None:
            return size
        if isinstance(size, Dim) and before is None and all(name[0] == "s" for name, _ in size.terms):
            return size
        label = self.trace.fresh_atom("d", self.name)
        self.made.add(label)
        return label
