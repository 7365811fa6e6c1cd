"""Dicts that have constant texts as keys, as instances of a class that stands for these keys: rows of a table with a column for each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

MOST_KEYS = 64


class DictRow:
    """Base of the classes of dicts with the same keys."""

    row_keys: ClassVar[tuple[str, ...]] = ()
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:  # dicts are compared by what they hold
        return NotImplemented


@functools.lru_cache(1024)
def row_class(keys: tuple[str, ...]) -> type:
    """The class of the dicts with these keys."""
    named = f"dict of {', '.join(map(repr, keys))}"
    return type("dict", (DictRow,), {"row_keys": keys, "__slots__": (), "__module__": "builtins", "__qualname__": named})


def row_class_of(dicts: Iterable[Any]) -> type | None:
    """The class of dicts that have the same texts as keys; None of others."""
    keys = {tuple(dict.keys(x)) for x in dicts}
    found = keys.pop() if len(keys) == 1 else ()
    return row_class(found) if 0 < len(found) <= MOST_KEYS and set(map(type, found)) == {str} else None


def is_dict_row(kind: type) -> bool:
    """Whether a class stands for dicts."""
    return issubclass(kind, DictRow)


def class_of_rows(kind: type) -> type:
    """The class that Python sees of the objects of a table."""
    return dict if is_dict_row(kind) else kind


def entry_reader(kind: type, name: str) -> Callable[[Any], Any]:
    """What reads an attribute, or the entry under a key, of the objects of a class."""
    return itemgetter(name) if is_dict_row(kind) else attrgetter(name)


def entry_writer(kind: type, write: Callable[[Any, str, Any], None] = setattr) -> Callable[[Any, Any, Any], None]:
    """What writes one; `write` that of an attribute."""
    return dict.__setitem__ if is_dict_row(kind) else write
