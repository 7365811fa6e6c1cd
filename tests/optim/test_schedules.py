"""Learning rates against their formulas, step by step, also with a step of the run in compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import optim
from tests.tables import table


def cosine(start: float, steps: float, length: int, alpha: float) -> float:
    return start * ((1 - alpha) * 0.5 * (1 + math.cos(math.pi * min(steps, length) / length)) + alpha)


SCHEDULES: list[tuple[optim.Schedule, Callable[[int], float]]] = [
    (optim.Constant(0.3), lambda step: 0.3),
    (optim.ExponentialDecay(0.1, 5, 0.5), lambda step: 0.1 * 0.5 ** (step / 5)),
    (optim.ExponentialDecay(0.1, 5, 0.5, staircase=True), lambda step: 0.1 * 0.5 ** (step // 5)),
    (optim.CosineDecay(0.1, 12, 0.2), lambda step: cosine(0.1, step, 12, 0.2)),
    (optim.CosineDecay(0.1, 8, 0.0, 0.9, 4), lambda step: 0.1 + 0.8 * step / 4 if step < 4 else cosine(0.9, step - 4, 8, 0.0)),
    (optim.PiecewiseConstantDecay([4, 9], [1.0, 0.5, 0.1]), lambda step: 1.0 if step <= 4 else 0.5 if step <= 9 else 0.1),
]


@table("schedule, expected", SCHEDULES, ids=lambda value: type(value).__name__)
def test_rates_follow_their_formulas(schedule: optim.Schedule, expected: Callable[[int], float]) -> None:
    compiled = ag.compile(schedule, fallback="error")
    for step in range(16):
        assert float(schedule(step)) == pytest.approx(expected(step), rel=1e-12, abs=1e-15)
        assert float(compiled(np.int64(step))) == pytest.approx(expected(step), rel=1e-12, abs=1e-15)


def test_an_optimizer_follows_its_schedule() -> None:
    x = ag.Variable(np.array([0.0]))
    optimizer = optim.SGD(optim.PiecewiseConstantDecay([1], [1.0, 0.25]))
    for _ in range(4):
        optimizer.apply_gradients([(np.array([1.0]), x)])
    assert x.numpy() == -(1.0 + 1.0 + 0.25 + 0.25)


def test_boundaries_out_of_order_or_a_value_too_few_are_errors() -> None:
    for boundaries, values in (([2, 1], [1.0, 2.0, 3.0]), ([1], [1.0])):
        with pytest.raises(ag.SettingError, match="boundaries in order"):
            optim.PiecewiseConstantDecay(boundaries, values)
