"""More functions whose gradients are measured: stencils in two dimensions, solvers, small networks, particles, stacks of matrices."""

from __future__ import annotations

import numpy as np

from benchmarks.gradients_case import Program, normal


def heat_2d(u):
    for _ in range(50):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return np.sum(u * u)


def advection(u):
    for _ in range(50):
        flux = 0.5 * u * u
        u[1:] = u[1:] - 0.01 * (flux[1:] - flux[:-1])
    return np.sum(u * u)


def five_points(x):
    for _ in range(20):
        y = 0.1 * x[:-4] + 0.2 * x[1:-3] + 0.4 * x[2:-2] + 0.2 * x[3:-1] + 0.1 * x[4:]
        x[2:-2] = np.sin(y)
    return np.sum(x * x)


def softmax_regression(w):
    n = w.shape[0]
    x = np.cos(np.arange(500.0 * n)).reshape(500, n)
    total = 0.0
    for step in range(10):
        z = x @ w * (1.0 + 0.1 * step)
        z = z - np.max(z, axis=1, keepdims=True)
        total += np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[:, 0])
    return total


def gated_cell(w):
    n = w.shape[0] // 4
    h, c = np.zeros(n), np.zeros(n)
    for k in range(100):
        z = w @ h + np.cos(0.1 * k)
        c = c / (1 + np.exp(-z[n : 2 * n])) + np.tanh(z[2 * n : 3 * n]) / (1 + np.exp(-z[:n]))
        h = np.tanh(c) / (1 + np.exp(-z[3 * n :]))
    return np.sum(h * h)


def jacobi_by_index(u):
    n, m = u.shape
    for _ in range(10):
        v = u.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u = v
    return np.sum(u * u)


def coupled_recurrence(p):
    a, b = p[0], p[1]
    total = 0.0
    for _ in range(100_000):
        a, b = 0.9 * a + 0.1 * b * p[0], 0.8 * b - 0.2 * a * a
        total += a * b
    return total


def pair_energy(x):
    n = x.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d0 = x[i, 0] - x[j, 0]
            d1 = x[i, 1] - x[j, 1]
            d2 = x[i, 2] - x[j, 2]
            energy -= 1.0 / np.sqrt(d0 * d0 + d1 * d1 + d2 * d2 + 0.01)
    return energy


def tridiagonal(d):
    n = len(d)
    c, x = np.empty(n), np.empty(n)
    c[0] = 1.0 / (4.0 + d[0] * d[0])
    x[0] = c[0]
    for i in range(1, n):
        m = 1.0 / (4.0 + d[i] * d[i] - c[i - 1])
        c[i] = m
        x[i] = (1.0 + x[i - 1]) * m
    for i in range(n - 2, -1, -1):
        x[i] = x[i] + c[i] * x[i + 1]
    return np.sum(x * x)


def conjugate_gradient(b):
    x = np.zeros(len(b))
    r = b.copy()
    p = r
    rr = r @ r
    for _ in range(30):
        q = 3.0 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        alpha = rr / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new = r @ r
        p = r + new / rr * p
        rr = new
    return np.sum(x * x)


def convolution(x):
    k = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    for _ in range(10):
        y = np.zeros(len(x) - len(k) + 1)
        for j in range(len(k)):
            y += k[j] * x[j : j + len(x) - len(k) + 1]
        x = y
    return np.sum(x * x)


def reaction_diffusion(s):
    a, b = s[0].copy(), s[1].copy()
    for _ in range(20):
        spread_a = a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]
        spread_b = b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2] - 4 * b[1:-1, 1:-1]
        rate = a[1:-1, 1:-1] * b[1:-1, 1:-1] ** 2
        a[1:-1, 1:-1] += 0.16 * spread_a - rate + 0.03 * (1 - a[1:-1, 1:-1])
        b[1:-1, 1:-1] += 0.08 * spread_b + rate - 0.09 * b[1:-1, 1:-1]
    return np.sum(a * b)


def matrix_stacks(w):
    x = np.ones((w.shape[0], 64, w.shape[1]))
    for _ in range(4):
        x = x @ w
    return np.sum(x * x)


def gravity(state):
    x, v = state[0].copy(), state[1].copy()
    for _ in range(20):
        d = x[None, :, :] - x[:, None, :]
        r = np.sqrt(np.sum(d * d, axis=2) + 0.01)
        v = v + 0.01 * np.sum(d / (r * r * r)[:, :, None], axis=1)
        x = x + 0.01 * v
    return np.sum(x * x)


def power_iteration(a):
    v = np.ones(a.shape[0])
    for _ in range(50):
        w = a @ v
        v = w / np.sqrt(np.sum(w * w))
    return v @ a @ v


PROGRAMS = (
    Program(heat_2d, lambda n: normal(n, n), 200, 10),
    Program(advection, lambda n: normal(n), 20_000, 20),
    Program(five_points, lambda n: normal(n), 20_000, 50),
    Program(softmax_regression, lambda n: normal(n, 10), 50, 5),
    Program(gated_cell, lambda n: normal(4 * n, n) / n, 64, 5),
    Program(jacobi_by_index, lambda n: normal(n, n), 200, 10),
    Program(coupled_recurrence, lambda n: np.array([0.5, 0.1]), 1, 1),
    Program(pair_energy, lambda n: normal(n, 3), 200, 10),
    Program(tridiagonal, lambda n: normal(n), 20_000, 20),
    Program(conjugate_gradient, lambda n: normal(n), 20_000, 20),
    Program(convolution, lambda n: normal(n), 20_000, 100),
    Program(reaction_diffusion, lambda n: 0.5 + 0.1 * normal(2, n, n), 128, 10),
    Program(matrix_stacks, lambda n: normal(16, n, n) / np.sqrt(n), 64, 5),
    Program(gravity, lambda n: normal(2, n, 3), 60, 5),
    Program(power_iteration, lambda n: normal(n, n) + n * np.eye(n), 200, 10),
)
