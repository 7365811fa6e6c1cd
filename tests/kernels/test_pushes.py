"""Appends behind one another ask for room once, and every other operation finds the items that are there."""

from __future__ import annotations

import re

import numpy as np

from autograph_jit.backends.cpu.driver import CpuExecutable
from autograph_jit.ir.types import ListType
from autograph_jit.kernels.pushes import find_pushes
from tests.backends.building import F8, I8, Maker, array, check, compare


def growths(executable: CpuExecutable) -> int:
    """How many places may make a list longer than its room."""
    return len(re.findall(r"call .*@ag_list_reserve\(", executable.llvm))


def test_many_items_of_a_new_list_ask_for_room_once_and_few_not_at_all():
    m = Maker()
    x = m.param(F8)
    many, few = m.op("list_new", elem=F8), m.op("list_new", elem=I8)
    for number in range(40):
        m.do("list_push", many, m.op("multiply", x, m.const(float(number))))
        if number < 8:
            m.do("list_push", few, m.integer(number))
    executable = compare(m.done(many, few, m.op("list_len", many)), 2.5)
    assert growths(executable) == 1


def test_what_stands_between_finds_the_items():
    m = Maker()
    x, places = m.param(array(3)), m.param(ListType(I8))
    made = m.op("list_new", elem=F8)
    found = []
    for number in range(6):
        m.do("list_push", made, m.op("load", x, m.integer(number % 3)))
        found.append(m.op("list_len", made))
        place = m.op("list_get", places, m.integer(number))  # an IndexError where there are fewer
        m.do("list_push", places, m.op("add", place, m.integer(number)))
    graph = m.done(made, places, *found, m.op("list_get", made, m.integer(-1)))
    executable = compare(graph, np.arange(3.0), [7, 3, 5])
    for given in ([], [1], [4] * 20):
        check(executable, graph, np.arange(3.0), given)


def test_a_list_that_may_be_another_one_ends_what_goes_on():
    m = Maker()
    first, second, flag = m.param(ListType(I8)), m.param(ListType(I8)), m.param(I8)
    (either,) = m.cond(m.op("less", flag, m.integer(0)), lambda: [first], lambda: [second])
    for number in range(5):
        m.do("list_push", first, m.integer(number))
        m.do("list_push", either, m.integer(10 * number))
    m.do("list_push", first, m.op("list_pop", either, m.integer(0)))
    m.do("list_push", first, m.integer(99))
    graph = m.done(first, second, m.op("list_len", either))
    executable = compare(graph, [1, 2], [3], -1)
    check(executable, graph, [1, 2], [3], 1)
    assert len(set(find_pushes(graph).values())) == 11


def test_a_list_that_lost_its_items_begins_again():
    m = Maker()
    n = m.param(I8)
    made = m.op("list_new", elem=I8)

    def body(i):
        for number in range(12):
            m.do("list_push", made, m.op("add", i, m.integer(number)))
        m.do("list_clear", made)
        for number in range(3):
            m.do("list_push", made, m.op("multiply", i, m.integer(number)))
        return []

    m.count(m.integer(0), n, m.integer(1), [], body)
    graph = m.done(made)
    executable = compare(graph, 3)
    check(executable, graph, 0)
    assert len(set(find_pushes(graph).values())) == 2
