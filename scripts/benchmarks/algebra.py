"""Linear algebra written out: factorizations, solvers and eigenvalues by loops over rows and slices."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def cholesky_index(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    return a


def cholesky_slices(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    for j in range(n):
        lower[j, j] = np.sqrt(a[j, j] - np.sum(lower[j, :j] ** 2))
        lower[j + 1 :, j] = (a[j + 1 :, j] - lower[j + 1 :, :j] @ lower[j, :j]) / lower[j, j]
    return lower


def cholesky_by_hand(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    for j in range(n):
        total = a[j, j]
        for k in range(j):
            total -= lower[j, k] * lower[j, k]
        lower[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = total / lower[j, j]
    return lower


def householder(a):
    rows, columns = a.shape
    for k in range(columns):
        v = a[k:, k].copy()
        length = np.sqrt(np.sum(v * v))
        v[0] += length if v[0] >= 0 else -length
        square = np.sum(v * v)
        for j in range(k, columns):
            a[k:, j] -= 2.0 * np.dot(v, a[k:, j]) / square * v
    return a


def householder_by_hand(a):
    rows, columns = a.shape
    v = np.empty(rows)
    for k in range(columns):
        total = 0.0
        for i in range(k, rows):
            v[i] = a[i, k]
            total += v[i] * v[i]
        length = np.sqrt(total)
        v[k] += length if v[k] >= 0 else -length
        square = 0.0
        for i in range(k, rows):
            square += v[i] * v[i]
        for j in range(k, columns):
            total = 0.0
            for i in range(k, rows):
                total += v[i] * a[i, j]
            factor = 2.0 * total / square
            for i in range(k, rows):
                a[i, j] -= factor * v[i]
    return a


def gauss_jordan(a, b):
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        pivot = a[k, k]
        a[k] /= pivot
        b[k] /= pivot
        for i in range(n):
            if i != k:
                factor = a[i, k]
                a[i] -= factor * a[k]
                b[i] -= factor * b[k]
    return b


def gauss_jordan_by_hand(a, b):
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        pivot = a[k, k]
        for j in range(n):
            a[k, j] /= pivot
        b[k] /= pivot
        for i in range(n):
            if i != k:
                factor = a[i, k]
                for j in range(n):
                    a[i, j] -= factor * a[k, j]
                b[i] -= factor * b[k]
    return b


def tridiagonal(low, middle, high, b):
    n = len(b)
    ratio = np.zeros(n)
    x = np.zeros(n)
    ratio[0] = high[0] / middle[0]
    x[0] = b[0] / middle[0]
    for i in range(1, n):
        scale = middle[i] - low[i] * ratio[i - 1]
        ratio[i] = high[i] / scale
        x[i] = (b[i] - low[i] * x[i - 1]) / scale
    for i in range(n - 2, -1, -1):
        x[i] -= ratio[i] * x[i + 1]
    return x


def conjugate_gradient(a, b, steps):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    square = r @ r
    for _ in range(steps):
        image = a @ p
        alpha = square / (p @ image)
        x += alpha * p
        r -= alpha * image
        following = r @ r
        if following < 1e-20:
            break
        p = r + following / square * p
        square = following
    return x


def conjugate_gradient_by_hand(a, b, steps):
    n = len(b)
    x = np.zeros_like(b)
    r = b.copy()
    p = b.copy()
    square = np.dot(r, r)
    for _ in range(steps):
        image = np.dot(a, p)
        alpha = square / np.dot(p, image)
        following = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * image[i]
            following += r[i] * r[i]
        if following < 1e-20:
            break
        for i in range(n):
            p[i] = r[i] + following / square * p[i]
        square = following
    return x


def jacobi_rotations(a, sweeps):
    n = a.shape[0]
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-12:
                    theta = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
                    t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                    if theta < 0.0:
                        t = -t
                    c = 1.0 / np.sqrt(t * t + 1.0)
                    s = t * c
                    for k in range(n):
                        x, y = a[k, p], a[k, q]
                        a[k, p] = c * x - s * y
                        a[k, q] = s * x + c * y
                    for k in range(n):
                        x, y = a[p, k], a[q, k]
                        a[p, k] = c * x - s * y
                        a[q, k] = s * x + c * y
    return np.diag(a).copy()


def positive(size: int) -> np.ndarray:
    a = np.random.default_rng(12).standard_normal((size, size))
    return a @ a.T + size * np.eye(size)


def system(size: int) -> tuple:
    rng = np.random.default_rng(13)
    return rng.standard_normal((size, size)), rng.standard_normal(size)


def iteration(size: int) -> tuple:
    return positive(size), system(size)[1], 20


def bands(size: int) -> tuple:
    rng = np.random.default_rng(14)
    low, high, b = rng.standard_normal((3, size))
    return low, 4.0 + rng.random(size), high, b


BENCHMARKS = (
    Benchmark("linear algebra, index", cholesky_index, cholesky_index, lambda n: (positive(n),), 120, 8),
    Benchmark("linear algebra, slices", cholesky_slices, cholesky_by_hand, lambda n: (positive(n),), 200, 8),
    Benchmark("linear algebra, slices", householder, householder_by_hand, lambda n: system(n)[:1], 80, 8, rtol=1e-8),
    Benchmark("linear algebra, rows", gauss_jordan, gauss_jordan_by_hand, system, 120, 8, rtol=1e-6),
    Benchmark("linear algebra, index", tridiagonal, tridiagonal, bands, 50_000, 20),
    Benchmark("matrix and vectors", conjugate_gradient, conjugate_gradient_by_hand, iteration, 150, 8, rtol=1e-7),
    Benchmark("linear algebra, index", jacobi_rotations, jacobi_rotations, lambda n: (positive(n), 3), 30, 5, rtol=1e-8),
)
