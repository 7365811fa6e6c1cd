"""Running reductions: every dtype, axis, length and layout; NaN; bits of NumPy's sums."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

FUNCTIONS = {"max": np.maximum.accumulate, "min": np.minimum.accumulate, "sum": np.cumsum, "prod": np.cumprod}
DTYPES = ["f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def running(x, name, axis):
    return FUNCTIONS[name](x, axis=axis)


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape).astype(dtype) if dtype[0] == "f" else rng.integers(-60, 60, shape).astype(dtype)


def assert_equal(x, name, axis):
    found, wanted = ag.compile(running, static_argnames=("name", "axis"), fallback="error")(x, name, axis), running(x, name, axis)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_along_lines_and_across_rows(name, dtype):
    x = numbers((3, 29), dtype)
    for axis in (0, 1):
        assert_equal(x, name, axis)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 31])
def test_every_length(name, count):
    assert_equal(numbers(count, "f8"), name, 0)
    assert_equal(numbers((count, 3), "f8"), name, 0)
    assert_equal(numbers((2, count, 5), "f8"), name, 1)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_nan_stays(name, dtype):
    for place in (0, 3, 8, 17, 28):
        x = numbers(29, dtype)
        x[place] = np.nan
        assert_equal(x, name, 0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_strided_and_turned_arrays(name):
    x = numbers((6, 40), "f8")
    for view in (x[:, ::2], x[::-1], x[:, ::-1], x.T, x[1:, 3:]):
        for axis in (0, 1):
            assert_equal(view, name, axis)


def test_running_sum_of_complex_numbers_across_rows():
    x = numbers((9, 4), "f8") + 1j * numbers((9, 4), "f8", 1)
    for axis in (0, 1):
        assert_equal(x, "sum", axis)


def test_long_line():
    assert_equal(numbers(300_000, "f8"), "max", 0)
