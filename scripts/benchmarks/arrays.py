"""Whole-array programs: elementwise chains, reductions, softmax, matrix products with elementwise work around them."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def chain_float64(x, y):
    return np.sqrt(x * x + y * y) / (1.0 + np.abs(x - y)) + 0.5 * x * y


def chain_by_hand(x, y):
    out = np.empty_like(x)
    one, half = x.dtype.type(1.0), x.dtype.type(0.5)
    for i in range(x.size):
        out[i] = np.sqrt(x[i] * x[i] + y[i] * y[i]) / (one + abs(x[i] - y[i])) + half * x[i] * y[i]
    return out


def chain_float32(x, y):
    return np.sqrt(x * x + y * y) / (1.0 + np.abs(x - y)) + 0.5 * x * y


def chain_exp(x, y):
    return np.exp(-x * x) * np.tanh(y) + np.log1p(np.abs(x))


def chain_exp_by_hand(x, y):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = np.exp(-x[i] * x[i]) * np.tanh(y[i]) + np.log1p(abs(x[i]))
    return out


def root_mean_square(x):
    return np.sqrt(np.mean(x * x))


def root_mean_square_by_hand(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return np.sqrt(total / x.size)


def standardize(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def standardize_by_hand(x):
    rows, columns = x.shape
    mean, variance = np.zeros(columns), np.zeros(columns)
    out = np.empty_like(x)
    for i in range(rows):
        for j in range(columns):
            mean[j] += x[i, j]
    mean /= rows
    for i in range(rows):
        for j in range(columns):
            variance[j] += (x[i, j] - mean[j]) ** 2
    scale = np.sqrt(variance / rows)
    for i in range(rows):
        for j in range(columns):
            out[i, j] = (x[i, j] - mean[j]) / scale[j]
    return out


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def softmax_by_hand(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        largest = x[i, 0]
        for j in range(1, x.shape[1]):
            largest = max(largest, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            out[i, j] = np.exp(x[i, j] - largest)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


def dense_layers(x, w, b):
    for i in range(w.shape[0]):
        x = np.maximum(x @ w[i] + b[i], 0.0)
    return x


def dense_layers_by_hand(x, w, b):
    for layer in range(w.shape[0]):
        y = np.dot(x, w[layer])
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] = max(y[i, j] + b[layer, j], 0.0)
        x = y
    return x


def pair(size: int, dtype: type = np.float64) -> tuple:
    rng = np.random.default_rng(9)
    return rng.standard_normal(size).astype(dtype), rng.standard_normal(size).astype(dtype)


def table(size: int) -> tuple:
    return (np.random.default_rng(10).standard_normal((size, 64)),)


def layers(size: int) -> tuple:
    rng = np.random.default_rng(11)
    return rng.standard_normal((size, 64)), rng.standard_normal((4, 64, 64)) / 8, rng.standard_normal((4, 64))


BENCHMARKS = (
    Benchmark("elementwise, float64", chain_float64, chain_by_hand, pair, 100_000, 100),
    Benchmark("elementwise, float32", chain_float32, chain_by_hand, lambda n: pair(n, np.float32), 100_000, 100, rtol=1e-5),
    Benchmark("elementwise, exp", chain_exp, chain_exp_by_hand, pair, 100_000, 100),
    Benchmark("reduction", root_mean_square, root_mean_square_by_hand, lambda n: pair(n)[:1], 200_000, 100),
    Benchmark("reduction by axis", standardize, standardize_by_hand, table, 2000, 10),
    Benchmark("softmax", softmax, softmax_by_hand, table, 2000, 10),
    Benchmark("matmul mix", dense_layers, dense_layers_by_hand, layers, 128, 4),
)
