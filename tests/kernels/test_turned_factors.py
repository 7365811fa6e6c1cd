"""Transposes that loops multiply by: which are copied in front of the loop, and that results stay what they are."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def repeated(x, w):
    for _ in range(10):
        x = np.tanh(x @ w.T)
    return x


def nested(x, w):
    for _ in range(11):
        for _ in range(9):
            x = np.tanh(x @ w.T)
        x = x + 1.0
    return x


def written(x, w):
    for k in range(10):
        x = np.tanh(x @ w.T)
        w[0, k] = 2.0
    return x


def written_outside(x, w):
    for k in range(11):
        for _ in range(9):
            x = np.tanh(x @ w.T)
        w[0, k] = 2.0
    return x


def until(x, w):
    while x[0, 0] < 3.0:
        x = np.tanh(x @ w.T) + x + 1.5
    return x


def once(x, w):
    return np.tanh(x @ w.T)


@pytest.mark.parametrize("function", [repeated, nested, written, written_outside, until, once])
@pytest.mark.parametrize("rows", [1, 5, 40])
def test_products_by_transposes(function, rows):
    rng = np.random.default_rng(rows)
    x, w = rng.standard_normal((rows, 20)), rng.standard_normal((20, 20)) / 5
    expected_w, found_w = w.copy(), w.copy()
    expected, found = function(x, expected_w), ag.compile(function, fallback="error")(x, found_w)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found_w, expected_w)


@pytest.mark.parametrize("function, copies", [(repeated, 1), (nested, 1), (until, 1), (written_outside, 1), (written, 0), (once, 0)])
def test_the_copy_stands_in_front_of_the_loop(function, copies):
    text = ag.compile(function, fallback="error").kernels(np.ones((5, 20)), np.ones((20, 20)))
    assert text.count("kernel copy\n") == copies


def test_a_matrix_of_the_same_memory_is_read_in_every_trip():
    def program(x, w, other):
        for k in range(10):
            x = np.tanh(x @ w.T)
            other[0, k] = 1.0
        return x

    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((3, 20)), rng.standard_normal((20, 20)) / 5
    compiled, mine = ag.compile(program, fallback="error"), w.copy()
    expected_w = w.copy()
    np.testing.assert_allclose(compiled(x, mine, mine), program(x, expected_w, expected_w), rtol=1e-12)
