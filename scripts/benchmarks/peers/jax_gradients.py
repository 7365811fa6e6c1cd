"""The programs of `gradients` as one writes them for JAX: loops are `scan` and `fori_loop`, writes are `.at`."""

from __future__ import annotations

from typing import Any

import jax


def recurrence(x: Any) -> Any:
    return jax.lax.fori_loop(0, 200_000, lambda _, s: jax.numpy.sin(s) * x + 0.3, 0.1)


def scalar_while(a: Any) -> Any:
    return jax.lax.fori_loop(0, 100_000, lambda k, total: total + a / (1.0 + k * a * a), 0.0)


def diffuse(u: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        return u.at[1:-1].add(0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]))

    u = jax.lax.fori_loop(0, 100, step, u)
    return jax.numpy.sum(u * u)


def smooth_by_index(u: Any) -> Any:
    def sweep(_: Any, u: Any) -> Any:
        def element(left: Any, here: Any) -> Any:
            new = here[0] + 0.1 * (here[1] - 2 * here[0] + left)
            return new, new

        _, middle = jax.lax.scan(element, u[0], (u[1:-1], u[2:]))
        return jax.numpy.concatenate([u[:1], middle, u[-1:]])

    u = jax.lax.fori_loop(0, 20, sweep, u)
    return jax.numpy.sum(u * u)


def read_elements(a: Any) -> Any:
    def row(i: Any, total: Any) -> Any:
        return jax.lax.fori_loop(0, a.shape[1], lambda j, t: t + a[i, j] * a[i, j] * 0.5, total)

    return jax.lax.fori_loop(0, a.shape[0], row, 0.0)


def elementwise_chain(x: Any) -> Any:
    y = x * x + 1.0
    return jax.numpy.sum(jax.numpy.sqrt(y) * x / (y + 2.0))


def matrix_chain(w: Any) -> Any:
    x = jax.numpy.ones((256, w.shape[0]))
    for _ in range(5):
        x = x @ w + 0.1
    return jax.numpy.sum(x * x)


def leapfrog(v: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        u, v = state
        w = (2 * v - u).at[1:-1].add(0.1 * (v[2:] - 2 * v[1:-1] + v[:-2]))
        return v, w

    _, v = jax.lax.fori_loop(0, 100, step, (v * 0.9, v))
    return jax.numpy.sum(v * v)


def recurrent_network(w: Any) -> Any:
    h = jax.lax.fori_loop(0, 200, lambda k, h: jax.numpy.tanh(w @ h + jax.numpy.cos(0.1 * k)), jax.numpy.zeros(w.shape[0]))
    return jax.numpy.sum(h * h)


def pendulum(p: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        angle, speed = state
        speed = speed - 0.001 * jax.numpy.sin(angle)
        return angle + 0.001 * speed, speed

    angle, speed = jax.lax.fori_loop(0, 20_000, step, (p[0], p[1]))
    return angle * angle + speed * speed


PROGRAMS = (
    recurrence,
    scalar_while,
    diffuse,
    smooth_by_index,
    read_elements,
    elementwise_chain,
    matrix_chain,
    leapfrog,
    recurrent_network,
    pendulum,
)
