"""Training steps in TensorFlow: the models of `benchmarks.models` as functions of their weights, under `tf.function`, with its own Adam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.peers.program import Program, by_name

VERSION = tf.__version__
HEADS, EPSILON = 4, 0.001
RATE, BETA_1, BETA_2, ADAM_EPSILON = 0.001, 0.9, 0.999, 1e-7


def classified(logits: Any, y: Any) -> Any:
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))


def perceptron(x: Any, y: Any, w: Any, b: Any, *rest: Any) -> Any:
    z = tf.nn.bias_add(x @ w, b)
    return perceptron(tf.nn.relu(z), y, *rest) if rest else classified(z, y)


def recurrent(x: Any, y: Any, kernel: Any, recurrent_kernel: Any, bias: Any, w: Any, b: Any) -> Any:
    """Steps written out: a `while_loop` takes longer, and the library's operation for all of them has a wrong gradient (2.21)."""
    inputs = tf.nn.bias_add(tf.reshape(tf.transpose(x, (1, 0, 2)), (-1, x.shape[2])) @ kernel, bias)
    h = c = tf.zeros((x.shape[0], recurrent_kernel.shape[0]))
    for projected in tf.split(inputs, x.shape[1]):
        i, f, g, o = tf.split(projected + h @ recurrent_kernel, 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return classified(tf.nn.bias_add(h @ w, b), y)


def normalized(x: Any, gamma: Any, beta: Any) -> Any:
    """By the library's operation of batches, as Keras' layer does it: each row is a channel."""
    rows = tf.reshape(x, (1, -1, x.shape[-1], 1))
    ones, zeros = tf.ones(rows.shape[1]), tf.zeros(rows.shape[1])
    found, *_ = tf.compat.v1.nn.fused_batch_norm(rows, ones, zeros, epsilon=EPSILON, data_format="NCHW")
    return tf.reshape(found, x.shape) * gamma + beta


def transformer(x: Any, y: Any, *weights: Any) -> Any:
    g, b, wq, bq, wk, bk, wv, bv, wo, bo, g2, b2, w1, b1, w2, b2_ = weights
    batch, tokens, width = x.shape

    def dense(z: Any, w: Any, b: Any) -> Any:
        return tf.nn.bias_add(tf.reshape(z, (batch * tokens, -1)) @ w, b)

    z = normalized(x, g, b)
    q, k, v = (
        tf.transpose(tf.reshape(dense(z, w, c), (batch, tokens, HEADS, -1)), (0, 2, 1, 3)) for w, c in ((wq, bq), (wk, bk), (wv, bv))
    )
    scores = tf.matmul(q * np.float32(1 / np.sqrt(width // HEADS)), k, transpose_b=True)
    mixed = tf.transpose(tf.nn.softmax(scores) @ v, (0, 2, 1, 3))
    x = x + tf.reshape(dense(mixed, wo, bo), x.shape)
    x = x + tf.reshape(dense(tf.nn.relu(dense(normalized(x, g2, b2), w1, b1)), w2, b2_), x.shape)
    return tf.reduce_mean(tf.math.squared_difference(x, y))


def convolutional(x: Any, y: Any, *weights: Any) -> Any:
    *convolutions, w, b = weights
    for kernel, bias in zip(convolutions[::2], convolutions[1::2]):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "VALID"), bias))
    return classified(tf.nn.bias_add(tf.reshape(x, (x.shape[0], -1)) @ w, b), y)


PROGRAMS = by_name(tuple(map(Program, (perceptron, recurrent, transformer, convolutional))))


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call that takes one step and gives the loss before it."""
    loss, (x, y), weights = PROGRAMS[name].function, map(tf.constant, arguments[:2]), list(map(tf.Variable, arguments[2:]))
    means, squares = ([tf.Variable(tf.zeros_like(weight)) for weight in weights] for _ in range(2))
    powers = [tf.Variable(BETA_1), tf.Variable(BETA_2)]

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(x, y, *weights)
        for weight, mean, square, gradient in zip(weights, means, squares, tape.gradient(value, weights)):
            tf.raw_ops.ResourceApplyAdam(
                var=weight.handle,
                m=mean.handle,
                v=square.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=RATE,
                beta1=BETA_1,
                beta2=BETA_2,
                epsilon=ADAM_EPSILON,
                grad=gradient,
            )
        powers[0].assign(powers[0] * BETA_1)
        powers[1].assign(powers[1] * BETA_2)
        return value

    return lambda: step(x, y).numpy()
