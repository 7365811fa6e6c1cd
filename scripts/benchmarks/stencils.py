"""Stencils in one and two dimensions, by slices and by index, and triangular slices."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark
from samples.heat import example as plate
from samples.heat import heat
from samples.lu import example as matrix
from samples.lu import lu


def diffuse_slices(u, rate, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def diffuse_by_hand(u, rate, steps):
    for _ in range(steps):
        left = u[0]
        for i in range(1, u.shape[0] - 1):
            here = u[i]
            u[i] = here + rate * (u[i + 1] - 2.0 * here + left)
            left = here
    return u


def smooth_index(u, out, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            out[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]
        for i in range(1, len(u) - 1):
            u[i] = out[i]
    return u


def heat_by_hand(u, rate, steps, tolerance):
    rows, columns = u.shape
    flow = np.empty((rows, columns))
    for step in range(steps):
        largest = 0.0
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                flow[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] += rate * flow[i, j]
                largest = max(largest, abs(flow[i, j]))
        if largest < tolerance:
            return step + 1
    return steps


def gauss_seidel_index(u, steps):
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def lu_by_hand(a):
    n = a.shape[0]
    order = np.arange(n)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if a[p, k] == 0.0:
            return None
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            order[k], order[p] = order[p], order[k]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
    return order


def forward_substitution(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - np.dot(lower[i, :i], x[:i])) / lower[i, i]
    return x


def forward_substitution_by_hand(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        total = b[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    return x


def floyd_warshall(distance):
    for k in range(distance.shape[0]):
        distance[:] = np.minimum(distance, distance[:, k, np.newaxis] + distance[k])
    return distance


def floyd_warshall_by_hand(distance):
    n = distance.shape[0]
    for k in range(n):
        for i in range(n):
            first = distance[i, k]
            for j in range(n):
                distance[i, j] = min(distance[i, j], first + distance[k, j])
    return distance


def rod(size: int) -> np.ndarray:
    return np.random.default_rng(6).random(size)


def triangle(size: int) -> tuple:
    rng = np.random.default_rng(7)
    return np.tril(rng.standard_normal((size, size))) + size * np.eye(size), rng.standard_normal(size)


def roads(size: int) -> tuple:
    distance = np.random.default_rng(8).uniform(1.0, 100.0, (size, size))
    np.fill_diagonal(distance, 0.0)
    return (distance,)


BENCHMARKS = (
    Benchmark("stencil 1-D, slices", diffuse_slices, diffuse_by_hand, lambda n: (rod(n), 0.2, 100), 20_000, 50),
    Benchmark("stencil 1-D, index", smooth_index, smooth_index, lambda n: (rod(n), np.zeros(n), 10), 20_000, 50),
    Benchmark("stencil 2-D, slices", heat, heat_by_hand, lambda n: (*plate(n)[:2], 100, 1e-6), 200, 12),
    Benchmark("stencil 2-D, index", gauss_seidel_index, gauss_seidel_index, lambda n: (plate(n)[0], 10), 120, 12),
    Benchmark("triangular slices", lu, lu_by_hand, matrix, 300, 12, rtol=1e-7),  # pivots amplify a changed last bit
    Benchmark("triangular slices", forward_substitution, forward_substitution_by_hand, triangle, 400, 12),
    Benchmark("broadcast in a loop", floyd_warshall, floyd_warshall_by_hand, roads, 200, 12),
)
