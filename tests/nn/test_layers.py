"""Tests of the layers: each equals what is written in plain NumPy, its gradient central differences, its compiled form the eager one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn
from tests.nn import references
from tests.tables import table

RNG = np.random.default_rng(7)
X, S, Q = RNG.standard_normal((4, 6)), RNG.standard_normal((3, 5, 6)), RNG.standard_normal((3, 2, 4))
ROWS = RNG.integers(0, 7, (3, 5))
MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 0, 1]], bool)
LOOKS = np.array([[[1, 1, 0, 0, 0], [0, 1, 1, 1, 0]]] * 3, bool)
F64: Any = {"dtype": "float64"}


@dataclass(frozen=True, slots=True)
class Case:
    """A layer, its arguments, and what it gives: a function of its weights."""

    make: Callable[[], Any]
    args: tuple[Any, ...]
    expected: Callable[..., Any]
    options: dict[str, Any] = field(default_factory=dict)


def steps(step: Any, count: int = 1, **options: Any) -> Callable[..., Any]:
    return lambda *weights: references.recurrent(step, count, S, weights, **options)[0]


CASES = {
    "dense": Case(lambda: nn.Dense(3, "relu", **F64), (X,), lambda k, b: np.maximum(X @ k + b, 0)),
    "dense without bias": Case(lambda: nn.Dense(3, use_bias=False, **F64), (S,), lambda k: np.einsum("bsf,fu->bsu", S, k)),
    "flatten": Case(lambda: nn.Sequential([nn.Flatten(), nn.Dense(2, **F64)]), (S,), lambda k, b: S.reshape(3, 30) @ k + b),
    "activation": Case(lambda: nn.Sequential([nn.Dense(3, **F64), nn.Activation("tanh")]), (X,), lambda k, b: np.tanh(X @ k + b)),
    "embedding": Case(lambda: nn.Embedding(7, 4, **F64), (ROWS,), lambda e: np.array([[e[row] for row in rows] for rows in ROWS])),
    "batch normalization": Case(
        lambda: nn.BatchNormalization(**F64), (S,), lambda g, b, *_: references.normalized(S, (0, 1), 1e-3, g, b), {"training": True}
    ),
    "batch normalization of channels in front": Case(
        lambda: nn.BatchNormalization(axis=1, scale=False, **F64),
        (S,),
        lambda b, *_: references.normalized(S, (0, 2), 1e-3, 1.0, b[:, None]),
        {"training": True},
    ),
    "layer normalization": Case(lambda: nn.LayerNormalization(**F64), (S,), lambda g, b: references.normalized(S, 2, 1e-3, g, b)),
    "simple rnn": Case(lambda: nn.SimpleRNN(4, **F64), (S,), lambda *w: steps(references.simple_step)(*w)[:, -1]),
    "lstm": Case(lambda: nn.LSTM(4, return_sequences=True, **F64), (S,), steps(references.lstm_step, 2)),
    "lstm backwards": Case(
        lambda: nn.LSTM(4, return_sequences=True, go_backwards=True, **F64),
        (S,),
        steps(references.lstm_step, 2, mask=MASK, backwards=True),
        {"mask": MASK},
    ),
    "gru": Case(lambda: nn.GRU(4, return_sequences=True, **F64), (S,), steps(references.gru_step, mask=MASK), {"mask": MASK}),
    "attention": Case(
        lambda: nn.MultiHeadAttention(2, 3, **F64), (Q, S), lambda *w: references.attention(Q, S, w, 2, LOOKS), {"attention_mask": LOOKS}
    ),
    "attention, one mask for all examples": Case(
        lambda: nn.MultiHeadAttention(2, 3, **F64), (Q, S), lambda *w: references.attention(Q, S, w, 2, LOOKS), {"attention_mask": LOOKS[0]}
    ),
    "attention, a mask for each head": Case(
        lambda: nn.MultiHeadAttention(2, 3, **F64),
        (Q, S),
        lambda *w: references.attention(Q, S, w, 2, LOOKS),
        {"attention_mask": np.repeat(LOOKS[:, None], 2, axis=1)},
    ),
    "causal self-attention": Case(
        lambda: nn.MultiHeadAttention(2, 3, **F64),
        (S, S),
        lambda *w: references.attention(S, S, w, 2, np.array([np.tri(5)] * 3)),
        {"use_causal_mask": True},
    ),
}


def weighted(y: Any) -> Any:
    """A number that every element of a result bears on."""
    return np.sum(np.sin(y + 0.1 * np.arange(y.shape[-1])))


def made(case: Case) -> Any:
    """The layer with weights that none of its parts leaves at 0 or 1."""
    nn.set_seed(3)
    layer = case.make()
    layer(*case.args, **case.options)
    rng = np.random.default_rng(11)
    for variable in layer.variables:
        variable.assign(0.6 * rng.standard_normal(variable.shape) + 0.1)
    return layer


@table("name", CASES)
def test_layer_equals_plain_numpy_and_its_gradient_central_differences(name: str) -> None:
    case = CASES[name]
    layer = made(case)
    weights = [variable.numpy().copy() for variable in layer.variables]
    np.testing.assert_allclose(layer(*case.args, **case.options).numpy(), case.expected(*weights), rtol=1e-10, atol=1e-12)
    with ag.GradientTape() as tape:
        loss = weighted(layer(*case.args, **case.options))
    gradients = tape.gradient(loss, layer.trainable_variables)
    directions = [RNG.standard_normal(v.shape) for v in layer.trainable_variables]
    values = []
    for step in (1e-6, -2e-6):
        for variable, direction in zip(layer.trainable_variables, directions):
            variable.assign_add(step * direction)
        values.append(float(weighted(layer(*case.args, **case.options)).numpy()))
    slope = sum(float(np.sum(g.numpy() * d)) for g, d in zip(gradients, directions))
    np.testing.assert_allclose((values[0] - values[1]) / 2e-6, slope, rtol=1e-6, atol=1e-7)


@table("name", CASES)
def test_compiled_step_is_native_and_equals_the_eager_one(name: str) -> None:
    case = CASES[name]
    found = []
    for compiled in (False, True):
        layer = made(case)

        def step(*args: Any) -> Any:
            with ag.GradientTape() as tape:
                loss = weighted(layer(*args, **case.options))
            gradients = tape.gradient(loss, layer.trainable_variables)
            for variable, gradient in zip(layer.trainable_variables, gradients):
                variable.assign_sub(0.01 * gradient)
            return loss

        run = ag.compile(step, fallback="error") if compiled else step
        losses = [float(run(*case.args)) for _ in range(3)]
        found.append([losses, *(variable.numpy() for variable in layer.variables)])
    assert "host calls    none" in run.explain(*case.args)
    for mine, theirs in zip(*found):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11)


def test_running_averages_of_batch_normalization_are_used_outside_of_training() -> None:
    for compiled in (False, True):
        layer = nn.BatchNormalization(momentum=0.9, **F64)
        call: Any = ag.compile(layer, fallback="error") if compiled else layer
        for _ in range(2):
            call(X, training=True)
        mean, variance = 0.19 * X.mean(axis=0), 0.81 + 0.19 * X.var(axis=0)
        np.testing.assert_allclose(layer.moving_mean.numpy(), mean)
        np.testing.assert_allclose(layer.moving_variance.numpy(), variance)
        np.testing.assert_allclose(call(X), (X - mean) / np.sqrt(variance + 1e-3))
        layer.trainable = False
        np.testing.assert_allclose(call(X, training=True), (X - mean) / np.sqrt(variance + 1e-3))


def test_dropout_drops_a_share_in_training_alone_and_draws_alike_when_compiled() -> None:
    x, found = np.ones((200, 50), np.float32), []
    for compiled in (False, True):
        nn.set_seed(5)
        layer = nn.Dropout(0.25)
        call: Any = ag.compile(layer, fallback="error") if compiled else layer
        np.testing.assert_array_equal(call(x), x)
        found.append([np.asarray(call(x, training=True)) for _ in range(2)])
    np.testing.assert_array_equal(found[0], found[1])
    assert set(np.unique(found[0])) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs(np.mean(np.array(found[0]) == 0) - 0.25) < 0.01
    assert not np.array_equal(*found[0])
    with pytest.raises(ag.SettingError, match="rate=1"):
        nn.Dropout(1)


def test_recurrent_layer_of_any_length_is_one_program_and_gives_its_states() -> None:
    layer = nn.LSTM(4, return_state=True, **F64)
    run = ag.compile(lambda x: layer(x), fallback="error")
    run(np.ones((11, 12, 13)))
    for length in (12, 20, 33):
        x = RNG.standard_normal((11, length, 13))
        output, h, c = run(x)
        outputs, states = references.recurrent(references.lstm_step, 2, x, [v.numpy() for v in layer.variables])
        for mine, theirs in ((output, outputs[:, -1]), (h, states[0]), (c, states[1])):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10)
    assert len(run.specializations) == 1
    again = layer(np.ones((2, 3, 13)), initial_state=[np.zeros((2, 4))] * 2)
    np.testing.assert_allclose(again[0], layer(np.ones((2, 3, 13)))[0])


def test_cell_of_ones_own_runs_in_an_rnn() -> None:
    class Sum(nn.Layer):
        state_size = 6

        def build(self, input_shape: Any) -> None:
            self.factor = self.add_weight(input_shape[-1:], "ones", name="factor")

        def call(self, x: Any, states: Any) -> Any:
            total = states[0] + x * self.factor
            return total, [total]

    class FromOne(Sum):
        def get_initial_state(self, batch_size: int) -> tuple[Any, ...]:
            return (np.ones((batch_size, 6), np.float32),)

    for cell, start in ((Sum(), 0), (FromOne(), 1)):
        layer = nn.RNN(cell, return_sequences=True)
        run = ag.compile(layer, fallback="error")
        for call in (layer, run, run):
            np.testing.assert_allclose(call(S), start + np.cumsum(S, axis=1), rtol=1e-5, atol=1e-6)


def test_layers_compute_in_float32_whatever_they_are_given() -> None:
    for make, x in (
        (lambda: nn.Dense(3, "gelu"), X),
        (lambda: nn.LayerNormalization(), X),
        (lambda: nn.GRU(3), S),
        (lambda: nn.LSTM(3), S),
    ):
        for call in (layer := make(), ag.compile(layer)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert {call(x).dtype.name, *(v.dtype.name for v in layer.variables)} == {"float32"}
    x = RNG.standard_normal((2, 4, 6))
    assert nn.MultiHeadAttention(2, 3, dropout=0.1)(x, x, training=True).dtype == np.float32
