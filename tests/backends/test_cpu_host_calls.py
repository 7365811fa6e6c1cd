"""Calls of Python that compiled code makes itself: what functions are given, where exceptions are raised, that nothing is kept."""

from __future__ import annotations

import gc
import sys
import traceback

import pytest

import autograph_jit as ag

seen: list = []


class Noting:
    """Notes who calls its operators and what it is given."""

    def __init__(self, truth=True):
        self.truth = truth

    def __add__(self, other):
        seen.append((sys._getframe(1).f_code.co_filename, other))
        return other

    def __contains__(self, item):
        seen.append((sys._getframe(1).f_code.co_filename, item))
        return item

    def __bool__(self):
        if self.truth is None:
            raise ValueError("no truth")
        return self.truth


@ag.compile(fallback="error")
def added(objects, i, x):
    return objects[i] + x


@ag.compile(fallback="error")
def holds(objects, i, x, flag):
    return (i, (x, flag, "name"), i * 2) in objects[i]


@ag.compile(fallback="error")
def truth(objects, i):
    if objects[i]:
        return 1
    return 2


@pytest.mark.parametrize("x", [2.5, 7, True])
def test_nothing_stands_between_compiled_code_and_an_operator(x):
    seen.clear()
    objects = [Noting()]
    for _ in range(2):  # the second call enters directly
        assert added(objects, 0, x) == x
    for filename, given in seen:
        assert type(given) is type(x) and not filename.endswith(("hosting.py", "host.py"))


def test_tuples_are_given_with_pythons_numbers():
    seen.clear()
    assert holds([Noting(), Noting(False)], 1, 0.5, True) is True
    ((_, given),) = seen
    assert given == (1, (0.5, True, "name"), 2)
    assert [type(item) for item in (*given, *given[1])] == [int, tuple, int, float, bool, str]


def test_a_tuple_that_is_given_twice_is_one_object():
    @ag.do_not_convert
    def is_same(first, second):
        return first is second

    @ag.compile(fallback="error")
    def same(objects, i):
        pair = (objects[i], i)
        return is_same(pair, pair)

    assert same([Noting()], 0) is True


@pytest.mark.parametrize(("function", "line"), [(truth, "if objects[i]:"), (added, "return objects[i] + x")])
def test_exceptions_are_raised_at_the_users_line(function, line):
    arguments = ([Noting(None)], 0) if function is truth else ([3], 1, 4)
    for _ in range(2):
        with pytest.raises((ValueError, IndexError)) as caught:
            function(*arguments)
        lines = [entry.line for entry in traceback.extract_tb(caught.value.__traceback__)]
        assert line in lines
    assert truth([Noting(), Noting(False)], 0) == 1 and truth([Noting(), Noting(False)], 1) == 2


def test_no_references_are_kept():
    objects, other, counts = [Noting()], object(), []
    for _ in range(4):
        for _ in range(50):
            added(objects, 0, other)
            holds(objects, 0, 0.5, False)
            truth(objects, 0)
            with pytest.raises(TypeError):
                added([3], 0, other)
        seen.clear()
        gc.collect()  # exceptions and their frames
        counts.append((sys.getrefcount(other), sys.getrefcount(objects[0])))
    assert counts[1] == counts[-1]
