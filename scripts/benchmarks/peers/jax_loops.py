"""Scalar loops, dynamic programming, sorting and scanning as one writes them for JAX.

The algorithm stays the same: independent trips become array operations, dependent ones `scan`, `fori_loop` and `while_loop`.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from benchmarks.peers.program import Program


def collatz_longest(limit: int) -> Any:
    def step(state: Any) -> Any:
        n, steps = state
        following = jnp.where(n % 2 == 0, n // 2, 3 * n + 1)
        return jnp.where(n == 1, 1, following), steps + (n != 1)

    start = jnp.arange(1, limit)
    _, steps = lax.while_loop(lambda state: jnp.any(state[0] != 1), step, (start, jnp.zeros_like(start)))
    best = jnp.argmax(steps)
    return start[best], steps[best]


def mandelbrot(width: int, height: int, limit: int) -> Any:
    real = -2.2 + 3.0 * jnp.arange(width)[None, :] / (width - 1)
    imag = -1.2 + 2.4 * jnp.arange(height)[:, None] / (height - 1)

    def step(_: Any, state: Any) -> Any:
        x, y, counts = state
        alive = x * x + y * y <= 4.0
        return jnp.where(alive, x * x - y * y + real, x), jnp.where(alive, 2.0 * x * y + imag, y), counts + alive

    zero = jnp.zeros((height, width))
    return lax.fori_loop(0, limit, step, (zero, zero, zero.astype(jnp.int64)))[2]


def histogram(x: Any, bins: int) -> Any:
    k = (x * bins).astype(jnp.int64)
    return jnp.zeros(bins, jnp.int64).at[k].add(1, mode="drop")


def running_mean(x: Any, weight: Any) -> Any:
    def join(left: Any, right: Any) -> Any:
        return left[0] * right[0], left[1] * right[0] + right[1]

    shrink, push = lax.associative_scan(join, (jnp.full_like(x, 1.0 - weight), weight * x))
    return shrink * x[0] + push


def matmul_by_index(a: Any, b: Any) -> Any:
    return a @ b


def sieve(limit: int) -> Any:
    number = jnp.arange(limit + 1)

    def step(state: Any) -> Any:
        i, prime = state
        return i + 1, jnp.where(prime[i], prime & ((number < i * i) | (number % i != 0)), prime)

    return jnp.sum(lax.while_loop(lambda state: state[0] ** 2 <= limit, step, (2, number >= 2))[1])


def edit_distance(a: Any, b: Any) -> Any:
    column = jnp.arange(len(b) + 1)

    def line(i: Any, above: Any) -> Any:
        cost = jnp.minimum(above[:-1] + (a[i] != b), above[1:] + 1)
        return lax.cummin(jnp.concatenate([(i + 1)[None], cost]) - column) + column

    return lax.fori_loop(0, len(a), line, column)[-1]


def knapsack(weights: Any, values: Any, capacity: int) -> Any:
    room = jnp.arange(capacity + 1)

    def item(i: Any, best: Any) -> Any:
        wide = jnp.concatenate([jnp.zeros_like(best), best])
        without = lax.dynamic_slice(wide, (capacity + 1 - weights[i],), (capacity + 1,))
        return jnp.where(room >= weights[i], jnp.maximum(best, without + values[i]), best)

    return lax.fori_loop(0, len(weights), item, jnp.zeros_like(room))[capacity]


def nbody(position: Any, velocity: Any, mass: Any, dt: Any, steps: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        position, velocity = state
        apart = position[None] - position[:, None]
        square = jnp.sum(apart * apart, axis=2) + 1e-6
        pull = mass / (square * jnp.sqrt(square)) * (1 - jnp.eye(len(mass)))
        velocity = velocity + dt * jnp.sum(pull[:, :, None] * apart, axis=1)
        return position + dt * velocity, velocity

    position, velocity = lax.fori_loop(0, steps, step, (position, velocity))
    apart = position[None] - position[:, None]
    near = jnp.sqrt(jnp.sum(apart * apart, axis=2) + jnp.eye(len(mass)))
    pairs = jnp.tril(mass[:, None] * mass / near, -1)
    return jnp.sum(0.5 * mass * jnp.sum(velocity**2, axis=1)) - jnp.sum(pairs), position, velocity


def common_subsequence(a: Any, b: Any) -> Any:
    def line(above: Any, letter: Any) -> tuple[Any, None]:
        best = jnp.maximum(above[1:], above[:-1] + (letter == b))
        return jnp.concatenate([above[:1], lax.cummax(best)]), None

    return lax.scan(line, jnp.zeros(len(b) + 1, jnp.int64), a)[0][-1]


def viterbi(start: Any, move: Any, emit: Any, seen: Any) -> Any:
    def forth(best: Any, symbol: Any) -> Any:
        scores = best[:, None] + move
        return jnp.max(scores, axis=0) + emit[:, symbol], jnp.argmax(scores, axis=0)

    best, back = lax.scan(forth, start + emit[:, seen[0]], seen[1:])
    last = jnp.argmax(best)
    _, path = lax.scan(lambda state, row: (row[state], row[state]), last, back, reverse=True)
    return jnp.concatenate([path, last[None]])


def matrix_chain(sizes: Any) -> Any:
    n = len(sizes) - 1
    i, k = jnp.arange(n)[:, None], jnp.arange(n)[None, :]

    def diagonal(width: Any, cost: Any) -> Any:
        j = jnp.minimum(i + width - 1, n - 1)
        below = jnp.concatenate([cost[1:], cost[:1]])  # below[k, j] = cost[k + 1, j]
        price = cost + below[k, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
        best = jnp.min(jnp.where((i <= k) & (k < j), price, jnp.iinfo(jnp.int64).max), axis=1)
        column = jnp.where(i[:, 0] <= n - width, i[:, 0] + width - 1, n)
        return cost.at[i[:, 0], column].set(best, mode="drop")

    return lax.fori_loop(2, n + 1, diagonal, jnp.zeros((n, n), jnp.int64))[0, n - 1]


def insertion_sort(x: Any) -> Any:
    place = jnp.arange(len(x))

    def insert(i: Any, x: Any) -> Any:
        j = jnp.sum((x <= x[i]) & (place < i))
        moved = jnp.where(place == j, x[i], jnp.roll(x, 1))
        return jnp.where((place >= j) & (place <= i), moved, x)

    return lax.fori_loop(1, len(x), insert, x)


def heap_sort(x: Any) -> Any:
    n = len(x)

    def larger_child(root: Any, end: Any, x: Any) -> Any:
        child = jnp.minimum(2 * root + 1, n - 1)
        other = jnp.minimum(child + 1, n - 1)
        return child + ((child + 1 < end) & (x[child] < x[other]))

    def sift(root: Any, end: Any, x: Any) -> Any:
        item = x[root]  # stays outside of the array until its place is found

        def step(state: Any) -> Any:
            root, child, x, _ = state
            x = x.at[root].set(x[child])
            following = larger_child(child, end, x)
            return child, following, x, (2 * child + 1 < end) & (item < x[following])

        child = larger_child(root, end, x)
        start = root, child, x, (2 * root + 1 < end) & (item < x[child])
        root, _, x, _ = lax.while_loop(lambda state: state[3], step, start)
        return x.at[root].set(item)

    def take(step: Any, x: Any) -> Any:
        end = n - 1 - step
        first, last = x[0], x[end]
        return sift(jnp.asarray(0), end, x.at[0].set(last).at[end].set(first))

    x = lax.fori_loop(0, n // 2, lambda step, x: sift(n // 2 - 1 - step, jnp.asarray(n), x), x)
    return lax.fori_loop(0, n, take, x)


def prefix_sums(x: Any) -> Any:
    return jnp.cumsum(x)


def binary_searches(table: Any, keys: Any) -> Any:
    return jnp.searchsorted(table, keys)


def newton_roots(values: Any) -> Any:
    def step(state: Any) -> Any:
        k, x, active = state
        change = (x * x * x - x - values) / (3.0 * x * x - 1.0)
        return k + 1, jnp.where(active, x - change, x), active & (jnp.abs(change) >= 1e-12)

    start = (0, values, jnp.ones(values.shape, bool))
    return lax.while_loop(lambda state: (state[0] < 50) & jnp.any(state[2]), step, start)[1]


def count_inside(x: Any, y: Any) -> Any:
    return 4.0 * jnp.sum(x * x + y * y <= 1.0) / len(x)


def lorenz(state: Any, dt: Any, steps: int) -> Any:
    def step(state: Any, _: None) -> Any:
        x, y, z = state
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        following = x + dt * dx, y + dt * dy, z + dt * dz
        return following, following

    return jnp.stack(lax.scan(step, (state[0], state[1], state[2]), None, length=steps)[1], axis=1)


def divisor_sums(limit: int) -> Any:
    a = jnp.arange(1, limit)
    start = jnp.broadcast_to(a[:, None], (limit - 1, limit - 1)), jnp.broadcast_to(a, (limit - 1, limit - 1))

    def step(state: Any) -> Any:
        x, y = state
        return jnp.where(y == 0, x, y), jnp.where(y == 0, 0, x % jnp.where(y == 0, 1, y))

    return jnp.sum(lax.while_loop(lambda state: jnp.any(state[1] != 0), step, start)[0])


PROGRAMS = (
    Program(collatz_longest, static=(0,)),
    Program(mandelbrot, static=(0, 1, 2)),
    Program(histogram, static=(1,)),
    Program(running_mean),
    Program(matmul_by_index),
    Program(sieve, static=(0,)),
    Program(edit_distance),
    Program(knapsack, static=(2,)),
    Program(nbody, also=(0, 1)),
    Program(common_subsequence),
    Program(viterbi),
    Program(matrix_chain),
    Program(insertion_sort),
    Program(heap_sort),
    Program(prefix_sums),
    Program(binary_searches),
    Program(newton_roots),
    Program(count_inside),
    Program(lorenz, static=(2,)),
    Program(divisor_sums, static=(0,)),
)
