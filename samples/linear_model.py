"""Linear regression as a model: one Dense layer, its loss on a tape, a step of gradient descent."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit import nn


def make_step(model, rate):
    """The training step of a model: returns the loss before it."""

    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean(nn.losses.mean_squared_error(y, model(x, training=True)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(rate * gradient)
        return loss

    return step


def train(x, y, steps, compiled):
    """The model after so many steps, and the loss of each."""
    nn.set_seed(0)
    model = nn.Sequential([nn.Dense(1)])
    step = make_step(model, rate=0.1)
    step = ag.compile(step) if compiled else step
    return model, [float(step(x, y)) for _ in range(steps)]


def example(size: int = 200) -> tuple:
    """Points near y = 3 x + 2; the seed is fixed."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((size, 1))
    return x, 3 * x + 2 + 0.1 * rng.standard_normal((size, 1))


def main() -> None:
    model, losses = train(*example(), steps=100, compiled=True)
    w, b = (variable.numpy().item() for variable in model.variables)
    print(f"y = {w:.3f} x + {b:.3f}, loss {losses[0]:.3f} at first and {losses[-1]:.5f} at last")


if __name__ == "__main__":
    main()
