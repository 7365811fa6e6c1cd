"""The programs of `gradients_science` as one writes them for JAX: whole arrays where the originals have index loops."""

from __future__ import annotations

from typing import Any

import jax


def heat_2d(u: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].add(0.1 * (around - 4 * u[1:-1, 1:-1]))

    u = jax.lax.fori_loop(0, 50, step, u)
    return jax.numpy.sum(u * u)


def advection(u: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        flux = 0.5 * u * u
        return u.at[1:].add(-0.01 * (flux[1:] - flux[:-1]))

    u = jax.lax.fori_loop(0, 50, step, u)
    return jax.numpy.sum(u * u)


def five_points(x: Any) -> Any:
    def step(_: Any, x: Any) -> Any:
        y = 0.1 * x[:-4] + 0.2 * x[1:-3] + 0.4 * x[2:-2] + 0.2 * x[3:-1] + 0.1 * x[4:]
        return x.at[2:-2].set(jax.numpy.sin(y))

    x = jax.lax.fori_loop(0, 20, step, x)
    return jax.numpy.sum(x * x)


def softmax_regression(w: Any) -> Any:
    np, n = jax.numpy, w.shape[0]
    x = np.cos(np.arange(500.0 * n)).reshape(500, n)

    def step(k: Any, total: Any) -> Any:
        z = x @ w * (1.0 + 0.1 * k)
        z = z - np.max(z, axis=1, keepdims=True)
        return total + np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[:, 0])

    return jax.lax.fori_loop(0, 10, step, 0.0)


def gated_cell(w: Any) -> Any:
    np, n = jax.numpy, w.shape[0] // 4

    def step(k: Any, state: Any) -> Any:
        h, c = state
        z = w @ h + np.cos(0.1 * k)
        c = c / (1 + np.exp(-z[n : 2 * n])) + np.tanh(z[2 * n : 3 * n]) / (1 + np.exp(-z[:n]))
        return np.tanh(c) / (1 + np.exp(-z[3 * n :])), c

    h, _ = jax.lax.fori_loop(0, 100, step, (np.zeros(n), np.zeros(n)))
    return np.sum(h * h)


def jacobi_by_index(u: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        return u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))

    u = jax.lax.fori_loop(0, 10, step, u)
    return jax.numpy.sum(u * u)


def coupled_recurrence(p: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        a, b, total = state
        a, b = 0.9 * a + 0.1 * b * p[0], 0.8 * b - 0.2 * a * a
        return a, b, total + a * b

    return jax.lax.fori_loop(0, 100_000, step, (p[0], p[1], 0.0))[2]


def pair_energy(x: Any) -> Any:
    np = jax.numpy
    d = x[:, None, :] - x[None, :, :]
    inverse = 1.0 / np.sqrt(np.sum(d * d, axis=2) + 0.01)
    return -np.sum(np.triu(inverse, 1))


def tridiagonal(d: Any) -> Any:
    first = 1.0 / (4.0 + d[0] * d[0])

    def forward(state: Any, here: Any) -> Any:
        c, x = state
        m = 1.0 / (4.0 + here * here - c)
        return (m, (1.0 + x) * m), (m, (1.0 + x) * m)

    _, (c, x) = jax.lax.scan(forward, (first, first), d[1:])
    c, x = (jax.numpy.concatenate([first[None], rest]) for rest in (c, x))

    def backward(after: Any, here: Any) -> Any:
        value = here[1] + here[0] * after
        return value, value

    _, rest = jax.lax.scan(backward, x[-1], (c[:-1], x[:-1]), reverse=True)
    return jax.numpy.sum(rest * rest) + x[-1] * x[-1]


def conjugate_gradient(b: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        x, r, p, rr = state
        q = (3.0 * p).at[1:].add(-p[:-1]).at[:-1].add(-p[1:])
        alpha = rr / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        new = r @ r
        return x, r, r + new / rr * p, new

    x = jax.lax.fori_loop(0, 30, step, (jax.numpy.zeros(len(b)), b, b, b @ b))[0]
    return jax.numpy.sum(x * x)


def convolution(x: Any) -> Any:
    for _ in range(10):
        n = len(x) - 4
        x = sum(k * x[j : j + n] for j, k in enumerate((0.1, 0.2, 0.4, 0.2, 0.1)))
    return jax.numpy.sum(x * x)


def reaction_diffusion(s: Any) -> Any:
    def spread(a: Any) -> Any:
        return a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]

    def step(_: Any, state: Any) -> Any:
        a, b = state
        inner, other = a[1:-1, 1:-1], b[1:-1, 1:-1]
        rate = inner * other**2
        a = a.at[1:-1, 1:-1].add(0.16 * spread(a) - rate + 0.03 * (1 - inner))
        return a, b.at[1:-1, 1:-1].add(0.08 * spread(b) + rate - 0.09 * other)

    a, b = jax.lax.fori_loop(0, 20, step, (s[0], s[1]))
    return jax.numpy.sum(a * b)


def matrix_stacks(w: Any) -> Any:
    x = jax.numpy.ones((w.shape[0], 64, w.shape[1]))
    x = jax.lax.fori_loop(0, 4, lambda _, x: x @ w, x)
    return jax.numpy.sum(x * x)


def gravity(state: Any) -> Any:
    np = jax.numpy

    def step(_: Any, state: Any) -> Any:
        x, v = state
        d = x[None, :, :] - x[:, None, :]
        r = np.sqrt(np.sum(d * d, axis=2) + 0.01)
        v = v + 0.01 * np.sum(d / (r * r * r)[:, :, None], axis=1)
        return x + 0.01 * v, v

    x, _ = jax.lax.fori_loop(0, 20, step, (state[0], state[1]))
    return np.sum(x * x)


def power_iteration(a: Any) -> Any:
    def step(_: Any, v: Any) -> Any:
        w = a @ v
        return w / jax.numpy.sqrt(jax.numpy.sum(w * w))

    v = jax.lax.fori_loop(0, 50, step, jax.numpy.ones(a.shape[0]))
    return v @ a @ v


PROGRAMS = (
    heat_2d,
    advection,
    five_points,
    softmax_regression,
    gated_cell,
    jacobi_by_index,
    coupled_recurrence,
    pair_energy,
    tridiagonal,
    conjugate_gradient,
    convolution,
    reaction_diffusion,
    matrix_stacks,
    gravity,
    power_iteration,
)
