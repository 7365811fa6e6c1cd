"""The instances that the lists of a call hold, and those that they refer to: gathered once when the call begins, each with its row.

All of an attribute's values are of one type, or None, which a guard checks; so one program serves all lengths and contents.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph_jit.staging.guards import SMALL_INT

NUMBERS: dict[type, np.dtype] = {kind: np.dtype(kind) for kind in (bool, int, float, complex)}
REFERENCE_DTYPE = np.dtype(np.int64)
NONE = type(None)


class HeapPlan:
    """What a program takes from the instances of a call: `roots` are the classes of the lists' items; of each class the attributes that
    are numbers, and those that refer to other instances: (type or class, may be None)."""

    def __init__(self) -> None:
        self.roots: list[type] = []
        self.numbers: dict[type, dict[str, tuple[type, bool]]] = {}
        self.references: dict[type, dict[str, tuple[type, bool]]] = {}

    def gather(self, *lists: list[Any]) -> Heap:
        """The instances of a call."""
        heap = Heap(lists)
        for kind, items in zip(self.roots, lists, strict=True):
            heap.add(kind, items)
        for kind, found in self.reached(heap):
            heap.add(kind, [x for x in found if x is not None])
        return heap

    def reached(self, heap: Heap) -> Iterator[tuple[type, list[Any]]]:
        """What attributes of the instances refer to, until nothing new is found: with the class that it should have."""
        done: dict[type, int] = {}
        while any(done.get(kind, 0) < len(heap.objects.get(kind, ())) for kind in self.references):
            for kind, names in self.references.items():
                new = heap.objects.get(kind, [])[done.get(kind, 0) :]
                done[kind] = len(heap.objects.get(kind, ()))
                for name, (target, _) in names.items():
                    yield target, list(map(attrgetter(name), new))

    def fits(self, *lists: list[Any]) -> bool:
        """Whether a later call brings instances of the same classes, with attributes of the same types. Raises AttributeError where one
        is missing."""
        for kind, items in zip(self.roots, lists, strict=True):
            if type(items) is not list or not set(map(type, items)) <= {kind}:
                return False
        heap = Heap(lists)
        for kind, items in zip(self.roots, lists):
            heap.add(kind, items)
        for kind, found in self.reached(heap):
            if not set(map(type, found)) <= {kind, NONE}:
                return False
            heap.add(kind, [x for x in found if x is not None])
        return all(self.fit_class(kind, heap.objects.get(kind, [])) for kind in {*self.numbers, *self.references})

    def fit_class(self, kind: type, objects: list[Any]) -> bool:
        """Whether the attributes of the instances of one class are of the types that the program has seen."""
        for name, (found, has_none) in self.references.get(kind, {}).items():
            if not has_none and not set(map(type, map(attrgetter(name), objects))) <= {found} or not are_own(kind, name, objects):
                return False
        for name, (found, has_none) in self.numbers.get(kind, {}).items():
            values = list(map(attrgetter(name), objects))
            kinds = set(map(type, values))
            if not kinds <= ({found, NONE} if has_none else {found}) or not are_own(kind, name, objects):
                return False
            if found is int and int in kinds and not are_small([value for value in values if value is not None] if has_none else values):
                return False
        return True


def are_small(values: list[int]) -> bool:
    """Whether ints are in the range of inputs."""
    return -SMALL_INT < min(values) and max(values) < SMALL_INT


def are_own(kind: type, name: str, objects: list[Any]) -> bool:
    """Whether each instance has an attribute itself: there may be one of that name in the class."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), NUMBERS)
    return found is NUMBERS or isinstance(found, MemberDescriptorType) or all(name in vars(x) for x in objects)


class Heap:
    """The instances of one call by class, and the row of each."""

    __slots__ = ("lists", "objects", "rows")

    def __init__(self, lists: tuple[list[Any], ...]) -> None:
        self.lists = lists
        self.objects: dict[type, list[Any]] = {}
        self.rows: dict[type, dict[int, int]] = {}

    def add(self, kind: type, items: list[Any]) -> None:
        """Give those that have none a row."""
        objects, rows = self.objects.setdefault(kind, []), self.rows.setdefault(kind, {})
        if not objects and len(set(map(id, items))) == len(items):
            objects += items
            rows.update(zip(map(id, items), range(len(items))))
            return
        for x in items:
            if id(x) not in rows:
                rows[id(x)] = len(objects)
                objects.append(x)


def rows_of(heap: Heap, kind: type, root: int) -> np.ndarray:
    """The rows of the items of a list."""
    items = heap.lists[root]
    return np.fromiter(map(heap.rows[kind].__getitem__, map(id, items)), REFERENCE_DTYPE, len(items))


def values_of(heap: Heap, kind: type, name: str, dtype: np.dtype, has_none: bool) -> np.ndarray:
    """The values of an attribute that is a number; anything where it is None."""
    found = map(attrgetter(name), heap.objects[kind])
    values = (0 if x is None else x for x in found) if has_none else found
    return np.fromiter(values, dtype, len(heap.objects[kind]))


def presence_of(heap: Heap, kind: type, name: str) -> np.ndarray:
    """Where an attribute is not None."""
    return np.fromiter((x is not None for x in map(attrgetter(name), heap.objects[kind])), np.dtype(bool), len(heap.objects[kind]))


def references_of(heap: Heap, kind: type, name: str, target: type) -> np.ndarray:
    """The rows of what an attribute refers to; anything where it is None."""
    rows, found = heap.rows.get(target, {}), map(attrgetter(name), heap.objects[kind])
    return np.fromiter((0 if x is None else rows[id(x)] for x in found), REFERENCE_DTYPE, len(heap.objects[kind]))


def store_column(objects: list[Any], name: str, values: list[Any]) -> None:
    """Give the caller's instances the values that an attribute has by now; there may be more rows than these."""
    for x, value in zip(objects, values):
        object.__setattr__(x, name, value)
