"""Searches in sorted arrays, of every length and for what is no number, and interpolation, which searches."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def found_by_halving(x, v):
    return np.searchsorted(x, v), np.searchsorted(x, v, side="right")


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8", "f4", "f8"])
def test_search_in_arrays_of_every_length(dtype):
    rng = np.random.default_rng(8)
    compiled = ag.compile(found_by_halving, fallback="error")
    for length in (0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33):
        x = np.sort(rng.integers(0, 20, length).astype(dtype))
        v = np.concatenate([rng.integers(0, 22, 40).astype(dtype), x])
        if dtype in ("f4", "f8"):
            v = np.concatenate([v, np.array([np.nan, np.inf, -np.inf, -0.0], dtype)])
        for values in (v, v[::-2], v[:0]):
            for mine, theirs in zip(compiled(x, values), found_by_halving(x, values), strict=True):
                np.testing.assert_array_equal(mine, theirs)
        if dtype == "f8" and length:
            x[length // 2 :] = np.nan
            for mine, theirs in zip(compiled(x, v), found_by_halving(x, v), strict=True):
                np.testing.assert_array_equal(mine, theirs)


def interpolated(x, xp, fp):
    return np.interp(x, xp, fp)


def test_interpolation_where_the_sizes_are_not_known_to_agree():
    rng = np.random.default_rng(9)
    compiled = ag.compile(interpolated, fallback="error")
    x, xp, fp = rng.random(50) * 3 - 1, np.sort(rng.random(9)), rng.random(9)
    np.testing.assert_allclose(compiled(x, xp, fp), interpolated(x, xp, fp), rtol=1e-13)
    assert "interp" not in compiled.explain(x, xp, fp).split("host calls")[1].splitlines()[0]
    with pytest.raises(ValueError, match="fp and xp are not of the same length."):
        compiled(x, xp, rng.random(10))
