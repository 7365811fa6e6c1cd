"""Extrema and their positions are NumPy's: long lines, columns, strides, ties, NaN, every dtype, and expressions that are fused in."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import autograph_jit as ag

DTYPES = ["f8", "f4", "i8", "i4", "u1", "?"]


def table(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Few distinct numbers, so that there are ties."""
    return np.random.default_rng(seed).integers(0, 2 if dtype == "?" else 50, shape).astype(dtype)


def positions(x):
    return np.argmax(x, axis=0), np.argmin(x, axis=1), np.argmax(x), np.argmin(x, axis=0, keepdims=True)


def positions_in_a_line(x):
    return np.argmax(x), np.argmin(x)


def positions_in_a_box(x):
    return np.argmax(x, axis=1), np.argmin(x, axis=0), np.argmax(x, axis=2), np.argmin(x, axis=1, keepdims=True), np.argmax(x)


def fused(x, y):
    return np.argmin(np.abs(x - y)), np.argmax(x * y, axis=0) if x.ndim > 1 else 0


def assert_agrees(function, *arguments):
    for mine, theirs in zip(ag.compile(function, fallback="error")(*arguments), function(*arguments)):
        np.testing.assert_array_equal(mine, theirs)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (6, 1100)])
def test_tables(dtype, shape):
    assert_agrees(positions, table(shape, dtype))
    assert_agrees(positions, np.asfortranarray(table(shape, dtype, 1)))
    assert_agrees(positions, table((2 * shape[0], 3 * shape[1]), dtype, 2)[::2, ::-3])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [17, 2500])
def test_lines(dtype, size):
    assert_agrees(positions_in_a_line, table((size,), dtype))
    assert_agrees(positions_in_a_line, table((3 * size,), dtype)[::3])


def test_boxes():
    assert_agrees(positions_in_a_box, table((4, 6, 9), "f8"))
    assert_agrees(positions_in_a_box, table((4, 6, 9), "i4").transpose(2, 0, 1))


@pytest.mark.parametrize("place", [0, 1024, 2998])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_numbers_win_where_they_stand_first(place, special):
    x = np.random.default_rng(3).standard_normal(3000)
    x[place] = x[-1] = special
    assert_agrees(positions_in_a_line, x)
    assert_agrees(positions, x.reshape(60, 50))


def test_equal_extremes_of_everything():
    for number in (np.inf, -np.inf, np.nan, 0.0):
        assert_agrees(positions_in_a_line, np.full(2100, number))
        assert_agrees(positions, np.full((30, 40), number))
    zeros = np.array([0.0, -0.0, 0.0] * 10)
    assert_agrees(positions_in_a_line, zeros)


def test_expression_is_computed_where_it_is_searched():
    rng = np.random.default_rng(4)
    assert_agrees(fused, rng.standard_normal(2500), rng.standard_normal(2500))
    assert_agrees(fused, rng.standard_normal((30, 40)), rng.standard_normal((30, 40)))
    text = ag.compile(fused).kernels(rng.standard_normal(50), rng.standard_normal(50))
    assert "abs" in str(text)
    assert str(text).count("kernel") == str(ag.compile(positions_in_a_line).kernels(rng.standard_normal(50))).count("kernel") - 1


def test_complex_numbers_are_left_to_numpy():
    x = np.random.default_rng(5).standard_normal((2, 300)).view(np.complex128)
    assert_agrees(positions, x)
    assert_agrees(fused, x, x + 1)


def test_empty_axes_fail_as_in_numpy():
    for axis in (None, 0):
        compiled = ag.compile(lambda x, axis=axis: np.argmax(x, axis=axis), fallback="error")
        with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
            compiled(np.zeros((0, 3)))


def best_and_where(x, y):
    table = x[:, np.newaxis] + y
    where = np.argmax(table, axis=0)
    best = np.max(table, axis=0)
    return best * 2, where, np.argmin(table, axis=0), np.min(table, axis=0)


def written_between(x, y):
    where = np.argmax(y, axis=0)
    y[0] = x[0]
    return where, np.max(y, axis=0), y


def in_a_loop(x, y):
    back = np.zeros((5, y.shape[1]), dtype=np.int64)
    for t in range(5):
        table = x[:, np.newaxis] * (t - 2) + y
        back[t] = np.argmax(table, axis=0)
        x = np.max(table, axis=0)
    return x, back


@pytest.mark.parametrize("function", [best_and_where, written_between, in_a_loop])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_positions_and_extrema_of_columns_in_one_pass_are_numpys(function, dtype):
    rng = np.random.default_rng(3)
    compiled = ag.compile(function, fallback="error")
    for rows in (1, 2, 5, 33):
        x, y = (rng.integers(-4, 5, shape).astype(dtype) for shape in (rows, (rows, rows)))
        for spoiled in (False, True):
            if spoiled and dtype != "i8":
                y[rows // 2, ::2], x[-1] = np.nan, np.inf
            given = x.copy(), y.copy()
            for got, want in zip(compiled(x, y), function(*given), strict=True):
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got, want)


def test_positions_and_extrema_of_nothing_fail_as_positions_do():
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        ag.compile(best_and_where, fallback="error")(np.ones(0), np.ones((0, 3)))


def test_table_of_which_position_and_extremum_are_wanted_is_not_stored():
    compiled = ag.compile(in_a_loop, fallback="error")
    kernels = compiled.kernels(np.ones(20), np.ones((20, 20)))
    assert "kernel reduce" not in kernels and "kernel add" not in kernels


def largest_of_some(x):
    return np.max(np.where(x < 0.5, -np.inf, x))


def smallest_number(x):
    return np.nanmin(x)


@pytest.mark.parametrize("function", [largest_of_some, smallest_number])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.optimised
def test_extrema_of_choices_are_found_in_vectors(function, dtype):
    """LLVM has vectors for the extremum of choices, none for a choice of extrema."""
    x = np.random.default_rng(0).standard_normal(1000).astype(dtype)
    compiled = ag.compile(function, fallback="error")
    assert compiled(x) == function(x)
    (executable,) = compiled.specializations[0].executables.values()
    assert re.search(r"llvm\.vector\.reduce\.fm(ax|in)imum", executable.library.llvm)
    for special in ([np.nan], [np.nan, 1.0], [-np.inf, np.nan], [-0.0, np.nan, 0.0], [np.nan] * 40, [0.7] * 39 + [np.nan]):
        values = np.array(special, dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(compiled(values), function(values))
