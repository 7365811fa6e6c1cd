"""What makes the items of a list, as Python has them, of what its parts hold: for each type of items a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, chain, compress, islice, pairwise
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.objects_of_rows import Objects, Reader
from autograph_jit.tracing.values.abstract import PYTHON_TYPES
from autograph_jit.tracing.values.choice_types import Choice
from autograph_jit.tracing.values.types import (
    LETTER,
    NEVER,
    STORED,
    InParts,
    ListOf,
    OneOf,
    Optional,
    Reference,
    Scalar,
    TableOf,
    Tuple,
    ValueType,
)

INT_OR_FLOAT = (np.dtype(np.int64), True), (np.dtype(np.float64), True)
NO_OBJECTS: Any = None  # for readers that ask for none
ANY_REAL = (np.dtype(np.bool_), True), *INT_OR_FLOAT


def reader_of(x: ValueType) -> Reader:
    """What makes the elements of a list, as Python has them, of what its parts hold."""
    if x in STORED.values():
        return lambda columns, objects: next(columns)
    if x == LETTER:
        return lambda columns, objects: letters_of_codes(next(columns))
    if isinstance(x, Tuple):
        readers, make = [rows_reader_of(part) for part in x.items], x.make
        if x.kind is tuple:
            return lambda columns, objects: list(zip(*[read(columns, objects) for read in readers]))
        return lambda columns, objects: list(map(make, zip(*[read(columns, objects) for read in readers])))  # type: ignore[arg-type]
    if isinstance(x, Optional):
        return optional_reader_of(x.content)
    if isinstance(x, OneOf):
        return mixed_reader_of(x)
    if isinstance(x, Reference):
        return reference_reader_of(x)
    if isinstance(x, Choice):
        options = x.alternatives
        return lambda columns, objects: [options[number] for number in next(columns)]
    assert isinstance(x, Scalar)
    makers = [maker_of(dtype, weak, x.dtype) for dtype, weak in x.kinds]
    if len(makers) < 2:
        is_plain = not makers or x.kinds[0][1]
        return lambda columns, objects: next(columns) if is_plain else list(map(makers[0], next(columns)))
    is_whole, has_whole = [dtype.kind in "iu" for dtype, _ in x.kinds], x.has_whole

    def read_whole_or_not(columns: Iterator[Any], objects: Objects) -> list[Any]:
        numbers, tags, wholes = next(columns), next(columns), next(columns)
        return [number if tag else whole for number, tag, whole in zip(numbers, tags, wholes)]

    def read_each_kind(columns: Iterator[Any], objects: Objects) -> list[Any]:
        numbers, tags, wholes = next(columns), next(columns), next(columns)
        return [number if tag > 1 else whole if tag else whole != 0 for number, tag, whole in zip(numbers, tags, wholes)]

    if has_whole and x.kinds in (INT_OR_FLOAT, ANY_REAL):
        return read_whole_or_not if x.kinds == INT_OR_FLOAT else read_each_kind

    def read_tagged(columns: Iterator[Any], objects: Objects) -> list[Any]:
        numbers, tags = next(columns), next(columns)
        wholes = next(columns) if has_whole else numbers
        return [makers[tag](whole if is_whole[tag] else number) for number, tag, whole in zip(numbers, tags, wholes)]

    return read_tagged


def maker_of_items(x: ValueType) -> Callable[..., list[Any]] | None:
    """A function of the parts of a list that makes its items, where these are numbers, texts and tuples of such; None of others."""
    if x.classes or holds(x, (InParts, Reference)):
        return None
    if isinstance(x, Tuple) and x.kind is tuple and all(map(holds_plain_items, x.items)):
        return zipped
    read = reader_of(x)
    return letters_of_codes if x == LETTER else lambda *columns: read(iter(columns), NO_OBJECTS)


def zipped(*columns: list[Any]) -> list[Any]:
    """The tuples of items that stand at one place."""
    return list(zip(*columns))


def letters_of_codes(codes: list[int]) -> list[str]:
    """The letters of code points."""
    return list(map(chr, codes))


def reference_reader_of(x: Reference) -> Reader:
    """The same of instances, by their rows, and by the numbers of their classes where there are several."""
    kinds = x.kinds
    if len(kinds) == 1:
        return lambda columns, objects: objects(kinds[0]).of(next(columns))

    def read_instances(columns: Iterator[Any], objects: Objects) -> list[Any]:
        made = list(map(objects, kinds))
        return [made[tag][row] for row, tag in zip(next(columns), next(columns))]

    return read_instances


def mixed_reader_of(x: OneOf) -> Reader:
    """The same of numbers, texts and rows, of which each is one: a row is asked for only where it is one."""
    are_rows = [isinstance(item, Reference) for item in x.items]
    readers = [present_rows_reader_of(item, place) if are_rows[place] else reader_of(item) for place, item in enumerate(x.items)]

    def read_mixed(columns: Iterator[Any], objects: Objects) -> list[Any]:
        tags = list(next(columns))
        found = [read(chain([tags], columns) if is_row else columns, objects) for read, is_row in zip(readers, are_rows)]
        return [options[tag] for tag, options in zip(tags, zip(*found))]

    def read_told(columns: Iterator[Any], objects: Objects) -> list[Any]:
        others = [read(columns, objects) for read in readers[:-1]]
        rows = list(next(columns))
        found = readers[-1](iter([[len(others) if row >= 0 else -1 for row in rows], rows]), objects)
        return [item if row >= 0 else other for row, item, other in zip(rows, found, *others or [rows])]

    return read_told if x.is_told else read_mixed


def present_rows_reader_of(content: ValueType, place: Any) -> Reader:
    """The same of references, behind a column that tells by a number which of them are there; None for others."""
    read = reader_of(content)

    def read_present(columns: Iterator[Any], objects: Objects) -> list[Any]:
        present = [number == place for number in next(columns)]
        given = islice(columns, len(content.parts))
        rows = iter(read(iter([list(compress(column, present)) for column in given]), objects))
        return [next(rows) if is_there else None for is_there in present]

    return read_present


def optional_reader_of(content: ValueType) -> Reader:
    """The same of elements that may be None: a reference to no instance is none to a row that there is."""
    if isinstance(content, Reference):
        return present_rows_reader_of(content, True)
    read = reader_of(content)

    def read_present(columns: Iterator[Any], objects: Objects) -> list[Any]:
        present, items = list(next(columns)), read(columns, objects)
        return items if all(present) else [item if is_there else None for is_there, item in zip(present, items)]

    return read_present


def rows_reader_of(kind: ValueType) -> Reader:
    """The same of a list that may hold lists; one that stands in it twice is one list. Of tables none leaves: Python makes them."""
    if isinstance(kind, TableOf):
        return read_no_tables
    if not isinstance(kind, ListOf):
        return reader_of(kind)
    if holds_plain_items(kind.item):
        return lambda columns, objects: next(columns) if kind.made_by is list else list(map(tuple, next(columns)))
    read, count = rows_reader_of(kind.item), len(kind.parts)

    def read_tuples(given: Iterator[Any], objects: Objects) -> list[Any]:
        columns = list(islice(given, count))
        items = iter(read(iter([list(chain.from_iterable(column)) for column in columns]), objects))
        return [tuple(islice(items, length)) for length in map(len, columns[0])]

    def read_rows(given: Iterator[Any], objects: Objects) -> list[Any]:
        columns = list(islice(given, count))
        place_of = {id(part): place for place, part in reversed(list(enumerate(columns[0])))}
        is_each_alone = len(place_of) == len(columns[0])
        parts = columns if is_each_alone else [list(map(column.__getitem__, place_of.values())) for column in columns]
        items = read(iter([list(chain.from_iterable(column)) for column in parts]), objects)
        made = objects.lists(parts[0], [items[start:stop] for start, stop in pairwise(accumulate(map(len, parts[0]), initial=0))])
        return made if is_each_alone else list(map(dict(zip(place_of, made)).__getitem__, map(id, columns[0])))

    return read_rows if kind.made_by is list else read_tuples


def read_no_tables(columns: Iterator[Any], objects: Objects) -> list[Any]:
    """The items of a list of tables that leaves, which is empty."""
    assert not next(columns)
    return []


def maker_of(dtype: np.dtype, weak: bool, common: np.dtype) -> Callable[[Any], Any]:
    """What makes a number of one type of one of the type that all numbers of a list are kept in."""
    convert = PYTHON_TYPES[dtype.kind] if weak else dtype.type
    if dtype == np.uint64:
        return lambda number: convert(int(number) % 2**64)  # beside floats the bits are kept as those of an int64
    return (lambda number: convert(number.real)) if dtype.kind == "f" and common.kind == "c" else convert


def named_reader_of(read: Reader) -> Reader:
    """The same of a list that may leave under several names: one list."""

    def read_named(given: Iterator[Any], objects: Objects) -> list[Any]:
        columns = list(given)
        return objects.lists(columns[:1], [read(iter(columns), objects)])[0]

    return read_named


def holds_plain_items(kind: ValueType) -> bool:
    """Whether a list of items of a type is nothing but Python's numbers of one type, or texts, or such lists."""
    while isinstance(kind, ListOf) and kind.made_by is list:
        kind = kind.item
    return kind in (NEVER, *STORED.values()) or kind.number is not None and kind.number[1]


def holds(x: ValueType, kind: Any) -> bool:
    """Whether values of a type are of a kind, or have such inside."""
    return isinstance(x, kind) or any(holds(each, kind) for each in x.inner)


def is_of_tuples(kind: ValueType) -> bool:
    """Whether values of a type are tuples of which only the run knows how long they are."""
    return isinstance(kind, ListOf) and kind.made_by is tuple
