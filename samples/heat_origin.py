"""Where did the heat come from? The initial state of a rod is found from its final one, through the in-place heat equation."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def diffuse(u, rate, steps):
    """Advance the temperatures `u` of a rod in place, its ends held as they are."""
    for _ in range(steps):
        u[1:-1] += rate * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return u


def misfit(start, seen, rate, steps):
    """How far the rod that starts so is in the end from the one that was seen."""
    return 0.5 * np.sum((diffuse(start.copy(), rate, steps) - seen) ** 2)


def recover(seen, rate, steps, iterations):
    """A start that leads to what was seen: descent along the derivative with respect to the initial state."""
    start = seen.copy()
    for _ in range(iterations):
        start -= ag.grad(misfit)(start, seen, rate, steps)
    return start


def example(size: int = 40) -> tuple:
    """A rod as it is seen after 10 steps: cold, but for a warm stretch."""
    u = np.zeros(size)
    u[size // 4 : size // 2] = 1.0
    return diffuse(u, 0.25, 10), 0.25, 10, 50


def main() -> None:
    seen, rate, steps, _ = example()
    start = ag.compile(recover, fallback="error")(seen, rate, steps, 2000)
    for name, u in (("seen", seen), ("start", start)):
        print(f"{name:5} |{''.join(' .:-=+*#%@'[min(9, max(0, round(9 * x)))] for x in u)}|")


if __name__ == "__main__":
    main()
