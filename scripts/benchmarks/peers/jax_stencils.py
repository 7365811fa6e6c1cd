"""Stencils, filters and transforms as one writes them for JAX: whole grids at once, steps as `fori_loop`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from benchmarks.peers.program import Program


def diffuse_slices(u: Any, rate: Any, steps: Any) -> Any:
    return lax.fori_loop(0, steps, lambda _, u: u.at[1:-1].add(rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])), u)


def smooth_index(u: Any, out: Any, steps: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        u, out = state
        new = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        return u.at[1:-1].set(new), out.at[1:-1].set(new)

    u, out = lax.fori_loop(0, steps, step, (u, out))
    return u, u, out


def heat(u: Any, rate: Any, steps: Any, tolerance: Any) -> Any:
    def step(state: Any) -> Any:
        done, u, _ = state
        flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        return done + 1, u.at[1:-1, 1:-1].add(rate * flow), jnp.max(jnp.abs(flow))

    done, u, _ = lax.while_loop(lambda state: (state[0] < steps) & (state[2] >= tolerance), step, (0, u, jnp.inf))
    return done, u


def gauss_seidel_index(u: Any, steps: Any) -> Any:
    def row(above: Any, here_and_below: Any) -> Any:
        here, below = here_and_below

        def element(left: Any, parts: Any) -> Any:
            new = 0.25 * (parts[0] + parts[1] + left + parts[2])
            return new, new

        _, middle = lax.scan(element, here[0], (above[1:-1], below[1:-1], here[2:]))
        new = jnp.concatenate([here[:1], middle, here[-1:]])
        return new, new

    def sweep(_: Any, u: Any) -> Any:
        _, inner = lax.scan(row, u[0], (u[1:-1], u[2:]))
        return jnp.concatenate([u[:1], inner, u[-1:]])

    return lax.fori_loop(0, steps, sweep, u)


def lu(a: Any) -> Any:
    index = jnp.arange(a.shape[0])

    def step(k: Any, state: Any) -> Any:
        a, order = state
        p = jnp.argmax(jnp.where(index >= k, jnp.abs(a[:, k]), -1.0))
        source = jnp.where(index == k, p, jnp.where(index == p, k, index))
        top, column = a[p], a[source, k]
        factor = jnp.where(index > k, column / top[k], 0.0)[:, None]
        rest = a[source] - factor * jnp.where(index > k, top, 0.0)
        return jnp.where((index == k) & (index[:, None] > k), factor, rest), order[source]

    a, order = lax.fori_loop(0, a.shape[0], step, (a, index))
    return order, a


def forward_substitution(lower: Any, b: Any) -> Any:
    return lax.fori_loop(0, len(b), lambda i, x: x.at[i].set((b[i] - lower[i] @ x) / lower[i, i]), jnp.zeros_like(b))


def floyd_warshall(distance: Any) -> Any:
    return lax.fori_loop(0, distance.shape[0], lambda k, d: jnp.minimum(d, d[:, k, None] + d[k]), distance)


def stencil_3d(u: Any, rate: Any, steps: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        inner = u[1:-1, 1:-1, 1:-1]
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        return u.at[1:-1, 1:-1, 1:-1].set(inner + rate * (around - 6.0 * inner))

    return lax.fori_loop(0, steps, step, u)


def jacobi_index(u: Any, out: Any, steps: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        u, out = state
        new = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return u.at[1:-1, 1:-1].set(new), out.at[1:-1, 1:-1].set(new)

    u, out = lax.fori_loop(0, steps, step, (u, out))
    return u, u, out


def wave(u: Any, before: Any, speed: Any, steps: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        u, before = state
        return (2.0 * u - before).at[1:-1].add(speed * (u[2:] - 2.0 * u[1:-1] + u[:-2])), u

    return lax.fori_loop(0, steps, step, (u, before))[0]


def life_slices(cells: Any, steps: Any) -> Any:
    def step(_: Any, cells: Any) -> Any:
        three = cells[:-2] + cells[1:-1] + cells[2:]
        inner = three[:, :-2] + three[:, 2:] + cells[:-2, 1:-1] + cells[2:, 1:-1]
        around = jnp.pad(inner, 1)
        return ((around == 3) | ((cells == 1) & (around == 2))).astype(cells.dtype)

    return lax.fori_loop(0, steps, step, cells)


def life_index(cells: Any, steps: Any) -> Any:
    def step(_: Any, cells: Any) -> Any:
        three = jnp.roll(cells, 1, 0) + cells + jnp.roll(cells, -1, 0)
        around = jnp.roll(three, 1, 1) + three + jnp.roll(three, -1, 1) - cells
        return ((around == 3) | ((cells == 1) & (around == 2))).astype(cells.dtype)

    return lax.fori_loop(0, steps, step, cells)


def fourier(x: Any) -> Any:
    n = len(x)
    angle = 2.0 * jnp.pi * jnp.arange(n) / n
    turn_re, turn_im = jnp.cos(angle), -jnp.sin(angle)

    def step(t: Any, state: Any) -> Any:
        re, im, w_re, w_im = state
        return re + x[t] * w_re, im + x[t] * w_im, w_re * turn_re - w_im * turn_im, w_re * turn_im + w_im * turn_re

    zero = jnp.zeros(n)
    return lax.fori_loop(0, n, step, (zero, zero, zero + 1.0, zero))[:2]


def filter_signal(x: Any, taps: Any) -> Any:
    return sum(taps[k] * x[k : k + len(x) - len(taps) + 1] for k in range(len(taps)))


def bilateral(image: Any, radius: int, near: Any, alike: Any) -> Any:
    rows, columns = image.shape
    wide, inside = jnp.pad(image, radius), jnp.pad(jnp.ones_like(image), radius)
    total, weights = jnp.zeros_like(image), jnp.zeros_like(image)
    for y in range(2 * radius + 1):
        for x in range(2 * radius + 1):
            there, exists = wide[y : y + rows, x : x + columns], inside[y : y + rows, x : x + columns]
            unlike = there - image
            weight = exists / (1.0 + near * ((y - radius) ** 2 + (x - radius) ** 2) + alike * unlike * unlike)
            total, weights = total + weight * there, weights + weight
    return total / weights


def sobel(image: Any) -> Any:
    across = image[:-2, 2:] + 2.0 * image[1:-1, 2:] + image[2:, 2:] - image[:-2, :-2] - 2.0 * image[1:-1, :-2] - image[2:, :-2]
    down = image[2:, :-2] + 2.0 * image[2:, 1:-1] + image[2:, 2:] - image[:-2, :-2] - 2.0 * image[:-2, 1:-1] - image[:-2, 2:]
    return jnp.sqrt(across * across + down * down)


PROGRAMS = (
    Program(diffuse_slices),
    Program(smooth_index, also=(0, 1)),
    Program(heat, also=(0,)),
    Program(gauss_seidel_index),
    Program(lu, also=(0,)),
    Program(forward_substitution),
    Program(floyd_warshall),
    Program(stencil_3d),
    Program(jacobi_index, also=(0, 1)),
    Program(wave),
    Program(life_slices),
    Program(life_index),
    Program(fourier),
    Program(filter_signal),
    Program(bilateral, static=(1,)),
    Program(sobel),
)
