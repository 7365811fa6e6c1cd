"""Positions of extrema of rows: every length around that of vectors and buffers, every dtype, NaN, ties, strides, computed rows."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.folds import short_rows

LENGTHS = [1, 2, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 1023, 1024, 1025, 1100]


def positions(x):
    return np.argmax(x, axis=-1), np.argmin(x, axis=-1, keepdims=True), np.argmax(x + x, axis=-1)


def of_middle_axes(x):
    return np.argmax(x.transpose(0, 2, 1), axis=2), np.argmin(np.abs(x), axis=2)


def assert_same(function, *arguments):
    for mine, theirs in zip(ag.compile(function, fallback="error")(*arguments), function(*arguments), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8", "c16"])
def test_rows_of_every_length(dtype):
    rng = np.random.default_rng(1)
    compiled = ag.compile(positions, fallback="error")
    for length in LENGTHS if dtype in ("f8", "i8") else LENGTHS[3:14]:
        for high in (2, 100):
            x = rng.integers(0, high, (7, length)).astype(dtype)
            for mine, theirs in zip(compiled(x), positions(x), strict=True):
                np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("length", LENGTHS)
def test_first_nan_is_the_extremum(length):
    rng = np.random.default_rng(2)
    x = rng.random((40, length))
    x[np.arange(0, 40, 2), rng.integers(0, length, 20)] = np.nan
    x[np.arange(0, 40, 3), rng.integers(0, length, 14)] = np.nan
    x[1] = np.nan
    x[5], x[7] = np.inf, -np.inf
    assert_same(positions, x)
    assert_same(positions, x.astype("f4"))


def test_zeros_of_either_sign_are_equal():
    x = np.zeros((2, 20))
    x[0, ::2], x[1, 1::2] = -0.0, -0.0
    assert_same(positions, x)


@pytest.mark.parametrize("length", [1, 6, 16, 40, 1030])
def test_strided_rows(length):
    x = np.random.default_rng(3).integers(0, 9, (9, 2 * length)).astype(float)
    for view in (x[:, ::2], x[::-1, ::-2], x[::2, :length], x.T):
        assert_same(positions, view)
    assert_same(of_middle_axes, np.random.default_rng(4).random((3, length, 5)))
    assert_same(of_middle_axes, np.random.default_rng(4).random((3, 5, length)))


def test_no_rows_and_no_columns():
    assert_same(positions, np.zeros((0, 9)))
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        ag.compile(positions, fallback="error")(np.zeros((9, 0)))


def test_many_rows_go_through_the_buffer_in_groups():
    x = np.random.default_rng(5).random((333, 10))
    assert_same(positions, x)
    assert_same(positions, x.reshape(3, 111, 10))


def test_processor_without_masked_loads(monkeypatch):
    monkeypatch.setattr(short_rows, "vector_bytes", lambda: 16)
    assert_same(positions, np.random.default_rng(6).random((30, 10)))


@pytest.mark.parametrize("function", [lambda x: np.argmax(x, axis=1), lambda x: np.argmin(x * 2.0 + 1.0, axis=1)])
def test_rows_are_read_by_one_nest_without_a_temporary(function):
    compiled = ag.compile(function, fallback="error")
    (line,) = [line for line in compiled.explain(np.ones((30, 10))).splitlines() if line.startswith("  memory")]
    assert "1 loop nest, 1 allocation" in line
