"""Loops over columns: which are done for all columns at once, with which result, and which are left as they are."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def reflect(a, v, first):
    for j in range(max(first, 0), a.shape[1]):
        a[1:, j] -= 2.0 * np.dot(v, a[1:, j]) / 3.0 * v


def several_statements(a, b, v):
    for j in range(min(a.shape[1], b.shape[1])):
        a[:, j] = a[:, j] * v + 1.0
        b[2:, j] = np.dot(a[:, j], v) + b[2:, j]
        a[:, j] += np.dot(v, a[:, j])


def filled(a, values):
    for j in range(2, a.shape[1]):
        a[:, j] = values
        a[1:, j] = 7.0


def of_boxes(a, weights, box):
    for j in range(box.shape[2]):
        box[:, 1:, j] = box[:, 1:, j] * weights - np.dot(a[:, j], a[:, 0])


def integers(a, v):
    for j in range(a.shape[1]):
        a[:, j] += np.dot(v, a[:, j]) // 3


def matrix(rows=6, columns=9, dtype="f8", seed=0):
    return (np.random.default_rng(seed).standard_normal((rows, columns)) * 8).astype(dtype)


JOINED = [
    (reflect, (matrix(), np.arange(5.0), 2)),
    (reflect, (matrix(), np.arange(5.0), 9)),
    (reflect, (matrix(), np.arange(5.0), 30)),
    (reflect, (matrix(1, 4), np.zeros(0), 1)),
    (several_statements, (matrix(), matrix(8, 9, seed=1), np.linspace(-1, 1, 6))),
    (filled, (matrix(), np.arange(6.0))),
    (of_boxes, (matrix(5, 7), np.arange(3.0), np.arange(2 * 4 * 7.0).reshape(2, 4, 7))),
    (integers, (matrix(dtype="i8"), np.arange(6))),
]


def shifted(a, v):
    for j in range(1, a.shape[1]):
        a[:, j] += np.dot(v, a[:, j - 1]) * v


def reads_the_first(a, v):
    for j in range(a.shape[1]):
        a[:, j] += a[:, 0]


def summed(a, v):
    total = 0.0
    for j in range(a.shape[1]):
        total += np.dot(v, a[:, j])
        a[:, j] = v
    return total


def too_far(a, v):
    for j in range(a.shape[1] + 1):
        a[:, j] *= 2.0


def other_size(a, v):
    for j in range(a.shape[1]):
        a[:, j] = a[:, j] * v[1:]


def from_the_end(a, v):
    for j in range(-3, 2):
        a[:, j] += v


def numbered(a, v):
    for j in range(a.shape[1]):
        a[:, j] = v * j


def of_another(a, v):
    b = a[:, ::-1]
    for j in range(a.shape[1]):
        a[:, j] = b[:, j]


def kept(a, v):
    for j in range(a.shape[1]):
        w = a[:, j] * v
        a[:, j] = w * np.dot(w, v)


def sums_of_floats(a, v):
    for j in range(a.shape[1]):
        a[:, j] /= np.sum(a[:, j])


LEFT = [shifted, from_the_end, reads_the_first, summed, too_far, other_size, numbered, of_another, kept, sums_of_floats]


def outcome(function, arguments):
    """What a call gives, raises and leaves in its arguments."""
    arguments = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    try:
        result = function(*arguments)
    except (IndexError, ValueError) as error:
        result = str(error)
    return result, arguments


def assert_same(compiled, arguments):
    (mine, left), (theirs, right) = outcome(compiled, arguments), outcome(compiled.__wrapped__, arguments)
    assert isinstance(mine, str) == isinstance(theirs, str)
    if isinstance(mine, str) or mine is None:
        assert mine == theirs
    else:
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)
    for x, y in zip(left, right):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("function", "arguments"), JOINED)
def test_joined(function, arguments):
    compiled = ag.compile(function, fallback="error")
    assert_same(compiled, arguments)
    assert "d:columns(1)" in compiled.kernels(*arguments)


@pytest.mark.parametrize("function", LEFT)
def test_left_as_it_is(function):
    compiled, arguments = ag.compile(function, fallback="error"), (matrix(), np.arange(6.0))
    assert_same(compiled, arguments)
    assert "d:columns" not in compiled.kernels(*arguments)


def test_strided_arrays_and_overlapping_arguments_keep_the_loop():
    compiled = ag.compile(reflect, fallback="error")
    a = matrix(12, 18)
    assert_same(compiled, (a[::2, ::2], np.arange(5.0), 1))
    assert "d:columns" not in compiled.kernels(a[::2, ::2], np.arange(5.0), 1)

    def overlapping(function):
        memory = np.arange(40.0)
        function(memory.reshape(8, 5), memory[3:10], 0)
        return memory

    np.testing.assert_allclose(overlapping(compiled), overlapping(reflect), rtol=1e-12)


def test_inside_a_loop_over_rows():
    def householder(a):
        for k in range(a.shape[1]):
            v = a[k:, k].copy()
            v[0] += np.sqrt(np.sum(v * v)) if v[0] >= 0 else -np.sqrt(np.sum(v * v))
            square = np.sum(v * v)
            for j in range(k, a.shape[1]):
                a[k:, j] -= 2.0 * np.dot(v, a[k:, j]) / square * v
        return a

    compiled = ag.compile(householder, fallback="error")
    assert_same(compiled, (matrix(30, 20),))
    assert "d:columns(1)" in compiled.kernels(matrix(30, 20))
