"""Steepest descent with a backtracking line search, as a function of arrays and as an optimizer of any model's Variables."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit import nn


def rosenbrock(x):
    """A curved valley with its minimum at (1, ..., 1)."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def descend(x, tolerance, limit):
    """The point where the gradient's norm falls below the tolerance, and the number of steps (Nocedal and Wright 2006, algorithm 3.1)."""
    steps = 0
    value, gradient = ag.value_and_grad(rosenbrock)(x)
    while np.linalg.norm(gradient) > tolerance and steps < limit:
        rate = 1.0
        slope = np.sum(gradient * gradient)
        while rosenbrock(x - rate * gradient) > value - 1e-4 * rate * slope:
            rate *= 0.5
        x = x - rate * gradient
        value, gradient = ag.value_and_grad(rosenbrock)(x)
        steps += 1
    return x, steps


class LineSearch:
    """An optimizer whose rate is searched in each step, from twice the last one down, until the loss falls as the gradient promises."""

    def __init__(self, learning_rate=1.0, smallest=1e-8):
        self.rate, self.smallest = ag.Variable(learning_rate, trainable=False), smallest

    def minimize(self, loss, variables):
        """One step of the Variables down `loss`, a function without arguments; returns the loss before it."""
        with ag.GradientTape() as tape:
            value = loss()
        gradients = tape.gradient(value, variables)
        starts = [np.copy(variable) for variable in variables]
        slope = sum(np.sum(gradient * gradient) for gradient in gradients)
        rate = 4.0 * float(self.rate)
        reached = value + 1.0
        while reached > value - 1e-4 * rate * slope and rate > self.smallest:
            rate *= 0.5
            for variable, start, gradient in zip(variables, starts, gradients):
                variable.assign(start - rate * gradient)
            reached = loss()
        self.rate.assign(rate)
        return value


def train(x, y, steps, compiled):
    """A small perceptron after so many steps on all of the data, and the loss of each."""
    nn.set_seed(0)
    model, optimizer = nn.Sequential([nn.Dense(8, "tanh", dtype="float64"), nn.Dense(1, dtype="float64")]), LineSearch()
    model(x)

    def step(x, y):
        return optimizer.minimize(lambda: np.mean((model(x) - y) ** 2), model.trainable_variables)

    step = ag.compile(step, fallback="error") if compiled else step
    return optimizer, [float(step(x, y)) for _ in range(steps)]


def wave(size: int = 40) -> tuple:
    """Points of a sine."""
    x = np.linspace(-3.0, 3.0, size)[:, None]
    return x, np.sin(x)


def example() -> tuple:
    return np.array([-1.2, 1.0]), 0.5, 200


def main() -> None:
    start, _, _ = example()
    x, steps = ag.compile(descend, fallback="error")(start, 1e-5, 100_000)
    print(f"from {start} to {x.round(4)} in {steps} steps")
    optimizer, losses = train(*wave(), steps=500, compiled=True)
    print(f"perceptron: loss {losses[0]:.3f} at first, {losses[-1]:.5f} at last, where the rate is {float(optimizer.rate):.3f}")


if __name__ == "__main__":
    main()
