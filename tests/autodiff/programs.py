"""Scalar functions of one argument to differentiate: loops, branches, overwritten memory, lists."""

from __future__ import annotations

import numpy as np


def square(x):
    return x * x


def sum_of_cubes(x):
    return np.sum(x * x * x + np.sin(x))


def grow_until(x):
    y = x
    while y < 100.0:
        y = y * x + 1.0
    return y


def newton_sqrt(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def branch(x):
    if x[0] > 0:
        y = x * 2
    else:
        y = x * x
    return np.sum(y * y)


def heat_in_place(u):
    for _ in range(40):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u * u)


def relax_by_index(u):
    for _ in range(12):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + 0.02 * (u[i + 1] - 2 * u[i] + u[i - 1]) * u[i]
    total = 0.0
    for v in u:
        total += v * v
    return total


def rebound_in_loop(x):
    for _ in range(20):
        x = np.tanh(x) * 1.1 + 0.1
    return x.sum()


def rotating_arrays(u):
    v = u * 0.5
    for _ in range(20):
        w = 2 * v - u
        w[1:-1] += 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
        u, v = v, w
    return np.sum(v * v)


def appended_list(x):
    out = []
    for i in range(len(x) * 3):
        out.append(x[i % len(x)] * x[0] * i)
    total = 0.0
    for v in out:
        total += v * v
    return total


def loop_with_break(x):
    s = 1.0
    for _ in range(100):
        s = s * 1.1 + x[0] * s
        if s > x[1]:
            break
    return s


def recurrent_matrix(a):
    x = np.ones(3)
    for _ in range(10):
        x = np.tanh(a @ x)
    return x.sum()
