"""Scalar loops, index loops, dynamic programming and small vectors."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark
from samples.edit_distance import edit_distance
from samples.edit_distance import example as two_texts
from samples.mandelbrot import example as picture
from samples.mandelbrot import mandelbrot
from samples.nbody import example as bodies
from samples.nbody import nbody


def collatz_longest(limit):
    best = 0
    longest = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > longest:
            longest = steps
            best = start
    return best, longest


def sieve(limit):
    prime = np.ones(limit + 1, dtype=np.bool_)
    prime[:2] = False
    i = 2
    while i * i <= limit:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime.sum()


def sieve_by_hand(limit):
    prime = np.ones(limit + 1, dtype=np.bool_)
    prime[0] = prime[1] = False
    i = 2
    while i * i <= limit:
        if prime[i]:
            for j in range(i * i, limit + 1, i):
                prime[j] = False
        i += 1
    count = 0
    for j in range(limit + 1):
        count += prime[j]
    return count


def histogram(x, bins):
    counts = np.zeros(bins, dtype=np.int64)
    for i in range(len(x)):
        k = int(x[i] * bins)
        if 0 <= k < bins:
            counts[k] += 1
    return counts


def running_mean(x, weight):
    out = np.empty_like(x)
    level = x[0]
    for i in range(x.shape[0]):
        level = weight * x[i] + (1.0 - weight) * level
        out[i] = level
    return out


def matmul_by_index(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weights)):
        for room in range(capacity, weights[i] - 1, -1):
            best[room] = max(best[room], best[room - weights[i]] + values[i])
    return best[capacity]


def nbody_by_hand(position, velocity, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            fx = fy = fz = 0.0
            for j in range(n):
                if i != j:
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 1e-6
                    pull = mass[j] / (square * np.sqrt(square))
                    fx += pull * dx
                    fy += pull * dy
                    fz += pull * dz
            velocity[i, 0] += dt * fx
            velocity[i, 1] += dt * fy
            velocity[i, 2] += dt * fz
        for i in range(n):
            for d in range(3):
                position[i, d] += dt * velocity[i, d]
    energy = 0.0
    for i in range(n):
        energy += 0.5 * mass[i] * (velocity[i, 0] ** 2 + velocity[i, 1] ** 2 + velocity[i, 2] ** 2)
        for j in range(i):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            energy -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz)
    return energy


def nbody_same_bits(position, velocity, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            fx = fy = fz = 0.0
            for j in range(n):
                if i != j:
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 1e-6
                    scale = square * np.sqrt(square)
                    fx += mass[j] * dx / scale
                    fy += mass[j] * dy / scale
                    fz += mass[j] * dz / scale
            velocity[i, 0] += dt * fx
            velocity[i, 1] += dt * fy
            velocity[i, 2] += dt * fz
        for i in range(n):
            for d in range(3):
                position[i, d] += dt * velocity[i, d]
    energy = 0.0
    for i in range(n):
        energy += 0.5 * mass[i] * (velocity[i, 0] ** 2 + velocity[i, 1] ** 2 + velocity[i, 2] ** 2)
        for j in range(i):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            dz = position[j, 2] - position[i, 2]
            energy -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + dz * dz)
    return energy


def knapsack_items(size: int) -> tuple:
    rng = np.random.default_rng(3)
    return rng.integers(1, 50, 100), rng.integers(1, 100, 100), size


def uniform(size: int) -> np.ndarray:
    return np.random.default_rng(4).random(size)


def square_matrices(size: int) -> tuple:
    rng = np.random.default_rng(5)
    return rng.standard_normal((size, size)), rng.standard_normal((size, size))


BENCHMARKS = (
    Benchmark("scalar loop", collatz_longest, collatz_longest, lambda n: (n,), 20_000, 300),
    Benchmark("scalar loop", mandelbrot, mandelbrot, picture, 320, 20),
    Benchmark("index loop", running_mean, running_mean, lambda n: (uniform(n), 0.1), 200_000, 500),
    Benchmark("index loop", matmul_by_index, matmul_by_index, square_matrices, 96, 10),
    Benchmark("index loop", histogram, histogram, lambda n: (uniform(n), 64), 200_000, 500),
    Benchmark("strided slices", sieve, sieve_by_hand, lambda n: (n,), 1_000_000, 1000),
    Benchmark("dynamic programming", edit_distance, edit_distance, two_texts, 600, 40),
    Benchmark("dynamic programming", knapsack, knapsack, knapsack_items, 4000, 100),
    Benchmark("small vectors", nbody, nbody_by_hand, bodies, 500, 5, rtol=1e-6),  # orbits amplify a changed last bit
    Benchmark("small vectors", nbody, nbody_same_bits, bodies, 500, 5, variant="three divisions"),
)
