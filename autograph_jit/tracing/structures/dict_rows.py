"""Dicts that have constant texts as keys, as instances of a class that stands for these keys: rows of a table with a column for each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from keyword import iskeyword
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


@functools.lru_cache(1024)
def entries_writer(kind: type, names: tuple[str, ...]) -> Callable[..., None]:
    """A function of a new object of a class and all that it holds under these names, which writes that."""
    values = [f"v{k}" for k in range(len(names))]
    is_named = all(name.isidentifier() and not iskeyword(name) for name in names)
    is_plain = is_named and not any("__setattr__" in vars(base) for base in kind.__mro__[:-1])
    target = "x[{0!r}] = {1}" if is_dict_row(kind) else "x.{0} = {1}" if is_plain else "write(x, {0!r}, {1})"
    lines = [f"    {target.format(name, value)}" for name, value in zip(names, values)]
    made: dict[str, Any] = {"write": object.__setattr__}
    exec("\n".join([f"def store(x, {', '.join(values)}):", *lines]), made)
    return made["store"]  # type: ignore[no-any-return]
