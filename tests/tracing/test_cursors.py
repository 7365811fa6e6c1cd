"""Iterators that leave a compiled function."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees


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


def test_zip_longest_fills_up_those_at_their_end_and_asks_none_of_them_again() -> None:
    def in_fours(numbers: list[int]) -> Any:
        return [sum(chunk) for chunk in itertools.zip_longest(*[iter(x * 2 for x in numbers)] * 4, fillvalue=0)]

    def shared(numbers: list[int]) -> Any:
        source, found = iter(numbers), []
        for first, _ in itertools.zip_longest(source, source):
            found.append(first)
            if first == 5:
                break
        return found, list(source)

    def grows(numbers: list[int]) -> Any:
        odd, found = [x for x in numbers if x % 2], []
        for x, y in itertools.zip_longest(odd, numbers, fillvalue=-5):
            if (x == -5 or y == 2) and len(odd) < 20:
                odd.append(7)
            found.append((x, y))
        return found

    for function in (in_fours, shared, grows):
        compiled = ag.compile(function, fallback="error")
        for numbers in ([*range(1, 8)], [], [2, 4], [*range(13)], [5]):
            assert compiled(numbers) == function(numbers)


def gone_through_then_grown(xs, k):
    held, t = iter(xs), 0
    for x in held:
        t += x
    xs.append(7)
    for x in held:
        t += x * 100
    return t, next(held, -1)


def grown_in_a_loop(xs, k):
    held, t = iter(xs), 0
    for i in range(k):
        t += next(held, 0)
        xs.append(i)
        if i == 1:
            for x in held:
                t += x
            xs.append(50)
    return t, next(held, -1), len(xs)


def asked_to_the_end(xs, k):
    held, out = iter(xs), []
    while (x := next(held, None)) is not None:
        out.append(x)
    xs.append(k)
    return out, next(held, -1), list(held)


def listed(xs, k):
    held = iter(xs)
    out = list(held)
    xs.append(k)
    return out, next(held, -1), list(held), sum(iter(xs))


def left_in_the_middle(xs, k):
    held = iter(xs)
    for x in held:
        if x >= k:
            break
    xs.append(9)
    return next(held, -1), list(held)


def made_in_a_branch(xs, k):
    held, n = iter(xs), 0
    if k > 3:
        held = iter(xs)
    for x in held:
        n += 1
        if x == 2:
            break
    return n, next(held, -1), list(held)


@table("function", [gone_through_then_grown, grown_in_a_loop, asked_to_the_end, listed, left_in_the_middle, made_in_a_branch])
def test_an_iterator_of_a_list_that_has_found_its_end_stays_there(function):
    for xs, k in (([1, 2, 3], 4), (list(range(40)), 5), ([], 3), ([5], 1)):
        assert_agrees(function, (xs, k))
