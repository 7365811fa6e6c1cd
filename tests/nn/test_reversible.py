"""Tests of nn/reversible.py: gradients by inversion are those of backpropagation, in memory that does not grow with depth."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn
from samples import revnet


def residual(units: int) -> nn.Layer:
    """Layers with running averages and random draws, in double precision."""
    double: Any = {"dtype": "float64"}
    normalized = [nn.Dense(units, "relu", **double), nn.BatchNormalization(momentum=0.5, **double), nn.Dropout(0.3)]
    return nn.Sequential([*normalized, nn.Dense(units, "tanh", **double)])


def results(how: str, compiled: bool, training: bool) -> list[np.ndarray]:
    """Losses of two calls, gradients by input and weights in the second, and all Variables after it."""
    nn.set_seed(0)
    blocks = [nn.ReversibleBlock(residual(3), residual(3)) for _ in range(2)]
    stack = nn.ReversibleSequential(blocks)
    x = ag.Variable(np.random.default_rng(1).standard_normal((5, 6)))
    stack(x)
    weights = stack.trainable_variables
    call = {"plain": stack.plain, "stack": stack, "blocks": nn.Sequential(blocks)}[how]

    def step(rows: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = np.sum(call(x, training=training)[rows] ** 2)
        return loss, tape.gradient(loss, [x, *weights])

    run = ag.compile(step, fallback="error") if compiled else step
    nn.set_seed(2)
    first, (loss, gradients) = run(slice(0, 4))[0], run(slice(0, 4))
    return [np.asarray(value) for value in (first, loss, *gradients, *stack.variables)]


@pytest.mark.parametrize("training", [False, True])
def test_gradients_are_those_of_backpropagation_with_averages_and_draws_once(training: bool) -> None:
    wanted = results("plain", False, training)
    assert len(wanted) == 2 + 1 + 2 * 2 * (6 + 8)
    for how, compiled in (("stack", False), ("stack", True), ("blocks", True)):
        for found, value in zip(results(how, compiled, training), wanted, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-6, atol=1e-12)


def test_gradient_by_a_model_of_reversible_blocks_lists_gradients_as_its_weights() -> None:
    nn.set_seed(0)
    stack = nn.ReversibleSequential([nn.ReversibleBlock(residual(3), nn.Dense(3, "tanh", dtype="float64")) for _ in range(2)])
    x = np.random.default_rng(1).standard_normal((5, 6))
    stack(x)
    found, wanted = (ag.grad(lambda model, of=of: np.sum(of(model)(x) ** 2))(stack) for of in (lambda m: m, lambda m: m.plain))
    assert len(found.trainable_variables) == len(stack.trainable_variables) == 16
    for mine, value in zip(found.trainable_variables, wanted.trainable_variables, strict=True):
        assert np.any(value)
        np.testing.assert_allclose(mine, value, rtol=1e-6, atol=1e-12)


def test_second_derivatives_differentiate_the_inversion() -> None:
    w = np.array([0.5, -0.3])
    block = nn.ReversibleBlock(lambda x: np.tanh(x * x), np.sin)

    def plain(w: Any) -> Any:
        return np.sum(block.plain(np.concatenate([w, w * w])) ** 3)

    found = ag.hessian(lambda w: np.sum(block(np.concatenate([w, w * w])) ** 3))(w)
    np.testing.assert_allclose(found, ag.hessian(plain)(w), rtol=1e-9)


def test_an_odd_number_of_features_has_no_halves() -> None:
    with pytest.raises(ValueError, match="5 features"):
        nn.ReversibleBlock(np.sin, np.cos)(np.ones((2, 5)))


def image_step(depth: int, inverts: bool) -> Any:
    """A compiled training step of blocks of convolutions, and the bytes of its gradients."""
    half = {"filters": 8, "kernel_size": 3, "padding": "same"}
    stack = nn.ReversibleSequential([nn.ReversibleBlock(nn.Conv2D(**half), np.tanh) for _ in range(depth)])
    stack(np.zeros((1, 8, 8, 16), np.float32))
    weights = stack.trainable_variables

    def step(x: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = np.sum((stack(x, training=True) if inverts else stack.plain(x, True)) ** 2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(1e-9 * gradient)
        return loss

    return ag.compile(step, fallback="error"), sum(4 * weight.size for weight in weights)


def measure_peaks() -> None:
    """Print the peaks of steps by depth, inverted and ordinary, in bytes of half the features."""
    x = np.ones((512, 8, 8, 16), np.float32)
    for depth, inverts in ((2, True), (4, True), (2, False), (4, False)):
        step, gradients = image_step(depth, inverts)
        print((revnet.peak_of(step, x) - gradients) / (x.nbytes / 2))


@pytest.mark.skipif(not revnet.CLEAR.exists() or not os.access(revnet.CLEAR, os.W_OK), reason="needs Linux's /proc")
def test_peak_memory_of_a_compiled_step_is_constant_in_depth() -> None:
    """In a process of its own, which has no freed memory that would take what a step needs."""
    program = "from tests.nn.test_reversible import measure_peaks; measure_peaks()"
    root = Path(revnet.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=120, check=True)
    *inverted, ordinary_2, ordinary_4 = map(float, done.stdout.split())
    assert max(inverted) - min(inverted) < 1.0, done.stdout
    assert ordinary_4 - ordinary_2 > 4.0, done.stdout
