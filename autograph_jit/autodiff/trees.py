"""Trees of numbers and arrays: tuples, lists, dicts and namedtuples with leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.staging.values import Maybe


def map_tree(tree: Any, function: Callable[[Any], Any]) -> Any:
    """The same structure with `function` applied to every leaf; None stays."""
    if tree is None:
        return None
    if isinstance(tree, Maybe):
        return Maybe(function(tree.present), map_tree(tree.content, function), tree.absent)
    if isinstance(tree, dict):
        return {key: map_tree(value, function) for key, value in tree.items()}
    if isinstance(tree, tuple):
        items = [map_tree(item, function) for item in tree]
        return type(tree)._make(items) if hasattr(tree, "_make") else tuple(items)  # type: ignore[attr-defined]
    if isinstance(tree, list):
        return [map_tree(item, function) for item in tree]
    return function(tree)


def leaves_of(tree: Any) -> list[Any]:
    """The leaves in order."""
    found: list[Any] = []
    map_tree(tree, found.append)
    return found
