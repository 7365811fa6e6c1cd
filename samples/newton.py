"""The derivative of a root with respect to the equation: through Newton's iteration, and by the implicit function theorem."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def kepler(e, mean, eccentricity):
    """Kepler's equation: the eccentric anomaly `e` of a planet at the mean anomaly `mean` is its root."""
    return e - eccentricity * np.sin(e) - mean


def anomaly(mean, eccentricity):
    """The root by Newton's iteration."""
    e = mean
    step = 1.0
    while abs(step) > 1e-14:
        step = kepler(e, mean, eccentricity) / ag.grad(kepler)(e, mean, eccentricity)
        e = e - step
    return e


def both_slopes(mean, eccentricity):
    """d anomaly / d (mean, eccentricity): through the iteration, and as the quotient of the equation's partial derivatives."""
    e = anomaly(mean, eccentricity)
    through = ag.grad(anomaly, argnums=(0, 1))(mean, eccentricity)
    by_e, by_mean, by_eccentricity = ag.grad(kepler, argnums=(0, 1, 2))(e, mean, eccentricity)
    return through, (-by_mean / by_e, -by_eccentricity / by_e)


def example() -> tuple:
    return 0.8, 0.3


def main() -> None:
    through, implicit = ag.compile(both_slopes, fallback="error")(*example())
    print(f"through Newton's iteration {through[0]:.12f} {through[1]:.12f}")
    print(f"by the implicit function   {implicit[0]:.12f} {implicit[1]:.12f}")


if __name__ == "__main__":
    main()
