"""The smallest model: a product and a difference, `multiply(a, x) - b`, fitted step by step, eagerly or compiled."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def make_step(a, b, rate):
    """A step of gradient descent on the mean squared error: returns the error before it."""

    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean((np.subtract(np.multiply(a, x), b) - y) ** 2)
        for variable, gradient in zip((a, b), tape.gradient(loss, (a, b))):
            variable.assign_sub(rate * gradient)
        return loss

    return step


def train(x, y, steps, compiled):
    """Both numbers after so many steps, and the loss of each."""
    a, b = ag.Variable(0.0, name="a"), ag.Variable(0.0, name="b")
    step = make_step(a, b, rate=0.2)
    step = ag.compile(step, fallback="error") if compiled else step
    losses = [float(step(x, y)) for _ in range(steps)]
    return (float(a), float(b)), losses


def example() -> tuple:
    """Points of y = 5 x - 3."""
    x = np.linspace(-1.0, 2.0, 50)
    return x, 5 * x - 3


def main() -> None:
    (a, b), losses = train(*example(), steps=200, compiled=True)
    print(f"y = {a:.4f} x - {b:.4f}, loss {losses[0]:.3f} at first and {losses[-1]:.1e} at last")


if __name__ == "__main__":
    main()
