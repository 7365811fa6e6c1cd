"""Ranges prove what is true of loop indices and nothing more."""

from __future__ import annotations

import pytest

from autograph_jit.kernels.ranges import find_ranges
from tests.backends.building import I8, M, Maker, N, array


class Program(Maker):
    """A maker with a matrix, its sizes and a parameter of which nothing is known."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.k = self.param(array(N, M)), self.param(I8)
        self.n, self.m = self.op("dim", self.x, axis=0), self.op("dim", self.x, axis=1)
        self.zero, self.one = self.integer(0), self.integer(1)
        self.seen: list[tuple[bool, bool]] = []

    def over(self, start, stop, *expressions, step=1):
        found = []

        def body(i):
            found.extend(expression(i) for expression in expressions)
            return []

        self.count(start, stop, self.integer(step), [], body)
        return found

    def index(self, value, size=N):
        return find_ranges(self.graph).is_index(value, size)


def test_index_of_a_whole_axis_is_in_bounds():
    p = Program()
    i, before, after = p.over(p.zero, p.n, lambda i: i, lambda i: p.op("subtract", i, p.one), lambda i: p.op("add", i, p.one))
    assert p.index(i) == (True, True)
    assert p.index(before) == (False, True)
    assert p.index(after) == (True, False)
    assert p.index(i, M) == (True, False)


def test_inner_part_leaves_room_for_neighbours():
    p = Program()
    last = p.op("subtract", p.n, p.one)
    before, after, far = p.over(
        p.one, last, lambda i: p.op("subtract", i, p.one), lambda i: p.op("add", i, p.one), lambda i: p.op("add", i, p.integer(2))
    )
    assert p.index(before) == p.index(after) == (True, True)
    assert p.index(far) == (True, False)


def test_triangle_and_reversed_loops():
    p = Program()
    (j,) = p.over(p.zero, p.n, lambda i: p.over(p.op("pyint_add", i, p.one), p.n, lambda j: j)[0])
    (back,) = p.over(p.op("subtract", p.n, p.one), p.integer(-1), lambda i: i, step=-1)
    (difference,) = p.over(p.zero, p.n, lambda i: p.over(p.zero, p.op("add", i, p.one), lambda j: p.op("subtract", i, j))[0])
    assert p.index(j) == p.index(back) == p.index(difference) == (True, True)


def test_unknown_bounds_prove_nothing_of_the_size():
    p = Program()
    (i,) = p.over(p.zero, p.k, lambda i: i)
    (from_unknown,) = p.over(p.k, p.n, lambda i: i)
    assert p.index(i) == (True, False)
    assert p.index(from_unknown) == (False, True)


def test_sum_that_may_wrap_is_no_bound():
    p = Program()
    (i,) = p.over(p.op("add", p.k, p.one), p.n, lambda i: p.op("subtract", i, p.k))
    assert p.index(i) == (False, False)


@pytest.mark.parametrize(("name", "expected"), [("pyint_add", True), ("pyint_multiply", False)])
def test_overflow_is_excluded_for_sizes_and_indices(name, expected):
    p = Program()
    (value,) = p.over(p.zero, p.k, lambda i: p.op(name, i, p.one if expected else p.k))
    ranges = find_ranges(p.graph)
    assert ranges.cannot_overflow(value.owner) is expected
    assert not ranges.cannot_overflow(p.op("pyint_add", p.k, p.one).owner)
    assert ranges.cannot_overflow(p.op("pyint_subtract", p.n, p.m).owner)


def test_half_of_a_size_is_an_index():
    p = Program()
    half = p.op("floor_divide", p.n, p.integer(2))
    (i,) = p.over(p.zero, half, lambda i: p.op("subtract", p.op("subtract", p.n, p.one), i))
    assert p.index(i) == (True, True)
