"""Inputs that are one object, different objects, members of an enumeration: a program is reused only where they are so again."""

from __future__ import annotations

import copy
import enum
import itertools

import numpy as np
import pytest

import autograph_jit as ag


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Holder:
    def __init__(self, number, mode=Mode.UP):
        self.number, self.mode, self.array = number, mode, np.arange(3.0) + number


SIGN = 0.0
numbers = itertools.count()


def write_list(a, b):
    a[0] = 7.0
    return b[0]


def grow_list(a, b):
    a.append(1.0)
    return len(b)


def write_dict(a, b):
    a["k"] = 5.0
    return b["k"]


def write_attribute(p, q):
    p.number = 9
    return q.number


def difference_of_arrays(p, q):
    return p.array.sum() - q.array.sum()


def is_same(p, q):
    return p is q


def grow_inside(a, b):
    a[0].append(2.0)
    return len(b[0])


CASES = [
    (write_list, lambda: [1.0, 2.0]),
    (grow_list, lambda: [1.0, 2.0]),
    (is_same, lambda: [1.0, 2.0]),
    (write_dict, lambda: {"k": 1.0}),
    (write_attribute, lambda: Holder(next(numbers))),
    (difference_of_arrays, lambda: Holder(next(numbers))),
    (is_same, lambda: Holder(next(numbers))),
    (grow_inside, lambda: ([1.0],)),
]


@pytest.mark.parametrize("first_is_shared", [False, True])
@pytest.mark.parametrize("function,make", CASES, ids=[f"{function.__name__}-{index}" for index, (function, _) in enumerate(CASES)])
def test_one_object_given_twice_is_not_taken_for_two(function, make, first_is_shared):
    compiled = ag.compile(function, fallback="error")
    for is_shared in (first_is_shared, not first_is_shared) * 3:
        a = make()
        b = a if is_shared else make()
        mine, other = copy.deepcopy((a, b))
        assert compiled(a, b) == function(mine, other)


def by_member(mode, x):
    return x + 1 if mode in (Mode.UP, Level.LOW) else x - 1


def by_attribute(holder, x):
    return x + 1 if holder.mode is Mode.UP else x - 1


@pytest.mark.parametrize(
    "function,args", [(by_member, list(Mode)), (by_member, list(Level)), (by_attribute, [Holder(1, mode) for mode in Mode])]
)
def test_members_of_an_enumeration_are_constants_of_their_own(function, args):
    compiled = ag.compile(function, fallback="error")
    for arg in args * 3:
        assert compiled(arg, np.ones(2)).tolist() == function(arg, np.ones(2)).tolist()


def signed_one(x):
    return x * 0.0 + np.copysign(1.0, SIGN)


@pytest.mark.parametrize("values", [(0.0, -0.0), (np.float32(0.0), np.float32(-0.0)), (1, True), (float("nan"), 1.0)])
def test_equal_constants_of_another_sign_or_type_are_not_the_same(monkeypatch, values):
    compiled = ag.compile(signed_one, fallback="error")
    for value in values * 3:
        monkeypatch.setitem(globals(), "SIGN", value)
        assert compiled(np.ones(2)).tolist() == signed_one(np.ones(2)).tolist()
    assert len(compiled.specializations) == 2
