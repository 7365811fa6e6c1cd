"""Dynamic programming, sorting and scanning by hand, and control-flow programs on numbers."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def common_subsequence(a, b):
    length = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                length[i + 1, j + 1] = length[i, j] + 1
            else:
                length[i + 1, j + 1] = max(length[i, j + 1], length[i + 1, j])
    return length[-1, -1]


def viterbi(start, move, emit, seen):
    steps, states = len(seen), len(start)
    best = start + emit[:, seen[0]]
    back = np.zeros((steps, states), dtype=np.int64)
    for t in range(1, steps):
        scores = best[:, np.newaxis] + move
        back[t] = np.argmax(scores, axis=0)
        best = np.max(scores, axis=0) + emit[:, seen[t]]
    path = np.zeros(steps, dtype=np.int64)
    path[-1] = np.argmax(best)
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def viterbi_by_hand(start, move, emit, seen):
    steps, states = len(seen), len(start)
    best, following = np.empty(states), np.empty(states)
    back = np.zeros((steps, states), dtype=np.int64)
    for j in range(states):
        best[j] = start[j] + emit[j, seen[0]]
    for t in range(1, steps):
        for j in range(states):
            top, where = best[0] + move[0, j], 0
            for i in range(1, states):
                score = best[i] + move[i, j]
                if score > top:
                    top, where = score, i
            back[t, j] = where
            following[j] = top + emit[j, seen[t]]
        best, following = following, best
    path = np.zeros(steps, dtype=np.int64)
    path[-1] = np.argmax(best)
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def matrix_chain(sizes):
    n = len(sizes) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width - 1
            best = cost[i + 1, j] + sizes[i] * sizes[i + 1] * sizes[j + 1]
            for k in range(i + 1, j):
                price = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if price < best:
                    best = price
            cost[i, j] = best
    return cost[0, n - 1]


def insertion_sort(x):
    for i in range(1, len(x)):
        item = x[i]
        j = i - 1
        while j >= 0 and x[j] > item:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = item
    return x


def heap_sort(x):
    n = len(x)
    for step in range(n // 2 + n):
        if step < n // 2:
            root, end = n // 2 - 1 - step, n
        else:
            end = n - 1 - (step - n // 2)
            x[0], x[end] = x[end], x[0]
            root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                break
            x[root], x[child] = x[child], x[root]
            root = child
    return x


def prefix_sums(x):
    out = np.empty_like(x)
    total = 0
    for i in range(len(x)):
        total += x[i]
        out[i] = total
    return out


def binary_searches(table, keys):
    found = np.empty(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        low, high = 0, len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        found[i] = low
    return found


def newton_roots(values):
    out = np.empty_like(values)
    for i in range(len(values)):
        x = values[i]
        for _ in range(50):
            step = (x * x * x - x - values[i]) / (3.0 * x * x - 1.0)
            x -= step
            if abs(step) < 1e-12:
                break
        out[i] = x
    return out


def count_inside(x, y):
    inside = 0
    for i in range(len(x)):
        if x[i] * x[i] + y[i] * y[i] <= 1.0:
            inside += 1
    return 4.0 * inside / len(x)


def lorenz(state, dt, steps):
    path = np.zeros((steps, 3))
    x, y, z = state[0], state[1], state[2]
    for i in range(steps):
        dx = 10.0 * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 8.0 / 3.0 * z
        x += dt * dx
        y += dt * dy
        z += dt * dz
        path[i, 0] = x
        path[i, 1] = y
        path[i, 2] = z
    return path


def divisor_sums(limit):
    total = 0
    for a in range(1, limit):
        for b in range(1, limit):
            x, y = a, b
            while y != 0:
                x, y = y, x % y
            total += x
    return total


def words(size: int) -> tuple:
    rng = np.random.default_rng(15)
    return rng.integers(0, 4, size), rng.integers(0, 4, size + size // 3)


def hidden_states(size: int) -> tuple:
    rng = np.random.default_rng(16)
    return rng.standard_normal(24), rng.standard_normal((24, 24)), rng.standard_normal((24, 8)), rng.integers(0, 8, size)


def whole_numbers(size: int) -> tuple:
    return (np.random.default_rng(17).integers(1, 1000, size),)


def numbers(size: int) -> tuple:
    return (np.random.default_rng(18).random(size),)


def sorted_and_keys(size: int) -> tuple:
    rng = np.random.default_rng(19)
    return np.sort(rng.random(size)), rng.random(size)


def points(size: int) -> tuple:
    rng = np.random.default_rng(20)
    return rng.random(size), rng.random(size)


BENCHMARKS = (
    Benchmark("dynamic programming", common_subsequence, common_subsequence, words, 400, 20),
    Benchmark("dynamic programming", viterbi, viterbi_by_hand, hidden_states, 500, 10),
    Benchmark("dynamic programming", matrix_chain, matrix_chain, whole_numbers, 100, 8),
    Benchmark("sorting by hand", insertion_sort, insertion_sort, numbers, 700, 20),
    Benchmark("sorting by hand", heap_sort, heap_sort, numbers, 10_000, 20),
    Benchmark("prefix sums", prefix_sums, prefix_sums, whole_numbers, 200_000, 100),
    Benchmark("searching", binary_searches, binary_searches, sorted_and_keys, 10_000, 50),
    Benchmark("root finding", newton_roots, newton_roots, lambda n: (1.0 + numbers(n)[0],), 10_000, 20),
    Benchmark("Monte Carlo", count_inside, count_inside, points, 200_000, 50),
    Benchmark("differential equation", lorenz, lorenz, lambda n: (np.ones(3), 0.005, n), 20_000, 20, rtol=1e-6, sensitive=True),
    Benchmark("scalar loop", divisor_sums, divisor_sums, lambda n: (n,), 250, 12),
)
