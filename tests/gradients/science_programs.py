"""Programs to differentiate: factorisations by loops, splines, filters, particles, fields, rays, sorting, complex numbers."""

from __future__ import annotations

import math

import numpy as np

from tests.gradients.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


@program(lambda: (rnd(1, 4, 3),))
def householder_triangularisation(a):
    r = a.copy()
    for k in range(3):
        x = r[k:, k].copy()
        x[0] += np.sign(x[0]) * np.sqrt(np.sum(x**2))
        v = x / np.linalg.norm(x)
        r[k:, k:] -= 2 * np.outer(v, v @ r[k:, k:])
    return np.triu(r[:3])


@program(lambda: (rnd(2, 4, 4),))
def givens_rotations_in_place(a):
    for j in range(3):
        for i in range(3, j, -1):
            x, y = a[i - 1, j], a[i, j]
            h = math.hypot(x, y)
            c, s = x / h, y / h
            upper = c * a[i - 1] + s * a[i]
            a[i] = c * a[i] - s * a[i - 1]
            a[i - 1] = upper
    return np.abs(np.diag(a))


@program(lambda: (rnd(3, 3, 3),))
def jacobi_eigenvalues(a):
    s = a + a.T
    for _ in range(4):
        for p in range(2):
            for q in range(p + 1, 3):
                if abs(s[p, q]) < 1e-12:
                    continue
                theta = 0.5 * np.arctan2(2 * s[p, q], s[q, q] - s[p, p])
                g = np.eye(3)
                g[p, p] = g[q, q] = np.cos(theta)
                g[p, q], g[q, p] = np.sin(theta), -np.sin(theta)
                s = g.T @ s @ g
    return np.sort(np.diag(s))


@program(lambda: (rnd(4, 3, 3) * 0.5,), twice=True)
def exponential_of_a_matrix_by_squaring(a):
    term, total = np.eye(3), np.eye(3)
    for k in range(1, 9):
        term = term @ a / (4 * k)
        total = total + term
    for _ in range(2):
        total = total @ total
    return total


