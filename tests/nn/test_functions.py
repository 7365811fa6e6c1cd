"""Tests of activations, losses and initializers: their formulas, written by SciPy or by hand, and that nothing overflows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special as special

import autograph_jit as ag
from autograph_jit import nn
from autograph_jit.nn import activations, initializers, losses
from tests.tables import table

X = np.linspace(-4.0, 4.0, 23)
RNG = np.random.default_rng(2)
LOGITS = 3 * RNG.standard_normal((6, 5))
CLASSES = np.array([0, 4, 2, 2, 1, 3])
ONE_HOT = np.eye(5)[CLASSES]
P = special.softmax(LOGITS / 3, axis=-1)
TRUTH = RNG.integers(0, 2, (6, 5))
SELU = 1.0507009873554805
FORMULAS: dict[str, Any] = {
    "linear": X,
    "relu": np.maximum(X, 0),
    "leaky_relu": np.where(X < 0, 0.2 * X, X),
    "elu": np.where(X < 0, np.exp(X) - 1, X),
    "selu": SELU * np.where(X < 0, 1.6732632423543772 * (np.exp(X) - 1), X),
    "tanh": np.tanh(X),
    "sigmoid": special.expit(X),
    "hard_sigmoid": np.clip(X / 6 + 0.5, 0, 1),
    "silu": X * special.expit(X),
    "swish": X * special.expit(X),
    "gelu": X * special.ndtr(X),
    "softplus": np.log(1 + np.exp(X)),
    "softsign": X / (1 + np.abs(X)),
    "exponential": np.exp(X),
    "softmax": special.softmax(X),
    "log_softmax": special.log_softmax(X),
}


@table("name", FORMULAS)
def test_activation_is_its_formula_with_slopes_that_are_finite_far_out(name: str) -> None:
    function = activations.get(name)
    compiled = ag.compile(function, fallback="error")
    np.testing.assert_allclose(function(X), FORMULAS[name], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(compiled(X), FORMULAS[name], rtol=1e-12, atol=1e-15)
    ag.testing.check_grads(lambda x: np.sum(function(x) * np.cos(x)), (X + 0.01,), order=1, modes="rev")
    far = np.array([-1e4, -100.0, 0.5, 50.0, 80.0])
    slopes = ag.grad(lambda x: np.sum(function(x)))(far.astype(np.float32))
    assert slopes.dtype == np.float32 and np.all(np.isfinite(slopes))


def test_names_of_activations() -> None:
    assert set(FORMULAS) == set(activations.NAMES)
    assert activations.get(None) is activations.linear and activations.get(np.tanh) is np.tanh
    np.testing.assert_allclose(activations.gelu(X, approximate=True), activations.gelu(X), atol=5e-4)
    for wrong in (activations.get, initializers.get, nn.regularizers.get):
        with pytest.raises(ag.SettingError, match="'none' is unknown: give one of"):
            wrong("none")


SMALL = RNG.uniform(-2, 2, (6, 5))
LOSSES: dict[str, tuple[Any, Any, Any, Any]] = {
    "mean_squared_error": (losses.mean_squared_error, TRUTH, SMALL, np.mean((TRUTH - SMALL) ** 2, axis=-1)),
    "mean_absolute_error": (losses.mean_absolute_error, TRUTH, SMALL, np.mean(np.abs(TRUTH - SMALL), axis=-1)),
    "huber": (losses.huber, TRUTH, SMALL, np.mean(special.huber(1.0, SMALL - TRUTH), axis=-1)),
    "kl_divergence": (losses.kl_divergence, P[::-1].copy(), P, np.sum(special.rel_entr(P[::-1], P), axis=-1)),
    "binary, probabilities": (losses.binary_crossentropy, TRUTH, P, np.mean(-np.log(np.where(TRUTH, P, 1 - P)), axis=-1)),
    "binary, logits": (
        lambda y, p: losses.binary_crossentropy(y, p, from_logits=True),
        TRUTH,
        LOGITS,
        np.mean(-special.log_expit(np.where(TRUTH, LOGITS, -LOGITS)), axis=-1),
    ),
    "binary, smoothed": (
        lambda y, p: losses.binary_crossentropy(y, p, label_smoothing=0.2),
        TRUTH,
        P,
        np.mean(-np.where(TRUTH, 0.9, 0.1) * np.log(P) - np.where(TRUTH, 0.1, 0.9) * np.log(1 - P), axis=-1),
    ),
    "categorical, probabilities": (losses.categorical_crossentropy, ONE_HOT, P, -np.log(P[range(6), CLASSES])),
    "categorical, logits": (
        lambda y, p: losses.categorical_crossentropy(y, p, from_logits=True, label_smoothing=0.1),
        ONE_HOT,
        LOGITS,
        -np.sum((0.9 * ONE_HOT + 0.02) * special.log_softmax(LOGITS, axis=-1), axis=-1),
    ),
    "sparse, probabilities": (losses.sparse_categorical_crossentropy, CLASSES, P, -np.log(P[range(6), CLASSES])),
    "sparse, logits": (
        lambda y, p: losses.sparse_categorical_crossentropy(y, p, from_logits=True, ignore_class=2),
        CLASSES,
        LOGITS / 3,
        np.where(CLASSES == 2, 0, -np.log(P[range(6), CLASSES])),
    ),
}


@table("name", LOSSES)
def test_loss_is_its_formula_eager_and_compiled(name: str) -> None:
    function, truth, prediction, expected = LOSSES[name]

    def both(y: Any, p: Any) -> Any:
        with ag.GradientTape() as tape:
            tape.watch(p)
            found = function(y, p)
        return found, tape.gradient(found, p)

    eager, compiled = both(truth, ag.asarray(prediction)), ag.compile(both, fallback="error")(truth, ag.asarray(prediction))
    np.testing.assert_allclose(eager[0], expected, rtol=1e-6)
    for mine, theirs in zip(eager, compiled):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)
    ag.testing.check_grads(lambda p: np.sum(function(truth, p)), (prediction,), order=1, modes="rev")
    assert function(truth, prediction.astype(np.float32)).dtype == np.float32


def test_losses_of_logits_stay_finite_far_out() -> None:
    far = np.array([[1e4, -1e4, 0.0]], np.float32)
    for function, truth, expected in (
        (losses.sparse_categorical_crossentropy, np.array([1]), 2e4),
        (losses.categorical_crossentropy, np.eye(3)[[1]], 2e4),
        (losses.binary_crossentropy, np.array([[0, 0, 1]]), (1e4 + np.log(2)) / 3),
    ):
        value, slope = ag.value_and_grad(lambda p: np.sum(function(truth, p, from_logits=True)))(far)
        np.testing.assert_allclose(value, expected, rtol=1e-6)
        assert np.all(np.isfinite(slope)) and np.any(slope != 0)


def test_loss_classes_give_means_by_weights_and_sums() -> None:
    weights = np.array([1, 0, 2, 0, 0, 3])
    for kind, options, truth, prediction in (
        (losses.MeanSquaredError, {}, TRUTH, SMALL),
        (losses.MeanAbsoluteError, {}, TRUTH, SMALL),
        (losses.Huber, {"delta": 0.5}, TRUTH, SMALL),
        (losses.KLDivergence, {}, P, P[::-1]),
        (losses.BinaryCrossentropy, {"from_logits": True}, TRUTH, LOGITS),
        (losses.CategoricalCrossentropy, {"from_logits": True}, ONE_HOT, LOGITS),
        (losses.SparseCategoricalCrossentropy, {"from_logits": True}, CLASSES, LOGITS),
    ):
        each = kind(reduction=None, **options)(truth, prediction)
        np.testing.assert_allclose(kind(**options)(truth, prediction), each.mean())
        np.testing.assert_allclose(kind(reduction="sum", **options)(truth, prediction, weights), each @ weights)
        np.testing.assert_allclose(kind(**options)(truth, prediction, weights), each @ weights / 6)
    with pytest.raises(ag.SettingError, match="reduction='mean'"):
        losses.Huber(reduction="mean")


def test_initializers_have_the_moments_of_their_names() -> None:
    nn.set_seed(0)
    shape = (300, 200)
    glorot, he, lecun = np.sqrt(2 / 500), np.sqrt(2 / 300), np.sqrt(1 / 300)
    deviations = {"glorot_uniform": glorot, "glorot_normal": glorot, "he_normal": he, "he_uniform": he, "lecun_normal": lecun}
    deviations |= {"lecun_uniform": lecun, "random_normal": 0.05, "random_uniform": 0.05 / np.sqrt(3), "zeros": 0.0, "ones": 0.0}
    deviations |= {"truncated_normal": 0.05 * 0.87962566}
    for name, deviation in deviations.items():
        made = initializers.get(name)(shape, "float32")
        assert made.shape == shape and made.dtype == np.float32
        np.testing.assert_allclose([made.std(), made.mean()], [deviation, name == "ones"], rtol=0.02, atol=1e-3)
    assert np.abs(initializers.TruncatedNormal(stddev=1.0)(shape)).max() <= 2
    for wide, axis in (((6, 4), 0), ((4, 6), 1)):
        q = initializers.get("orthogonal")(wide, "float64")
        np.testing.assert_allclose(q.T @ q if axis == 0 else q @ q.T, np.eye(4), atol=1e-12)
    np.testing.assert_array_equal(initializers.Identity(2.0)((2, 3)), [[2, 0, 0], [0, 2, 0]])
    assert initializers.fans((3, 3, 8, 16)) == (72, 144)


def test_seeds_repeat_initializers() -> None:
    def draws(*seeds: Any) -> list[Any]:
        return [initializers.GlorotUniform(seed=seed)((2, 2)) for seed in seeds]

    nn.set_seed(4)
    first = draws(None, None, 9)
    nn.set_seed(4)
    second = draws(None, None, 9)
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first[0], first[1])
