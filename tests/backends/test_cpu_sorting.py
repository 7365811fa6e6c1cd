"""Vectors of a few numbers are sorted by native code as NumPy sorts them; what does not suit, or might show another order, is NumPy's."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.arrays.ordering import ORDERED
from autograph_jit.backends.cpu.arrays.ranking import LONGEST, RANKED


def orders(x):
    return np.sort(x), np.argsort(x), np.sort(x, kind="stable"), np.argsort(x, kind="stable")


COMPILED = ag.compile(orders, fallback="error")
DTYPES = [*(dtype.name for dtype in RANKED), "int16", "uint64", "bool", "complex128"]


def expect_numpys(x):
    before = x.copy()
    for got, want in zip(COMPILED(x), orders(x), strict=True):
        assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
        assert got.tobytes() == want.tobytes(), (x, got, want)
    assert x.tobytes() == before.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 20, 33, 100, LONGEST - 1, LONGEST, LONGEST + 1, 1000])
def test_orders_are_numpys(size, dtype):
    rng = np.random.default_rng(size)
    for spread in (1e6, 3.0):  # distinct numbers, and many equal ones
        numbers = np.round(rng.normal(size=2 * size) * spread).astype(dtype)
        for x in (numbers[:size], numbers[::2], numbers[::-2], np.sort(numbers[:size]), np.sort(numbers[:size])[::-1]):
            expect_numpys(x)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_zeros_infinities_and_what_is_no_number(dtype):
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0, -1.0, np.finfo(dtype).tiny / 2], dtype)
    rng = np.random.default_rng(0)
    for size in (2, 5, 8, 20, 60):
        for _ in range(10):
            expect_numpys(rng.choice(special, size))
            expect_numpys(rng.choice(special[2:4], size))


def test_bounds_of_integers():
    for dtype in ("int64", "int32"):
        ends = np.iinfo(dtype)
        expect_numpys(np.array([0, ends.max, ends.min, -1, ends.max, ends.min + 1, 5], dtype))


def test_few_numbers_do_not_call_python():
    def ranked(x):
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = np.sort(x[i]) + np.argsort(x[i])
        return out

    x = np.random.default_rng(0).normal(size=(5, 12))
    want, compiled = ranked(x), ag.compile(ranked, fallback="error")
    compiled(x)
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        got = compiled(x)
    finally:
        sys.setprofile(None)
    np.testing.assert_array_equal(got, want)
    assert not {"sort", "sort_array", "argsort", "argsort_array"} & set(called)


def of_many(dtype, rng, n):
    """Numbers of all sizes, few different ones, ordered ones, ordered the other way, extremes with NaNs and zeros of both signs."""
    if dtype.kind == "f":
        yield from (rng.standard_normal(n) * 1e30, np.round(rng.standard_normal(n)) * -0.5, np.sort(rng.random(n)), -np.arange(n))
        yield rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0, -1e-310], n)
        return
    ends = np.iinfo(dtype)
    yield from (rng.integers(ends.min, ends.max, n, dtype, endpoint=True), rng.integers(0, 5, n), np.arange(n) // 9, -np.arange(n) % 100)
    yield rng.choice(np.array([ends.min, ends.max, 0, 1], dtype), n)


def test_stable_orders_of_many_numbers_are_native():
    def order(x):
        return np.argsort(x, kind="stable")

    compiled, rng = ag.compile(order, fallback="error"), np.random.default_rng(3)
    for dtype in ORDERED:
        for n in (LONGEST + 1, 900):
            for numbers in of_many(dtype, rng, n):
                for x in (numbers.astype(dtype), numbers.astype(dtype)[::-2], np.repeat(numbers.astype(dtype), 2)[1::3]):
                    np.testing.assert_array_equal(compiled(x), order(x), str((dtype, n)))
    assert "host calls    none" in str(compiled.explain(np.ones(900)))


def test_sorting_in_place_medians_and_distinct_numbers():
    def several(x):
        y = x.copy()
        y.sort()
        return y, np.median(x), np.percentile(x, 30), np.unique(np.round(x))

    x = np.random.default_rng(1).normal(size=21)
    for got, want in zip(ag.compile(several, fallback="error")(x), several(x), strict=True):
        np.testing.assert_array_equal(got, want)


def test_gradients_go_through_the_order():
    x = np.array([3.0, -1.0, 2.0, 0.5])
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    np.testing.assert_array_equal(ag.grad(lambda x: np.sum(np.sort(x) * weights))(x), [1000.0, 1.0, 100.0, 10.0])
