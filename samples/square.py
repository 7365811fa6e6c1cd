"""The square, its derivative and its second derivative."""

from __future__ import annotations

import autograph_jit as ag


def square(x):
    return x * x


def derivatives(x):
    """The square of x with its first two derivatives."""
    slope = ag.grad(square)
    return square(x), slope(x), ag.grad(slope)(x)


def example() -> tuple:
    return (3.0,)


def main() -> None:
    value, slope, curvature = ag.compile(derivatives, fallback="error")(*example())
    print(f"x = 3: x^2 = {value}, derivative {slope}, second derivative {curvature}")


if __name__ == "__main__":
    main()
