"""Updates of what a mask selects, in the nest where it lies: what is found, what is not, NumPy's numbers and errors."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest

import autograph_jit as ag


def doubled(x, y):
    x[y > 4] *= 2
    return x


def of_both(x, y):
    m = y > 4
    x[m] = x[m] + y[m] * 3 - x[m]
    return x


def of_a_copy(x, y):
    z = x.copy()
    z[y > 4] -= z[y > 4]
    return z, x


def of_what_is_used_again(x, y):
    m = y > 4
    t = x[m]
    u = t * 2
    x[m] = u
    return x, u.sum()


def of_what_is_written_between(x, y):
    m = y > 4
    t = x[m]
    x[0] = 7
    x[m] = t * 2
    return x


def of_another_mask(x, y):
    t = x[y > 4]
    x[y <= 4] = t[: np.sum(y <= 4)] * 2
    return x


def of_a_shifted_part(x, y):
    m = y[1:] > 4
    x[1:][m] = x[:-1][m] * 2
    return x


def of_another_size(x, y):
    x[y[:-1] > 4] *= 2
    return x


def of_rows(x, y):
    x[y > 4] *= 2
    return x


FUSED = [doubled, of_both, of_a_copy]
OTHERS = [of_what_is_used_again, of_what_is_written_between, of_a_shifted_part]


@functools.cache
def compiled_once(function):
    return ag.compile(function, fallback="error")


def compare(function, x, y):
    expected, arguments = None, copy.deepcopy((x, y))
    compiled = compiled_once(function)
    try:
        expected = function(*copy.deepcopy((x, y)))
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            compiled(*arguments)
        assert str(caught.value) == str(error)
        return
    for mine, theirs in zip(*(each if isinstance(each, tuple) else (each,) for each in (compiled(*arguments), expected)), strict=True):
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("function", [*FUSED, *OTHERS])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "f8", "c16"])
def test_numbers_of_every_dtype(function, dtype):
    rng = np.random.default_rng(1)
    for count in (1, 2, 7, 40):
        x, y = rng.integers(0, 9, count).astype(dtype), rng.integers(0, 9, count)
        compare(function, x, y)
        compare(function, x, y * 0)
        compare(function, x, y * 0 + 5)


@pytest.mark.parametrize("function", FUSED)
def test_of_nothing_of_matrices_and_of_strides(function):
    rng = np.random.default_rng(2)
    x, y = rng.random((6, 8)), rng.integers(0, 9, (6, 8))
    compare(function, np.zeros(0), np.zeros(0))
    compare(function, x, y)
    compare(function, x[::-2], y[::2])
    compare(function, x.T, y.T)
    compare(function, np.where(y > 6, np.nan, x), y)


def test_other_masks_and_errors():
    rng = np.random.default_rng(3)
    compare(of_another_mask, rng.random(10), np.array([5, 5, 5, 5, 5, 5, 0, 0, 0, 0]))
    compare(of_another_mask, rng.random(10), np.array([5, 5, 0, 0, 0, 0, 0, 0, 0, 0]))
    compare(of_another_size, rng.random(10), rng.integers(0, 9, 10))
    compare(of_rows, rng.random((10, 3)), rng.integers(0, 9, 10))


@pytest.mark.parametrize("function", [doubled, of_both])
def test_what_is_selected_is_no_array(function):
    compiled = ag.compile(function, fallback="error")
    text = compiled.kernels(np.ones(9), np.arange(9.0))
    assert "masked update" in text and "d:mask" not in text


@pytest.mark.parametrize("function", OTHERS)
def test_what_others_read_or_change_is_selected_first(function):
    assert "masked update" not in ag.compile(function, fallback="error").kernels(np.ones(9), np.arange(9.0))


def selected(x):
    return x[x > 4], np.nonzero(x > 4)[0], np.argwhere(x > 2), np.mean(x[x > 3])


@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8"])
def test_selections_end_with_the_last_element_that_is_set(dtype):
    for x in (np.arange(9), np.arange(9)[::-1], np.full(9, 5), np.r_[np.arange(9), 0, 0, 0]):
        for mine, theirs in zip(ag.compile(selected, fallback="error")(x.astype(dtype)), selected(x.astype(dtype)), strict=True):
            np.testing.assert_array_equal(mine, theirs)
