"""Steepest descent with a backtracking line search: loops that end by conditions on gradients taken inside them."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


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


def example() -> tuple:
    return np.array([-1.2, 1.0]), 0.5, 200


def main() -> None:
    start, _, _ = example()
    x, steps = ag.compile(descend, fallback="error")(start, 1e-5, 100_000)
    print(f"from {start} to {x.round(4)} in {steps} steps")


if __name__ == "__main__":
    main()
