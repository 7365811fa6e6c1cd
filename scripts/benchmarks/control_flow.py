"""Control-flow programs: loops and branches around little arithmetic, where graph frameworks pay for every step."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Benchmark


def collatz_steps(limit):
    total = 0
    for start in range(1, limit):
        n = start
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            total += 1
    return total


def square_roots(x, tolerance):
    total = 0.0
    for i in range(len(x)):
        guess = x[i]
        while abs(guess * guess - x[i]) > tolerance:
            guess = 0.5 * (guess + x[i] / guess)
        total += guess
    return total


def fizz_buzz(limit):
    total = 0
    for i in range(limit):
        if i % 15 == 0:
            total += 15
        elif i % 5 == 0:
            total += 5
        elif i % 3 == 0:
            total += 3
        else:
            total += 1
    return total


def recurrent_layer(x, w, u):
    h = np.zeros(u.shape[0])
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + h @ u)
    return h


def recurrent_layer_by_hand(x, w, u):
    h = np.zeros(u.shape[0])
    for t in range(x.shape[0]):
        h = np.tanh(np.dot(x[t], w) + np.dot(h, u))
    return h


def power_iteration(a, tolerance):
    v = np.ones(a.shape[0])
    change = 1.0
    steps = 0
    while change > tolerance:
        w = a @ v
        w = w / np.sqrt(np.sum(w * w))
        change = np.max(np.abs(w - v))
        v = w
        steps += 1
    return v, steps


def first_over(x, limit):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if total > limit:
            return i
    return -1


def bubble_sort(x):
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def sequence(size: int) -> tuple:
    rng = np.random.default_rng(31)
    return rng.standard_normal((size, 16)), rng.standard_normal((16, 16)) / 4, rng.standard_normal((16, 16)) / 4


def symmetric(size: int) -> tuple:
    a = np.random.default_rng(32).random((size, size))
    return a + a.T, 1e-10


def numbers(size: int) -> np.ndarray:
    return np.random.default_rng(33).random(size)


BENCHMARKS = (
    Benchmark("while in for", collatz_steps, collatz_steps, lambda n: (n,), 1000, 20),
    Benchmark("while in for", square_roots, square_roots, lambda n: (1.0 + numbers(n), 1e-9), 2000, 10),
    Benchmark("branches", fizz_buzz, fizz_buzz, lambda n: (n,), 20_000, 50),
    Benchmark("recurrent network", recurrent_layer, recurrent_layer_by_hand, sequence, 200, 5),
    Benchmark("while with arrays", power_iteration, power_iteration, symmetric, 16, 4),
    Benchmark("return from a loop", first_over, first_over, lambda n: (numbers(n), 0.45 * n), 20_000, 50),
    Benchmark("writes in loops", bubble_sort, bubble_sort, lambda n: (numbers(n),), 150, 8),
)
