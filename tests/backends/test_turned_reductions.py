"""Reductions of turned views go through memory in its order, as NumPy's do: of columns of a turned C-ordered matrix the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def by_columns(x):
    return x.T.sum(axis=1)


def by_rows(x):
    return x.T.sum(axis=0), x.T.max(axis=0, keepdims=True), x.T.mean(axis=0), x.T.prod(axis=0)


def of_all(x):
    return x.T.sum(), np.any(x.T > 2.0), x.T.min(), x.T[::2].sum(axis=0)


def of_three_axes(x):
    y = np.transpose(x.reshape(len(x), 2, -1), (2, 0, 1))
    return y.sum(axis=(0, 2)), y.sum(axis=1), y.max(axis=2), y.sum(axis=(1, 2), keepdims=True), y.sum(axis=0)


@pytest.mark.parametrize("function", [by_columns, by_rows, of_all, of_three_axes])
@pytest.mark.parametrize("order", ["C", "F", "reversed"])
@pytest.mark.parametrize("shape", [(30, 40), (1, 4), (7, 2)])
def test_results_are_those_of_numpy(function, order, shape):
    x = np.random.default_rng(0).standard_normal(shape)
    x = np.asfortranarray(x) if order == "F" else x[::-1] if order == "reversed" else x
    found, expected = ag.compile(function, fallback="error")(x), function(x)
    for mine, wanted in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, expected)), strict=True):
        assert np.shape(mine) == np.shape(wanted) and np.asarray(mine).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-12)


def test_sums_of_nothing():
    for shape in ((3, 0), (0, 3)):
        np.testing.assert_array_equal(ag.compile(by_columns, fallback="error")(np.ones(shape)), np.zeros(shape[1]))


def test_sums_of_columns_of_a_turned_matrix_are_added_as_numpy_adds_them():
    x = np.random.default_rng(0).standard_normal((1000, 1000))
    np.testing.assert_array_equal(ag.compile(by_columns, fallback="error")(x), by_columns(x))


def test_the_nest_reads_rows():
    text = ag.compile(lambda x: x.T.sum(axis=0), fallback="error").kernels(np.ones((4, 5)))
    assert "total[i0] = sum(total[i0], arg0[i0, i1])" in text


def test_gradients():
    x = np.random.default_rng(0).standard_normal((3, 4))

    def of_sums(x):
        return np.sum(by_columns(x) ** 2) + np.sum(by_rows(x)[0] ** 3) + np.sum(of_three_axes(x)[0] ** 2)

    ag.testing.check_grads(of_sums, (x,), order=2)
