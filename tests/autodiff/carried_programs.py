"""Functions whose loops carry arrays and write to them; `loop` is `plain` or `checkpointed`."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def plain(trips):
    return trips


def checkpointed(trips):
    return ag.loop_options(trips, checkpoint=True)


def two_buffers(u, loop):
    v, w = u * 1.0, np.zeros(len(u))
    for _ in loop(range(12)):
        w[:] = v
        w[1:-1] += 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2]) * v[1:-1]
        v, w = w, v
    return np.sum(v * v)


def argument_as_a_buffer(u, loop):
    v, w = u, np.zeros(len(u))
    for _ in loop(range(8)):
        w[:] = v * v[1]
        v, w = w, v
    return np.sum(v * v)


def rows_as_buffers(u, loop):
    both = np.zeros((2, len(u)))
    v, w = both[0], both[1]
    v[:] = u
    for _ in loop(range(6)):
        w[:] = v * np.sin(v)
        w[0] = v[1]
        v, w = w, v
    return np.sum(v * v)


def nested_buffers(u, loop):
    v, w = u * 1.0, u * 0.5
    for _ in loop(range(5)):
        for _ in loop(range(6)):
            w[1:] = np.sin(v[:-1]) * w[1:]
            v, w = w, v
        v[0] = v[0] * w[1]
    return np.sum(v * w)


def buffers_until(u, loop):
    v, w, trips = u * 1.0, u * 0.5, 0
    while loop(np.sum(v) < 20):
        w[:] = v * 1.1 + w[0] * 0.1
        v, w = w, v
        if trips > 30:
            break
        trips += 1
    return np.sum(v * w)


def chosen_buffer(u, loop):
    v, w = u * 1.0, u * 0.5
    for i in loop(range(6)):
        t = v if i % 2 else w
        t[0] = np.sin(t[1]) * v[2]
        v, w = w, v
    return np.sum(v * w)


def exchange_in_a_branch(u, loop):
    v, w = u * 1.0, u * 0.5
    for i in loop(range(8)):
        w[0] = np.sin(v[1]) * w[2]
        if i % 3 == 0:
            v, w = w, v
    return np.sum(v * v * w)


def three_buffers(u, loop):
    a, b, c = u * 1.0, u * 0.3, u * 0.7
    for _ in loop(range(9)):
        c[1:] = a[1:] * b[:-1] + 0.3
        a, b, c = b, c, a
    return np.sum(a * b) + np.sum(c)


def replaced_and_written(u, loop):
    x = u * 1.0
    for _ in loop(range(7)):
        x[0] = x[1] * x[2]
        y = x * 1.1
        y[1] = x[0] * 0.3
        x = y
    return np.sum(x * x)


def kept_or_replaced(u, loop):
    best = u * 1.0
    for k in loop(range(12)):
        t = np.sin(best) + 0.1
        if np.sum(t) > k * 0.1:
            best = t
        best[0] = best[0] * best[1]
    return np.sum(best * best)


def momentum(u, loop):
    p, x = np.zeros(len(u)), u * 1.0
    for _ in loop(range(12)):
        p *= 0.9
        p += np.sin(x) * x
        x -= 0.1 * p
    return np.sum(x * x)


def one_buffer_twice(u, loop):
    v = u * 1.0
    w = v
    for _ in loop(range(6)):
        w[0] = v[1] * v[2]
        v, w = w, v
    return np.sum(v * w)


def first_buffer_used_afterwards(u, loop):
    first = u * 1.0
    x = first
    for _ in loop(range(6)):
        x[0] = x[1] * x[2]
        x = x * 1.1
    return np.sum(x * first)


def argument_used_afterwards(u, loop):
    v, w = u, np.zeros(len(u))
    for _ in loop(range(8)):
        w[:] = v * v[1]
        v, w = w, v
    return np.sum(v * u)


def row_used_afterwards(u, loop):
    both = np.zeros((2, len(u)))
    v, w = both[0], both[1]
    v[:] = u
    for _ in loop(range(6)):
        w[:] = v * v
        w[0] = v[1]
        v, w = w, v
    return np.sum(v * both[0])


def array_from_outside_becomes_the_buffer(u, loop):
    outside, x = u * 1.0, u * 2.0
    for i in loop(range(6)):
        x[0] = x[1] * x[2]
        x = outside if i == 2 else x * 1.1
    return np.sum(x * x)


RIGHT = (
    two_buffers,
    argument_as_a_buffer,
    rows_as_buffers,
    nested_buffers,
    buffers_until,
    chosen_buffer,
    exchange_in_a_branch,
    three_buffers,
    replaced_and_written,
    kept_or_replaced,
    momentum,
)
REFUSED = (first_buffer_used_afterwards, argument_used_afterwards, row_used_afterwards, array_from_outside_becomes_the_buffer)
