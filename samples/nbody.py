"""Bodies under gravity: small vectors inside loops, symplectic Euler steps, state written in place."""

from __future__ import annotations

import numpy as np


def nbody(position, velocity, mass, dt, steps):
    """Move the bodies `steps` times; return the energy (kinetic plus potential, G = 1) at the end."""
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            force = np.zeros(3)
            for j in range(n):
                if i != j:
                    apart = position[j] - position[i]
                    square = np.sum(apart * apart) + 1e-6
                    force += mass[j] * apart / (square * np.sqrt(square))
            velocity[i] += dt * force
        position += dt * velocity
    energy = 0.0
    for i in range(n):
        energy += 0.5 * mass[i] * np.sum(velocity[i] ** 2)
        for j in range(i):
            energy -= mass[i] * mass[j] / np.sqrt(np.sum((position[i] - position[j]) ** 2))
    return energy


def example(size: int = 4000) -> tuple:
    """Five bodies near one plane, moved `size` times; the seed is fixed."""
    rng = np.random.default_rng(2)
    position = rng.standard_normal((5, 3)) * np.array([1.0, 1.0, 0.1])
    velocity = 0.3 * rng.standard_normal((5, 3))
    return position, velocity, rng.uniform(0.5, 1.5, 5), 1e-3, size
