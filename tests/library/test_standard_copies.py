"""copy and deepcopy in compiled code, and instances that keep their attributes in slots."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import asdict, astuple, dataclass

import numpy as np
import pytest

import autograph_jit as ag

X = np.array([1.0, -2.0, 3.0])


class Counter:
    __slots__ = ("__hidden", "total")

    def __init__(self, total, hidden):
        self.total = total
        self.__hidden = hidden

    def bump(self):
        self.__hidden += 1

    def hidden(self):
        return self.__hidden


@dataclass(slots=True)
class Reading:
    value: float
    trail: np.ndarray


def slots_of_argument(counter, x):
    for v in x:
        if v > 0:
            counter.total += v
            counter.bump()
    return counter.hidden()


def slots_made_here(x):
    counter = Counter(x[0], 2)
    if x[1] > 0:
        counter = Counter(x[1], 3)
    other = copy.copy(counter)
    other.total = 9.0
    return counter.total, counter.hidden(), other.total, other.hidden()


def nested_lists(x):
    nested = [[x[0]], [x, 2]]
    deep, shallow = copy.deepcopy(nested), copy.copy(nested)
    deep[0][0] = 5.0
    deep[1][0][0] = 7.0
    shallow.append(3)
    return nested, deep, shallow


def deques_of_lists(x):
    queue = deque([[x[0]]])
    for i in range(len(x)):
        queue.append([x[i], 1.0])
    deep = copy.deepcopy(queue)
    deep[1].append(5.0)
    return queue, deep


def dataclass_parts(x):
    reading = Reading(x[0], x * 2)
    other = copy.deepcopy(reading)
    other.trail[0] = 100.0
    return asdict(other), astuple(reading)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_slots_of_an_argument_are_read_and_written(sign) -> None:
    plain, compiled = Counter(1.0, 2), Counter(1.0, 2)
    expected = slots_of_argument(plain, sign * X)
    assert ag.compile(slots_of_argument, fallback="error")(compiled, sign * X) == expected
    assert (compiled.total, compiled.hidden()) == (plain.total, plain.hidden())


@pytest.mark.parametrize("function", [slots_made_here, nested_lists, deques_of_lists, dataclass_parts])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_copies_are_pythons(function, sign) -> None:
    assert str(ag.compile(function, fallback="error")(sign * X)) == str(function(sign * X))


def test_slots_leave_with_their_values() -> None:
    def made(x):
        return Counter(x.sum(), 1)

    assert ag.compile(made, fallback="error")(X).total == 2.0
