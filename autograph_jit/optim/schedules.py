"""Learning rates that follow the number of updates made: objects that are called with it, by Keras' names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph_jit as ag


class Schedule:
    """A rate by the number of updates made so far; a subclass defines `__call__(step)`, in NumPy, so that it compiles."""

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no `__call__(step)`")


class Constant(Schedule):
    """The same rate at every step."""

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate

    def __call__(self, step: Any) -> Any:
        return np.float64(self.learning_rate)


class ExponentialDecay(Schedule):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`; with `staircase` the exponent is rounded down.

    >>> float(ExponentialDecay(0.1, decay_steps=10, decay_rate=0.5)(20))
    0.025
    """

    def __init__(self, initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False) -> None:
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase = staircase

    def __call__(self, step: Any) -> Any:
        periods = np.float64(step) / self.decay_steps
        if self.staircase:
            periods = np.floor(periods)
        return self.initial_learning_rate * self.decay_rate**periods


class CosineDecay(Schedule):
    """Half a cosine from `initial_learning_rate` down to `alpha` times it over `decay_steps` (Loshchilov and Hutter 2016).

    With `warmup_target` the rate first rises in a line from `initial_learning_rate` to it over `warmup_steps`, and decays from there.

    >>> float(CosineDecay(0.1, decay_steps=10)(5).round(6))
    0.05
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        if self.warmup_target is None:
            return self.decayed(self.initial_learning_rate, np.float64(step))
        rising = np.float64(step) / max(self.warmup_steps, 1) * (self.warmup_target - self.initial_learning_rate)
        after = self.decayed(self.warmup_target, np.float64(step) - self.warmup_steps)
        return np.where(step < self.warmup_steps, self.initial_learning_rate + rising, after)

    def decayed(self, start: float, step: Any) -> Any:
        half_wave = 0.5 * (1.0 + np.cos(np.pi * np.minimum(step, self.decay_steps) / self.decay_steps))
        return start * ((1.0 - self.alpha) * half_wave + self.alpha)


class PiecewiseConstantDecay(Schedule):
    """`values[0]` up to and with step `boundaries[0]`, then `values[1]`, and so on.

    >>> rate = PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1])
    >>> [float(rate(step)) for step in (0, 10, 11, 20, 21)]
    [1.0, 1.0, 0.5, 0.5, 0.1]
    """

    def __init__(self, boundaries: Sequence[int], values: Sequence[float]) -> None:
        if len(values) != len(boundaries) + 1 or list(boundaries) != sorted(boundaries):
            raise ag.SettingError(f"PiecewiseConstantDecay: {len(boundaries)} boundaries in order need one value more, not {len(values)}")
        self.boundaries, self.values = np.array(boundaries, np.int64), np.array(values, np.float64)

    def __call__(self, step: Any) -> Any:
        return self.values[np.sum(step > self.boundaries)]
