"""Known objects, and what a method belongs to, asked by identity: no `__eq__` or `__hash__` of the user's is called."""

from __future__ import annotations

import types
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


def owner_of(fn: Any) -> Any:
    """What a method belongs to; no code of the user's is asked. A function of pybind11 has an owner that does not know it."""
    owner = getattr(fn, "__self__", None) if hasattr(type(fn), "__self__") else None
    is_known = type(fn) is not types.BuiltinFunctionType or isinstance(owner, (type, types.ModuleType)) or hasattr(type(owner), fn.__name__)
    return owner if is_known else None
