"""Reductions that keep the last axis: rows in groups and the rest, every dtype, strides, NaN, expressions; sums in NumPy's order."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def folds(x):
    return np.sum(x, axis=0), np.max(x, axis=0), np.min(x, axis=0), np.prod(x, axis=0), np.any(x, axis=0), np.all(x, axis=0)


def folds_of_a_box(x):
    return np.sum(x, axis=1), np.max(x, axis=0), np.sum(x, axis=(0, 1)), np.min(x, axis=1, keepdims=True), np.argmax(x, axis=1)


def folded_expression(x, y):
    return np.sum(x * y + 1.0, axis=0), np.max(np.abs(x - y), axis=0), np.sum(np.sin(x), axis=0)


def assert_equal(function, *arguments, ulps=0):
    for mine, theirs in zip(ag.compile(function, fallback="error")(*arguments), function(*arguments)):
        assert mine.dtype == theirs.dtype
        if ulps:
            np.testing.assert_array_max_ulp(mine, theirs, ulps)
        else:
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?", "c16"])
def test_every_number_of_rows(dtype):
    numbers = np.random.default_rng(0).integers(0, 5, (9, 6)).astype(dtype)
    compiled = ag.compile(folds, fallback="error")
    for rows in range(2, 10):
        for mine, theirs in zip(compiled(numbers[:rows]), folds(numbers[:rows])):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype


@pytest.mark.parametrize("arrange", [np.ascontiguousarray, lambda x: x[::-1, ::2]])
def test_sums_of_columns_are_numpys_to_the_last_bit(arrange):
    x = arrange(np.random.default_rng(1).standard_normal((23, 10)))
    assert_equal(folds, x)


def test_boxes_and_not_a_number():
    x = np.random.default_rng(2).standard_normal((5, 7, 6))
    x[2, 3] = np.nan
    assert_equal(folds_of_a_box, x, ulps=2)
    x[:] = np.nan
    assert_equal(folds_of_a_box, x, ulps=2)


def test_expressions_guarded_ones_too():
    x, y = np.random.default_rng(3).standard_normal((2, 11, 9))
    x[4, 4] = 1e300
    assert_equal(folded_expression, x, y, ulps=64)


def test_no_rows():
    x = np.zeros((0, 4))
    sums = ag.compile(lambda x: np.sum(x, axis=0), fallback="error")
    np.testing.assert_array_equal(sums(x), np.zeros(4))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        ag.compile(lambda x: np.max(x, axis=0), fallback="error")(x)
