"""Entries of dicts on their way: those that one path made, those of a mapping that only the run knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph_jit.staging.values import Maybe, Undefined


def present_items(pairs: Any) -> dict[Any, Any]:
    """A dict of the pairs whose value is there; a value under SPREAD is a dict merged in its place."""
    result: dict[Any, Any] = {}
    for key, value in pairs:
        if isinstance(key, Spread):
            result.update(value)
        elif not isinstance(value, Undefined):
            result[key] = value
    return result


def pairs_as_dict(keys: Iterable[Any], values: Iterable[Any]) -> dict[Any, Any]:
    """The entries of a table as Python's dict."""
    return dict(zip(keys, values))


class Spread:
    """The key that stands for `**mapping` in a dict display, where the mapping is known only at run time."""


def may_be_missing(value: Any) -> bool:
    """Whether an entry was made on one path only."""
    return isinstance(value, Maybe) and isinstance(value.absent, Undefined)
