"""The items of a container of the caller's as columns, a list for each part of an item: `[(1, 2.5), (3, 4.5)]` as `[1, 3]`, `[2.5, 4.5]`.

What an item is made of is told in Python's notation: `float`, `tuple[int, float | str | None]`, `list[tuple[int, float]]`; for a dict
the columns have a list for each dict. Items of another type have no columns. Where an item is of one of several types, columns tell which,
and the others hold nothing of their type: 0, "".
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from itertools import chain, repeat
from types import GenericAlias, NoneType, UnionType
from typing import Any, get_args, get_origin

from autograph_jit.garbage import without_collection
from autograph_jit.records import dataclass
from autograph_jit.tracing.structures.guards import are_small, is_tuple_class, item_type
from autograph_jit.tracing.values.types import (
    NONE,
    STORED_TEXT,
    InParts,
    ListOf,
    OneOf,
    Optional,
    Scalar,
    TableOf,
    TextType,
    Tuple,
    ValueType,
    join_items,
    number,
)

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
    if made is UnionType:
        return read_plain_values(items, inner)
    if made is None:
        return [items] if not items or item_type(items) is form else None
    if not set(map(type, items)) <= {made}:
        return None
    if made is dict:
        entries = [read_parts(rows, GenericAlias(list, (kind,))) for rows, kind in zip(entries_of_rows(items), inner)]
        return None if None in entries else [column for each in entries for column in each or ()]
    if made is list and get_origin(inner[0]) is None:
        return None if read_parts(list(chain.from_iterable(items)), inner[0]) is None else [items]
    if made is list:
        rows = [read_parts(row, inner[0]) for row in items]
        return None if None in rows else list(map(list, zip(*rows))) or read_parts([], inner[0])  # type: ignore[arg-type]
    if inner[-1:] == (...,):
        return None if read_parts(list(chain.from_iterable(items)), inner[0]) is None else [list(map(list, items))]
    if not set(map(len, items)) <= {len(inner)}:
        return None
    columns = zip(*items) if items else repeat(())
    parts = [read_parts(list(column), part) for column, part in zip(columns, inner)]
    return None if None in parts else [column for part in parts for column in part or ()]


def read_plain_values(items: list[Any], kinds: tuple[type, ...]) -> list[list[Any]] | None:
    """The columns of numbers of some types, in the order of their dtypes, texts and None."""
    if not set(map(type, items)) <= set(kinds):
        return None
    numbers, columns = [kind for kind in kinds if kind not in (str, NoneType)], list[list[Any]]()
    if NoneType in kinds:
        columns.append([item is not None for item in items])
    if numbers and str in kinds:
        columns.append([int(type(item) is str) for item in items])
    if numbers:
        common = numbers[-1]
        found = [item if type(item) in numbers else common() for item in items]
        if not are_small([item for item in found if type(item) is int]):
            return None
        columns.append(list(map(common, found)))
    if len(numbers) > 1:
        columns.append([numbers.index(type(item)) if type(item) in numbers else 0 for item in items])
        if common is not int and int in numbers:
            columns.append([int(item) if type(item) in (bool, int) else 0 for item in items])
    if str in kinds:
        columns.append([item if type(item) is str else "" for item in items])
    return columns


def kind_of_plain_values(items: list[Any], types: set[type]) -> ValueType | None:
    """The type of numbers, texts and None of several types."""
    is_known = types <= {*TYPES, NoneType} and types != {NoneType} and not (complex in types and types & {bool, int, float})
    if not is_known or not are_small([item for item in items if type(item) is int]):
        return None
    return join_items(TYPES.get(kind, NONE) for kind in types)


def annotation_of(x: ValueType) -> Any:
    """A type in Python's notation."""
    if isinstance(x, TextType):
        return str
    if isinstance(x, Scalar):
        return functools.reduce(operator.or_, (type(dtype.type(0).item()) for dtype, _ in x.kinds))
    inner = tuple(map(annotation_of, x.inner))
    if isinstance(x, (OneOf, Optional)):
        return functools.reduce(operator.or_, (*inner, *([None] if isinstance(x, Optional) else [])))
    assert isinstance(x, (Tuple, ListOf, TableOf))
    if isinstance(x, ListOf) and x.made_by is tuple:
        return GenericAlias(tuple, (*inner, ...))
    return GenericAlias(x.kind if isinstance(x, Tuple) else list if isinstance(x, ListOf) else set if x.value is None else dict, inner)


