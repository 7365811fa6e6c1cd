"""Views by literal indices: which cannot fail, and the errors of those that can."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.kernels.literal_indices import mark_literal_indices
from tests.backends.building import Maker, N, array


@pytest.mark.parametrize("place, found", [(0, True), (2, True), (3, False), (-1, False)])
def test_literal_that_is_in_bounds_cannot_fail(place, found):
    m = Maker()
    t = m.param(array(N, 3))
    column = m.op("basic_index", t, m.integer(place), items=(("full",), ("int",)), dims=(N,))
    mark_literal_indices(m.done(column))
    assert column.owner.can_fail is not found


@pytest.mark.parametrize("items", [(("int",), ("full",)), (("slice", False, False, True), ("int",))])
def test_axes_of_unknown_length_and_steps_may_fail(items):
    m = Maker()
    t = m.param(array(N, 3))
    numbers = [m.integer(1)] * sum(item[0] == "int" or bool(item[-1]) for item in items if item[0] != "full")
    part = m.op("basic_index", t, *numbers, items=items, dims=(3,) if items[0][0] == "int" else (N,))
    mark_literal_indices(m.done(part))
    assert part.owner.can_fail


def picked(p, t):
    return p[t[:, 0]] * p[t[:, -1]] + p[t[:, 1]]


@pytest.mark.parametrize("place", [(3, 0), (8, 1), (8, 2)])
@pytest.mark.parametrize("wrong", [20, -21])
def test_errors_of_gathers_behind_columns_are_those_of_numpy(place, wrong):
    p, t = np.arange(20.0), np.random.default_rng(0).integers(-20, 20, (10, 3))
    compiled = ag.compile(picked, fallback="error")
    np.testing.assert_array_equal(compiled(p, t), picked(p, t))
    t[place] = wrong
    with pytest.raises(IndexError) as wanted:
        picked(p, t)
    with pytest.raises(IndexError) as found:
        compiled(p, t)
    assert str(found.value) == str(wanted.value)


def test_the_first_of_several_errors_is_raised():
    p, t = np.arange(20.0), np.zeros((10, 3), dtype=np.int64)
    t[9, 0], t[0, 1], t[4, 2] = 31, 32, 33
    with pytest.raises(IndexError, match="index 31 "):
        ag.compile(picked, fallback="error")(p, t)


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 1 with size 3"):
        ag.compile(lambda p, t: p[t[:, 0]] + p[t[:, 3]], fallback="error")(np.arange(4.0), np.zeros((5, 3), dtype=np.int64))
