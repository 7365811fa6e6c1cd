"""Linear regression and Huber's robust regression, trained by gradient descent until the gradient vanishes."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def squared_loss(parameters, x, y):
    return 0.5 * np.mean((x @ parameters["w"] + parameters["b"] - y) ** 2)


def huber_loss(parameters, x, y):
    """Quadratic up to 1, linear beyond: outliers pull no harder than a constant (Huber 1964)."""
    total = 0.0
    for i in range(len(y)):
        residual = abs(x[i] @ parameters["w"] + parameters["b"] - y[i])
        if residual < 1.0:
            total += 0.5 * residual**2
        else:
            total += residual - 0.5
    return total / len(y)


def trained(loss, x, y, rate, tolerance):
    """The parameters at which the loss is flat, and the number of steps."""
    parameters = {"w": np.zeros(x.shape[1]), "b": 0.0}
    steps, norm = 0, np.inf
    while norm > tolerance:
        gradient = ag.grad(loss)(parameters, x, y)
        parameters = {name: parameters[name] - rate * gradient[name] for name in ("w", "b")}
        norm = np.sqrt(np.sum(gradient["w"] ** 2) + gradient["b"] ** 2)
        steps += 1
    return parameters["w"], parameters["b"], steps


def example(size: int = 60) -> tuple:
    """Points near y = 2 x0 - x1 + 0.5, of which every tenth is far off; the seed is fixed."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((size, 2))
    y = x @ np.array([2.0, -1.0]) + 0.5 + 0.1 * rng.standard_normal(size)
    y[::10] += 20.0
    return huber_loss, x, y, 0.5, 1e-6


def main() -> None:
    _, x, y, rate, tolerance = example()
    compiled = ag.compile(trained, fallback="error")
    for loss in (squared_loss, huber_loss):
        w, b, steps = compiled(loss, x, y, rate, tolerance)
        print(f"{loss.__name__:12}: y = {w[0]:.3f} x0 + {w[1]:.3f} x1 + {b:.3f} after {steps} steps")


if __name__ == "__main__":
    main()
