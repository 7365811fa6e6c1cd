"""The control-flow programs and elementwise functions as one writes them for JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from benchmarks.peers.elementwise import programs_with
from benchmarks.peers.program import Program


def collatz_steps(limit: Any) -> Any:
    def step(state: Any) -> Any:
        n, total = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), total + 1

    def count(start: Any, total: Any) -> Any:
        return lax.while_loop(lambda state: state[0] != 1, step, (start, total))[1]

    return lax.fori_loop(1, limit, count, 0)


def square_roots(x: Any, tolerance: Any) -> Any:
    def root(i: Any, total: Any) -> Any:
        goes_on, step = lambda guess: jnp.abs(guess * guess - x[i]) > tolerance, lambda guess: 0.5 * (guess + x[i] / guess)
        return total + lax.while_loop(goes_on, step, x[i])

    return lax.fori_loop(0, len(x), root, 0.0)


def fizz_buzz(limit: Any) -> Any:
    def step(i: Any, total: Any) -> Any:
        return total + jnp.where(i % 15 == 0, 15, jnp.where(i % 5 == 0, 5, jnp.where(i % 3 == 0, 3, 1)))

    return lax.fori_loop(0, limit, step, 0)


def recurrent_layer(x: Any, w: Any, u: Any) -> Any:
    return lax.scan(lambda h, row: (jnp.tanh(row @ w + h @ u), None), jnp.zeros(u.shape[0]), x)[0]


def power_iteration(a: Any, tolerance: Any) -> Any:
    def step(state: Any) -> Any:
        v, _, steps = state
        w = a @ v
        w = w / jnp.sqrt(jnp.sum(w * w))
        return w, jnp.max(jnp.abs(w - v)), steps + 1

    v, _, steps = lax.while_loop(lambda state: state[1] > tolerance, step, (jnp.ones(a.shape[0]), 1.0, 0))
    return v, steps


def first_over(x: Any, limit: Any) -> Any:
    def goes_on(state: Any) -> Any:
        return (state[0] < len(x)) & (state[1] <= limit)

    i, total = lax.while_loop(goes_on, lambda state: (state[0] + 1, state[1] + x[state[0]]), (0, 0.0))
    return jnp.where(total > limit, i - 1, -1)


def bubble_sort(x: Any) -> Any:
    def compare(j: Any, x: Any) -> Any:
        a, b = x[j], x[j + 1]
        return x.at[j].set(jnp.minimum(a, b)).at[j + 1].set(jnp.maximum(a, b))

    return lax.fori_loop(0, len(x), lambda i, x: lax.fori_loop(0, len(x) - 1 - i, compare, x), x)


PROGRAMS = (
    Program(collatz_steps),
    Program(square_roots),
    Program(fizz_buzz),
    Program(recurrent_layer),
    Program(power_iteration),
    Program(first_over),
    Program(bubble_sort),
    *programs_with(jnp),
)
