"""Filters, transforms and stencils on grids of two and three dimensions."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def stencil_3d(u, rate, steps):
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        columns = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1]
        rows = u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
        inner += rate * (columns + rows + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6.0 * inner)
    return u


def stencil_3d_by_hand(u, rate, steps):
    n, m, k = u.shape
    flow = np.empty((n, m, k))
    for _ in range(steps):
        for x in range(1, n - 1):
            for y in range(1, m - 1):
                for z in range(1, k - 1):
                    around = u[x + 1, y, z] + u[x - 1, y, z] + u[x, y + 1, z] + u[x, y - 1, z] + u[x, y, z + 1] + u[x, y, z - 1]
                    flow[x, y, z] = rate * (around - 6.0 * u[x, y, z])
        for x in range(1, n - 1):
            for y in range(1, m - 1):
                for z in range(1, k - 1):
                    u[x, y, z] += flow[x, y, z]
    return u


def jacobi_index(u, out, steps):
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                out[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] = out[i, j]
    return u


def wave(u, before, speed, steps):
    for _ in range(steps):
        after = 2.0 * u - before
        after[1:-1] += speed * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        before = u
        u = after
    return u


def wave_by_hand(u, before, speed, steps):
    n = len(u)
    before = before.copy()
    u = u.copy()
    for _ in range(steps):
        for i in range(n):
            flow = speed * (u[i + 1] - 2.0 * u[i] + u[i - 1]) if 0 < i < n - 1 else 0.0
            before[i] = 2.0 * u[i] - before[i] + flow
        u, before = before, u
    return u


def life_slices(cells, steps):
    for _ in range(steps):
        around = np.zeros_like(cells)
        three = cells[:-2] + cells[1:-1] + cells[2:]
        around[1:-1, 1:-1] = three[:, :-2] + three[:, 2:] + cells[:-2, 1:-1] + cells[2:, 1:-1]
        cells = np.where((around == 3) | ((cells == 1) & (around == 2)), 1, 0).astype(cells.dtype)
    return cells


def life_by_hand(cells, steps):
    rows, columns = cells.shape
    cells = cells.copy()
    for _ in range(steps):
        after = np.zeros_like(cells)
        for i in range(rows):
            for j in range(columns):
                around = 0
                if 0 < i < rows - 1 and 0 < j < columns - 1:
                    for di in range(-1, 2):
                        for dj in range(-1, 2):
                            if di != 0 or dj != 0:
                                around += cells[i + di, j + dj]
                after[i, j] = 1 if around == 3 or (cells[i, j] == 1 and around == 2) else 0
        cells = after
    return cells


def life_index(cells, steps):
    rows, columns = cells.shape
    for _ in range(steps):
        after = np.zeros_like(cells)
        for i in range(rows):
            for j in range(columns):
                around = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        around += cells[(i + di) % rows, (j + dj) % columns]
                around -= cells[i, j]
                if around == 3 or (around == 2 and cells[i, j] == 1):
                    after[i, j] = 1
        cells = after
    return cells


def fourier(x):
    n = len(x)
    re, im = np.zeros(n), np.zeros(n)
    for k in range(n):
        turn_re, turn_im = np.cos(2.0 * np.pi * k / n), -np.sin(2.0 * np.pi * k / n)
        w_re, w_im = 1.0, 0.0
        for t in range(n):
            re[k] += x[t] * w_re
            im[k] += x[t] * w_im
            w_re, w_im = w_re * turn_re - w_im * turn_im, w_re * turn_im + w_im * turn_re
    return re, im


def filter_signal(x, taps):
    n, m = len(x), len(taps)
    out = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        out[i] = np.sum(x[i : i + m] * taps)
    return out


def filter_by_hand(x, taps):
    n, m = len(x), len(taps)
    out = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        total = 0.0
        for k in range(m):
            total += x[i + k] * taps[k]
        out[i] = total
    return out


def bilateral(image, radius, near, alike):
    rows, columns = image.shape
    out = np.zeros_like(image)
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            weights = 0.0
            for y in range(max(i - radius, 0), min(i + radius + 1, rows)):
                for x in range(max(j - radius, 0), min(j + radius + 1, columns)):
                    apart = (y - i) ** 2 + (x - j) ** 2
                    unlike = image[y, x] - image[i, j]
                    weight = 1.0 / (1.0 + near * apart + alike * unlike * unlike)
                    total += weight * image[y, x]
                    weights += weight
            out[i, j] = total / weights
    return out


def sobel(image):
    across = image[:-2, 2:] + 2.0 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2.0 * image[1:-1, :-2] - image[2:, :-2]
    down = image[2:, :-2] + 2.0 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2.0 * image[:-2, 1:-1] - image[:-2, 2:]
    return np.sqrt(across * across + down * down)


def sobel_by_hand(image):
    rows, columns = image.shape
    out = np.empty((rows - 2, columns - 2))
    for i in range(rows - 2):
        for j in range(columns - 2):
            across = image[i, j + 2] + 2.0 * image[i + 1, j + 2] + image[i + 2, j + 2]
            across -= image[i, j] + 2.0 * image[i + 1, j] + image[i + 2, j]
            down = image[i + 2, j] + 2.0 * image[i + 2, j + 1] + image[i + 2, j + 2]
            down -= image[i, j] + 2.0 * image[i, j + 1] + image[i, j + 2]
            out[i, j] = np.sqrt(across * across + down * down)
    return out


def box(size: int) -> np.ndarray:
    return np.random.default_rng(21).random((size, size, size))


def picture(size: int) -> np.ndarray:
    return np.random.default_rng(22).random((size, size))


def cells(size: int, dtype: type) -> np.ndarray:
    return np.random.default_rng(23).integers(0, 2, (size, size)).astype(dtype)


def string(size: int) -> np.ndarray:
    return np.sin(np.linspace(0.0, 3.0 * np.pi, size))


BENCHMARKS = (
    Benchmark("stencil 3-D, slices", stencil_3d, stencil_3d_by_hand, lambda n: (box(n), 0.1, 10), 40, 6),
    Benchmark("stencil 2-D, index", jacobi_index, jacobi_index, lambda n: (picture(n), np.zeros((n, n)), 10), 150, 8),
    Benchmark("stencil 1-D, slices", wave, wave_by_hand, lambda n: (string(n), string(n), 0.2, 100), 5000, 20),
    Benchmark("game of life, slices", life_slices, life_by_hand, lambda n: (cells(n, np.int64), 10), 128, 8),
    Benchmark("game of life, index", life_index, life_index, lambda n: (cells(n, np.int64), 3), 96, 8),
    Benchmark("spectral", fourier, fourier, lambda n: (picture(n)[0],), 600, 10),
    Benchmark("filter, slices", filter_signal, filter_by_hand, lambda n: (picture(2)[0].repeat(n // 2), picture(31)[0]), 10_000, 60),
    Benchmark("filter, index", bilateral, bilateral, lambda n: (picture(n), 3, 0.1, 10.0), 64, 8),
    Benchmark("filter, slices", sobel, sobel_by_hand, lambda n: (picture(n),), 300, 8),
)