def holds_one_of(form: Any) -> bool:
    """Whether some part of items is of one of several types."""
    return get_origin(form) is UnionType or any(map(holds_one_of, get_args(form)))


def is_of_several(kind: ValueType | None) -> bool:
    """Whether items are of several types."""
    return isinstance(kind, (OneOf, Optional)) or isinstance(kind, Scalar) and kind.number is None


def kind_of_like_entries(items: Iterable[Any]) -> ValueType | None:
    """The type of items that have columns and are of one type."""
    found = kind_of_entries(items)
    return None if is_of_several(found) else found


def kind_of_entries(items: Iterable[Any], has_lists: bool = False) -> ValueType | None:
    """The type of items that have columns; None of others, and of none. Tuples may hold lists only where it `has_lists`."""
    items = list(items)
    types = set(map(type, items))
    if len(types) > 1:
        return kind_of_plain_values(items, types)
    if types in ({dict}, {set}):
        key = kind_of_like_entries(chain.from_iterable(items))
        value = kind_of_like_entries(chain.from_iterable(map(dict.values, items))) if types == {dict} else None
        is_flat = key is not None and key.is_flat and (types == {set} or value is not None and value.is_flat)
        return TableOf(key, value) if is_flat and key is not None else None
    if types == {list}:
        kinds = {kind_of_like_entries(row) for row in items if row}
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
        inner = kind_of_like_entries(chain.from_iterable(items)) if made is tuple else None
        return ListOf(inner, tuple) if inner is not None and inner.is_flat else None
    parts = [kind_of_entries([item[place] for item in items]) for place in range(count)]
    known = [part for part in parts if part is not None and (part.is_flat or is_of_plain_items(part, has_lists))]
    return Tuple(made, tuple(known)) if len(known) == count else None


def is_of_plain_items(kind: ValueType, has_lists: bool) -> bool:
    """Whether values are tuples, or lists where these may be, of numbers or texts of which only the run knows how many there are."""
    return is_tuple_of_any_length(kind) or has_lists and is_list_of_plain_items(kind)


def is_tuple_of_any_length(kind: ValueType) -> bool:
    """Whether values are tuples of numbers or texts of which only the run knows how long they are."""
    return isinstance(kind, ListOf) and kind.made_by is tuple and kind.item in TYPES.values()


def is_list_of_plain_items(kind: ValueType) -> bool:
    """Whether values are lists of numbers or texts."""
    return isinstance(kind, ListOf) and kind.made_by is list and kind.item in TYPES.values()


def lists_in_tuples(items: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The lists that stand in some tuples."""
    return [part for item in items for part in item if type(part) is list]


@without_collection
def entries_of_rows(rows: list[dict[Any, Any]]) -> tuple[list[list[Any]], list[list[Any]]]:
    """The keys and the values of each of some dicts."""
    return list(map(list, rows)), list(map(list, map(dict.values, rows)))


@without_collection
def items_of_rows(rows: Any) -> list[list[Any]] | None:
    """The items of each of some sets; None where one is none."""
    return list(map(list, rows)) if set(map(type, rows)) <= {set} else None


@without_collection
def rows_of_tuples(x: Iterable[Any]) -> list[list[Any]] | None:
    """Tuples as lists; None where one is none."""
    return list(map(list, x)) if set(map(type, x)) <= {tuple} else None
