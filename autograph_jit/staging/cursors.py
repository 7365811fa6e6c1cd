"""Iterators over sequences: `iter(items)` is a position in them, which staged loops and branches carry like any attribute."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.staging.iteration import Indexed, indexed
from autograph_jit.staging.journal import note_created
from autograph_jit.staging.standard import builtin, convert_on_call
from autograph_jit.staging.trace import active
from autograph_jit.staging.values import StagedArray


class Cursor:
    """An iterator over a sequence; its methods are converted like a user's."""

    def __init__(self, source: Indexed) -> None:
        self.source = source
        self.position = 0

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> Any:
        if self.position >= self.source.length():
            raise StopIteration
        item = self.source.item(self.position)
        self.position += 1
        return item


def cursor(x: Any) -> Any:
    """An iterator over a list, tuple, range or array; None for other iterables."""
    if not isinstance(x, (list, tuple, range, Indexed, StagedArray, np.ndarray)):
        return None
    source = indexed(x)
    return None if source is None else note_created(active(), Cursor(source))


builtin(Cursor.__next__)(convert_on_call(Cursor.__next__))
