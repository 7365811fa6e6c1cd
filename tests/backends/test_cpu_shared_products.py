"""Large products by blocks of rows: every layout of the factors, sums added to what is there, any number of threads, the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.products.panels import has_product
from autograph_jit.backends.cpu.threading import sharing

FACTORS = {
    "plain": lambda x, y: x @ y,
    "turned": lambda x, y: x @ y.T,
    "turned first": lambda x, y: x.T @ y,
    "parts": lambda x, y: x[:, ::2] @ y[::2, 1:],
}

SIZES = [(150, 130, 140), (64, 700, 65), (1000, 60, 71), (63, 300, 300), (20, 300, 401), (3, 900, 800), (700, 3, 1200), (130, 1, 20000)]


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def factors(name, rows, terms, columns, dtype):
    shapes = {"turned": ((rows, terms), (columns, terms)), "turned first": ((terms, rows), (terms, columns))}
    first, second = shapes.get(name, ((rows, terms), (terms, columns)))
    return numbers(first, dtype, 0), numbers(second, dtype, 1)


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("sizes", SIZES)
def test_every_layout(name, dtype, sizes):
    x, y = factors(name, *sizes, dtype)
    found, wanted = ag.compile(FACTORS[name], fallback="error")(x, y), FACTORS[name](x, y)
    np.testing.assert_allclose(found, wanted, rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-3 if dtype == "f4" else 1e-11, strict=True)


@pytest.mark.skipif(not has_product(np.dtype("f8")), reason="BLAS multiplies where vectors are short")
@pytest.mark.parametrize("rows", [333, 30])
@pytest.mark.parametrize("name", FACTORS)
def test_bits_do_not_depend_on_threads_nor_on_where_rows_stand(monkeypatch, name, rows):
    share_now = sharing.share_now  # the product is said to be worth waking threads
    monkeypatch.setattr(sharing, "share_now", lambda e, made, units, work, *rest: share_now(e, made, units, e.integer(1 << 40), *rest))
    x, y = factors(name, rows, 140, 1000 if rows < 64 else 150, "f8")
    results = []
    for threads in (1, 2, 5):
        with ag.config(threads=threads):
            results.append(ag.compile(FACTORS[name], fallback="error")(x, y))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    if name == "plain":
        for part in (slice(100, 200), slice(5, 25)):
            np.testing.assert_array_equal(results[0][part], ag.compile(FACTORS[name])(x[part], y))


def layers(x, w, b):
    total = 0.0
    for _ in range(3):
        x = np.tanh(x @ w + b)
        total = total + np.sum(x)
    return total


def test_gradient_adds_products():
    x, w, b = numbers((160, 150), "f8", 2), numbers((150, 150), "f8", 3) / 12, numbers(150, "f8", 4)
    found = ag.grad(layers, argnums=1)(x, w, b)
    step, (i, j) = 1e-6, (3, 77)
    moved = [w.copy(), w.copy()]
    moved[0][i, j] += step
    moved[1][i, j] -= step
    assert found[i, j] == pytest.approx((layers(x, moved[0], b) - layers(x, moved[1], b)) / (2 * step), rel=1e-5)


def test_sizes_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="mismatch"):
        ag.compile(FACTORS["plain"], fallback="error")(np.ones((300, 200)), np.ones((201, 300)))
