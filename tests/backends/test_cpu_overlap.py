"""Assignments to parts of a matrix from other parts of it: side by side, overlapping, repeated along an axis."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def outer_product(a, i, j, k, m):
    a[i:, j:] -= a[i:, k, np.newaxis] * a[m, j:]
    return a


def block_from_block(a, i, j, k, m):
    a[i : i + 3, j : j + 2] = 2.0 * a[k : k + 3, m : m + 2] + 1.0
    return a


def by_column(a, i, j, k, m):
    a[i:, j : j + 2] *= a[i:, m, np.newaxis]
    return a


def by_row(a, i, j, k, m):
    a[i : i + 2, j:] += a[k, j:]
    return a


def upside_down(a, i, j, k, m):
    a[i : i + 3, j : j + 2] = a[::-1, ::-1][k : k + 3, m : m + 2] - 0.5
    return a


def transposed(a, i, j, k, m):
    a[i : i + 3, j : j + 3] = 1.5 * a.T[k : k + 3, m : m + 3]
    return a


def of_a_box(a, i, j, k, m):
    box = a.reshape(3, 2, -1)
    box[:, i % 2, j : j + 2] += box[:, k % 2, m : m + 1] * 3.0
    return a


@pytest.mark.parametrize("function", [outer_product, block_from_block, by_column, by_row, upside_down, transposed, of_a_box])
def test_parts_of_a_matrix_are_read_before_they_are_overwritten(function):
    compiled, rng = ag.compile(function, fallback="error"), np.random.default_rng(1)
    matrices = [np.ones((6, 6)), np.ones((6, 12))[:, ::2], np.ones((12, 6))[::2]] if function is not of_a_box else [np.ones((6, 6))]
    for whole in matrices:
        for i, j, k, m in [(i, j, k, m) for i in range(4) for j in range(4) for k in range(4) for m in (0, 1, 3)]:
            whole[:] = rng.normal(size=whole.shape)
            want = whole.copy()
            function(want, i, j, k, m)
            compiled(whole, i, j, k, m)
            assert np.array_equal(whole, want), (whole.strides, i, j, k, m)


def dispersion(u):
    for _ in range(3):
        u[2:-2] = u[2:-2] - 0.01 * u[2:-2] * (u[3:-1] - u[1:-3]) - 0.001 * (u[4:] - 2 * u[3:-1] + 2 * u[1:-3] - u[:-4])


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 13, 1000])
def test_slices_on_both_sides_are_read_before_they_are_overwritten(size):
    u = np.random.default_rng(size).standard_normal(size)
    expected, found = u.copy(), u.copy()
    dispersion(expected)
    compiled = ag.compile(dispersion, fallback="error", parallel=False)
    compiled(found)
    np.testing.assert_array_equal(found, expected)
    (executable,) = compiled.specializations[0].executables.values()
    assert "memcheck" not in executable.llvm  # the distances between the slices are known, so that vectors need no proof at run time


def shortest_ways(a):
    for k in range(a.shape[0]):
        a[:] = np.minimum(a, a[:, k, np.newaxis] + a[k])


def less_an_outer_product(a):
    a[:] = a - a[:, 3, np.newaxis] * a[2] / 3.0


def less_its_first_row(a):
    a[:] = a - a[0:1]


def upside_down_with_a_row(a):
    a[::-1] = a + a[0]


def mirrored_with_a_column(a):
    a[:, ::-1] = a[:, 0, np.newaxis] + a


def row_above_with_a_row_and_a_column(a):
    a[1:] = a[:-1] + a[0] + a[1:, 2, np.newaxis]


def planes_with_planes(a):
    c = a.reshape(2, -1, a.shape[1])
    c[:] = c - c[0] + c[:, 0, np.newaxis] * c[:, :, 1, np.newaxis]


def line_with_its_first_element(a):
    x = a[1]
    x[:] = x - x[0:1]


REPEATED = (
    shortest_ways,
    less_an_outer_product,
    less_its_first_row,
    upside_down_with_a_row,
    mirrored_with_a_column,
    row_above_with_a_row_and_a_column,
    planes_with_planes,
    line_with_its_first_element,
)


@pytest.mark.parametrize("function", REPEATED)
@pytest.mark.parametrize("order", ["C", "F"])
def test_repeated_rows_and_columns_of_the_target_are_read_as_they_were(function, order):
    expected = np.array(np.random.default_rng(3).uniform(-1.0, 1.0, (6, 6)), order=order)
    found = expected.copy(order="K")
    function(expected)
    ag.compile(function, fallback="error", parallel=False)(found)
    np.testing.assert_array_equal(found, expected)


def test_a_row_that_may_be_one_of_the_target():
    def plus(a, b):
        a[:] = a * 2.0 + b

    compiled = ag.compile(plus, fallback="error", parallel=False)
    for of in (lambda a: a[2], lambda a: a[:, 1, np.newaxis], lambda a: a[0].copy()):
        expected, found = (np.random.default_rng(4).uniform(size=(5, 5)) for _ in range(2))
        plus(expected, of(expected))
        compiled(found, of(found))
        np.testing.assert_array_equal(found, expected)


def test_a_row_of_the_target_is_copied():
    text = ag.compile(shortest_ways, fallback="error", parallel=False).kernels(np.ones((50, 50)))
    assert "out[i0] = temporary[i0]" in text and "out[i0, i1] = temporary[i0, 0]" in text
