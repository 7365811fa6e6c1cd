"""What a gradient costs: its time over that of the function, and over that of `jax.grad` where JAX is installed (`peers.jax_gradients`).

Every gradient is checked against a central difference along a random direction. The contenders take turns, JAX in a process of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from benchmarks import gradients_dynamics, gradients_science
from benchmarks.contender import Local, Runner
from benchmarks.gradients_case import Program, as_benchmark, gradient_anew, normal
from benchmarks.measure import Settings, Timing, is_mutating, take_turns
from benchmarks.peers.remote import PeerContender, start_peers

STEP = 1e-6
TOLERANCE = 1e-4


def recurrence(x):
    s = 0.1
    for _ in range(200_000):
        s = np.sin(s) * x + 0.3
    return s


def scalar_while(a):
    total = 0.0
    k = 0
    while k < 100_000:
        total = total + a / (1.0 + k * a * a)
        k += 1
    return total


def diffuse(u):
    for _ in range(100):
        u[1:-1] += 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def smooth_by_index(u):
    for _ in range(20):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1])
    return np.sum(u * u)


def read_elements(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * a[i, j] * 0.5
    return total


def elementwise_chain(x):
    y = x * x + 1.0
    return np.sum(np.sqrt(y) * x / (y + 2.0))


def matrix_chain(w):
    x = np.ones((256, w.shape[0]))
    for _ in range(5):
        x = x @ w + 0.1
    return np.sum(x * x)


def leapfrog(v):
    u = v * 0.9
    for _ in range(100):
        w = 2 * v - u
        w[1:-1] += 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
        u, v = v, w
    return np.sum(v * v)


def recurrent_network(w):
    h = np.zeros(w.shape[0])
    for k in range(200):
        h = np.tanh(w @ h + np.cos(0.1 * k))
    return np.sum(h * h)


def pendulum(p):
    angle, speed = p[0], p[1]
    for _ in range(20_000):
        speed = speed - 0.001 * np.sin(angle)
        angle = angle + 0.001 * speed
    return angle * angle + speed * speed


PROGRAMS = (
    Program(recurrence, lambda n: 0.7, 1, 1),
    Program(scalar_while, lambda n: 0.3, 1, 1),
    Program(diffuse, lambda n: normal(n), 20_000, 200),
    Program(smooth_by_index, lambda n: normal(n), 20_000, 200),
    Program(read_elements, lambda n: normal(n, n), 600, 20),
    Program(elementwise_chain, lambda n: normal(n), 300_000, 1000),
    Program(matrix_chain, lambda n: normal(n, n) / np.sqrt(n), 256, 16),
    Program(leapfrog, lambda n: normal(n), 20_000, 200),
    Program(recurrent_network, lambda n: normal(n, n) / n, 100, 10),
    Program(pendulum, lambda n: np.array([0.5, 0.1]), 1, 1),
    *gradients_science.PROGRAMS,
    *gradients_dynamics.PROGRAMS,
)


def error(function: Callable[..., Any], gradient: Any, argument: Any) -> float:
    """How far <gradient, direction> is from a central difference, relative to its size."""
    direction = np.random.default_rng(4).standard_normal(np.shape(argument))
    ends = [function(argument + sign * STEP * direction) for sign in (1, -1)]
    expected = (ends[0] - ends[1]) / (2 * STEP)
    return abs(np.sum(np.asarray(gradient) * direction) - expected) / max(abs(expected), 1e-12)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one program; `error` is that of the worse gradient."""

    primal_s: float
    gradient_s: float
    jax_s: float | None
    first_call_s: float
    error: float

    @property
    def row(self) -> str:
        """The figures as a row of the table, under `HEAD`."""
        peer = f"{'':18}" if self.jax_s is None else f"{self.jax_s * 1e3:10.3f}{self.gradient_s / self.jax_s:8.2f}"
        ratio = self.gradient_s / self.primal_s
        return f"{self.primal_s * 1e3:12.3f}{self.gradient_s * 1e3:14.3f}{ratio:8.2f}{peer}{self.first_call_s:9.2f}{self.error:11.1e}"


HEAD = f"{'function':20}{'primal ms':>12}{'gradient ms':>14}{'ratio':>8}{'jax ms':>10}{'/ jax':>8}{'first s':>9}{'error':>11}"


def measured(program: Program, settings: Settings, peer: PeerContender | None) -> Figures:
    """The first call of a gradient, its error, and the times of all contenders."""
    case, argument = as_benchmark(program), program.argument(program.quick if settings.quick else program.size)
    primal, mutating = ag.compile(program.function, fallback="error"), is_mutating(case, (argument,))
    running: dict[str, Runner] = {
        "primal": Local(primal, (argument,), mutating),
        "gradient": Local(gradient_anew(program.function), (argument,), mutating),
    }
    jax = peer.start(case, (argument,), mutating) if peer else None
    if jax is not None:
        running["jax"] = jax
    firsts = {name: runner.first() for name, runner in running.items()}
    wrong = max(error(primal, found.result, argument) for name, found in firsts.items() if name != "primal")
    timings = {name: Timing() for name in running}
    take_turns(running, timings, settings)
    times = {name: timing.least_s for name, timing in timings.items()}
    return Figures(times["primal"], times["gradient"], times.get("jax"), firsts["gradient"].seconds, float(wrong))


def run(settings: Settings, only: str = "", with_peers: bool = True) -> tuple[dict[str, Figures], dict[str, str]]:
    """Measure and print one row a program; what was measured by its name, and JAX's version or why it is missing."""
    peers, missing = start_peers(("jax.grad",) if with_peers else ())
    versions = {peer.name: peer.worker.version for peer in peers} | missing
    found = {}
    print(*(f"{name}: {why}" for name, why in versions.items()), HEAD, sep="\n")
    try:
        for program in (program for program in PROGRAMS if only in program.name):
            found[program.name] = measured(program, settings, peers[0] if peers else None)
            print(f"{program.name:20}{found[program.name].row}", flush=True)
    finally:
        for peer in peers:
            peer.worker.close()
    return found, versions


def is_faulty(found: dict[str, Figures]) -> bool:
    """Whether a gradient is wrong."""
    return any(not figures.error < TOLERANCE for figures in found.values())


def as_json(found: dict[str, Figures]) -> dict[str, dict[str, float | None]]:
    """The table as JSON; an error that is no number is null."""
    rows = {name: asdict(figures) for name, figures in found.items()}
    return {
        name: {key: value if value is not None and math.isfinite(value) else None for key, value in row.items()}
        for name, row in rows.items()
    }
