"""Functions whose loops are checkpointed when they are differentiated."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def recurrence(x, n=100):
    s = 0.1
    for _ in ag.loop_options(range(n), checkpoint=True):
        s = np.sin(s) * x + 0.3
    return s


def pair_with_break(x, n=100):
    s, t = 0.1, 0.2
    for i in ag.loop_options(range(3, n, 2), checkpoint=7):
        s, t = np.sin(t) * x[0] + 0.3, s * 0.5 + t * x[1] * s * i / n
        if s > 5.0:
            break
    return s + t


def diffuse_in_place(u, n=20):
    for i in ag.loop_options(range(n), checkpoint=True):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def leapfrog(v, n=30):
    u = v * 0.9
    for _ in ag.loop_options(range(n), checkpoint=True):
        w = 2 * v - u
        w[1:-1] += 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
        u, v = v, w
    return np.sum(v * v)


def network(w, n=30):
    h = np.zeros(3)
    for k in ag.loop_options(range(n), checkpoint=True):
        h = np.tanh(w @ h + np.cos(0.1 * k))
    return np.sum(h * h)


def nested(x, n=40):
    s = 0.1
    for i in ag.loop_options(range(n), checkpoint=True):
        for j in ag.loop_options(range(i % 5), checkpoint=2):
            s = np.sin(s) * x + 0.3
    return s


def break_not_taken(x, n=1000):
    s = 0.1
    for _ in ag.loop_options(range(n), checkpoint=True):
        s = np.sin(s) * x + 0.3
        if s > 100:
            break
    return s


def fill_by_index(x, n=20):
    y = np.zeros(n)
    for i in ag.loop_options(range(n), checkpoint=True):
        y[i] = x[i % 3] * (y[i - 1] + 1.0)
    return np.sum(y * y)


def orbit(x, n=300):
    s, k = 0.1, 0
    while ag.loop_options(k < n, checkpoint=True):
        s = np.sin(s) * x + 0.3
        k += 1
    return s


def newton(a):
    x = a
    while ag.loop_options(abs(x * x - a) > 1e-12, checkpoint=2):
        x = 0.5 * (x + a / x)
    return x


def grown_until(x):
    s = 0.1
    while ag.loop_options(s < 50, checkpoint=True):
        s = s * 1.01 + x * x
        if s > 20:
            break
        if 7 < s < 8:
            continue
        s = s + x * 0.1
    return s


def test_that_counts(x):
    s, n = x, 60
    while ag.loop_options((n := n - 1) > 3, checkpoint=5):
        s = np.sin(s) * x + 0.01 * n
    return s


def arrays_until(x):
    while ag.loop_options(np.sum(x * x) < 50, checkpoint=3):
        x = x * 1.1 + np.sin(x) * 0.1
    return np.sum(x)


def loop_inside_until(x):
    s, k = 0.1, 0
    while ag.loop_options(k < 30, checkpoint=True):
        for j in ag.loop_options(range(k), checkpoint=3):
            s = np.sin(s + 0.01 * j) * x + 0.3
        k += 1
    return s


def until_inside_loop(x):
    s = 0.1
    for i in range(12):
        t = 0.0
        while ag.loop_options(t < i, checkpoint=True):
            s = np.sin(s) * x + 0.3
            t = t + abs(s) + 0.1
    return s


def never(x):
    while ag.loop_options(x > 10.0, checkpoint=True):
        x = x * 0.5
    return x * x


def saved_recurrence(x, n=100):
    s = 0.1
    for _ in range(n):
        s = np.sin(s) * x + 0.3
    return s


def saved_branches(x, n=100):
    s = 0.1
    for _ in range(n):
        if s > 0.3:
            s = np.exp(-s) * x + 0.3
        else:
            s = np.exp(-2.0 * s) * x + 0.3
    return s


def saved_arrays(x, n=100):
    u = x * 0.1
    for _ in range(n):
        u = np.sin(u) * x + 0.3
    return np.sum(u)


def saved_nest(x, n=100):
    s = 0.1
    for _ in range(n // 50):
        for _ in range(50):
            s = np.sin(s) * x + 0.3
    return s


def saved_while_loop(x, n=100):
    s = 0.1
    k = 0
    while k < n:
        s = np.sin(s) * x + 0.3
        k += 1
    return s
