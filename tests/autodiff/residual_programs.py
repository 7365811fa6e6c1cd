"""Functions whose gradients keep values of each trip, in arrays or on lists."""

from __future__ import annotations

import numpy as np


def counted(x, n=12):
    s = 0.1
    for _ in range(n):
        s = np.exp(-s * s) * x[0] + x[1]
    return s


def backwards_by_two(x, n=11):
    s = 0.1
    for i in range(n, -4, -2):
        s = np.exp(-s * s) * x[i % 2] + i * 0.01
    return s


def forwards_by_three(x, n=11):
    s = 0.1
    for i in range(-2, n, 3):
        s = np.exp(-s * s) * x[i % 2] + i * 0.01
    return s


def step_of_the_run(x, n=11, step=-3):
    s = 0.1
    for i in range(n, -n, step):
        s = np.exp(-s * s) * x[i % 2] + i * 0.01
    return s


def no_trips(x, n=0):
    s = x[0] * x[1]
    for _ in range(n):
        s = np.exp(-s * s)
    return s


def rectangle(x, n=4, m=3):
    s = 0.1
    for i in range(n):
        for j in range(1, m + 1):
            s = np.exp(-s * s) * x[i % 2] + 0.1 * j
    return s


def rectangle_of_an_array(a):
    s = 0.1
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = np.exp(-s * s) * a[i, j]
    return s


def triangle(x, n=5):
    s = 0.1
    for i in range(n):
        for j in range(i):
            s = np.exp(-s * s) * x[j % 2] + 0.1
    return s


def in_a_branch(x, n=9):
    s = 0.1
    for i in range(n):
        if s < 0.5:
            s = np.exp(-s * s) + x[0]
        else:
            s = np.exp(-s) * x[1]
    return s


def until(x):
    s = x[0] * x[1]
    while s < 5.0:
        s = s + np.exp(-s * s) + 0.3
    return s


def with_break(x, n=50):
    s = 0.1
    for i in range(n):
        s = np.exp(-s * s) * x[i % 2] + s
        if s > 2.0:
            break
    return s


def long_with_break(x, n=50_000):
    return with_break(x, n)


def counted_inside_until(x):
    s = x[0] * x[1]
    while s < 5.0:
        for j in range(3):
            s = s + np.exp(-s * s) * 0.1 * (j + 1) + 0.1
    return s


def arrays(w, n=6):
    h = np.zeros(w.shape[0])
    for k in range(n):
        h = np.tanh(w @ h + np.cos(0.1 * k))
    return np.sum(h * h)


def overwritten(u, n=5):
    for _ in range(n):
        u[1:-1] += 0.2 * (u[2:] - u[:-2]) * u[1:-1]
    return np.sum(u * u)


def growing_views(x):
    total = 0.0
    for i in range(1, len(x)):
        total += np.sum(np.exp(x[:i]) * np.sin(x[:i]))
    return total


def rows(a, n=5):
    total = 0.0
    for k in range(n):
        for i in range(a.shape[0]):
            total += np.sum(np.sin(a[i] * total) * a[-1])
    return total


def array_that_shrinks(x, n=3):
    for _ in range(n):
        x = np.exp(-x[1:] * x[:-1])
    return np.sum(x)


def deep(x, depth, n):
    """A nest of counted loops, to be called with a constant depth."""
    if depth == 0:
        return np.exp(-x * x)
    for _ in range(n):
        x = deep(x, depth - 1, n) + 0.1
    return x


def branches_outside_of_loops(p):
    x, y = p[0], p[1]
    if x > y:
        t = np.exp(x * y) * y
        if t > 0.5:
            x = t * np.sin(t) * x
        else:
            x = np.tanh(t) + x
    else:
        x = np.cos(x) * np.exp(y)
    return x * y


def branch_beside_a_loop(p):
    x, y = p[0], p[1]
    if x > y:
        x = np.exp(x) * y
        for _ in range(len(p) + 9):
            if x > 1.0:
                x = np.sin(x) * np.exp(x)
    return x * y
