"""A differential equation solved with steps of adaptive length, and the derivative of its end with respect to its parameters."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def lotka_volterra(y, p):
    """Hares y[0] and lynxes y[1]: growth, predation, decline, conversion."""
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]])


def solve(y, p, end, tolerance):
    """The state at time `end` and the number of steps, by the pair of Bogacki and Shampine (1989) of orders 3 and 2."""
    t, h = 0.0, 0.1
    accepted = 0
    while t < end:
        h = min(h, end - t)
        k1 = lotka_volterra(y, p)
        k2 = lotka_volterra(y + h / 2 * k1, p)
        k3 = lotka_volterra(y + 3 * h / 4 * k2, p)
        better = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = lotka_volterra(better, p)
        error = np.max(np.abs(h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - k4 / 8)))
        if error < tolerance:
            t, y = t + h, better
            accepted += 1
        h = h * min(5.0, max(0.2, 0.9 * ag.stop_gradient((tolerance / (error + 1e-30)) ** (1 / 3))))
    return y, accepted


def hares(p, y, end, tolerance):
    """The number of hares in the end."""
    return solve(y, p, end, tolerance)[0][0]


def sensitivity(p, y, end, tolerance):
    """The number of hares in the end and its derivative with respect to each parameter."""
    return ag.value_and_grad(hares)(p, y, end, tolerance)


def example(tolerance: float = 1e-6) -> tuple:
    return np.array([1.1, 0.4, 0.4, 0.1]), np.array([10.0, 10.0]), 12.0, tolerance


def main() -> None:
    p, y, end, tolerance = example()
    value, gradient = ag.compile(sensitivity, fallback="error")(p, y, end, tolerance)
    _, steps = ag.compile(solve, fallback="error")(y, p, end, tolerance)
    print(f"{value:.5f} hares after {steps} steps; derivatives by the parameters {gradient.round(4)}")


if __name__ == "__main__":
    main()