@program(lambda: (fl(0.0, 1.1, 1.9, 3.0, 4.2), rnd(5, 5), fl(0.4, 2.2, 3.7)), 0, 1, 2)
def natural_cubic_spline(x, y, at):
    n = len(x)
    h = np.diff(x)
    m = np.zeros((n, n))
    rhs = np.zeros(n)
    m[0, 0] = m[-1, -1] = 1.0
    for i in range(1, n - 1):
        m[i, i - 1], m[i, i], m[i, i + 1] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        rhs[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    c = np.linalg.solve(m, rhs)
    out = np.empty(len(at))
    for j, v in enumerate(at):
        i = np.searchsorted(x, v) - 1
        a, b = x[i + 1] - v, v - x[i]
        out[j] = (c[i] * a**3 + c[i + 1] * b**3) / (6 * h[i])
        out[j] += (y[i] / h[i] - c[i] * h[i] / 6) * a + (y[i + 1] / h[i] - c[i + 1] * h[i] / 6) * b
    return out


@program(lambda: (rnd(6, 5, 2), 0.37), 0, 1)
def de_casteljau(points, t):
    work = points.copy()
    for k in range(len(points) - 1, 0, -1):
        work[:k] = (1 - t) * work[:k] + t * work[1 : k + 1]
    return work[0]


@program(lambda: (rnd(7, 8), fl(0.5, 0.9)), 0, 1)
def filter_in_the_frequency_domain(x, p):
    f = np.fft.rfft(x)
    k = np.arange(len(f))
    return np.fft.irfft(f / (1 + p[0] * k**2) * np.exp(-1j * p[1] * k), n=len(x))


@program(lambda: (rnd(8, 10), fl(0.3, 0.2, 0.1), fl(-0.5, 0.2)), 0, 1, 2)
def recursive_filter_with_states(x, b, a):
    z = np.zeros(2)
    y = np.empty_like(x)
    for n, v in enumerate(x):
        y[n] = b[0] * v + z[0]
        z[0] = b[1] * v - a[0] * y[n] + z[1]
        z[1] = b[2] * v - a[1] * y[n]
    return y


@program(lambda: (rnd(9, 4, 2), rnd(10, 4, 2) * 0.2, fl(1.0, 0.5, 0.7, 1.2)), 0, 1, 2)
def n_bodies_with_a_cutoff(x, v, m):
    for _ in range(3):
        force = np.zeros_like(x)
        for i in range(len(m)):
            for j in range(i + 1, len(m)):
                d = x[j] - x[i]
                r2 = d @ d + 0.2
                if r2 > 9.0:
                    continue
                f = m[i] * m[j] * d / r2**1.5
                force[i] += f
                force[j] -= f
        v += 0.1 * force / m[:, None]
        x += 0.1 * v
    return x, 0.5 * np.sum(m * np.sum(v**2, axis=1))


@program(lambda: (rnd(11, 5, 5), 0.1, 0.3), 0, 1, 2)
def reaction_and_diffusion_in_place(u, d, k):
    v = np.roll(u, 1, axis=0) * 0.5
    for _ in range(3):
        for w, rate in ((u, d), (v, 2 * d)):
            laplace = np.zeros_like(w)
            laplace[1:-1, 1:-1] = w[2:, 1:-1] + w[:-2, 1:-1] + w[1:-1, 2:] + w[1:-1, :-2] - 4 * w[1:-1, 1:-1]
            w += rate * laplace
        reaction = u * v**2
        u -= 0.1 * (reaction - k * (1 - u))
        v += 0.1 * (reaction - k * v)
    return u, v


@program(lambda: (rnd(12, 7), 0.4), 0, 1)
def upwind_advection_with_a_limiter(u, c):
    for _ in range(3):
        left, right = u - np.roll(u, 1), np.roll(u, -1) - u
        slope = np.where(left * right > 0, 2 * left * right / (left + right + 1e-30), 0.0)
        face = u + 0.5 * (1 - c) * slope
        u = u - c * (face - np.roll(face, 1))
    return u


@program(lambda: (fl(0.3, 0.2, 3.0), fl(0.1, -0.05, -1.0)), 0, 1)
def ray_marching_to_a_sphere(origin, direction):
    direction = direction / np.sqrt(direction @ direction)
    t = 0.0
    for _ in range(60):
        p = origin + t * direction
        distance = np.sqrt(p @ p) - 1.0 + 0.05 * np.sin(3 * p[0])
        if distance < 1e-10:
            break
        t = t + 0.9 * distance
    normal = p / np.sqrt(p @ p)
    return t, normal @ np.array([0.3, 0.5, 0.8])


@program(lambda: (fl(0.2, 0.6, 0.4, 0.9), fl(0.5, 1.5, 0.7, 1.1)), 0, 1)
def volume_rendering_front_to_back(density, colour):
    passed, light = 1.0, 0.0
    for d, c in zip(density, colour):
        alpha = 1 - math.exp(-d)
        light += passed * alpha * c
        passed *= 1 - alpha
        if passed < 0.05:
            break
    return light, passed


@program(lambda: (rnd(13, 6),))
def bitonic_sort_with_soft_exchanges(x):
    n = len(x)
    for k in range(n):
        for i in range(k % 2, n - 1, 2):
            p = 1 / (1 + np.exp(-(x[i] - x[i + 1]) / 0.3))
            x[i], x[i + 1] = (1 - p) * x[i] + p * x[i + 1], p * x[i] + (1 - p) * x[i + 1]
    return x


@program(lambda: (rnd(14, 6),))
def quicksort_on_a_stack(x):
    stack = [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot, i = x[high], low
        for j in range(low, high):
            if x[j] < pivot:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[high] = x[high], x[i]
        stack.append((low, i - 1))
        stack.append((i + 1, high))
    return x * np.arange(1.0, 7.0)


@program(lambda: (rnd(15, 3, 3), rnd(16, 3, 3)), 0, 1)
def products_of_complex_matrices(a, b):
    z = (a + 1j * b) / 2
    u = np.eye(3, dtype=complex)
    for k in range(3):
        u = u @ z - 0.3j * u.conj().T
        u[k] *= np.exp(1j * a[k, 0])
    return u, np.abs(np.trace(u)), np.angle(u[0, 0])


@program(lambda: (rnd(17, 4) + 1j * rnd(18, 4), 0.6), 0, 1)
def complex_argument_written_in_place(z, t):
    for k in range(1, len(z)):
        z[k] = z[k] * z[k - 1].conjugate() * t + 1j * z[k - 1]
        if abs(z[k]) > 2:
            z[k] /= abs(z[k])
    return z, (z * z).real.sum()


@program(lambda: (rnd(19, 4) + 1j * rnd(20, 4),))
def schroedinger_steps_by_splitting(psi):
    k = np.fft.fftfreq(4) * 2 * np.pi
    for _ in range(3):
        psi = np.fft.ifft(np.exp(-0.05j * k**2) * np.fft.fft(psi))
        psi = psi * np.exp(-0.1j * (np.abs(psi) ** 2 + np.arange(4.0)))
    return np.abs(psi) ** 2


@program(lambda: (rnd(21, 8),))
def wavelet_lifting_by_levels(x):
    n = len(x)
    while n > 1:
        even, odd = x[:n:2].copy(), x[1:n:2].copy()
        odd -= 0.5 * (even + np.roll(even, -1))
        even += 0.25 * odd * np.tanh(odd)
        x[: n // 2], x[n // 2 : n] = even, odd
        n //= 2
    return x


@program(lambda: (rnd(22, 5, 5),))
def floyd_warshall_with_a_soft_minimum(a):
    d = np.exp(a)
    for k in range(len(d)):
        through = d[:, k : k + 1] + d[k : k + 1]
        d = -np.logaddexp(-d / 0.5, -through / 0.5) * 0.5
    return d


@program(lambda: (rnd(23, 4, 4) * 0.3, 0.85), 0, 1)
def page_rank_until_it_settles(a, damping):
    w = np.exp(a)
    p = w / w.sum(axis=0)
    r = np.ones(4) / 4
    while True:
        new = (1 - damping) / 4 + damping * p @ r
        if np.abs(new - r).sum() < 1e-13:
            return new
        r = new


@program(lambda: (fl(0.7, 1.9), fl(1.2, 0.3, -0.4)), 0, 1)
def clenshaw_and_barycentric(x, c):
    total = 0.0
    for v in x:
        b1 = b2 = 0.0
        for a in c[::-1]:
            b1, b2 = 2 * v * b1 - b2 + a, b1
        total += b1 - v * b2
    nodes = np.cos(np.arange(3) + 0.5)
    weight = np.array([1 / np.prod([p - q for q in nodes if q != p]) for p in nodes])
    share = weight / (0.35 * x[0] - nodes)
    return total, (share @ c) / share.sum()
