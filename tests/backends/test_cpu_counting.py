"""Integers that lie close together are sorted by counting; all others, and their order, are NumPy's."""

from __future__ import annotations

import functools
import sys

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.arrays.counting import WIDEST
from autograph_jit.backends.cpu.arrays.ranking import LONGEST


def ordered(x):
    return np.sort(x), np.unique(x)


def counted(x):
    return np.unique(x, return_counts=True)


DTYPES = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"]


@functools.cache
def compiled_for(function, dtype):
    """There is a limit to how many programs a function has."""
    return ag.compile(function, fallback="error")


def expect_numpys(x, function=ordered):
    before = x.copy()
    for got, want in zip(compiled_for(function, x.dtype)(x), function(x), strict=True):
        np.testing.assert_array_equal(got, want, strict=True)
        assert got.tobytes() == want.tobytes() and not np.shares_memory(got, x)
    assert x.tobytes() == before.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 2, LONGEST, LONGEST + 1, 1000, 5000])
def test_numbers_of_each_dtype(size, dtype):
    rng = np.random.default_rng(size)
    ends = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low, high in ((0, 100), (ends[0], ends[0] + 90), (ends[1] - 90, ends[1]), ends):
        low, high = max(low, ends[0]), min(high, ends[1])
        x = rng.integers(low, high, 2 * size, dtype="u1" if dtype == "bool" else dtype).astype(dtype)
        expect_numpys(x[:size])
        expect_numpys(x[::-2])
        expect_numpys(x[:size], counted)


@pytest.mark.parametrize("width", [298, 299, 300, 301])
def test_as_far_apart_as_there_are_numbers(width):
    x = np.random.default_rng(1).integers(-5, width - 5, 300)
    x[:2] = -5, width - 5
    expect_numpys(x)


@pytest.mark.parametrize("width", [WIDEST - 1, WIDEST, WIDEST + 1])
def test_as_far_apart_as_is_counted(width):
    x = np.random.default_rng(1).integers(0, width, WIDEST + 9)
    x[:2] = 0, width
    expect_numpys(x)


def test_ends_of_an_i64_are_not_close():
    ends = np.iinfo(np.int64)
    for numbers in ([ends.min, ends.max], [ends.min, 0], [ends.max, -1], [ends.min], [ends.max, ends.max - 1]):
        expect_numpys(np.array(numbers * 300))


def test_counting_does_not_call_numpy():
    x = np.random.default_rng(0).integers(0, 50, 1000)
    compiled = ag.compile(ordered, fallback="error")
    compiled(x)
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        compiled(x)
    finally:
        sys.setprofile(None)
    assert not {"sort", "sort_array"} & set(called)
