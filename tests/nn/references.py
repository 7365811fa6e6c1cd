"""What layers compute, written again in plain NumPy: one item and one step after the other."""

from __future__ import annotations

from typing import Any

import numpy as np


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def simple_step(x: Any, states: list[Any], kernel: Any, recurrent: Any, bias: Any) -> tuple[Any, list[Any]]:
    h = np.tanh(kernel.T @ x + recurrent.T @ states[0] + bias)
    return h, [h]


def lstm_step(x: Any, states: list[Any], kernel: Any, recurrent: Any, bias: Any) -> tuple[Any, list[Any]]:
    h, c = states
    i, f, g, o = np.split(kernel.T @ x + recurrent.T @ h + bias, 4)
    c = logistic(f) * c + logistic(i) * np.tanh(g)
    h = logistic(o) * np.tanh(c)
    return h, [h, c]


def gru_step(x: Any, states: list[Any], kernel: Any, recurrent: Any, bias: Any) -> tuple[Any, list[Any]]:
    (h,) = states
    xz, xr, xh = np.split(kernel.T @ x + bias[0], 3)
    hz, hr, hh = np.split(recurrent.T @ h + bias[1], 3)
    z = logistic(xz + hz)
    h = z * h + (1 - z) * np.tanh(xh + logistic(xr + hr) * hh)
    return h, [h]


def recurrent(step: Any, count: int, sequences: Any, weights: list[Any], mask: Any = None, backwards: bool = False) -> tuple[Any, Any]:
    """All outputs, of (batch, steps, units), and the last states, of (count, batch, units)."""
    found, last = [], []
    for b, sequence in enumerate(sequences):
        states = [np.zeros(len(weights[1]))] * count
        output, outputs = states[0], []
        for t in reversed(range(len(sequence))) if backwards else range(len(sequence)):
            if mask is None or mask[b, t]:
                output, states = step(sequence[t], states, *weights)
            outputs.append(output)
        found.append(outputs)
        last.append(states)
    return np.array(found), np.swapaxes(np.array(last), 0, 1)


def attention(query: Any, value: Any, weights: list[Any], heads: int, mask: Any = None) -> Any:
    """One batch, one head and one target after the other; the kernels have the heads side by side in their columns."""
    (wq, bq), (wk, bk), (wv, bv), (wo, bo) = zip(weights[::2], weights[1::2])
    size = wq.shape[1] // heads
    result = np.zeros((*query.shape[:2], wo.shape[1]))
    for b in range(len(query)):
        q, k, v = query[b] @ wq + bq, value[b] @ wk + bk, value[b] @ wv + bv
        mixed = np.zeros((len(q), v.shape[1]))
        for h in range(heads):
            own = slice(h * size, (h + 1) * size)
            for t in range(len(q)):
                powers = np.exp(k[:, own] @ q[t, own] / np.sqrt(size)) * (1.0 if mask is None else mask[b, t])
                mixed[t, own] = powers @ v[:, own] / powers.sum()
        result[b] = mixed @ wo + bo
    return result


def normalized(x: Any, axes: Any, epsilon: float, gamma: Any, beta: Any) -> Any:
    return (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + epsilon) * gamma + beta
