"""Poolings against loops and central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.convolution import by_loops

# The shape of x without its channels, the window, strides, padding.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], Any, str]] = [
    ((2, 9), (2,), 2, "valid"),
    ((2, 9), (3,), 2, "same"),
    ((2, 7, 6), (3, 2), (1, 2), "same"),
    ((2, 12, 10), (2, 2), (2, 2), "valid"),
    ((2, 5, 5), (3, 3), 1, "valid"),
    ((1, 4, 5, 3), (2, 2, 2), 2, "same"),
    ((0, 6, 5), (2, 2), 2, "same"),
]


def test_pooling_equals_loops(rng: np.random.Generator) -> None:
    for shape, window, strides, padding in CASES:
        x = rng.standard_normal((*shape, 2))
        for pool, combine in ((ag.max_pool, np.max), (ag.avg_pool, np.mean)):
            expected = by_loops.pool(combine, x, window, strides, padding)
            compiled = ag.compile(lambda x, pool=pool, rest=(window, strides, padding): pool(x, *rest), fallback="error")
            for found in (pool(x, window, strides, padding), compiled(x)):
                np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14, err_msg=str((shape, window, strides, padding)))


def test_strides_are_those_of_the_window_by_default(rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 6, 9, 3)).astype(np.float32)
    np.testing.assert_array_equal(ag.max_pool(x, 3), ag.max_pool(x, (3, 3), (3, 3)))
    assert ag.max_pool(x).shape == (2, 3, 4, 3)
    assert ag.max_pool(x).dtype == ag.avg_pool(x).dtype == np.float32
    assert ag.avg_pool(x.astype(int)).dtype == np.float64


def test_padding_is_below_every_integer() -> None:
    x = np.full((1, 3, 1), -5)
    for pool in (ag.max_pool, ag.compile(ag.max_pool, fallback="error")):
        np.testing.assert_array_equal(pool(x, 2, 2, "same")[0, :, 0], [-5, -5])


def by_tape(function: Any, x: np.ndarray, ct: np.ndarray) -> np.ndarray:
    with ag.GradientTape() as tape:
        boxed = ag.Tensor(x)
        tape.watch(boxed)
        loss = np.sum(function(boxed) * ct)
    return tape.gradient(loss, boxed).numpy()


def test_gradients_equal_central_differences(rng: np.random.Generator) -> None:
    for number, (shape, window, strides, padding) in enumerate(CASES):
        x = rng.permutation(np.prod((*shape, 2))).reshape((*shape, 2)).astype(float)  # no two elements are near each other
        along = rng.standard_normal(x.shape)
        for pool in (ag.max_pool, ag.avg_pool):
            function = lambda x, pool=pool, rest=(window, strides, padding): pool(x, *rest)  # noqa: E731
            ct = rng.standard_normal(function(x).shape)
            expected = np.sum((function(x + 1e-3 * along) - function(x - 1e-3 * along)) * ct) / 2e-3
            found = by_tape(function, x, ct)
            np.testing.assert_allclose(np.sum(found * along), expected, rtol=1e-8, atol=1e-8)
            if number in (1, 3, 6):
                gradient = ag.grad(lambda x, ct, function=function: np.sum(function(x) * ct))
                np.testing.assert_allclose(gradient(x, ct), found, rtol=1e-12, atol=1e-12)


def test_derivatives_to_second_order_equal_central_differences(rng: np.random.Generator) -> None:
    x = rng.permutation(18).reshape(1, 9, 2) / 4.0
    ag.testing.check_grads(lambda x: ag.max_pool(x, 3, 2, "same") ** 3, (x,), 2, "rev")
    ag.testing.check_grads(lambda x: ag.avg_pool(x, 3, 2, "same") ** 3, (x,), 2, "rev")
    ag.testing.check_grads(lambda x: ag.max_pool(x, 2) + ag.avg_pool(x, 2), (x,), 1, "fwd")


def test_the_first_of_equal_elements_has_the_derivative_of_a_maximum() -> None:
    x, expected = np.array([2.0, 2.0, 1.0, 3.0, 3.0, 3.0]).reshape(1, 6, 1), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    np.testing.assert_array_equal(by_tape(lambda x: ag.max_pool(x, 3), x, np.ones((1, 2, 1)))[0, :, 0], expected)
    np.testing.assert_array_equal(ag.grad(lambda x: np.sum(ag.max_pool(x, 3)))(x)[0, :, 0], expected)


def test_one_compilation_serves_all_sizes(rng: np.random.Generator) -> None:
    pool = ag.compile(lambda x: ag.max_pool(x, 2) + ag.avg_pool(x, 2), fallback="error")
    for shape in ((10, 11, 12, 13), (20, 30, 9, 10)):
        x = rng.standard_normal(shape)
        batch, height, width, channels = shape
        parts = x[:, : height // 2 * 2, : width // 2 * 2].reshape(batch, height // 2, 2, width // 2, 2, channels)
        np.testing.assert_allclose(pool(x), np.max(parts, (2, 4)) + np.mean(parts, (2, 4)), rtol=1e-12, atol=1e-12)
    assert len(pool.specializations) == 1


def test_what_does_not_fit_is_named() -> None:
    for pool in (ag.max_pool, ag.compile(ag.max_pool, fallback="error")):
        with pytest.raises(ag.ShapeError, match="max_pool: a window of 11 does not fit into the 10 elements of spatial axis 0"):
            pool(np.ones((2, 10, 3)), 11)
        with pytest.raises(ag.ShapeError, match="2 axes"):
            pool(np.ones((2, 10)))
        with pytest.raises(ag.SettingError, match="padding='full'"):
            pool(np.ones((2, 10, 3)), padding="full")
        with pytest.raises(ag.SettingError, match="pool_size of 0"):
            pool(np.ones((2, 10, 3)), 0)
