"""The programs of `gradients_dynamics` as one writes them for JAX: whole arrays where trips do not depend on each other."""

from __future__ import annotations

from typing import Any

import jax


def burgers(u: Any) -> Any:
    u = jax.lax.fori_loop(0, 50, advected, u)
    return jax.numpy.sum(u * u)


def burgers_by_index(u: Any) -> Any:
    u = jax.lax.fori_loop(0, 20, advected, u)
    return jax.numpy.sum(u * u)


def advected(_: Any, u: Any) -> Any:
    inner = u[1:-1]
    return u.at[1:-1].set(inner - 0.01 * inner * (inner - u[:-2]) + 0.02 * (u[2:] - 2 * inner + u[:-2]))


def shallow_water(s: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        h, q = state
        flux = q * q / h + 0.5 * h * h
        return h.at[1:-1].add(-0.05 * (q[2:] - q[:-2])), q.at[1:-1].add(-0.05 * (flux[2:] - flux[:-2]))

    h, q = jax.lax.fori_loop(0, 30, step, (s[0], s[1]))
    return jax.numpy.sum(h * h) + jax.numpy.sum(q * q)


def gauss_seidel(u: Any) -> Any:
    def sweep(_: Any, u: Any) -> Any:
        def row(above: Any, here: Any) -> Any:
            line, below = here

            def element(left: Any, around: Any) -> Any:
                new = 0.25 * (around[0] + around[1] + left + around[2])
                return new, new

            _, inner = jax.lax.scan(element, line[0], (above[1:-1], below[1:-1], line[2:]))
            line = line.at[1:-1].set(inner)
            return line, line

        _, rows = jax.lax.scan(row, u[0], (u[1:-1], u[2:]))
        return u.at[1:-1].set(rows)

    u = jax.lax.fori_loop(0, 10, sweep, u)
    return jax.numpy.sum(u * u)


def logistic(r: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        x, total = state
        x = r * x * (1.0 - x)
        return x, total + x

    return jax.lax.fori_loop(0, 100_000, step, (0.4, 0.0))[1]


def verlet(x: Any) -> Any:
    np = jax.numpy

    def step(_: Any, state: Any) -> Any:
        x, v = state
        d = x[None, :, :] - x[:, None, :]
        r = np.sum(d * d, axis=2) + 0.1
        v = v + 0.01 * np.sum(d / (r * np.sqrt(r))[:, :, None], axis=1)
        return x + 0.01 * v, v

    x, _ = jax.lax.fori_loop(0, 10, step, (x, np.zeros(x.shape)))
    return np.sum(x * x)


def soft_clusters(c: Any) -> Any:
    np = jax.numpy
    p = np.cos(np.arange(2000.0)).reshape(1000, 2)
    d = np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2)
    w = np.exp(-d)
    return np.sum(np.sum(w * d, axis=1) / np.sum(w, axis=1))


def batch_cell(w: Any) -> Any:
    np, n = jax.numpy, w.shape[1]
    x = np.cos(np.arange(16.0 * n)).reshape(16, n)
    h = jax.lax.fori_loop(0, 50, lambda k, h: np.tanh(h @ w + x * (1.0 + 0.01 * k)), np.zeros((16, n)))
    return np.sum(h * h)


def attention(x: Any) -> Any:
    np, n = jax.numpy, x.shape[1]

    def step(_: Any, x: Any) -> Any:
        s = x @ x.T / np.sqrt(n)
        p = np.exp(s - np.max(s, axis=1, keepdims=True))
        return x + 0.1 * (p / np.sum(p, axis=1, keepdims=True) @ x)

    x = jax.lax.fori_loop(0, 4, step, x)
    return np.sum(x * x)


PROGRAMS = (
    burgers,
    burgers_by_index,
    shallow_water,
    gauss_seidel,
    logistic,
    verlet,
    soft_clusters,
    batch_cell,
    attention,
)
