"""Attributes that Python does not let a program set, and what is no collection: its errors, also where handlers and loops are around."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, NamedTuple

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees


class Pair(NamedTuple):
    x: int
    y: int


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y)


def no_slot_in_a_loop(numbers: Any) -> Any:
    vector, refused = Vector(1, 3), 0
    for number in numbers:
        try:
            vector.w = number
        except AttributeError:
            refused += 1
        for _ in numbers:
            try:
                vector = -vector
            except ValueError:
                refused += 10
    return refused, vector.x


def field_of_a_pair(numbers: Any) -> Any:
    pair = Pair(len(numbers), 1)
    pair.x = 2
    return pair


def field_that_is_given(pair: Any) -> None:
    pair.x = 2


def attribute_of_a_class_in_c(numbers: Any) -> Any:
    try:
        dict.v = 5
    except TypeError as error:
        return str(error), len(numbers)
    return None


def attribute_of_a_function_in_c(numbers: Any) -> Any:
    try:
        len.v = 5
    except AttributeError as error:
        return str(error), len(numbers)
    return None


def through_a_class(kind: Any) -> Any:
    total = 0
    for item in kind:
        total += item
    return total


PROGRAMS = [no_slot_in_a_loop, field_of_a_pair, attribute_of_a_class_in_c, attribute_of_a_function_in_c]


@table("program", PROGRAMS, ids=lambda program: program.__name__)
def test_python_refuses_it_as_it_does_elsewhere(program: Any) -> None:
    assert_agrees(program, ([1, 2],))


def parts_of(found: Any) -> Any:
    first, second = found
    return first, second


def test_what_is_no_sequence_is_not_unpacked() -> None:
    for found in (re.match("a", "ab"), len, int, re.compile("a"), 3, None, slice(2)):
        with pytest.raises(TypeError) as expected:
            parts_of(found)
        with pytest.raises(TypeError) as raised:
            ag.compile(parts_of, fallback="error")(found)
        assert str(raised.value) == str(expected.value)


def test_what_is_given_refuses_it_too() -> None:
    assert_agrees(field_that_is_given, (Pair(1, 2),))
    assert_agrees(through_a_class, (int,), (str,))


def text_of_partial(call: Any) -> Any:
    return str(call), f"{call}"


def made_partial(n: int) -> Any:
    call = partial(max, n)
    call.v = 7
    return call(3), call.v, str(call)


def given_an_attribute(call: Any) -> Any:
    call.v = 5
    return call.v


def test_a_partial_shows_what_it_was_given() -> None:
    compiled = ag.compile(text_of_partial, fallback="error")
    for value in (3, 5, "a"):
        call = partial(str.join, value) if value == "a" else partial(max, value)
        assert compiled(call) == text_of_partial(call)
    assert_agrees(made_partial, (2,), (9,))


def test_no_attribute_that_a_partial_is_given_is_lost() -> None:
    with pytest.raises(ag.ConversionError, match="the attribute v of a partial of the caller's is set"):
        ag.compile(given_an_attribute, fallback="error")(partial(max, 3))
    call = partial(max, 3)
    with pytest.warns(UserWarning, match="runs in Python"):
        assert ag.compile(given_an_attribute)(call) == call.v == 5
