"""The items of a container of the caller's as columns, a list for each part of an item: `[(1, 2.5), (3, 4.5)]` as `[1, 3]`, `[2.5, 4.5]`.

What an item is made of is told in Python's notation: `float`, `tuple[int, float]`, `list[tuple[int, float]]`; items of another type have no
columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat
from typing import Any, get_args, get_origin

from autograph_jit.records import dataclass
from autograph_jit.tracing.structures.guards import item_type
from autograph_jit.tracing.values.types import STORED_TEXT, InParts, ListOf, TableOf, Tuple, ValueType, number

TYPES: dict[type, ValueType] = {str: STORED_TEXT, **{kind: number(kind, True) for kind in (bool, int, float, complex)}}
MOST_PARTS = 8  # of a tuple


@dataclass(frozen=True, slots=True)
class PartReader:
    """Reads a list of items of a type; None where any is of another. The native form is in `backends.cpu.part_readers`."""

    form: Any

    def __call__(self, items: Any) -> tuple[list[Any], ...] | None:
        found = read_parts(items, self.form) if type(items) is list else None
        return None if found is None else tuple(found)


def read_parts(items: list[Any], form: Any) -> list[list[Any]] | None:
    """The columns of items of a type."""
    made, inner = get_origin(form), get_args(form)
    if made is None:
        return [items] if not items or item_type(items) is form else None
    if not set(map(type, items)) <= {made}:
        return None
    if made is list and get_origin(inner[0]) is None:
        return None if read_parts(list(chain.from_iterable(items)), inner[0]) is None else [items]
    if made is list:
        rows = [read_parts(row, inner[0]) for row in items]
        return None if None in rows else list(map(list, zip(*rows))) or read_parts([], inner[0])  # type: ignore[arg-type]
    if not set(map(len, items)) <= {len(inner)}:
        return None
    columns = zip(*items) if items else repeat(())
    parts = [read_parts(list(column), part) for column, part in zip(columns, inner)]
    return None if None in parts else [column for part in parts for column in part or ()]


def kind_of_entries(items: Iterable[Any]) -> ValueType | None:
    """The type of items that have columns; None of others, and of none."""
    items = list(items)
    types = set(map(type, items))
    if types in ({dict}, {set}):
        key = kind_of_entries(chain.from_iterable(items))
        value = kind_of_entries(chain.from_iterable(map(dict.values, items))) if types == {dict} else None
        is_flat = key is not None and key.is_flat and (types == {set} or value is not None and value.is_flat)
        return TableOf(key, value) if is_flat and key is not None else None
    if types == {list}:
        kinds = {kind_of_entries(row) for row in items if row}
        inner = kinds.pop() if len(kinds) == 1 else None
        is_named = isinstance(inner, Tuple) and inner.kind is not tuple  # of which few in a row are quicker in Python
        return None if inner is None or isinstance(inner, InParts) or is_named else ListOf(inner)
    made = types.pop() if len(types) == 1 else None
    if made is None or not is_tuple_class(made):
        found = item_type(items)
        return None if found is None else TYPES.get(found)
    sizes = set(map(len, items))
    count = sizes.pop()
    if sizes or not 0 < count <= MOST_PARTS:
        inner = kind_of_entries(chain.from_iterable(items)) if made is tuple else None
        return ListOf(inner, tuple) if inner is not None and inner.is_flat else None
    parts = [kind_of_entries([item[place] for item in items]) for place in range(count)]
    return Tuple(made, tuple(parts)) if all(part is not None and part.is_flat for part in parts) else None


def keys_of_rows(rows: Any, kind: type) -> list[list[Any]] | None:
    """The keys of each of some dicts, or the items of sets; None where one is no such `kind`."""
    return list(map(list, rows)) if set(map(type, rows)) <= {kind} else None


def values_of_rows(rows: Any) -> list[list[Any]] | None:
    """The values of each of some dicts; None where one is none."""
    return list(map(list, map(dict.values, rows))) if set(map(type, rows)) <= {dict} else None


def rows_of_tuples(x: Iterable[Any]) -> list[list[Any]] | None:
    """Tuples as lists; None where one is none."""
    return list(map(list, x)) if set(map(type, x)) <= {tuple} else None


def is_tuple_class(kind: Any) -> bool:
    """Whether tuples of a class are nothing but their items: Python's own, and named ones without attributes."""
    return kind is tuple or issubclass(kind, tuple) and hasattr(kind, "_make") and kind.__dictoffset__ == 0
