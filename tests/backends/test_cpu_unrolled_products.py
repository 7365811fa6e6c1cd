"""Products of small matrices of known sizes: every size, layout and stack, in rows that are vectors."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.driver import compile_graph
from tests.backends.building import Maker, N, array


def product(x, y):
    return x @ y


def compare(x, y):
    result = ag.compile(product, fallback="error")(x, y)
    expected = product(x, y)
    assert result.dtype == expected.dtype
    bound = np.abs(x) @ np.abs(y)  # of what the terms of a sum may be rounded by
    assert np.all((np.abs(result - expected) <= 8 * np.finfo(result.dtype).eps * bound) | (np.isnan(expected) & np.isnan(result)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("sizes", [(2, 2, 7), (2, 8, 2), (3, 3, 4), (4, 4, 4), (5, 7, 3), (7, 5, 8), (8, 8, 8), (8, 2, 5)])
def test_every_layout(dtype, sizes):
    rows, inner, columns = sizes
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(6, rows, inner)).astype(dtype), rng.normal(size=(6, inner, columns)).astype(dtype)
    for count in (0, 1, 6):
        compare(x[:count], y[:count])
    compare(x, y[0])
    compare(x[0], y)
    compare(x[:1], y)
    compare(x[::-2], y[::2])
    compare(rng.normal(size=(6, inner, rows)).astype(dtype).transpose(0, 2, 1), y)
    compare(x, rng.normal(size=(6, columns, inner)).astype(dtype).transpose(0, 2, 1))
    compare(rng.normal(size=(2, 3, rows, inner)).astype(dtype), y[:3])


def sixteen(x):
    return np.ones((16, 16)) @ x[:16, :16].copy().reshape(16, 16)


def test_rows_in_a_loop():
    x = np.random.default_rng(2).normal(size=(20, 20))
    np.testing.assert_allclose(ag.compile(sixteen, fallback="error")(x), sixteen(x), rtol=1e-13)


def test_what_is_no_number():
    x = np.random.default_rng(3).normal(size=(5, 4, 4))
    x[1, 2, 3], x[3, 0, 0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(ag.compile(product, fallback="error")(x, x), x @ x, rtol=1e-12)


def program(x, y):
    for _ in range(3):
        x = x @ y
    return x


def test_factor_is_not_written_over():
    x, y = np.random.default_rng(4).normal(size=(2, 4, 4))
    np.testing.assert_allclose(ag.compile(program, fallback="error")(x, y), program(x, y), rtol=1e-12)


def test_rows_are_vectors():
    m = Maker()
    x, y = m.param(array(N, 4, 8)), m.param(array(N, 8, 5))
    graph = m.done(m.op("matmul", x, y))
    assert "<5 x double>" in compile_graph(graph, layouts=("C", "C")).llvm
