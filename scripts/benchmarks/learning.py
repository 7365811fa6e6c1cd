"""Statistics and small neural-network layers."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def running_variance(x):
    mean = 0.0
    spread = 0.0
    for i in range(len(x)):
        change = x[i] - mean
        mean += change / (i + 1)
        spread += change * (x[i] - mean)
    return mean, spread / (len(x) - 1)


def covariance(x):
    centred = x - x.mean(axis=0)
    return centred.T @ centred / (x.shape[0] - 1)


def covariance_by_hand(x):
    rows, columns = x.shape
    mean = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            mean[j] += x[i, j]
    mean /= rows
    centred = np.empty_like(x)
    for i in range(rows):
        for j in range(columns):
            centred[i, j] = x[i, j] - mean[j]
    return np.dot(centred.T, centred) / (rows - 1)


def correlations(x):
    rows, columns = x.shape
    out = np.zeros((columns, columns))
    mean = np.zeros(columns)
    for j in range(columns):
        mean[j] = np.mean(x[:, j])
    for i in range(columns):
        for j in range(i, columns):
            total = 0.0
            for k in range(rows):
                total += (x[k, i] - mean[i]) * (x[k, j] - mean[j])
            out[i, j] = total / (rows - 1)
            out[j, i] = out[i, j]
    return out


def nearest_centres(x, centres, rounds):
    label = np.zeros(x.shape[0], dtype=np.int64)
    for _ in range(rounds):
        for i in range(x.shape[0]):
            label[i] = np.argmin(np.sum((centres - x[i]) ** 2, axis=1))
        for k in range(centres.shape[0]):
            chosen = label == k
            if np.any(chosen):
                centres[k] = x[chosen].mean(axis=0)
    return label


def nearest_centres_by_hand(x, centres, rounds):
    n, d = x.shape
    label = np.zeros(n, dtype=np.int64)
    for _ in range(rounds):
        for i in range(n):
            least = np.inf
            for k in range(centres.shape[0]):
                square = 0.0
                for j in range(d):
                    square += (centres[k, j] - x[i, j]) ** 2
                if square < least:
                    least = square
                    label[i] = k
        count = np.zeros(centres.shape[0])
        total = np.zeros_like(centres)
        for i in range(n):
            count[label[i]] += 1
            for j in range(d):
                total[label[i], j] += x[i, j]
        for k in range(centres.shape[0]):
            if count[k] > 0:
                for j in range(d):
                    centres[k, j] = total[k, j] / count[k]
    return label


def pairwise_distances(x):
    n = x.shape[0]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return out


def pairwise_distances_by_hand(x):
    n, d = x.shape
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(d):
                total += (x[i, k] - x[j, k]) ** 2
            out[i, j] = np.sqrt(total)
    return out


def dense_by_loops(x, w, b):
    out = np.zeros((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            total = b[j]
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            out[i, j] = max(total, 0.0)
    return out


def layer_norm(x, scale, shift):
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift


def layer_norm_by_hand(x, scale, shift):
    rows, columns = x.shape
    out = np.empty_like(x)
    for i in range(rows):
        mean = 0.0
        for j in range(columns):
            mean += x[i, j]
        mean /= columns
        variance = 0.0
        for j in range(columns):
            variance += (x[i, j] - mean) ** 2
        root = np.sqrt(variance / columns + 1e-5)
        for j in range(columns):
            out[i, j] = (x[i, j] - mean) / root * scale[j] + shift[j]
    return out


def convolve_2d(image, kernels):
    count, height, width = kernels.shape
    out = np.zeros((count, image.shape[0] - height + 1, image.shape[1] - width + 1))
    for c in range(count):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                total = 0.0
                for y in range(height):
                    for x in range(width):
                        total += image[i + y, j + x] * kernels[c, y, x]
                out[c, i, j] = total
    return out


def convolve_slices(image, kernels):
    count, height, width = kernels.shape
    rows, columns = image.shape[0] - height + 1, image.shape[1] - width + 1
    out = np.zeros((count, rows, columns))
    for c in range(count):
        for y in range(height):
            for x in range(width):
                out[c] += kernels[c, y, x] * image[y : y + rows, x : x + columns]
    return out


def convolve_by_hand(image, kernels):
    count, height, width = kernels.shape
    rows, columns = image.shape[0] - height + 1, image.shape[1] - width + 1
    out = np.zeros((count, rows, columns))
    for c in range(count):
        for y in range(height):
            for x in range(width):
                weight = kernels[c, y, x]
                for i in range(rows):
                    for j in range(columns):
                        out[c, i, j] += weight * image[i + y, j + x]
    return out


def max_pool(image):
    rows, columns = image.shape[0] // 2, image.shape[1] // 2
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.max(image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return out


def max_pool_by_hand(image):
    rows, columns = image.shape[0] // 2, image.shape[1] // 2
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            upper = max(image[2 * i, 2 * j], image[2 * i, 2 * j + 1])
            lower = max(image[2 * i + 1, 2 * j], image[2 * i + 1, 2 * j + 1])
            out[i, j] = max(upper, lower)
    return out


def samples(size: int, columns: int = 8) -> np.ndarray:
    return np.random.default_rng(24).standard_normal((size, columns))


def dense(size: int) -> tuple:
    rng = np.random.default_rng(25)
    return rng.standard_normal((size, 48)), rng.standard_normal((48, 32)), rng.standard_normal(32)


def clusters(size: int) -> tuple:
    x = samples(size, 4)
    return x, x[:6].copy(), 4


def normed(size: int) -> tuple:
    rng = np.random.default_rng(26)
    return rng.standard_normal((size, 256)), rng.standard_normal(256), rng.standard_normal(256)


def picture_and_kernels(size: int) -> tuple:
    rng = np.random.default_rng(27)
    return rng.standard_normal((size, size)), rng.standard_normal((4, 3, 3))


BENCHMARKS = (
    Benchmark("statistics", running_variance, running_variance, lambda n: (samples(n, 1)[:, 0].copy(),), 100_000, 50),
    Benchmark("statistics, arrays", covariance, covariance_by_hand, lambda n: (samples(n, 32),), 2000, 20),
    Benchmark("statistics, index", correlations, correlations, lambda n: (samples(n, 12),), 1000, 20),
    Benchmark("statistics, rows", nearest_centres, nearest_centres_by_hand, clusters, 1000, 20),
    Benchmark("statistics, rows", pairwise_distances, pairwise_distances_by_hand, lambda n: (samples(n, 16),), 100, 8),
    Benchmark("neural layer, index", dense_by_loops, dense_by_loops, dense, 64, 8),
    Benchmark("neural layer", layer_norm, layer_norm_by_hand, normed, 200, 4),
    Benchmark("neural layer, index", convolve_2d, convolve_2d, picture_and_kernels, 64, 8),
    Benchmark("neural layer, slices", convolve_slices, convolve_by_hand, picture_and_kernels, 64, 8),
    Benchmark("neural layer, slices", max_pool, max_pool_by_hand, lambda n: (samples(n, n),), 320, 8),
)
