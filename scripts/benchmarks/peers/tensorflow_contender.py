"""TensorFlow as a contender: the control-flow programs under `tf.function`, whose AutoGraph converts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.peers.program import Program, by_name

VERSION = tf.__version__


def collatz_steps(limit: Any) -> Any:
    total = tf.constant(0, tf.int64)
    for start in tf.range(1, limit):
        n = start
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            total += 1
    return total


def square_roots(x: Any, tolerance: Any) -> Any:
    total = tf.constant(0.0, tf.float64)
    for i in tf.range(tf.shape(x)[0]):
        guess = x[i]
        while tf.abs(guess * guess - x[i]) > tolerance:
            guess = 0.5 * (guess + x[i] / guess)
        total += guess
    return total


def fizz_buzz(limit: Any) -> Any:
    total = tf.constant(0, tf.int64)
    for i in tf.range(limit):
        if i % 15 == 0:
            total += 15
        elif i % 5 == 0:
            total += 5
        elif i % 3 == 0:
            total += 3
        else:
            total += 1
    return total


def recurrent_layer(x: Any, w: Any, u: Any) -> Any:
    h = tf.zeros((1, u.shape[0]), tf.float64)
    for t in tf.range(tf.shape(x)[0]):
        h = tf.tanh(x[t : t + 1] @ w + h @ u)
        h = tf.ensure_shape(h, (1, u.shape[0]))
    return h[0]


def power_iteration(a: Any, tolerance: Any) -> Any:
    v = tf.ones(a.shape[0], tf.float64)
    change = tf.constant(1.0, tf.float64)
    steps = tf.constant(0, tf.int64)
    while change > tolerance:
        w = tf.linalg.matvec(a, v)
        w = w / tf.sqrt(tf.reduce_sum(w * w))
        change = tf.reduce_max(tf.abs(w - v))
        v = w
        steps += 1
    return v, steps


def first_over(x: Any, limit: Any) -> Any:
    total = tf.constant(0.0, tf.float64)
    found = tf.constant(-1)
    for i in tf.range(tf.shape(x)[0]):
        total += x[i]
        if total > limit:
            found = i
            break
    return found


def bubble_sort(x: Any) -> Any:
    n = tf.shape(x)[0]
    for i in tf.range(n):
        for j in tf.range(n - 1 - i):
            if x[j] > x[j + 1]:
                x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], [x[j + 1], x[j]])
    return x


def arithmetic(x: Any, y: Any) -> Any:
    return tf.sqrt(x * x + y * y) / (1.0 + tf.abs(x - y)) + 0.5 * x * y


def transcendental(x: Any, y: Any) -> Any:
    return tf.exp(-x * x) * tf.tanh(y) + tf.math.log1p(tf.abs(x))


def first_sum(x: Any, y: Any) -> Any:
    return x[0] + y[0]


def add(x: Any, y: Any) -> Any:
    return x + y


PROGRAMS = by_name(
    (
        Program(collatz_steps),
        Program(square_roots),
        Program(fizz_buzz),
        Program(recurrent_layer),
        Program(power_iteration),
        Program(first_over),
        Program(bubble_sort),
        Program(arithmetic),
        Program(transcendental),
        Program(first_sum),
        Program(add),
    )
)


def tensor(value: Any) -> Any:
    """64-bit numbers, as NumPy has them; arrays keep their dtype."""
    if isinstance(value, np.ndarray):
        return tf.constant(value)
    return tf.constant(value, tf.int64 if isinstance(value, int) else tf.float64)


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call of the graph."""
    run, mine = tf.function(PROGRAMS[name].function), [tensor(value) for value in arguments]
    return lambda: run(*mine)
