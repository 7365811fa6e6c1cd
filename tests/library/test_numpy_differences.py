"""np.diff of higher orders: NumPy's numbers to the bit, in one nest."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_every_order_dtype_and_size(n, dtype):
    rng = np.random.default_rng(1)
    compiled = ag.compile(lambda x: np.diff(x, n=n), fallback="error")
    along_rows = ag.compile(lambda x: np.diff(x, n, axis=0), fallback="error")
    for shape in ((0,), (1,), (2,), (3,), (5,), (30,), (5, 3), (2, 2)):
        x = (9 * rng.random(shape)).astype(dtype)
        for mine, theirs in ((compiled(x), np.diff(x, n)), (along_rows(x[::-1]), np.diff(x[::-1], n, axis=0))):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.native
def test_second_differences_are_one_nest():
    assert ag.compile(lambda x: np.diff(x, n=2), fallback="error").kernels(np.ones(30)).count("kernel") == 1
