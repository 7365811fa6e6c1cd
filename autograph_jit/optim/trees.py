"""Trees of parameters: lists, tuples, dicts and dataclasses with arrays as leaves; None holds nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """The leaves in order: items, values and fields, depth first.

    >>> leaves({"w": 1.0, "layers": [2.0, None, (3.0,)]})
    [1.0, 2.0, 3.0]
    """
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in leaves(item)]
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in leaves(item)]
    if dataclasses.is_dataclass(tree):
        return [leaf for field in dataclasses.fields(tree) for leaf in leaves(getattr(tree, field.name))]
    return [tree]


def with_leaves(tree: Any, new: list[Any]) -> Any:
    """The same tree with other leaves, as many as `leaves` gives.

    >>> with_leaves({"w": 1.0, "layers": [2.0, None, (3.0,)]}, [4.0, 5.0, 6.0])
    {'w': 4.0, 'layers': [5.0, None, (6.0,)]}
    """
    return rebuilt(tree, iter(new))


def rebuilt(tree: Any, new: Iterator[Any]) -> Any:
    """The tree with the next leaves of `new`."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {key: rebuilt(item, new) for key, item in tree.items()}
    if isinstance(tree, (list, tuple)):
        items = [rebuilt(item, new) for item in tree]
        if hasattr(tree, "_make"):
            return tree._make(items)
        return items if isinstance(tree, list) else tuple(items)
    if dataclasses.is_dataclass(tree):
        fields = {field.name: rebuilt(getattr(tree, field.name), new) for field in dataclasses.fields(tree)}
        return dataclasses.replace(tree, **fields)  # type: ignore[type-var]
    return next(new)
