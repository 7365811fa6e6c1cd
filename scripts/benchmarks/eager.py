"""Tensors of a few elements, eagerly: what one operation costs, alone and on a tape, and a step of training."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from benchmarks.case import Benchmark
from benchmarks.contender import WALL, Contender, FirstCall, Local, Runner
from benchmarks.overhead import add, two_arrays

RATE = 0.1


def scaled(x, y):
    return x * 2.0


def hyperbolic_tangent(x, y):
    return np.tanh(x)


def total(x, y):
    return x.sum()


def element(x, y):
    return x[1]


def window(x, y):
    return x[1:3]


def product(x, w):
    return x @ w


def recorded_add(x, y):
    return x + y


def recorded_tanh(x, y):
    return np.tanh(x)


def training_step(x, y, w, b, v, c):
    """A step of gradient descent for a network with one hidden layer: the loss, and the parameters after it."""
    hidden = np.tanh(x @ w + b)
    error = hidden @ v + c - y
    slope = error * np.float32(2 / error.size)
    inner = slope @ v.T * (1 - hidden * hidden)
    slopes = (x.T @ inner, inner.sum(axis=0), hidden.T @ slope, slope.sum(axis=0))
    return (error * error).mean(), *(p - np.float32(RATE) * g for p, g in zip((w, b, v, c), slopes))


def training_step_on_a_tape(x, y, w, b, v, c):
    """The same, as one writes it."""
    parameters = [w, b, v, c]
    with ag.GradientTape() as tape:
        tape.watch(parameters)
        error = np.tanh(x @ w + b) @ v + c - y
        loss = (error * error).mean()
    return loss, *(p - RATE * g for p, g in zip(parameters, tape.gradient(loss, parameters)))


def matrix_and_vector(size: int) -> tuple:
    rng = np.random.default_rng(1)
    return rng.standard_normal((size, size)), rng.standard_normal(size)


def network(size: int) -> tuple:
    rng = np.random.default_rng(2)
    shapes = ((size, size), (size, 4), (size, 2 * size), (2 * size,), (2 * size, 4), (4,))
    return tuple(rng.standard_normal(shape).astype(np.float32) * np.float32(0.3) for shape in shapes)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A function whose calls a tape records, all of a sample on one tape."""

    function: Any
    arguments: tuple

    def first(self) -> FirstCall:
        with ag.GradientTape() as tape:
            tape.watch(self.arguments)
            start = time.perf_counter()
            result = self.function(*self.arguments)
            return FirstCall(time.perf_counter() - start, result)

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        now = getattr(time, clock)
        with ag.GradientTape() as tape:
            tape.watch(self.arguments)
            for _ in range(warm):
                self.function(*self.arguments)
            start = now()
            for _ in range(batch):
                self.function(*self.arguments)
            return (now() - start) / batch


@dataclass(frozen=True, slots=True)
class OnTensors:
    """The function on Tensors; `by_hand` of a benchmark is the function as one writes it for them."""

    name: str = "ours"

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner:
        mine = tuple(map(ag.asarray, arguments))
        return Recorded(case.by_hand, mine) if case.kind == RECORDED else Local(case.by_hand, mine, mutating)


RECORDED = "an operation on a tape"
CONTENDERS = (Contender("numpy", lambda case: case.plain), OnTensors())
OPERATIONS = (add, scaled, hyperbolic_tangent, total, element, window)
BENCHMARKS = (
    *(Benchmark("an operation", function, function, two_arrays, 4, 4) for function in OPERATIONS),
    Benchmark("an operation", product, product, matrix_and_vector, 4, 4),
    *(Benchmark(RECORDED, function, function, two_arrays, 4, 4) for function in (recorded_add, recorded_tanh)),
    Benchmark("training", training_step, training_step_on_a_tape, network, 8, 4, rtol=1e-4),
)
