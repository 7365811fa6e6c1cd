"""Searches that note where they found something: no check of the place, no choice that the next trip waits for, and Python's results."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import autograph_jit as ag


def selection_sort(x):
    for i in range(len(x)):
        least = i
        for j in range(i + 1, len(x)):
            if x[j] < x[least]:
                least = j
        x[i], x[least] = x[least], x[i]
    return x


def place_of_largest(x):
    place = 0
    for i in range(1, len(x)):
        if x[i] > x[place]:
            place = i
    return place


def place_from_behind(x):
    place = len(x) - 1
    for i in range(len(x) - 2, -1, -1):
        if x[i] > x[place]:
            place = i
    return place


def largest_and_place(x):
    best, place = -np.inf, -1
    for i in range(len(x)):
        if x[i] > best:
            best, place = x[i], i
    return best, place


def smallest_and_sign(x):
    best, place, sign = x[0], 0, 1.0
    for i in range(len(x)):
        v = abs(x[i])
        if v < best:
            best, place, sign = v, i, 1.0 if x[i] > 0 else -1.0
    return best, place, sign


def largest(x):
    best = x[0]
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
    return best


def place_before(x):
    place = 0
    for i in range(1, len(x)):
        if x[i] > x[place]:
            place = i - 1
    return place


def place_behind(x):
    place = 0
    for i in range(len(x)):
        if x[i] > x[place]:
            place = i + 1
    return x[place]


NUMBERS = [[3.0], [2.0, 5.0, 4.0, 5.0, 1.0], [5.0, 1.0], [np.nan, 1.0], [1.0, np.nan, 3.0, 2.0], [-0.0, 0.0], list(range(40)), [7.0] * 20]


def texts_of(compiled):
    """The modules of a function's programs as they are emitted."""
    executables = [one for each in compiled.specializations for one in each.executables.values()]
    return [zlib.decompress(executable.library.text).decode("latin1") for executable in executables]


def outcome(function, x):
    try:
        return repr(function(x)), x.tolist()
    except IndexError as error:
        return str(error), x.tolist()


@pytest.mark.parametrize(
    "function",
    [selection_sort, place_of_largest, place_from_behind, largest_and_place, smallest_and_sign, largest, place_before, place_behind],
    ids=lambda function: function.__name__,
)
def test_a_search_finds_what_python_finds(function):
    compiled = ag.compile(function, fallback="error")
    for numbers in NUMBERS:
        assert repr(outcome(compiled, np.array(numbers))) == repr(outcome(function, np.array(numbers)))


@pytest.mark.parametrize("function", [selection_sort, place_of_largest, place_from_behind], ids=lambda function: function.__name__)
def test_a_place_that_was_an_index_of_the_loop_is_not_checked(function):
    compiled = ag.compile(function, fallback="error")
    compiled(np.arange(50.0))
    assert not any("fails" in text for text in texts_of(compiled))


def test_a_place_beside_an_index_is_checked():
    compiled = ag.compile(place_behind, fallback="error")
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        compiled(np.arange(2.0))


def test_a_place_of_a_loop_without_trips_is_checked_behind_it():
    def last_seen(x, n):
        place = 3
        for i in range(n):
            if x[i] > x[place]:
                place = i
        return x[place]

    compiled = ag.compile(last_seen, fallback="error")
    assert compiled(np.arange(5.0), 5) == 4.0
    for size, n in ((2, 0), (0, 0), (2, 1)):
        with pytest.raises(IndexError, match=f"index 3 is out of bounds for axis 0 with size {size}"):
            compiled(np.arange(float(size)), n)


@pytest.mark.parametrize(("function", "jumps"), [(largest_and_place, 1), (smallest_and_sign, 1), (largest, 0)])
def test_a_number_with_its_place_is_taken_by_a_jump_and_a_number_alone_is_chosen(function, jumps):
    compiled = ag.compile(function, fallback="error")
    compiled(np.arange(50.0))
    assert {text.count('call void @"llvm.sideeffect"()') for text in texts_of(compiled)} == {jumps}
