"""Tests of autodiff/repeating.py: gradients through views that repeat elements."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

WEIGHTS = np.array([1.0, -2.0, 3.0, 5.0])


def test_broadcast_view_read_twice():
    def f(x):
        wide = np.broadcast_to(x, (3, 4))
        return np.sum(wide * WEIGHTS) + np.sum(wide[1] * wide[2])

    ag.testing.check_grads(f, (np.array([0.5, 1.0, -1.0, 2.0]),))
    ag.testing.check_grads(f, (np.array([0.5]),))


def test_number_spread_over_an_array_in_forward_mode():
    x, t = np.array([0.5, 1.0, 2.0, 4.0]), np.array([1.0, 10.0, 100.0, 1000.0])
    assert ag.jvp(lambda x, a: np.sum(WEIGHTS * (x / a)), (x, 2.0), (t, 0.0))[1] == 2640.5


@pytest.mark.parametrize("transposed", [False, True])
def test_windows_overlap(transposed):
    def f(x):
        windows = np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)
        return np.sum(windows**3 * WEIGHTS[:3, None, None])

    x = np.arange(12.0).reshape(4, 3) / 5 if not transposed else (np.arange(12.0).reshape(3, 4) / 5).T
    ag.testing.check_grads(f, (x,), order=1)
    np.testing.assert_allclose(ag.grad(f)(x), ag.grad(f)(x.copy()))


def test_windows_in_a_loop():
    def f(x, n):
        for _ in range(n):
            x = np.mean(np.lib.stride_tricks.sliding_window_view(x * x, 2), axis=1)
        return np.sum(x)

    ag.testing.check_grads(f, (np.array([0.5, 1.0, 0.7, 2.0]), 2), order=1)


def test_strides_of_ones_own_need_a_contiguous_array():
    def f(x):
        return np.sum(np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8)) ** 2)

    np.testing.assert_allclose(ag.grad(f)(np.array([1.0, 2.0, 3.0, 4.0])), [2.0, 8.0, 12.0, 8.0])
    with pytest.raises(ValueError, match="needs a contiguous array"):
        ag.grad(f)(np.arange(8.0)[::2])


def test_write_after_a_repeating_view():
    def f(x):
        y = x * 1.0
        wide = np.broadcast_to(y, (3, 4))
        first = np.sum(wide * wide)
        y[0] = 2.0 * x[1]
        return first + np.sum(wide**3)

    ag.testing.check_grads(f, (np.array([0.5, 1.0, -1.0, 2.0]),))


def test_write_through_a_repeating_view_is_refused():
    def f(x):
        y = x * 1.0
        np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8))[...] = x[0]
        return np.sum(y)

    with pytest.raises(ag.ConversionError, match="write through a repeating view"):
        ag.grad(f)(np.ones(4))


@pytest.mark.parametrize("n", [1, 2])
def test_repeated_matrix_that_a_branch_makes(n):
    def f(x, n):
        total = np.sum(np.sin(x))
        if n % 2 == 0:
            wide = np.repeat(np.diag(x), 2, axis=0)
            total += np.sum(wide * wide)
        return total

    x = np.array([1.018, -0.886])
    np.testing.assert_allclose(ag.grad(f)(x, n), np.cos(x) + (4 * x if n == 2 else 0))


def test_repeated_matrix_that_a_branch_of_a_loop_makes():
    def f(x, n):
        a = np.diag(x)
        for k in range(n):
            if k != 1:
                wide = np.repeat(np.diag(x), 2, axis=0)
                a = np.sin(wide * wide)[::2] + a * x
        return np.sum(np.sin(a))

    x, direction = np.array([0.7, -0.886, 0.3]), np.array([0.5, 1.0, -0.3])
    slope = (f(x + 1e-5 * direction, 3) - f(x - 1e-5 * direction, 3)) / 2e-5
    np.testing.assert_allclose(np.sum(ag.grad(f)(x, 3) * direction), slope, rtol=1e-7)


def test_a_reshape_that_copies_an_argument_which_is_written_has_no_derivative():
    def cubes(x):
        rows = np.reshape(x, -1)
        rows[0] = 0.0
        return np.sum(x * x) + np.sum(rows**3)

    x = np.arange(1.0, 7.0).reshape(2, 3)
    expected = 2 * x + 3 * x**2
    expected[0, 0] = 0.0
    np.testing.assert_allclose(ag.grad(cubes)(x.copy()), expected)
    np.testing.assert_allclose(ag.grad(cubes)(x.copy()[:, None])[:, 0], expected)
    with pytest.raises(ValueError, match="needs a contiguous array"):
        ag.grad(cubes)(np.asfortranarray(x))
