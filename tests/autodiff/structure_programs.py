"""Functions of one argument to differentiate: loops left early, views, shapes that the data decides, lists, iterators."""

from __future__ import annotations

import numpy as np


def nested_loops_left_early(x):
    total = 0.0
    i = 0
    while i < 10:
        for j in range(5):
            if x[j % 3] * i > 2.0:
                break
            if j == 1:
                continue
            total += x[j % 3] ** 2 * (i + 1)
        else:
            total *= 1.1
        if total > 50:
            return total * x[0]
        i += 1
    return total


def indices_found_by_the_data(x):
    idx = np.nonzero(x > 0.1)[0]
    y = x.copy()
    y[idx] = y[idx] ** 2
    y[idx[0]] *= 3
    return np.sum(y * np.arange(1.0, len(y) + 1))


def views_that_overlap(u):
    v = u[1:]
    w = u[:-1]
    v *= 2
    w += v
    return np.sum(u * u)


def rows_written_through_views(u):
    for k in range(3):
        row = u[k]
        row[:] = row * row.sum()
        u[k, 0] += u[(k + 1) % 3, 1]
    return np.sum(u**2)


def projection_on_the_simplex(x):
    y = np.sort(x)[::-1]
    c = np.cumsum(y)
    k = np.arange(1, len(x) + 1)
    rho = np.nonzero(y * k > (c - 1))[0][-1]
    theta = (c[rho] - 1) / (rho + 1.0)
    p = np.maximum(x - theta, 0)
    return np.sum(p * np.array([1.0, 3.0, 2.0, 5.0]))


def stack_that_the_data_ends(x):
    stack = [x[0]]
    out = 0.0
    n = 0
    while stack:
        v = stack.pop()
        n += 1
        if n > 40:
            continue
        if v > 0.3:
            stack.append(v * 0.6 * x[1])
            stack.append(v * 0.5)
        else:
            out += v * v
    return out


def cholesky_by_index(a):
    n = a.shape[0]
    L = np.zeros_like(a)
    s = a @ a.T + np.eye(n)
    for i in range(n):
        for j in range(i + 1):
            t = s[i, j] - np.dot(L[i, :j], L[j, :j])
            if i == j:
                L[i, i] = np.sqrt(t)
            else:
                L[i, j] = t / L[j, j]
    return np.sum(np.log(np.diag(L))) + L[n - 1, 0]


def adaptive_steps(x):
    def f(t, y):
        return np.array([y[1], -np.sin(y[0]) * x[0]])

    y = np.array([x[1], 0.0])
    t, h = 0.0, 0.1
    while t < 1.0:
        k1 = f(t, y)
        k2 = f(t + h, y + h * k1)
        e = np.max(np.abs(k2 - k1)) * h * 0.5
        if e < 1e-2:
            t += h
            y = y + 0.5 * h * (k1 + k2)
            h = h * 1.2
        else:
            h = h * 0.5
    return y[0] + y[1] * t


def accumulators_rescaled(x):
    acc = np.zeros(3)
    for i in range(6):
        acc[i % 3] += x[i % 4] * acc[(i + 1) % 3] + x[0]
        if acc[0] > 2:
            acc /= 2
    return acc.prod()


def array_that_shrinks(x):
    y = np.concatenate([x[x > 0], x[x <= 0] * 2])
    out = 1.0
    while y.size > 1:
        out *= y[0]
        y = y[1:] + y[:-1] * 0.3
    return out + y[0]


def two_names_of_one_array(x):
    a = x.copy()
    b = a
    c = a[::2]
    b[0] = b[1] * 2
    c += 1.0 * a[1]
    a = a * 2
    return np.sum(a * b) + c[0]


def loop_with_break_and_continue(x):
    n = 0
    s = x[0]
    while True:
        n += 1
        s = s * x[1] + 1 / n
        if n > 100 or s > 8:
            break
        if n % 3 == 0:
            continue
        s += x[2] * n * 0.01
    return s


def explicit_iterator(x):
    tot = 0.0
    it = iter(x)
    for v in it:
        tot = tot * v + v
    m = max(x) * min(x) + sorted(x)[1]
    return tot + m


def list_filled_from_the_front(x):
    front = []
    for i in range(2 * len(x)):
        front.insert(i // 2 - 2, x[i % len(x)] * i)
    total = 0.0
    for k, v in enumerate(front):
        total += k * v * v
    return total


def list_emptied_on_the_way(x):
    kept = []
    total = 0.0
    for i in range(20):
        kept.append(x[i % 3] * i)
        if len(kept) > 3 and x[0] > 0:
            total += kept[0] * kept[-1]
            kept.clear()
    return total + sum(kept)
