"""The absolute value by a branch on the data, and its derivative: that of the branch which is taken."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def absolute(x):
    if x > 0:
        return x
    return -x


def slopes(points):
    """Value and derivative at each of the points."""
    table = np.zeros((len(points), 2))
    for i in range(len(points)):
        table[i] = ag.value_and_grad(absolute)(points[i])
    return table


def example() -> tuple:
    return (np.array([-2.0, -0.5, 0.5, 2.0]),)


def main() -> None:
    (points,) = example()
    for x, (value, slope) in zip(points, ag.compile(slopes, fallback="error")(points)):
        print(f"x = {x:4}: |x| = {value}, derivative {slope:4}")


if __name__ == "__main__":
    main()
