"""Slices of a matrix or a box that are assigned from other slices of it: to the bit what NumPy gives, by holding back rows."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def upwards(u):
    u[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] * 0.5


def sideways(u):
    u[1:-1, 1:-1] += u[1:-1, :-2] - u[1:-1, 2:]


def across(u):
    u[2:, 2:] = u[:-2, 2:] * 0.25 + u[1:-1, :-2] - u[2:, 1:-1]


def ahead(u):
    u[:-1, :-1] -= u[1:, 1:] * 0.5


def with_others(u):
    weights = u[0] * 2.0
    column = u[:, :1] + 1.0
    u[1:, :] = u[:-1, :] * weights + column[1:]


def with_a_guard(u):
    u[1:, 1:] = np.sin(u[:-1, 1:]) + u[1:, :-1]


def box(u):
    u[1:-1, 1:-1, 1:-1] += 0.1 * (u[2:, 1:-1, 1:-1] + u[:-2, 2:, :-2] + u[1:-1, :-2, 2:] - u[:-2, :-2, 1:-1])


def box_back(u):
    u[2:, 1:, :] = u[:-2, :-1, :] - u[1:-1, 1:, :]


def far(u):
    u[6:, :] = u[:-6, :] + 1.0


MATRICES = [upwards, sideways, across, ahead, with_others, with_a_guard, far]


def assert_bits(function, u):
    compiled = ag.compile(function, fallback="error")
    for _ in range(2):
        mine, theirs = u.copy(), u.copy()
        compiled(mine)
        function(theirs)
        if function is with_a_guard:
            np.testing.assert_allclose(mine, theirs, rtol=1e-14, atol=1e-14)
        else:
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("shape", [(3, 3), (7, 9), (20, 2), (2, 30), (12, 40), (220, 200), (900, 500)])
@pytest.mark.parametrize("function", MATRICES)
def test_matrices(function, shape):
    if shape[0] <= 6 and function is far:
        shape = (7, shape[1])
    assert_bits(function, np.random.default_rng(0).integers(-99, 99, shape) / 8)


@pytest.mark.parametrize("shape", [(3, 3, 3), (5, 4, 9), (9, 3, 20), (40, 40, 40), (70, 80, 90)])
@pytest.mark.parametrize("function", [box, box_back])
def test_boxes(function, shape):
    assert_bits(function, np.random.default_rng(1).standard_normal(shape))


@pytest.mark.parametrize("dtype", ["f4", "i8", "i4"])
def test_other_numbers(dtype):
    def mean(u):
        u[1:-1] = (u[:-2] + u[2:]) // 2

    assert_bits(mean, np.random.default_rng(2).integers(-999, 999, (30, 17)).astype(dtype))


def test_strides_and_views_that_overlap_in_another_way():
    compiled = ag.compile(upwards, fallback="error")
    for part in (np.s_[::2, ::3], np.s_[::-1, :], np.s_[:, ::-1]):
        mine, theirs = (np.arange(600.0).reshape(20, 30) for _ in range(2))
        compiled(mine[part])
        upwards(theirs[part])
        np.testing.assert_array_equal(mine, theirs)


def test_no_copy_of_the_whole_array():
    @ag.compile(fallback="error", parallel=False)
    def mirror(u):
        u[1:-1] += u[2:] - u[:-2]

    u = np.ones((40, 30))
    mirror(u)
    assert "copy" not in mirror.kernels(u)
