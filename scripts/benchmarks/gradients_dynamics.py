"""More functions whose gradients are measured: conservation laws, relaxation, particles and maps by index, cells of networks, attention."""

from __future__ import annotations

import numpy as np

from benchmarks.gradients_case import Program, normal


def burgers(u):
    for _ in range(50):
        u[1:-1] = u[1:-1] - 0.01 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.02 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def burgers_by_index(u):
    n = len(u)
    v = u.copy()
    for _ in range(20):
        for i in range(1, n - 1):
            v[i] = u[i] - 0.01 * u[i] * (u[i] - u[i - 1]) + 0.02 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, v = v, u
    return np.sum(u * u)


def shallow_water(s):
    h, q = s[0].copy(), s[1].copy()
    for _ in range(30):
        flux = q * q / h + 0.5 * h * h
        h[1:-1] -= 0.05 * (q[2:] - q[:-2])
        q[1:-1] -= 0.05 * (flux[2:] - flux[:-2])
    return np.sum(h * h) + np.sum(q * q)


def gauss_seidel(u):
    n, m = u.shape
    for _ in range(10):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def logistic(r):
    x = 0.4
    total = 0.0
    for _ in range(100_000):
        x = r * x * (1.0 - x)
        total += x
    return total


def verlet(x):
    v = np.zeros(x.shape)
    n = x.shape[0]
    for _ in range(10):
        a = np.zeros(x.shape)
        for i in range(n):
            for j in range(n):
                if i != j:
                    d0 = x[j, 0] - x[i, 0]
                    d1 = x[j, 1] - x[i, 1]
                    r = d0 * d0 + d1 * d1 + 0.1
                    f = 1.0 / (r * np.sqrt(r))
                    a[i, 0] += f * d0
                    a[i, 1] += f * d1
        v = v + 0.01 * a
        x = x + 0.01 * v
    return np.sum(x * x)


def soft_clusters(c):
    p = np.cos(np.arange(2000.0)).reshape(1000, 2)
    total = 0.0
    for i in range(1000):
        weight = 0.0
        energy = 0.0
        for j in range(c.shape[0]):
            d = (p[i, 0] - c[j, 0]) ** 2 + (p[i, 1] - c[j, 1]) ** 2
            w = np.exp(-d)
            weight += w
            energy += w * d
        total += energy / weight
    return total


def batch_cell(w):
    n = w.shape[1]
    x = np.cos(np.arange(16.0 * n)).reshape(16, n)
    h = np.zeros((16, n))
    for k in range(50):
        h = np.tanh(h @ w + x * (1.0 + 0.01 * k))
    return np.sum(h * h)


def attention(x):
    n = x.shape[1]
    for _ in range(4):
        s = x @ x.T / np.sqrt(n)
        s = s - np.max(s, axis=1, keepdims=True)
        p = np.exp(s)
        p = p / np.sum(p, axis=1, keepdims=True)
        x = x + 0.1 * (p @ x)
    return np.sum(x * x)


PROGRAMS = (
    Program(burgers, lambda n: normal(n), 20_000, 20),
    Program(burgers_by_index, lambda n: normal(n), 20_000, 20),
    Program(shallow_water, lambda n: 2 + 0.1 * normal(2, n), 20_000, 20),
    Program(gauss_seidel, lambda n: normal(n, n), 200, 10),
    Program(logistic, lambda n: 3.2, 1, 1),
    Program(verlet, lambda n: normal(n, 2), 50, 5),
    Program(soft_clusters, lambda n: normal(n, 2), 10, 3),
    Program(batch_cell, lambda n: normal(n, n) / n, 64, 5),
    Program(attention, lambda n: normal(n, n) / 8, 64, 8),
)
