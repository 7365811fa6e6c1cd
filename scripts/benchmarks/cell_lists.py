"""Molecular dynamics of a liquid with cell lists, velocity Verlet, periodic, by functions as one writes them."""

from __future__ import annotations

from typing import Any

import numpy as np


def wrap(x: Any, box: float) -> Any:
    """Positions back into the box."""
    for i in range(len(x)):
        for d in range(3):
            while x[i, d] < 0.0:
                x[i, d] += box
            while x[i, d] >= box:
                x[i, d] -= box
    return x


def cell_of(x: Any, i: int, cells: int, width: float) -> int:
    """The cell of a particle."""
    a = min(int(x[i, 0] / width), cells - 1)
    b = min(int(x[i, 1] / width), cells - 1)
    c = min(int(x[i, 2] / width), cells - 1)
    return (a * cells + b) * cells + c


def build(x: Any, head: Any, following: Any, cells: int, width: float) -> None:
    """Linked lists of the particles in each cell."""
    for c in range(len(head)):
        head[c] = -1
    for i in range(len(x)):
        c = cell_of(x, i, cells, width)
        following[i] = head[c]
        head[c] = i


def nearest(d: float, box: float) -> float:
    """The nearest image of a distance."""
    if d > 0.5 * box:
        return d - box
    if d < -0.5 * box:
        return d + box
    return d


def pair(x: Any, f: Any, i: int, j: int, box: float, cutoff: float) -> float:
    """The energy of two particles; their forces are added."""
    dx = nearest(x[i, 0] - x[j, 0], box)
    dy = nearest(x[i, 1] - x[j, 1], box)
    dz = nearest(x[i, 2] - x[j, 2], box)
    r2 = dx * dx + dy * dy + dz * dz
    if r2 >= cutoff * cutoff or r2 == 0.0:
        return 0.0
    s6 = 1.0 / (r2 * r2 * r2)
    g = 24.0 * s6 * (2.0 * s6 - 1.0) / r2
    f[i, 0] += g * dx
    f[i, 1] += g * dy
    f[i, 2] += g * dz
    f[j, 0] -= g * dx
    f[j, 1] -= g * dy
    f[j, 2] -= g * dz
    return 4.0 * s6 * (s6 - 1.0)


def forces(x: Any, f: Any, head: Any, following: Any, cells: int, box: float, cutoff: float) -> float:
    """All forces; the potential energy."""
    f[:] = 0.0
    energy = 0.0
    for a in range(cells):
        for b in range(cells):
            for c in range(cells):
                i = head[(a * cells + b) * cells + c]
                while i >= 0:
                    for da in range(-1, 2):
                        for db in range(-1, 2):
                            for dc in range(-1, 2):
                                k = (((a + da) % cells) * cells + (b + db) % cells) * cells + (c + dc) % cells
                                j = head[k]
                                while j >= 0:
                                    if j > i:
                                        energy += pair(x, f, i, j, box, cutoff)
                                    j = following[j]
                    i = following[i]
    return energy


def simulate(x: Any, v: Any, box: float, cells: int, steps: int, dt: float) -> tuple[Any, float, float]:
    """Positions at the end, potential and kinetic energy."""
    x, v, f = x.copy(), v.copy(), np.zeros_like(x)
    head, following = np.zeros(cells**3, np.int64), np.zeros(len(x), np.int64)
    width = box / cells
    build(x, head, following, cells, width)
    potential = forces(x, f, head, following, cells, box, width)
    for _ in range(steps):
        v += 0.5 * dt * f
        x += dt * v
        wrap(x, box)
        build(x, head, following, cells, width)
        potential = forces(x, f, head, following, cells, box, width)
        v += 0.5 * dt * f
    return x, potential, 0.5 * float((v * v).sum())


def arguments() -> tuple[Any, ...]:
    """Some 200 particles near a lattice."""
    side = np.arange(6) * 1.2
    x = np.stack(np.meshgrid(side, side, side), -1).reshape(-1, 3) + 0.3
    v = np.sin(np.arange(x.size)).reshape(x.shape) * 0.5
    return x, v, 7.2, 3, 5, 0.002
