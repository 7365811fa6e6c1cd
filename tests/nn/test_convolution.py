"""Tests of the convolutional and pooling layers: against loops; a training step compiled and eager; names and order of Keras' arguments."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn
from tests.convolution import by_loops

RNG = np.random.default_rng(11)
LINES, IMAGES = RNG.standard_normal((2, 9, 4)), RNG.standard_normal((2, 7, 6, 4))


def depthwise(x: Any, kernel: Any) -> Any:
    return by_loops.conv(x, kernel.reshape(*kernel.shape[:2], 1, -1), 1, "same", 1, x.shape[-1])


def test_convolutional_layers_equal_loops() -> None:
    causal = np.pad(LINES, ((0, 0), (4, 0), (0, 0)))
    cases: list[tuple[Any, Any, Any]] = [
        (nn.Conv1D(3, 2, 2, "same"), LINES, lambda k: by_loops.conv(LINES, k, 2, "same")),
        (nn.Conv1D(3, 3, padding="causal", dilation_rate=2), LINES, lambda k: by_loops.conv(causal, k, dilation=2)),
        (nn.Conv2D(6, (3, 2), groups=2), IMAGES, lambda k: by_loops.conv(IMAGES, k, groups=2)),
        (nn.Conv2D(3, 3, (2, 1), "same", "channels_last", (1, 1)), IMAGES, lambda k: by_loops.conv(IMAGES, k, (2, 1), "same")),
        (nn.DepthwiseConv2D(3, 1, "same", 2), IMAGES, lambda k: depthwise(IMAGES, k)),
    ]
    for layer, x, expected in cases:
        layer.dtype = np.dtype(float)
        found = layer(x).numpy()
        np.testing.assert_allclose(found, expected(layer.kernel.numpy()), rtol=1e-12, atol=1e-12)
        layer.bias.assign(RNG.standard_normal(layer.bias.shape))
        np.testing.assert_allclose(layer(x).numpy(), found + layer.bias.numpy(), rtol=1e-12, atol=1e-12)


def test_transposed_layers_are_the_transpose_of_the_convolution() -> None:
    for layer, x in ((nn.Conv1DTranspose(3, 2, 2, "same", dtype="float64"), LINES), (nn.Conv2DTranspose(3, 3, 2, dtype="float64"), IMAGES)):
        spread = layer(x).numpy()
        other = RNG.standard_normal(spread.shape)
        back = by_loops.conv(other, layer.kernel.numpy(), 2, layer.padding)
        np.testing.assert_allclose(np.sum(spread * other), np.sum(x * back), rtol=1e-12)


def test_pooling_layers_equal_loops() -> None:
    for kind, combine, x, window in (
        (nn.MaxPooling1D, np.max, LINES, (2,)),
        (nn.MaxPooling2D, np.max, IMAGES, (2, 2)),
        (nn.AveragePooling1D, np.mean, LINES, (2,)),
        (nn.AveragePooling2D, np.mean, IMAGES, (2, 2)),
    ):
        np.testing.assert_allclose(kind()(x), by_loops.pool(combine, x, window, 2, "valid"), rtol=1e-12)
        np.testing.assert_allclose(kind(window, 1, "same")(x), by_loops.pool(combine, x, window, 1, "same"), rtol=1e-12)
    for kinds, combine in (
        ((nn.GlobalMaxPooling1D, nn.GlobalMaxPooling2D), np.max),
        ((nn.GlobalAveragePooling1D, nn.GlobalAveragePooling2D), np.mean),
    ):
        for kind, x in zip(kinds, (LINES, IMAGES)):
            axes = tuple(range(1, x.ndim - 1))
            np.testing.assert_allclose(kind()(x), combine(x, axis=axes), rtol=1e-12)
            np.testing.assert_allclose(kind(keepdims=True)(x), combine(x, axis=axes, keepdims=True), rtol=1e-12)


def test_training_step_of_a_network_is_the_same_compiled_and_calls_no_python() -> None:
    nn.set_seed(3)
    layers = [nn.Conv2D(5, 3, padding="same", activation="relu"), nn.MaxPooling2D(), nn.DepthwiseConv2D(2), nn.Flatten(), nn.Dense(3)]
    model, labels = nn.Sequential(layers), np.array([0, 2])

    def step(x: Any, y: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = nn.losses.sparse_categorical_crossentropy(y, model(x, training=True), from_logits=True).mean()
        return loss, tape.gradient(loss, model.trainable_variables)

    loss, gradients = step(IMAGES, labels)
    compiled = ag.compile(step, fallback="error")
    other, found = compiled(IMAGES, labels)
    np.testing.assert_allclose(float(other), float(loss), rtol=1e-6)
    for one, expected in zip(found, gradients, strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-6)
    assert "host calls    none" in str(compiled.explain(IMAGES, labels))


def test_arguments_are_those_of_keras_in_their_order() -> None:
    first = "filters kernel_size strides padding data_format dilation_rate"
    for kind, names in (
        (nn.Conv2D, f"{first} groups activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer"),
        (nn.DepthwiseConv2D, "kernel_size strides padding depth_multiplier data_format dilation_rate activation use_bias"),
        (nn.Conv2DTranspose, f"{first} activation"),
        (nn.MaxPooling2D, "pool_size strides padding data_format"),
        (nn.GlobalAveragePooling2D, "data_format keepdims"),
    ):
        assert list(inspect.signature(kind).parameters)[: len(names.split())] == names.split()


def test_channels_in_front_are_refused() -> None:
    with pytest.raises(ag.SettingError, match="channels_first"):
        nn.Conv2D(3, 3, data_format="channels_first")
