"""Robust regression in the imperative style: one point at a time, a Python `if` in the loss, gradients of the Variables that it read."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit import optim


class Line:
    def __init__(self):
        self.slope, self.offset = ag.Variable(0.0), ag.Variable(0.0)
        self.variables = [self.slope, self.offset]

    def __call__(self, x):
        return self.slope * x + self.offset


def squared_loss(y, predicted):
    return (y - predicted) ** 2


def huber_loss(y, predicted, delta=1.0):
    """Quadratic up to `delta`, linear beyond (Huber 1964)."""
    distance = abs(y - predicted)
    if distance <= delta:
        return 0.5 * distance**2
    return delta * (distance - 0.5 * delta)


def make_epoch(line, loss, optimizer):
    """A function that goes through all points once, a step for each: returns the mean loss."""

    def epoch(x, y):
        total = 0.0
        for i in range(len(x)):
            with ag.GradientTape() as tape:
                value = loss(y[i], line(x[i]))
            optimizer.apply_gradients(zip(tape.gradient(value, line.variables), line.variables))
            total += value
        return total / len(x)

    return epoch


def train(loss, x, y, epochs, compiled):
    """The line after so many epochs, and the mean loss of each."""
    line, optimizer = Line(), optim.SGD(0.02)
    optimizer.build(line.variables)
    epoch = make_epoch(line, loss, optimizer)
    epoch = ag.compile(epoch, fallback="error") if compiled else epoch
    return line, [float(epoch(x, y)) for _ in range(epochs)]


def example(size: int = 60) -> tuple:
    """Points near y = 2 x + 1, of which every sixth is far above; the seed is fixed."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size)
    y = 2 * x + 1 + 0.1 * rng.standard_normal(size)
    y[::6] += 15.0
    return x, y


def main() -> None:
    for loss in (squared_loss, huber_loss):
        line, losses = train(loss, *example(), epochs=100, compiled=True)
        print(f"{loss.__name__:12}: y = {float(line.slope):.3f} x + {float(line.offset):.3f}, mean loss {losses[-1]:.3f}")


if __name__ == "__main__":
    main()
