"""Arrays in `match`, notes of exceptions and slices of lists that do not fit: Python's words and rules."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add

VALUES = np.array([1.0, -2.0, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0])


def first(count, n=3):
    return lambda: (VALUES[:count].copy(), n)


@program(first(10), first(3), first(2), first(1), first(0))
def array_as_sequence(x, n):
    match x:
        case []:
            return "empty"
        case [a]:
            return "one", a
        case [a, *rest, z] if n > 0:
            return a, rest, z
    return "other"


@program(first(10), first(3), first(1))
def ends_of_an_array(x, n):
    match x:
        case [a, _]:
            return a
        case [a, *_, z] if a > 0:
            return a, z
        case [*_]:
            return "any"


@program(lambda: (np.ones((2, 3)),), lambda: (np.ones((3, 4)),), lambda: (np.array(3.0),))
def rows_of_a_matrix(m):
    match m:
        case [_, _]:
            return "two"
        case [[a, b, *rest], *_]:
            return a, b, rest
        case np.ndarray(shape=()):
            return 0


@program(first(10), first(0))
def array_in_a_pattern(x, n):
    match (x, n):
        case ([a, *rest], 3):
            return a, len(rest)
        case (np.ndarray() as other, k):
            return other.sum(), k


class Failure(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code


@program(first(10), lambda: (-VALUES, 2))
def notes_of_an_exception(x, n):
    try:
        error = Failure(n)
        error.add_note("one")
        error.add_note(f"two {n}")
        if x[0] > 0:
            error.add_note("three")
        raise error
    except Failure as caught:
        return caught.__notes__, caught.code


@program(first(10))
def note_of_a_caught_exception(x, n):
    try:
        raise ValueError("failed")
    except ValueError as error:
        error.add_note(f"n is {n}")
        print(error.__notes__)
        raise


@program(first(10))
def slice_of_another_size(x, n):
    items = [1, 2, 3, 4]
    items[::2] = [n]


@program(first(10))
def slice_of_a_number(x, n):
    items = [1, 2, 3, 4]
    items[1:2] = n


class Described:
    @functools.singledispatchmethod
    def kind(self, a):
        return "object"

    @kind.register
    def _(self, a: int):
        return "int", a + 1

    @kind.register
    def _(self, a: float):
        return "float", a * 2

    @kind.register
    def _(self, a: np.ndarray):
        return "array"


@program(first(10), first(10, -2))
def method_chosen_by_type(x, n):
    described = Described()
    return described.kind(n), described.kind(x[0]), described.kind("a"), described.kind(x), described.kind(n / 2)


@program(first(10), first(10, -2))
def fractions_and_numbers_of_the_run(x, n):
    total = Fraction(0)
    for _ in range(3):
        total += Fraction(1, 2) * n
    return total, Fraction("0.5") * n, n * Fraction(1, 2), Fraction(1, 3) - n, Fraction(1, 2) < n


@program(first(10), refused="which calls `print`, is advanced item by item")
def generator_that_prints_between_items(x, n):
    def items():
        for i in range(3):
            print("got", (yield i))

    def outer():
        yield from items()
        yield (yield n)

    found = outer()
    return [next(found), found.send(5)]
