"""Nests over rows: short ones, what is computed for each row once, reductions of equal arrays, copies of rows into one axis, scatters."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def standardized(x):
    return (x - np.mean(x, axis=0, keepdims=True)) / (np.std(x, axis=0, keepdims=True) + 1e-8)


def standardized_by_methods(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def of_rows(x):
    return (x - x.mean(axis=1)[:, None]) / (x.std(axis=1, keepdims=True) + 1e-8)


@pytest.mark.parametrize("function", [standardized, standardized_by_methods, of_rows])
@pytest.mark.parametrize("columns", [2, 3, 4, 5, 7, 8, 16, 33])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_standardized_columns_and_rows(function, columns, dtype):
    x = np.random.default_rng(columns).standard_normal((301, columns)).astype(dtype)
    np.testing.assert_allclose(ag.compile(function, fallback="error")(x), function(x), rtol=3e-5 if dtype == "f4" else 1e-12, atol=1e-5)


def test_roots_of_a_row_are_taken_once():
    text = ag.compile(standardized, fallback="error").kernels(np.ones((30, 5)))
    assert not any("sqrt" in part and "s:" in part for part in text.split("kernel "))


def test_one_sum_serves_mean_and_deviation():
    compiled = ag.compile(standardized_by_methods, fallback="error")
    assert compiled.kernels(np.random.default_rng(0).standard_normal((30, 5))).count("kernel reduce") == 2


def means(x):
    kept, dropped = np.sum(x, axis=(0, 2), keepdims=True), np.sum(x, axis=(0, 2))
    return kept + 1.0, dropped * 2.0, np.sum(x, axis=1) - 1.0, np.sum(x, axis=1, keepdims=True) * 3.0


def test_reductions_that_keep_and_drop_their_axes():
    x = np.random.default_rng(1).standard_normal((4, 5, 6))
    for found, wanted in zip(ag.compile(means, fallback="error")(x), means(x)):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, strict=True)


def written_sums(x):
    kept, dropped = np.sum(x, axis=0, keepdims=True), np.sum(x, axis=0)
    kept[0, 0] = 100.0
    return kept, dropped


def test_a_sum_that_is_written_is_its_own():
    x = np.random.default_rng(2).standard_normal((4, 5))
    for found, wanted in zip(ag.compile(written_sums, fallback="error")(x), written_sums(x)):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, strict=True)


def into_one_axis(x):
    return x.reshape(-1), x.ravel() + 1.0


@pytest.mark.parametrize("dtype", ["f8", "i2", "?", "c16"])
def test_views_into_one_axis(dtype):
    x = np.random.default_rng(3).integers(0, 9, (6, 8, 4)).astype(dtype)
    compiled = ag.compile(into_one_axis, fallback="error")
    for view in (x, x[:, 1:5], x[:, :, 0], x[0], x.T, x[:, :, ::2], x[:, :1], x[:0], x[1:2, 2:3], x[:, 0, 0], x[::-1, :, 0], x[:, ::2, 0]):
        for found, wanted in zip(compiled(view), into_one_axis(view)):
            np.testing.assert_array_equal(found, wanted, strict=True)


def writes_through(x):
    flat = x.reshape(-1)
    flat[0] = 50
    return flat


def test_a_view_into_one_axis_is_written_through_where_numpy_makes_a_view():
    base = np.arange(48.0).reshape(6, 8)
    compiled = ag.compile(writes_through, fallback="error")
    for key in (np.s_[:, :], np.s_[:, 1:5], np.s_[:, ::2], np.s_[:, :1], np.s_[2:3, 1:]):
        mine, theirs = base.copy(), base.copy()
        np.testing.assert_array_equal(compiled(mine[key]), writes_through(theirs[key]))
        np.testing.assert_array_equal(mine, theirs)


def test_reshape_to_a_size_that_does_not_fit_is_an_error():
    with pytest.raises(ValueError, match="cannot reshape"):
        ag.compile(lambda x, n: x.reshape(n), fallback="error")(np.ones((4, 6))[:, 1:], 19)


def added(x, index, y):
    np.add.at(x, index, y)
    return x


def test_scatter_looks_at_all_indices_before_it_writes():
    compiled = ag.compile(added, fallback="error")
    x = np.zeros(5)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        compiled(x, np.array([0, -1, 5, -9]), np.ones(4))
    assert not x.any()
    np.testing.assert_array_equal(compiled(x, np.array([0, -1, 4, 0]), np.ones(4)), [2, 0, 0, 0, 2])


def test_contraction_of_all_axes():
    a, b = np.random.default_rng(4).standard_normal((2, 7, 7))
    for text in ("ij,ji->", "ij,ij->", "ij,jk,ki->"):
        operands = (a, b) if text.count(",") == 1 else (a, b, a)
        found = ag.compile(lambda *x, text=text: np.einsum(text, *x), fallback="error")(*operands)
        assert found == pytest.approx(np.einsum(text, *operands), rel=1e-12)
