"""Matrix products by our own code: every size of tile, strides, dtypes, long sums, the same bits wherever a row or column stands."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.products import NAMES, has_product
from autograph_jit.ir.dims import atom
from tests.backends.building import M, Maker, N, array, compare

tiled = pytest.mark.skipif(not has_product(np.dtype("f8")), reason="this processor has no vectors that are stored in part")


@ag.compile(fallback="error")
def product(x, y):
    return x @ y


def numbers(rows: int, columns: int, dtype: str = "f8") -> np.ndarray:
    return np.random.default_rng(rows * 1000 + columns).standard_normal((rows, columns)).astype(dtype)


def assert_product(x, y):
    exact = x.astype(np.longdouble) @ y.astype(np.longdouble)
    bound = np.abs(x).astype(np.longdouble) @ np.abs(y).astype(np.longdouble) * np.finfo(x.dtype).eps * (2 + x.shape[1])
    found = product(x, y)
    assert found.dtype == x.dtype and found.shape == exact.shape
    assert np.all(np.abs(found - exact) <= bound)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_height_and_width_of_tiles(dtype):
    for rows in (1, 2, 3, 4, 7, 8, 9, 15, 24, 31):
        for columns in (1, 2, 7, 8, 9, 16, 17, 24, 25, 33, 49, 50, 97):
            assert_product(numbers(rows, 5, dtype), numbers(5, columns, dtype))


@pytest.mark.parametrize("terms", [0, 1, 2, 191, 192, 193, 385, 1000])
def test_sums_of_any_length(terms):
    for rows in (3, 30):
        assert_product(numbers(rows, terms), numbers(terms, 11))


@pytest.mark.parametrize("rows", [2, 20, 40])
def test_any_strides(rows):
    x, y = numbers(80, 80), numbers(60, 80)
    for left in (x[: 2 * rows : 2, :60:2], x[rows - 1 :: -1, 30:60], x[:rows, :30].copy(order="F"), x.T[:rows, :30]):
        for right in (y[::2, ::2], y[30:, ::-1], y[:30].copy(order="F"), y[29::-1], y.T[:30], y[:30, :70]):
            assert_product(left, right)


@tiled
def test_bits_do_not_depend_on_the_place():
    x, y = numbers(37, 300), numbers(300, 61)
    whole = product(x, y)
    np.testing.assert_array_equal(product(x[5:], y), whole[5:])
    np.testing.assert_array_equal(product(x[33:], y), whole[33:])
    np.testing.assert_array_equal(product(x, y[:, 13:].copy()), whole[:, 13:])
    np.testing.assert_array_equal(product(x, y.copy(order="F")), whole)


def test_what_is_no_number_stays_where_it_belongs():
    x, y = numbers(9, 5), numbers(5, 11)
    x[3, 2], y[4, 10] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(np.isfinite(product(x, y)), np.isfinite(x @ y))


@tiled
def test_floats_use_the_shared_code_and_others_do_not():
    for dtype, uses in (("f8", True), ("f4", True), ("c16", False), ("i8", False)):
        m = Maker()
        x, y = m.param(array(N, M, dtype=dtype)), m.param(array(M, atom("s2"), dtype=dtype))
        executable = compare(m.done(m.op("matmul", x, y)), np.ones((3, 4), dtype), np.ones((4, 2), dtype))
        assert any(name in executable.llvm for name in NAMES.values()) is uses
