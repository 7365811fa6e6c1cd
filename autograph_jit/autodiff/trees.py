"""Trees of numbers and arrays: tuples, lists, dicts, namedtuples and dataclasses with leaves, and objects that say what is in them.

An object whose class has `__tree_fields__()`, or is a dataclass, is a node: the method gives the names of the attributes with leaves, of
a dataclass they are its fields. Inside such an object floats, arrays of floats and trainable Variables are leaves; whatever else it holds
is part of the structure. An object or Variable that stands in several places is there once. The object that is made with other leaves is
told the names by `__tree_made__(names)`, where its class has that.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.library.numpy.tensors import class_of_array, is_frozen
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tensor.variable import Variable
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedScalar


def map_tree(tree: Any, function: Callable[[Any], Any]) -> Any:
    """The same structure with `function` applied to every leaf; None stays."""
    return Mapping(function).of(tree)


def leaves_of(tree: Any) -> list[Any]:
    """The leaves in order."""
    found: list[Any] = []
    map_tree(tree, found.append)
    return found


class Mapping:
    """One way through a tree, which knows what it has met in objects: `function` takes each leaf."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.met: dict[int, tuple[Any, Any]] = {}

    def of(self, tree: Any, inside: bool = False) -> Any:
        """What a tree becomes; `inside`: it was found in an object, where not everything is a leaf."""
        if tree is None:
            return None
        if isinstance(tree, Maybe):
            return Maybe(self.function(tree.present), self.of(tree.content, inside), tree.absent)
        if isinstance(tree, dict):
            return {key: self.of(value, inside) for key, value in tree.items()}
        if isinstance(tree, tuple):
            items = [self.of(item, inside) for item in tree]
            return type(tree)._make(items) if hasattr(tree, "_make") else tuple(items)  # type: ignore[attr-defined]
        if isinstance(tree, list):
            return [self.of(item, inside) for item in tree]
        names = field_names(tree)
        if names is None:
            if inside and not is_parameter(tree):
                return tree
            return self.once(tree, self.function) if is_variable(tree) else self.function(tree)
        return self.once(tree, lambda known: self.of_object(known, names))

    def once(self, x: Any, change: Callable[[Any], Any]) -> Any:
        """What becomes of something that may be met again."""
        known = self.met.get(id(x))
        if known is None:
            known = self.met[id(x)] = x, change(x)
        return known[1]

    def of_object(self, x: Any, names: list[str]) -> Any:
        """An object of the same class, with other fields."""
        made = call(copy.copy, (x,), None)
        self.met[id(x)] = x, made  # a part may lead back to the whole
        for name in names:
            call(object.__setattr__, (made, name, self.of(getattr_(x, name), True)), None)
        if hasattr(type(x), "__tree_made__"):
            call(type(x).__tree_made__, (made, names), None)
        return made


def field_names(x: Any) -> list[str] | None:
    """The names of the attributes of an object that lead to leaves; None for what is no node."""
    if hasattr(type(x), "__tree_fields__"):
        return list(call(type(x).__tree_fields__, (x,), None))
    return [field.name for field in dataclasses.fields(x)] if dataclasses.is_dataclass(x) and not isinstance(x, type) else None


def is_parameter(x: Any) -> bool:
    """Whether what an object holds is a leaf."""
    if isinstance(x, (StagedArray, StagedScalar)):
        return x.dtype.kind in "fc" and not is_frozen(x)
    if isinstance(x, Boxed):
        return x.array.dtype.kind in "fc" and getattr(x, "trainable", True)
    return isinstance(x, (float, complex, np.inexact)) or isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def is_variable(x: Any) -> bool:
    """Whether a leaf is a Variable: one thing, wherever it stands."""
    return issubclass(class_of_array(x) if isinstance(x, StagedArray) else type(x), Variable)
