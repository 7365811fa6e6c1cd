"""Matrix products by our own code: every size of tile, strides, dtypes, long sums, the same bits wherever a row or column stands."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.products.panels import NAMES, has_product
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
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_matrices_whose_columns_lie_side_by_side(dtype):
    rows = {"f4": (30, 400), "f8": (30, 300)}[dtype]
    for terms in (1, 7, 8, 15, 16, 17, 40, 195):
        for columns in (1, 8, 16, 23, 24, 25, 33, 47, 50):
            wide = numbers(columns, terms + 3, dtype)
            for height in rows:
                x, turned = numbers(height, terms, dtype), wide[:, 2 : 2 + terms].T
                np.testing.assert_array_equal(product(x, turned), product(x, turned.copy(order="C")))


def assert_products_of_vectors(function, matrix, vector):
    tolerance = {"rtol": 1e-5, "atol": 1e-3 if matrix.dtype == "f4" else 1e-9}
    np.testing.assert_allclose(function(vector, matrix), vector @ matrix, **tolerance)
    np.testing.assert_allclose(function(matrix.T, vector), matrix.T @ vector, **tolerance)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
def test_products_of_vectors_and_matrices(dtype):
    function = ag.compile(lambda x, y: x @ y, fallback="error")
    for terms, columns in ((200, 31), (17, 33), (193, 64), (40, 65), (9, 200), (500, 500)):
        y, v = ((array * 4).astype(dtype) for array in (numbers(2 * terms, 2 * columns), numbers(1, 3 * terms)[0]))
        part = y[:terms, :columns]
        for matrix in (part, part.copy(), part.T.copy().T, y[::2, ::2], y[:terms, columns - 1 :: -1]):
            for vector in (v[:terms], v[::3], v[::-3]):
                assert_products_of_vectors(function, matrix, vector)


@pytest.mark.parametrize(("terms", "columns"), [(0, 3), (1, 1), (3, 0), (5, 8)])
def test_products_of_short_vectors(terms, columns):
    assert_products_of_vectors(ag.compile(lambda x, y: x @ y, fallback="error"), numbers(terms, columns), numbers(1, terms)[0])


@tiled
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_vectors_times_matrices_of_every_width(dtype):
    for count in (2, 3, 4, 5, 7, 8, 9, 15, 23):
        for width in (*range(2, 35), 63, 64, 65, 127, 130):
            y, v = np.full((count + 2, width + 2), np.nan, dtype), numbers(1, max(count, width), dtype)[0]
            y[1:-1, 1:-1] = numbers(count, width, dtype)  # what lies around is not a number
            inside = y[1:-1, 1:-1]
            bound = 4 * (count + width) * np.finfo(dtype).eps * np.abs(v).max(initial=1.0) * np.abs(inside).max(initial=1.0)
            np.testing.assert_allclose(product(inside, v[:width]), inside.astype(np.longdouble) @ v[:width], rtol=0, atol=bound)
            np.testing.assert_allclose(product(v[:count], inside), v[:count].astype(np.longdouble) @ inside, rtol=0, atol=bound)


@pytest.mark.parametrize("terms", [4095, 4096, 4097, 8191, 8192, 8193, 50_000])
def test_products_of_long_vectors_are_as_exact_as_sums_in_pairs(terms):
    y, v = numbers(3, terms), numbers(1, terms)[0]
    bound = 64 * np.finfo("f8").eps * (np.abs(y).astype(np.longdouble) @ np.abs(v))
    exact = y.astype(np.longdouble) @ v
    assert np.all(np.abs(product(y, v) - exact) <= bound)
    assert np.all(np.abs(product(v, y.T) - exact) <= bound) and np.all(np.abs(product(v, y.T.copy()) - exact) <= bound)


@tiled
def test_a_row_times_a_vector_is_the_same_wherever_it_stands():
    x, v = numbers(11, 150), numbers(1, 150)[0]
    together = product(x, v)
    for row in range(11):
        assert product(x[row:], v)[0] == product(x[row : row + 1], v)[0] == together[row]


@tiled
def test_one_row_is_multiplied_as_in_a_matrix():
    x, y = numbers(30, 400), numbers(400, 150)
    np.testing.assert_array_equal(product(x[3:4], y)[0], product(x, y)[3])


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


def windows_by_matrix(x, m):
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)
    total = np.ones((*windows.shape[:3], m.shape[-1]))
    total += windows @ m
    return total


STRIDED = (
    (lambda x, m: x[:, ::2] @ m, (3, 8), (4,)),  # sizes that the program knows, and steps that it knows
    (lambda x, m: x[..., ::2] @ m, (2, 3, 8), (4,)),
    (lambda x, m: x[::2, ::2] @ m, (6, 8), (4,)),
    (lambda x, m: m @ x[::2, ::2].T, (6, 8), (4,)),
    (windows_by_matrix, (10, 22, 22), (3, 20)),
)


def test_products_of_strided_views():
    for function, left, right in STRIDED:
        x, m = np.random.default_rng(5).normal(size=left), np.random.default_rng(6).normal(size=right)
        np.testing.assert_allclose(ag.compile(function, fallback="error")(x, m), function(x, m), rtol=1e-12)
