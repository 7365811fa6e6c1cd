"""Elementwise chains and reductions by size: from a hundred to ten million elements, single and double precision."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark

SIZES = (100, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
DTYPES = (np.float32, np.float64)
RTOL = {np.float32: 2e-5, np.float64: 1e-10}


def arithmetic(x, y):
    return np.sqrt(x * x + y * y) / (1.0 + np.abs(x - y)) + 0.5 * x * y


def transcendental(x, y):
    return np.exp(-x * x) * np.tanh(y) + np.log1p(np.abs(x))


def sum_of_products(x, y):
    return np.sum(x * y)


def largest_difference(x, y):
    return np.max(np.abs(x - y))


def log_sum_exp(x, y):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest) * np.abs(y)))


FUNCTIONS = (arithmetic, transcendental, sum_of_products, largest_difference, log_sum_exp)


def pair(size: int, dtype: type) -> tuple:
    rng = np.random.default_rng(34)
    return rng.standard_normal(size).astype(dtype) + dtype(0.5), rng.standard_normal(size).astype(dtype) + dtype(0.5)


def case(function, dtype: type, size: int) -> Benchmark:
    variant = f"{dtype.__name__}, 1e{round(np.log10(size))}"
    return Benchmark("by size", function, function, lambda n: pair(n, dtype), size, min(size, 100), RTOL[dtype], variant)


BENCHMARKS = tuple(case(function, dtype, size) for function in FUNCTIONS for dtype in DTYPES for size in SIZES)
