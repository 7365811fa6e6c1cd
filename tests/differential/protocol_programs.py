"""Programs by Python's protocols: orderings, reversal, attributes of exceptions, patterns on what the run picks, calls with other kinds."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


class TooMany(Exception):
    """An exception with an attribute of its class."""

    code = 7


@program(lambda: (it(1, 2, 3), 3), lambda: (it(1, 2, 3), 9), lambda: (it(4), 3))
def attributes_set_on_a_caught_exception(x, limit):
    try:
        for v in x:
            if v >= limit:
                raise TooMany(int(v))
    except TooMany as error:
        error.code += 1
        error.seen = limit
        error.seen += 1
        found = error.code, error.seen, error.args
        del error.seen
        return found, hasattr(error, "seen"), error.code, TooMany.code
    return None


@functools.total_ordering
class Version:
    """Numbers compared one after another; the other orderings are derived."""

    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts


@program(lambda: (it(1, 2, 0), it(1, 1, 9)), lambda: ([1], [1, 0]), lambda: ((2, 0), (2, 0)))
def orderings_derived_from_one(a, b):
    v, w = Version(*a), Version(*b)
    return v < w, v <= w, v > w, v >= w, v == w, v != w, max(v, w).parts, min(v, w).parts


class Interval:
    """Numbers from one to another, whose length is asked of Python's numbers."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __len__(self):
        return int(self.high - self.low)

    def __iter__(self):
        v = self.low
        while v < self.high:
            yield v
            v += 1

    def __reversed__(self):
        return reversed(list(self))


class Doubled:
    """A sequence by `__len__` and `__getitem__` alone."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k] * 2


@program(lambda: (fl(1, 5, 2),), lambda: (it(2, 2, 7),), lambda: (it(3, 4),))
def reversed_objects(x):
    big = Doubled([v for v in x if v > 1])
    out = []
    for v in reversed(big):
        out.append(v)
    return list(reversed(Interval(x[0], x[1]))), out, list(reversed(Doubled(x)))


@dataclass
class Leaf:
    value: float


@dataclass
class Pair:
    left: float
    right: float


class Partial:
    """An object that has an attribute of its patterns only sometimes."""

    __match_args__ = ("value", "extra")

    def __init__(self, value, *extra):
        self.value = value
        if extra:
            (self.extra,) = extra


@program(lambda: (it(0, 1, 2, 3, 4, 1), 2.0), lambda: (it(3, 3), 1), lambda: (it(2, 9), 1))
def structure_of_an_instruction_that_the_run_picks(order, x):
    code = [("push", x), ("add", 1, 2), ("pop",), [4, 5, 6, 7], {"k": 3, "z": 4}]
    out = []
    for k in order:
        match code[k]:
            case ("push", v):
                out.append(v)
            case ("add", a, b):
                out.append(a + b)
            case (op,):
                out.append(op)
            case [first, *rest, last]:
                out.append((first, rest, last))
            case {"k": v, **rest}:
                out.append((v, rest))
    return out


@program(lambda: (it(0, 1, 2, 3, 1, 4, 5), 2.0), lambda: (it(2, 5, 0), 1), lambda: (it(4, 4), 1))
def class_of_an_item_that_the_run_picks(order, x):
    items = [Leaf(x), Pair(1, 2), 5, None, Partial(3), Partial(4, 5)]
    total = 0
    for k in order:
        match items[k]:
            case Leaf(v):
                total += v
            case Pair(left, right=r):
                total += left * r
            case Partial(v, extra):
                total += v * extra
            case Partial(v):
                total -= v
            case int(n):
                total += n
            case _:
                total *= 2
    return total


@program(lambda: (it(1, 2, 3, 4),), lambda: (fl(1, 2, 3),), lambda: ((1, 2, [3, 4]),), lambda: ([[1], [2, 3]],))
def array_then_a_ragged_sequence(x):
    first, *_, last = x
    return first, last, len(x)


@program(lambda: (0.75,), lambda: (1e300,), lambda: (1e-30,))
def parts_of_a_float_as_large_ints(x):
    above, below = x.as_integer_ratio()
    return above, below, math.trunc(x) + above // below


@program(lambda: (5, 2.5), lambda: (5, 3), lambda: (0, 9))
def text_of_a_wrong_format(n, x):
    found = []
    for text in (lambda: f"{3:>{x}}", lambda: f"{'a':d}", lambda: f"{n!r:>4d}"):
        try:
            found.append(text())
        except ValueError as error:
            found.append(str(error))
    return found, n


@program(lambda: (np.ones(3), 2), lambda: (np.ones(3), 0), lambda: (np.ones(5), 3))
def text_of_a_shape_with_an_unknown_size(x, n):
    found = []
    for shape in ((2, -1), (-1, 2), (2, -1, 2), (-1, 2, 2), (n, -1), (7,)):
        try:
            found.append(x.reshape(shape).shape)
        except ValueError as error:
            found.append(str(error))
    return found


@program(lambda: (5, [(0, 1), (1, 2), (3, 4)]), lambda: (2, []))
def recursion_through_sorted_neighbours(n, edges):
    neighbours = [[] for _ in range(n)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    seen = [False] * n

    def size(v):
        seen[v] = True
        total = 1
        for w in sorted(neighbours[v]):
            if not seen[w]:
                total += size(w)
        return total

    return [size(v) for v in range(n) if not seen[v]], seen
