"""Python's containers gone through by number, with Python's error where they change meanwhile."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, KeysView, ValuesView
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.branches import if_stmt
from autograph_jit.tracing.hosting.host_calls import host_effect
from autograph_jit.tracing.sequences.indexed import Elements, Enumerated, Indexed
from autograph_jit.tracing.values.faults import acts_for_program


def watched(iterable: Iterable[Any]) -> Iterable[Any]:
    """A container of Python's as something to go through: where a branch has put something into a dict, only the run knows its length."""
    mapping = getattr(iterable, "mapping", iterable)
    return asked_for_length(iterable, mapping) if isinstance(mapping, (dict, MappingProxyType)) else iterable


@acts_for_program
def asked_for_length(iterable: Iterable[Any], mapping: Any) -> Iterator[Any]:
    """The items of a dict or of a view of one, whose length is asked for before each but the first."""
    for item in iterable:
        yield item
        len(mapping)


def items_in_order(x: Any) -> Any:
    """The items of any iterable, by number; those of a list, an array, a deque, a dict or a set are read when it is their turn."""
    if isinstance(x, (deque, dict, set, KeysView, ValuesView, ItemsView)):
        return InOrder(x)
    return x if type(x) is list or type(x) is np.ndarray and x.ndim else list(x)


class InOrder:
    """The items of a deque, a dict, its view or a set by number, from the iterator where they are asked for one after another: it says what
    changed meanwhile."""

    def __init__(self, items: Collection[Any]) -> None:
        self.items, self.iterator, self.position, self.length = items, iter(items), 0, len(items)

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, index: int) -> Any:
        if index == 0:
            self.iterator, self.position = iter(self.items), 0
        if index != self.position:
            return next(itertools.islice(self.items, index, None))
        self.position += 1
        return next(self.iterator)


def end(items: Any) -> None:
    """Ask for an item behind the last one, as a loop does that came there: a container that the last trip has changed says so."""
    if isinstance(items, InOrder) and items.position == items.length:
        next(items.iterator, None)


def expect_end(source: Indexed, extra_test: Callable[[], Any] | None) -> None:
    """Behind a loop: where nothing ended it before, what it went through has no more items."""
    while isinstance(source, Enumerated):
        source = source.source
    items = source.source if isinstance(source, Elements) else None
    if isinstance(items, TracedList) and items.key is None and items.dynamic is not None and not items.is_native:
        ended = lambda: host_effect(end, items.dynamic, label="end of loop")  # noqa: E731
        if_stmt(True if extra_test is None else extra_test(), ended, lambda: None, lambda: (), lambda state: None, ())
