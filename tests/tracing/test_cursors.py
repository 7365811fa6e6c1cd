"""Iterators that leave a compiled function."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import autograph_jit as ag


@ag.compile(fallback="error")
def rest(x):
    items = iter(x)
    next(items)
    return items


@ag.compile(fallback="error")
def pairs(x):
    return zip(x, [1, 2])


@ag.compile(fallback="error")
def endless(x):
    return itertools.cycle([x[0]])


def test_iterator_leaves_with_the_items_that_are_left() -> None:
    found = rest(np.arange(3.0))
    assert isinstance(found, Iterator)
    assert list(found) == [1.0, 2.0]


def test_zip_leaves_as_an_iterator() -> None:
    found = pairs(np.arange(3.0))
    assert next(found) == (0.0, 1)
    assert list(found) == [(1.0, 2)]


def test_endless_iterator_does_not_leave() -> None:
    with pytest.raises(ag.ConversionError, match="an iterator without an end"):
        endless(np.arange(3.0))


def first_index(n):
    return next(np.ndindex(n, 2)), next(np.ndindex(0), "none")


def indices_in_turn(x):
    places = np.ndindex(*x.shape)
    first, total = next(places), 0.0
    for place in places:
        total += x[place]
    return first, total, list(places)


def elements_in_turn(x):
    elements = np.ndenumerate(x)
    return next(elements), next(elements), type(np.ndindex(2)).__name__


def test_the_indices_and_elements_of_arrays_are_iterators():
    x = np.arange(6.0).reshape(2, 3)
    for function, argument in ((first_index, 3), (indices_in_turn, x), (elements_in_turn, x)):
        compiled = ag.compile(function, fallback="error")
        assert compiled(argument) == function(argument)
    assert "host_call" not in str(compiled.graph(x))
