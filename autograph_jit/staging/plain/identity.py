"""Whether something is one of a few known objects, asked by identity: `in` would call the `__eq__` or `__hash__` of the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def is_one_of(x: Any, known: Iterable[Any]) -> bool:
    """Whether `x` is one of these objects."""
    return any(x is item for item in known)


def entry_of(table: Mapping[Any, T], x: Any) -> T | None:
    """What a table of library objects holds for `x`. What hashes by a method of the user's has none."""
    hashes: Any = type(x).__hash__
    return table.get(x) if hashes is object.__hash__ or type(x).__module__ in ("builtins", "numpy") else None
