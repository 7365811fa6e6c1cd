"""Trees of parameters: lists, tuples, dicts and dataclasses with arrays as leaves; None holds nothing."""

from __future__ import annotations

import dataclasses
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
    return rebuild(tree, new, 0)[0]


def rebuild(tree: Any, new: list[Any], start: int) -> tuple[Any, int]:
    """The tree with leaves from `new[start]` on, and where the next ones begin."""
    if tree is None:
        return None, start
    if isinstance(tree, dict):
        items, stop = rebuild_items(list(tree.values()), new, start)
        return dict(zip(tree, items)), stop
    if isinstance(tree, (list, tuple)):
        items, stop = rebuild_items(tree, new, start)
        if hasattr(tree, "_make"):
            return tree._make(items), stop
        return (items if isinstance(tree, list) else tuple(items)), stop
    if dataclasses.is_dataclass(tree):
        names = [field.name for field in dataclasses.fields(tree)]
        items, stop = rebuild_items([getattr(tree, name) for name in names], new, start)
        return dataclasses.replace(tree, **dict(zip(names, items))), stop  # type: ignore[type-var]
    return new[start], start + 1


def rebuild_items(items: Any, new: list[Any], start: int) -> tuple[list[Any], int]:
    built = []
    for item in items:
        made, start = rebuild(item, new, start)
        built.append(made)
    return built, start
