"""Basic subscripts, of integers, slices, None and an ellipsis: the items of `basic_index` and the integers that these take."""

from __future__ import annotations

import functools
from operator import index
from types import EllipsisType
from typing import Any

import numpy as np

from autograph_jit.ops.dispatch import unboxed

Item = tuple[Any, ...]
INTEGER: Item = ("int",)
FULL: Item = ("full",)
NEW_AXIS: Item = ("newaxis",)


def basic_selection(key: Any, rank: int) -> tuple[tuple[Item, ...], list[np.int64]] | None:
    """The items with their integers, for every axis; None for a key that needs more than a view."""
    items: list[Item | EllipsisType] = []
    integers: list[np.int64] = []
    for part in key if isinstance(key, tuple) else (key,):
        if type(part) is int:
            items.append(INTEGER)
            integers.append(np.int64(part))
        elif isinstance(part, slice):
            bounds = (part.start, part.stop, part.step)
            present = [bound is not None for bound in bounds]
            items.append(("slice", *present) if True in present else FULL)
            integers += [np.int64(index(bound)) for bound in bounds if bound is not None]
        elif part is None:
            items.append(NEW_AXIS)
        elif part is Ellipsis:
            items.append(Ellipsis)
        elif is_integer(unboxed(part)):
            items.append(INTEGER)
            integers.append(np.int64(index(part)))
        else:
            return None
    covering = for_all_axes(tuple(items), rank)
    return (covering, integers) if covering is not None else None


def is_integer(part: Any) -> bool:
    """An integer of Python or NumPy, or an array of rank 0 of such; no bool."""
    if isinstance(part, np.ndarray):
        return part.ndim == 0 and part.dtype.kind in "iu"
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


@functools.lru_cache(1024)
def for_all_axes(items: tuple[Item | EllipsisType, ...], rank: int) -> tuple[Item, ...] | None:
    """The items with whole axes in the place of an ellipsis, or behind them all; None where they are too many."""
    used = sum(item is not NEW_AXIS and item is not Ellipsis for item in items)
    if used > rank or items.count(Ellipsis) > 1:
        return None
    place = items.index(Ellipsis) if Ellipsis in items else len(items)
    return (*items[:place], *((FULL,) * (rank - used)), *items[place + 1 :])  # type: ignore[arg-type]
