"""Medians, quantiles and percentiles find the elements of some ranks without sorting all, and give what NumPy gives."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import autograph_jit as ag


def medians(x):
    return np.median(x), np.median(x, axis=0), np.median(x, axis=-1)


def percentiles(x):
    return np.percentile(x, 30), np.percentile(x, [5, 50, 95]), np.percentile(x, [60, 60], axis=-1), np.quantile(x, 0.25, axis=0)


def methods(x):
    return np.quantile(x, 0.3, method="lower"), np.quantile(x, 0.3, method="higher"), np.quantile(x, [0.3, 0.9], method="midpoint")


def of_numbers(x):
    return np.nanmedian(x), np.nanquantile(x, 0.3), np.nanpercentile(x, 80)


def median_of_rows(x):
    total = 0.0
    for i in range(len(x)):
        total += np.median(x[i]) + np.percentile(x[i], 20)
    return total


def median_of_all(x):
    return np.median(x)


FUNCTIONS = [medians, percentiles, methods, of_numbers]
COMPILED = {}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0, -1.0])
SIZES = [2, 3, 4, 9, 10, 100, 255, 256, 257, 300, 1001]  # on both sides of what native code sorts


@pytest.fixture(autouse=True)
def compiled():
    """Programs of one test: there is a limit to how many a function has."""
    COMPILED.update({function: ag.compile(function) for function in FUNCTIONS})


def bits(x):
    return np.ascontiguousarray(x).tobytes()


def expect_numpys(function, x, exact=True):
    before = x.copy()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want, found = function(x), COMPILED[function](x)
    for mine, theirs in zip(found, want, strict=True):
        assert type(mine) is type(theirs) and mine.dtype == theirs.dtype and mine.shape == theirs.shape
        if exact:
            assert bits(mine) == bits(theirs), (x, mine, theirs)
        np.testing.assert_array_equal(mine, theirs)
        assert not isinstance(mine, np.ndarray) or (not np.shares_memory(mine, x) and (not mine.size or mine.strides == theirs.strides))
    assert bits(x) == bits(before)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("size", SIZES)
def test_vectors(size, function):
    rng = np.random.default_rng(size)
    exact = function in (medians, percentiles)  # the others give one of two equal zeros
    for x in (rng.normal(size=size), rng.normal(size=2 * size)[::-2], np.round(rng.normal(size=size))):
        expect_numpys(function, x, exact)
    for values in (SPECIAL[:2], SPECIAL[[0, 1, 5, 6, 7]], SPECIAL[:4], SPECIAL):
        expect_numpys(function, rng.choice(values, size), exact)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32", "uint8", "bool", "complex128"])
@pytest.mark.parametrize("size", [1, 2, 7, 256, 500])
def test_medians_of_dtypes(size, dtype):
    rng = np.random.default_rng(size)
    expect_numpys(medians, (rng.normal(size=size) * 9).astype(dtype))
    expect_numpys(medians, (rng.normal(size=(size, 3)) * 9).astype(dtype))


@pytest.mark.parametrize("shape", [(3, 4), (4, 3, 5), (300, 2), (2, 301), (1, 1)])
def test_axes_of_arrays_in_any_order(shape):
    x = np.random.default_rng(1).choice([*SPECIAL, 0.5, 0.25, 3.0], shape)
    for each in (x, x[::-1], np.asfortranarray(x)):
        expect_numpys(medians, each)
        expect_numpys(methods, each, False)
    expect_numpys(percentiles, x)


def test_empty_arrays():
    for x in (np.empty(0), np.empty((0, 3)), np.empty((3, 0)), np.empty(0, np.int64)):
        expect_numpys(medians, x)
    with pytest.raises(IndexError):
        percentiles(np.empty(0))
    with pytest.raises(IndexError):
        COMPILED[percentiles](np.empty(0))


@pytest.mark.parametrize("function", [medians, percentiles, methods])
@pytest.mark.parametrize("shape", [(500,), (20, 30)])
def test_nothing_is_sorted(function, shape):
    text = ag.compile(function, fallback="error").graph(np.ones(shape))
    assert "order_statistics" in text and " sort(" not in text


def test_numbers_of_a_vector_are_not_sorted():
    text = COMPILED[of_numbers].graph(np.ones(500))
    assert "order_statistics" in text and " sort(" not in text


def test_few_numbers_do_not_call_python():
    x = np.random.default_rng(0).normal(size=(5, 12))
    want, compiled = median_of_rows(x), ag.compile(median_of_rows, fallback="error")
    compiled(x)
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        got = compiled(x)
    finally:
        sys.setprofile(None)
    assert got == want and not {"partition", "order_statistics_of"} & set(called)


@pytest.mark.parametrize("size", [7, 8, 400])
def test_gradients_go_to_the_elements_in_the_middle(size):
    x = np.random.default_rng(size).permutation(size) + 0.5
    middle = np.sort(x)[(size - 1) // 2 : size // 2 + 1]
    np.testing.assert_array_equal(ag.grad(median_of_all)(x), np.isin(x, middle) / len(middle))
