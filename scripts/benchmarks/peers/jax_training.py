"""Training steps in JAX: the models of `benchmarks.models` as functions of their weights, a step under `jit` with donated state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

from benchmarks.peers.program import Program, by_name

VERSION = jax.__version__
HEADS, EPSILON = 4, 0.001
RATE, BETA_1, BETA_2, ADAM_EPSILON = 0.001, 0.9, 0.999, 1e-7


def classified(logits: Any, y: Any) -> Any:
    return -jnp.mean(jnp.take_along_axis(nn.log_softmax(logits), y[:, None], axis=1))


def perceptron(x: Any, y: Any, w: Any, b: Any, *rest: Any) -> Any:
    z = x @ w + b
    return perceptron(nn.relu(z), y, *rest) if rest else classified(z, y)


def recurrent(x: Any, y: Any, kernel: Any, recurrent_kernel: Any, bias: Any, w: Any, b: Any) -> Any:
    inputs = jnp.swapaxes(x, 0, 1) @ kernel + bias
    zeros = jnp.zeros((x.shape[0], recurrent_kernel.shape[0]), x.dtype)

    def step(states: Any, projected: Any) -> Any:
        h, c = states
        i, f, g, o = jnp.split(projected + h @ recurrent_kernel, 4, axis=1)
        c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(g)
        return (nn.sigmoid(o) * jnp.tanh(c), c), None

    (h, _), _ = lax.scan(step, (zeros, zeros), inputs)
    return classified(h @ w + b, y)


def normalized(x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + EPSILON) * gamma + beta


def transformer(x: Any, y: Any, *weights: Any) -> Any:
    g, b, wq, bq, wk, bk, wv, bv, wo, bo, g2, b2, w1, b1, w2, b2_ = weights
    z = normalized(x, g, b)
    q, k, v = (jnp.swapaxes((z @ w + c).reshape(*x.shape[:2], HEADS, -1), 1, 2) for w, c in ((wq, bq), (wk, bk), (wv, bv)))
    mixed = nn.softmax(q / np.sqrt(q.shape[-1]).astype(np.float32) @ jnp.swapaxes(k, -1, -2)) @ v
    x = x + jnp.swapaxes(mixed, 1, 2).reshape(x.shape) @ wo + bo
    x = x + nn.relu(normalized(x, g2, b2) @ w1 + b1) @ w2 + b2_
    return jnp.mean((x - y) ** 2)


def convolutional(x: Any, y: Any, *weights: Any) -> Any:
    *convolutions, w, b = weights
    for kernel, bias in zip(convolutions[::2], convolutions[1::2]):
        x = nn.relu(lax.conv_general_dilated(x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias)
    return classified(x.reshape(x.shape[0], -1) @ w + b, y)


PROGRAMS = by_name(tuple(map(Program, (perceptron, recurrent, transformer, convolutional))))


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call that takes one step and gives the loss before it."""
    loss, (x, y, *weights) = PROGRAMS[name].function, map(jax.device_put, arguments)

    def step(state: Any, x: Any, y: Any) -> Any:
        count, old, means, squares = state
        value, gradients = jax.value_and_grad(lambda old: loss(x, y, *old))(old)
        rate = RATE * jnp.sqrt(1 - BETA_2 ** (count + 1)) / (1 - BETA_1 ** (count + 1))
        means = [m + (g - m) * (1 - BETA_1) for m, g in zip(means, gradients)]
        squares = [v + (g * g - v) * (1 - BETA_2) for v, g in zip(squares, gradients)]
        new = [w - rate * m / (jnp.sqrt(v) + ADAM_EPSILON) for w, m, v in zip(old, means, squares)]
        return (count + 1, new, means, squares), value

    run = jax.jit(step, donate_argnums=0)
    state = (jnp.float32(0), weights, [jnp.zeros_like(w) for w in weights], [jnp.zeros_like(w) for w in weights])

    def call() -> Any:
        nonlocal state
        state, value = run(state, x, y)
        return jax.block_until_ready((state, value))[1]

    return call
