"""Programs of everyday science that were slow when they were first tried: graphs, sorting, alignment, images, rows of tables."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def sieve_by_trips(limit):
    prime = np.ones(limit + 1, dtype=np.bool_)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= limit:
        if prime[i]:
            j = i * i
            while j <= limit:
                prime[j] = False
                j += i
        i += 1
    count = 0
    for i in range(limit + 1):
        if prime[i]:
            count += 1
    return count


def sparse_product(data, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += data[k] * x[columns[k]]
        y[i] = total
    return y


def merge_sort(x):
    n = len(x)
    a, b = x.copy(), np.empty_like(x)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


def radix_sort(x):
    n = len(x)
    out = np.empty_like(x)
    for shift in range(0, 32, 8):
        count = np.zeros(257, dtype=np.int64)
        for i in range(n):
            count[((x[i] >> shift) & 255) + 1] += 1
        for i in range(256):
            count[i + 1] += count[i]
        for i in range(n):
            digit = (x[i] >> shift) & 255
            out[count[digit]] = x[i]
            count[digit] += 1
        x, out = out, x
    return x


def union_find(n, first, second):
    parent = np.arange(n)
    parts = n
    for k in range(len(first)):
        x, y = first[k], second[k]
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        while parent[y] != y:
            parent[y] = parent[parent[y]]
            y = parent[y]
        if x != y:
            parent[x] = y
            parts -= 1
    return parts


def count_bits(x):
    total = 0
    for i in range(len(x)):
        v = x[i]
        while v != 0:
            v &= v - 1
            total += 1
    return total


def upwind(u, courant, steps):
    n = len(u)
    new = np.empty_like(u)
    for _ in range(steps):
        for i in range(n):
            new[i] = u[i] - courant * (u[i] - u[i - 1])
        for i in range(n):
            u[i] = new[i]
    return u


def smith_waterman(a, b, match, mismatch, gap):
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1))
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            here = score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            if score[i - 1, j] - gap > here:
                here = score[i - 1, j] - gap
            if score[i, j - 1] - gap > here:
                here = score[i, j - 1] - gap
            if here < 0.0:
                here = 0.0
            score[i, j] = here
            if here > best:
                best = here
    return best


def equalize(image):
    rows, columns = image.shape
    counts = np.zeros(256, dtype=np.int64)
    for i in range(rows):
        for j in range(columns):
            counts[image[i, j]] += 1
    share = np.zeros(256)
    below = 0
    for k in range(256):
        below += counts[k]
        share[k] = below / (rows * columns)
    out = np.empty((rows, columns), dtype=np.uint8)
    for i in range(rows):
        for j in range(columns):
            out[i, j] = int(255 * share[image[i, j]])
    return out


def bilinear(image, xs, ys):
    rows, columns = image.shape
    out = np.empty(len(xs))
    for k in range(len(xs)):
        x, y = xs[k], ys[k]
        left, top = int(x), int(y)
        right, bottom = min(left + 1, columns - 1), min(top + 1, rows - 1)
        fx, fy = x - left, y - top
        upper = image[top, left] * (1 - fx) + image[top, right] * fx
        lower = image[bottom, left] * (1 - fx) + image[bottom, right] * fx
        out[k] = upper * (1 - fy) + lower * fy
    return out


def unit_rows(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def unit_rows_by_hand(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j] * x[i, j]
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] / np.sqrt(total)
    return out


def quadratic_forms(x, a, y):
    return np.einsum("bi,ij,bj->b", x, a, y)


def quadratic_forms_by_hand(x, a, y):
    out = np.zeros(x.shape[0])
    turned = x @ a
    for b in range(x.shape[0]):
        for j in range(y.shape[1]):
            out[b] += turned[b, j] * y[b, j]
    return out


def tile_means(x):
    return x.mean(axis=(1, 2))


def tile_means_by_hand(x):
    out = np.zeros(x.shape[0])
    for k in range(x.shape[0]):
        for i in range(x.shape[1]):
            for j in range(x.shape[2]):
                out[k] += x[k, i, j]
    return out / (x.shape[1] * x.shape[2])


def spring_energy(x, first, second):
    return np.sum((x[first] - x[second]) ** 2)


def spring_energy_by_hand(x, first, second):
    total = 0.0
    for k in range(len(first)):
        stretch = x[first[k]] - x[second[k]]
        total += stretch * stretch
    return total


def sparse_matrix(n: int) -> tuple:
    rng = np.random.default_rng(21)
    return rng.random(5 * n), rng.integers(0, n, 5 * n), np.arange(0, 5 * n + 1, 5), rng.random(n)


def integers(high: int, count: int, n: int, dtype: type = np.int64) -> tuple:
    rng = np.random.default_rng(22)
    return tuple(rng.integers(0, high, n).astype(dtype) for _ in range(count))


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(23).random(shape)


def points_of_image(n: int) -> tuple:
    rng = np.random.default_rng(24)
    return rng.random((64, 64)), rng.random(n) * 63, rng.random(n) * 63


def greys(n: int) -> tuple:
    return (integers(256, 1, n * n, np.uint8)[0].reshape(n, n),)


def forms(n: int) -> tuple:
    return numbers(n, 10), numbers(10, 10), numbers(n, 10) + 1.0


BENCHMARKS = (
    Benchmark("sieve, index", sieve_by_trips, sieve_by_trips, lambda n: (n,), 500_000, 100),
    Benchmark("sparse matrix, index", sparse_product, sparse_product, sparse_matrix, 20_000, 50),
    Benchmark("sorting by hand", merge_sort, merge_sort, lambda n: (numbers(n),), 20_000, 50),
    Benchmark("sorting by hand", radix_sort, radix_sort, lambda n: integers(2**31, 1, n), 50_000, 50),
    Benchmark("graph, index", union_find, union_find, lambda n: (n, *integers(n, 2, n)), 50_000, 50),
    Benchmark("bits", count_bits, count_bits, lambda n: integers(2**40, 1, n), 50_000, 50),
    Benchmark("stencil 1-D, periodic", upwind, upwind, lambda n: (numbers(n), 0.5, 4), 50_000, 50),
    Benchmark("dynamic programming", smith_waterman, smith_waterman, lambda n: (*integers(4, 2, n), 2.0, -1.0, 1.5), 300, 20),
    Benchmark("image, index", equalize, equalize, greys, 400, 16),
    Benchmark("image, index", bilinear, bilinear, points_of_image, 50_000, 50),
    Benchmark("norms of rows", unit_rows, unit_rows_by_hand, lambda n: (numbers(n, 3),), 50_000, 50),
    Benchmark("einsum", quadratic_forms, quadratic_forms_by_hand, forms, 20_000, 50),
    Benchmark("reduction of two axes", tile_means, tile_means_by_hand, lambda n: (numbers(n, 10, 10),), 2000, 5),
    Benchmark("gather", spring_energy, spring_energy_by_hand, lambda n: (numbers(4096), *integers(4096, 2, n)), 100_000, 50),
)
