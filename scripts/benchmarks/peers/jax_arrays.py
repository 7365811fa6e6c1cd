"""Linear algebra, statistics, layers and whole-array programs as one writes them for JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from benchmarks.peers.program import Program


def cholesky_slices(a: Any) -> Any:
    index = jnp.arange(a.shape[0])

    def column(j: Any, lower: Any) -> Any:
        rest = a[:, j] - lower @ lower[j]
        return lower.at[:, j].set(jnp.where(index >= j, rest / jnp.sqrt(rest[j]), 0.0))

    return lax.fori_loop(0, a.shape[0], column, jnp.zeros_like(a))


def cholesky_index(a: Any) -> Any:
    return jnp.triu(a, 1) + cholesky_slices(a)


def householder(a: Any) -> Any:
    row, column = jnp.arange(a.shape[0]), jnp.arange(a.shape[1])

    def reflect(k: Any, a: Any) -> Any:
        v = jnp.where(row >= k, a[:, k], 0.0)
        length = jnp.sqrt(v @ v)
        v = v.at[k].add(jnp.where(v[k] >= 0, length, -length))
        factor = jnp.where(column >= k, 2.0 * (v @ a) / (v @ v), 0.0)
        return a - v[:, None] * factor

    return lax.fori_loop(0, a.shape[1], reflect, a)


def gauss_jordan(a: Any, b: Any) -> Any:
    index = jnp.arange(len(b))

    def step(k: Any, state: Any) -> Any:
        a, b = state
        p = jnp.argmax(jnp.where(index >= k, jnp.abs(a[:, k]), -1.0))
        source = jnp.where(index == k, p, jnp.where(index == p, k, index))
        line, value = a[p] / a[p, k], b[p] / a[p, k]
        factor = jnp.where(index == k, 0.0, a[source, k])
        here = index == k
        return (
            jnp.where(here[:, None], line, a[source] - factor[:, None] * line),
            jnp.where(here, value, b[source] - factor * value),
        )

    a, b = lax.fori_loop(0, len(b), step, (a, b))
    return b, a, b


def tridiagonal(low: Any, middle: Any, high: Any, b: Any) -> Any:
    def forth(state: Any, parts: Any) -> Any:
        ratio, x = state
        low, middle, high, b = parts
        scale = middle - low * ratio
        new = high / scale, (b - low * x) / scale
        return new, new

    _, (ratio, x) = lax.scan(forth, (0.0, 0.0), (low.at[0].set(0.0), middle, high, b))

    def back(following: Any, parts: Any) -> Any:
        new = parts[1] - parts[0] * following
        return new, new

    return lax.scan(back, 0.0, (ratio.at[-1].set(0.0), x), reverse=True)[1]


def conjugate_gradient(a: Any, b: Any, steps: Any) -> Any:
    def step(state: Any) -> Any:
        k, x, r, p, square = state
        image = a @ p
        alpha = square / (p @ image)
        r = r - alpha * image
        following = r @ r
        return k + 1, x + alpha * p, r, r + following / square * p, following

    start = (0, jnp.zeros_like(b), b, b, b @ b)
    return lax.while_loop(lambda state: (state[0] < steps) & (state[4] >= 1e-20), step, start)[1]


def jacobi_rotations(a: Any, sweeps: Any) -> Any:
    n = a.shape[0]
    first, second = jnp.triu_indices(n, 1)

    def rotate(k: Any, a: Any) -> Any:
        p, q = first[k], second[k]
        theta = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
        t = jnp.where(theta < 0.0, -1.0, 1.0) / (jnp.abs(theta) + jnp.sqrt(theta * theta + 1.0))
        needed = jnp.abs(a[p, q]) > 1e-12
        c = jnp.where(needed, 1.0 / jnp.sqrt(t * t + 1.0), 1.0)
        s = jnp.where(needed, t * c, 0.0)
        x, y = a[:, p], a[:, q]
        a = a.at[:, p].set(c * x - s * y).at[:, q].set(s * x + c * y)
        x, y = a[p], a[q]
        return a.at[p].set(c * x - s * y).at[q].set(s * x + c * y)

    def sweep(_: Any, a: Any) -> Any:
        return lax.fori_loop(0, len(first), rotate, a)

    a = lax.fori_loop(0, sweeps, sweep, a)
    return jnp.diag(a), a


def running_variance(x: Any) -> Any:
    def step(state: Any, parts: Any) -> tuple[Any, None]:
        mean, spread = state
        change = parts[0] - mean
        mean = mean + change / parts[1]
        return (mean, spread + change * (parts[0] - mean)), None

    (mean, spread), _ = lax.scan(step, (0.0, 0.0), (x, jnp.arange(1.0, len(x) + 1.0)))
    return mean, spread / (len(x) - 1)


def covariance(x: Any) -> Any:
    centred = x - x.mean(axis=0)
    return centred.T @ centred / (x.shape[0] - 1)


def correlations(x: Any) -> Any:
    return covariance(x)


def nearest_centres(x: Any, centres: Any, rounds: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        centres, _ = state
        label = jnp.argmin(jnp.sum((x[:, None] - centres) ** 2, axis=2), axis=1)
        member = (label[:, None] == jnp.arange(centres.shape[0])).astype(x.dtype)
        count = member.sum(axis=0)
        mean = member.T @ x / jnp.maximum(count, 1.0)[:, None]
        return jnp.where(count[:, None] > 0, mean, centres), label

    centres, label = lax.fori_loop(0, rounds, step, (centres, jnp.zeros(len(x), jnp.int64)))
    return label, centres


def pairwise_distances(x: Any) -> Any:
    return jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, axis=2))


def dense_by_loops(x: Any, w: Any, b: Any) -> Any:
    return jnp.maximum(x @ w + b, 0.0)


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + shift


def convolve_2d(image: Any, kernels: Any) -> Any:
    count, height, width = kernels.shape
    rows, columns = image.shape[0] - height + 1, image.shape[1] - width + 1
    parts = (kernels[:, y, x, None, None] * image[y : y + rows, x : x + columns] for y in range(height) for x in range(width))
    return sum(parts)


def convolve_slices(image: Any, kernels: Any) -> Any:
    return convolve_2d(image, kernels)


def max_pool(image: Any) -> Any:
    rows, columns = image.shape[0] // 2, image.shape[1] // 2
    return image[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).max(axis=(1, 3))


def chain_float64(x: Any, y: Any) -> Any:
    return jnp.sqrt(x * x + y * y) / (1.0 + jnp.abs(x - y)) + 0.5 * x * y


def chain_float32(x: Any, y: Any) -> Any:
    return chain_float64(x, y)


def chain_exp(x: Any, y: Any) -> Any:
    return jnp.exp(-x * x) * jnp.tanh(y) + jnp.log1p(jnp.abs(x))


def root_mean_square(x: Any) -> Any:
    return jnp.sqrt(jnp.mean(x * x))


def standardize(x: Any) -> Any:
    return (x - x.mean(axis=0)) / x.std(axis=0)


def softmax(x: Any) -> Any:
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    return e / jnp.sum(e, axis=1, keepdims=True)


def dense_layers(x: Any, w: Any, b: Any) -> Any:
    for i in range(w.shape[0]):
        x = jnp.maximum(x @ w[i] + b[i], 0.0)
    return x


def unit_rows(x: Any) -> Any:
    return x / jnp.linalg.norm(x, axis=1, keepdims=True)


def quadratic_forms(x: Any, a: Any, y: Any) -> Any:
    return jnp.einsum("bi,ij,bj->b", x, a, y)


def tile_means(x: Any) -> Any:
    return x.mean(axis=(1, 2))


def spring_energy(x: Any, first: Any, second: Any) -> Any:
    return jnp.sum((x[first] - x[second]) ** 2)


PROGRAMS = (
    Program(cholesky_slices),
    Program(cholesky_index),
    Program(householder),
    Program(gauss_jordan, also=(0, 1)),
    Program(tridiagonal),
    Program(conjugate_gradient),
    Program(jacobi_rotations, also=(0,)),
    Program(running_variance),
    Program(covariance),
    Program(correlations),
    Program(nearest_centres, also=(1,)),
    Program(pairwise_distances),
    Program(dense_by_loops),
    Program(layer_norm),
    Program(convolve_2d),
    Program(convolve_slices),
    Program(max_pool),
    Program(chain_float64),
    Program(chain_float32),
    Program(chain_exp),
    Program(root_mean_square),
    Program(standardize),
    Program(softmax),
    Program(dense_layers),
    Program(unit_rows),
    Program(quadratic_forms),
    Program(tile_means),
    Program(spring_energy),
)
