"""Some array programs of 20 to 60 lines as one writes them for JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.peers.program import Program


def maxwell(permittivity: Any, source: Any, courant: Any, steps: Any) -> Any:
    n, m = permittivity.shape
    rows, columns = jnp.indices((n, m))
    rim = jnp.minimum(jnp.minimum(rows, n - 1 - rows), jnp.minimum(columns, m - 1 - columns))
    loss = jnp.where(rim < 8, 0.3 * ((8 - rim) / 8.0) ** 2, 0.0)
    keep, gain = (1.0 - loss) / (1.0 + loss), courant / (permittivity * (1.0 + loss))

    def step(state: Any, t: Any) -> Any:
        ez, hx, hy = state
        hx = hx - courant * (ez[:, 1:] - ez[:, :-1])
        hy = hy + courant * (ez[1:, :] - ez[:-1, :])
        curl = hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1]
        ez = ez.at[1:-1, 1:-1].set(keep[1:-1, 1:-1] * ez[1:-1, 1:-1] + gain[1:-1, 1:-1] * curl)
        ez = ez.at[n // 3, m // 2].add(jnp.where(t < source.size, source[jnp.minimum(t, source.size - 1)], 0.0))
        return (ez, hx, hy), ez[2 * n // 3, m // 2]

    (ez, _, _), probe = lax.scan(step, (jnp.zeros((n, m)), jnp.zeros((n, m - 1)), jnp.zeros((n - 1, m))), jnp.arange(steps))
    return ez, probe, 0.5 * jnp.sum(permittivity * ez**2)


def gray_scott(u: Any, v: Any, feed: Any, kill: Any, steps: Any) -> Any:
    def laplacian(a: Any) -> Any:
        out = -a + 0.2 * (jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0) + jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1))
        diagonal = jnp.roll(jnp.roll(a, 1, 0), 1, 1) + jnp.roll(jnp.roll(a, 1, 0), -1, 1)
        return out + 0.05 * (diagonal + jnp.roll(jnp.roll(a, -1, 0), 1, 1) + jnp.roll(jnp.roll(a, -1, 0), -1, 1))

    def step(state: Any) -> Any:
        k, u, v, _ = state
        reaction = u * v * v
        du = 1.0 * laplacian(u) - reaction + feed * (1.0 - u)
        dv = 0.5 * laplacian(v) + reaction - (feed + kill) * v
        return k + 1, u + du, jnp.clip(v + dv, 0.0, 1.0), jnp.abs(dv).max()

    done, u, v, moved = lax.while_loop(lambda state: (state[0] < steps) & (state[3] >= 1e-6), step, (0, u, v, jnp.inf))
    return u, v, (v > 0.2).sum(), moved, done


def ising(spins: Any, draws: Any, temperature: Any, field: Any) -> Any:
    rows, columns = jnp.indices(spins.shape)
    colour = (rows + columns) % 2

    def step(spins: Any, draw: Any) -> Any:
        for parity in (0, 1):
            around = jnp.roll(spins, 1, 0) + jnp.roll(spins, -1, 0) + jnp.roll(spins, 1, 1) + jnp.roll(spins, -1, 1)
            cost = 2.0 * spins * (around + field)
            accept = (cost <= 0.0) | (draw[parity] < jnp.exp(-cost / temperature))
            spins = jnp.where(accept & (colour == parity), -spins, spins)
        bonds = spins * (jnp.roll(spins, 1, 0) + jnp.roll(spins, 1, 1))
        return spins, (spins.mean(), -bonds.mean() - field * spins.mean())

    spins, (magnetisation, energy) = lax.scan(step, spins, draws)
    half = draws.shape[0] // 2
    heat = energy[half:].var() / temperature**2 * spins.size
    shifts = jnp.arange(spins.shape[0] // 2)
    reach = jax.vmap(lambda r: (spins * jnp.roll(spins, r, 1)).mean() - spins.mean() ** 2)(shifts)
    return spins, magnetisation, energy, heat, magnetisation[half:].var() / temperature * spins.size, reach


def attention_block(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, w1: Any, w2: Any, heads: Any) -> Any:
    def normalise(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)

    steps, width = x.shape
    h = normalise(x)
    q, k, v = ((h @ w).reshape(steps, heads, width // heads) for w in (wq, wk, wv))
    scores = jnp.einsum("ihd,jhd->hij", q, k) / jnp.sqrt(width // heads) + jnp.triu(jnp.ones((steps, steps)), 1) * -1e9
    weights = jax.nn.softmax(scores, axis=-1)
    entropy = -(weights * jnp.log(weights + 1e-12)).sum(axis=2).mean(axis=1)
    x = x + jnp.einsum("hij,jhd->ihd", weights, v).reshape(steps, width) @ wo
    return x + jax.nn.gelu(normalise(x) @ w1) @ w2, entropy


def lstm(inputs: Any, w: Any, u: Any, b: Any, lengths: Any) -> Any:
    steps, batch, _ = inputs.shape
    size = u.shape[0]

    def step(state: Any, entering: Any) -> Any:
        hidden, cell = state
        t, x = entering
        enter, forget, offered, leave = jnp.split(x @ w + hidden @ u + b, 4, axis=1)
        new_cell = jax.nn.sigmoid(forget + 1.0) * cell + jax.nn.sigmoid(enter) * jnp.tanh(offered)
        running = (t < lengths)[:, None]
        cell = jnp.where(running, new_cell, cell)
        hidden = jnp.where(running, jax.nn.sigmoid(leave) * jnp.tanh(new_cell), hidden)
        return (hidden, cell), hidden * running

    start = jnp.zeros((batch, size)), jnp.zeros((batch, size))
    (hidden, cell), outputs = lax.scan(step, start, (jnp.arange(steps), inputs))
    return outputs, hidden, jnp.abs(cell).max()


def heston_paths(
    normals: Any, spot: Any, variance: Any, speed: Any, level: Any, swing: Any, correlation: Any, rate: Any, dt: Any, strikes: Any
) -> Any:
    steps, _, paths = normals.shape

    def step(state: Any, z: Any) -> Any:
        logs, v, alive, average = state
        positive = jnp.maximum(v, 0.0)
        logs = logs + (rate - 0.5 * positive) * dt + jnp.sqrt(positive * dt) * z[0]
        shock = correlation * z[0] + jnp.sqrt(1.0 - correlation**2) * z[1]
        v = v + speed * (level - positive) * dt + swing * jnp.sqrt(positive * dt) * shock
        return (logs, v, alive & (logs > jnp.log(0.7 * spot)), average + jnp.exp(logs) / steps), None

    start = jnp.full(paths, jnp.log(spot)), jnp.full(paths, variance), jnp.ones(paths, dtype=bool), jnp.zeros(paths)
    (logs, _, alive, average), _ = lax.scan(step, start, normals)
    gain = jnp.maximum(jnp.exp(logs) - strikes[:, None], 0.0)
    means = jnp.stack([gain.mean(1), (gain * alive).mean(1), jnp.maximum(average - strikes[:, None], 0.0).mean(1)])
    return jnp.exp(-rate * dt * steps) * means, alive.mean(dtype=float), ((logs - logs.mean()) ** 3).mean() / logs.std() ** 3


PROGRAMS = (
    Program(maxwell, static=(3,)),
    Program(gray_scott),
    Program(ising),
    Program(attention_block, static=(7,)),
    Program(lstm),
    Program(heston_paths),
)
