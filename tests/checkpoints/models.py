"""What the tests of checkpoints save: a model of plain classes, an optimizer, a metric, a generator, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit import checkpoints, metrics, optim


class Dense:
    def __init__(self, generator: np.random.Generator, rows: int, columns: int) -> None:
        self.kernel = ag.Variable(generator.standard_normal((rows, columns)).astype(np.float32), name="kernel")
        self.bias = ag.Variable(np.zeros(columns, np.float32), name="bias")


class Model:
    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.layers = [Dense(generator, 4, 3), Dense(generator, 3, 1)]
        self.scale = {"output": ag.Variable(np.float32(1.0))}

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = np.tanh(x @ layer.kernel + layer.bias)
        return x * self.scale["output"]

    @property
    def trainable_variables(self) -> list[ag.Variable]:
        return [variable for layer in self.layers for variable in (layer.kernel, layer.bias)] + [self.scale["output"]]


class Training:
    """Everything of a training; `step` takes one step."""

    def __init__(self, seed: int) -> None:
        self.model, self.optimizer, self.error = Model(seed), optim.Adam(0.01), metrics.MeanSquaredError()
        self.random = np.random.default_rng(seed)
        self.optimizer.build(self.model.trainable_variables)
        self.checkpoint = checkpoints.Checkpoint(
            model=self.model,
            optimizer=self.optimizer,
            error=self.error,
            random=self.random,
            step=0,
            progress={"losses": [0.0], "best": 1.0},
        )

    def step(self) -> None:
        x = self.random.standard_normal((8, 4)).astype(np.float32)
        y = x[:, :1] * 0.5
        with ag.GradientTape() as tape:
            loss = np.mean((self.model(x) - y) ** 2)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.error.update_state(y, self.model(x))
        self.checkpoint.step += 1
        self.checkpoint.progress["losses"][0] = float(loss)

    def values(self) -> list[Any]:
        """All that is state, as plain values."""
        owners = (*self.model.trainable_variables, *self.optimizer.variables, *self.error.variables)
        progress = self.checkpoint.progress
        return [*(v.numpy().tolist() for v in owners), self.random.bit_generator.state, self.checkpoint.step, str(progress)]
