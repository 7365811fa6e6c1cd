"""A function whose gradient is measured, and the argument for a size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_jit.runtime.gradients import Gradient
from benchmarks.case import Benchmark


@dataclass(frozen=True, slots=True)
class Program:
    """A function of one argument, and the argument for a size."""

    function: Callable[..., Any]
    argument: Callable[[int], Any]
    size: int
    quick: int

    @property
    def name(self) -> str:
        return self.function.__name__


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape)


def gradient_anew(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of a function that is compiled at its first call; `ag.grad` gives one that may have been compiled before."""
    return Gradient(function, 0, False, False)


def as_benchmark(program: Program) -> Benchmark:
    """The function as a benchmark, by which peers know what they are asked for."""
    return Benchmark("gradient", program.function, program.function, lambda size: (program.argument(size),), program.size, program.quick)
