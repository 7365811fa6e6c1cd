"""The items of a container of the caller's as columns, a list for each number of an item: `[(1, 2.5), (3, 4.5)]` as `[1, 3]`, `[2.5, 4.5]`.

What an item is made of is told by an element kind of numbers, tuples of such and lists of either; items of another kind have no columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph_jit.records import dataclass
from autograph_jit.tracing.structures.guards import item_type

Kind = tuple[Any, ...]
DTYPES: dict[type, np.dtype] = {kind: np.dtype(kind) for kind in (bool, int, float, complex)}
TYPES = {dtype: kind for kind, dtype in DTYPES.items()}
MOST_PARTS = 8  # of a tuple


@dataclass(frozen=True, slots=True)
class PartReader:
    """Reads a list of items of a kind; None where any is of another. The native form is in `backends.cpu.part_readers`."""

    kind: Kind

    def __call__(self, items: list[Any]) -> tuple[list[Any], ...] | None:
        found = read_parts(items, self.kind)
        return None if found is None else tuple(found)


def read_parts(items: list[Any], kind: Kind) -> list[list[Any]] | None:
    """The columns of items of a kind."""
    if kind[0] == "scalar":
        return [items] if not items or item_type(items) is TYPES[kind[1]] else None
    if kind[0] == "list":
        rows = [read_parts(row, kind[1]) if type(row) is list else None for row in items]
        if any(row is None for row in rows):
            return None
        return [items] if kind[1][0] == "scalar" else [[row[place] for row in rows if row is not None] for place in range(width_of(kind))]
    if not all(type(item) is tuple and len(item) == kind[1] for item in items):
        return None
    parts = [read_parts([item[place] for item in items], part) for place, part in enumerate(kind[2])]
    return None if any(part is None for part in parts) else [column for part in parts for column in part or ()]


def width_of(kind: Kind) -> int:
    """How many numbers an item of a kind has, or an item of the lists of a kind."""
    if kind[0] == "list":
        return width_of(kind[1])
    return 1 if kind[0] == "scalar" else sum(map(width_of, kind[2]))


def kind_of_entries(items: Iterable[Any]) -> Kind | None:
    """The kind of items that have columns; None of others, and of none."""
    items = list(items)
    types = set(map(type, items))
    if types == {list}:
        kinds = {kind_of_entries(row) for row in items if row}
        inner = kinds.pop() if len(kinds) == 1 else None
        return ("list", inner) if inner is not None and inner[0] != "list" else None
    if types != {tuple}:
        found = item_type(items)
        return ("scalar", DTYPES[found], True) if found in DTYPES else None
    sizes = set(map(len, items))
    count = sizes.pop()
    if sizes or not 0 < count <= MOST_PARTS:
        return None
    parts = tuple(kind_of_entries([item[place] for item in items]) for place in range(count))
    return ("tuple", count, parts) if all(part is not None and part[0] != "list" for part in parts) else None


def kind_of_list(number: type, depth: int) -> Kind:
    """The kind of the items of a list of numbers, or of lists of them."""
    kind: Kind = ("scalar", DTYPES[number], True)
    for _ in range(depth):
        kind = ("list", kind)
    return kind


def kind_of_table(x: dict[Any, Any] | set[Any]) -> Kind | None:
    """The kind of table that the entries of a dict, or the items of a set, make; None where they make none."""
    key, value = kind_of_entries(x), kind_of_entries(x.values()) if isinstance(x, dict) else None
    return None if key is None or (isinstance(x, dict) and value is None) else ("table", key, value)
