"""Classes of the user's over Python's collections, whose methods ask the collection by `super()`: no content is one of the first call."""

from __future__ import annotations

import warnings
from collections import Counter, OrderedDict, deque
from itertools import permutations
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tables import table


class Items(list):
    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(place)

    def first(self) -> Any:
        return list.__getitem__(self, 0)

    def has(self, item: Any) -> bool:
        return super().__contains__(item)

    def place_of(self, item: Any) -> int:
        return super().index(item)

    def beginning(self) -> Any:
        return next(super().__iter__())


class Backwards(list):
    def __iter__(self) -> Any:
        return iter([*super().__iter__()][::-1])


class Entries(dict):
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key)

    def found(self, key: Any) -> Any:
        return super().get(key)


class Ordered(OrderedDict):
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key)


class Tally(Counter):
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key) * 10


class Without(set):
    def __contains__(self, item: Any) -> bool:
        return not super().__contains__(item)


class Queue(deque):
    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(place)


def item(x: Any) -> Any:
    return x[0]


def first(x: Any) -> Any:
    return x.first()


def has(x: Any) -> Any:
    return x.has(1)


def place(x: Any) -> Any:
    return x.place_of(1)


def beginning(x: Any) -> Any:
    return x.beginning()


def loop(x: Any) -> Any:
    for each in x:
        return each
    return None


def found(x: Any) -> Any:
    return x.found(0)


def member(x: Any) -> Any:
    return 1 in x


CONTENTS: list[list[Any]] = [[None, 1], [1, 2], [3, 1], ["a", 1], [2.5, True], [(1, 2), 1]]
WAYS = {
    Items: (item, first, has, place, beginning, loop, member),
    Backwards: (item, loop, member),
    Entries: (item, found, member),
    Ordered: (item, member),
    Tally: (item,),
    Without: (member,),
    Queue: (item, loop),
}


def made(kind: type, content: list[Any]) -> Any:
    if kind is Tally:
        return Tally({number: k for k, number in enumerate([0, *content])} | {0: content.count(1) + len(repr(content))})
    return kind(enumerate(content)) if issubclass(kind, dict) else kind(content)


@table(("kind", "way"), [(kind, way) for kind, ways in WAYS.items() for way in ways])
def test_each_call_finds_what_it_is_given(kind: type, way: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one, other in permutations(CONTENTS, 2):
            compiled = ag.compile(way)
            for content in (one, other, one):
                assert repr(compiled(made(kind, content))) == repr(way(made(kind, content))), (one, other)


def test_arrays_among_the_items_are_those_of_the_call() -> None:
    compiled = ag.compile(item)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for content in ([None], [np.arange(3)], [np.arange(2)], [None]):
            assert compiled(Items(content)) is content[0]


class Texts(list):
    """Its length is that of its texts: what goes through it in C may not ask for it."""

    def __len__(self) -> int:
        return sum(len(one) + len(other) for one, other in self)

    def is_empty(self) -> bool:
        return not self


def length(x: Any) -> int:
    return len(x)


def emptiness(x: Any) -> bool:
    return x.is_empty()


@table("way", [length, emptiness], ids=lambda way: way.__name__)
def test_a_length_that_a_class_computes_is_not_taken_for_the_number_of_items(way: Any) -> None:
    for content in ([], [("a", "bc")], [("", "")]):
        assert ag.compile(way, fallback="error")(Texts(content)) == way(Texts(content))
