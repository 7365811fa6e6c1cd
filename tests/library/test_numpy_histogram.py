"""np.histogram in compiled code: NumPy's counts and edges to the bit, at edges, in narrow bins, of nothing, of what is no number."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import autograph_jit as ag


def of_data(x):
    return np.histogram(x)


def in_few(x):
    return np.histogram(x, 3)


def in_many(x):
    return np.histogram(x, bins=1000)


def in_range(x):
    return np.histogram(x, bins=7, range=(-0.5, 0.7))


def between_integers(x):
    return np.histogram(x, 50, range=(0, 1))


def in_a_point(x):
    return np.histogram(x, 4, (0.5, 0.5))


FUNCTIONS = [of_data, in_few, in_many, in_range, between_integers, in_a_point]


@functools.cache
def compiled(function):
    return ag.compile(function, fallback="error")


def compare(function, x):
    counts, edges = compiled(function)(x)
    expected, wanted = function(x)
    assert counts.dtype == expected.dtype and edges.dtype == wanted.dtype
    np.testing.assert_array_equal(edges, wanted)
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_counts_and_edges_are_numpys(function, dtype):
    rng = np.random.default_rng(1)
    for count in (1, 2, 100, 4096, 4097):
        compare(function, rng.random(count).astype(dtype))
        compare(function, rng.normal(size=(count, 2)).astype(dtype)[::-1])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_elements_at_the_edges(function, dtype):
    for low, high in ((0.0, 1.0), (-0.5, 0.7), (-3.7, 1e5), (1e-7, 3e-7)):
        edges = np.histogram(np.array([low, high], dtype), bins=function(np.array([low, high], dtype))[1].size - 1)[1]
        near = [np.nextafter(edges, np.array(end, dtype)) for end in (-np.inf, np.inf)]
        compare(function, np.concatenate([edges, *near]).astype(dtype))


@pytest.mark.parametrize("dtype, spread", [("f4", 1e-4), ("f8", 1e-12), ("f8", 1e-11)])
def test_bins_of_a_few_roundings(dtype, spread):
    x = (1.0 + spread * np.random.default_rng(2).random(2000)).astype(dtype)
    compare(in_few, x)
    compare(of_data, x)


def test_too_many_bins():
    with pytest.raises(ValueError, match="Too many bins for data range. Cannot create 1000 finite-sized bins."):
        ag.compile(in_many, fallback="error")(np.array([1.0, 1.0 + 1e-15]))


def test_of_nothing_and_of_equal_elements():
    for function in FUNCTIONS:
        compare(function, np.zeros(0))
        compare(function, np.full(9, 0.5, "f4"))
        compare(function, np.zeros((3, 0)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite(bad):
    x = np.random.default_rng(3).random(100)
    x[17] = bad
    compare(in_range, x)
    with pytest.raises(ValueError) as expected:
        of_data(x)
    with pytest.raises(ValueError) as raised:
        ag.compile(of_data, fallback="error")(x)
    assert str(raised.value) == str(expected.value)


def test_other_forms_are_left_to_numpy():
    x, w = np.random.default_rng(4).random((2, 100))
    for function in (
        lambda x: np.histogram(x, density=True),
        lambda x: np.histogram(x, [0.0, 0.3, 1.0]),
        lambda x: np.histogram((x * 9).astype(int), 4),
        lambda x: np.histogram(x, weights=w),
        lambda x: np.histogram(x, "auto"),
    ):
        compare(function, x)
    with pytest.raises(ValueError, match="max must be larger than min"):
        ag.compile(lambda x: np.histogram(x, range=(1.0, 0.0)))(x)


@pytest.mark.native
def test_elements_are_not_counted_by_python():
    counting = ag.compile(in_range, fallback="error")
    calls = counting.explain(np.ones(9)).split("host calls")[1].splitlines()[0]
    assert calls.strip() == "none"
    assert "kernel" in counting.kernels(np.ones(9))
