"""What a call costs when the work is nothing: functions of two small arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks.case import Benchmark
from benchmarks.measure import Field, Settings, Timing, start_all

CALLS = 20_000
ROUNDS = 9
WARM_CALLS = 100


def first_sum(x, y):
    return x[0] + y[0]


def add(x, y):
    return x + y


def two_arrays(size: int) -> tuple:
    return np.arange(float(size)), np.ones(size)


def one_array_twice(size: int) -> tuple:
    return (np.arange(float(size)),) * 2


CASE = Benchmark("call overhead", first_sum, first_sum, two_arrays, 4, 4)
BENCHMARKS = (
    CASE,
    Benchmark("call overhead", add, add, two_arrays, 4, 4),
    Benchmark("call overhead", first_sum, first_sum, one_array_twice, 4, 4, variant="one array twice"),
)


def measure_calls(case: Benchmark, field_of: Iterable[Field], settings: Settings) -> dict[str, Timing]:
    """Seconds per call over many calls in a row, which `measure` would spread over short samples."""
    running, timings = start_all(case, case.arguments(case.size), field_of)
    calls = CALLS // 20 if settings.quick else CALLS
    for _ in range(ROUNDS):
        for name, runner in running.items():
            timings[name].samples_s.append(runner.sample(calls, WARM_CALLS, settings.clock))
    for name in running:
        timings[name].summarise(settings.least)
    return timings
