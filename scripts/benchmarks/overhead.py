"""What a call costs when the work is nothing: a function of two small arrays."""

from __future__ import annotations

import timeit

import numpy as np

from benchmarks.case import Benchmark
from benchmarks.measure import Contender

CALLS = 20_000
ROUNDS = 7


def first_sum(x, y):
    return x[0] + y[0]


CASE = Benchmark("call overhead", first_sum, first_sum, lambda n: (np.arange(float(n)), np.ones(n)), 4, 4)


def seconds_per_call(field_of: list[Contender], quick: bool) -> dict[str, float]:
    """The least mean time of a call over some rounds, by contender that can run the function."""
    x, y = CASE.arguments(CASE.size)
    calls = CALLS // 20 if quick else CALLS
    cost = {}
    for contender in field_of:
        function = contender.build(CASE)
        if function is None:
            continue
        function(x, y)
        cost[contender.name] = min(timeit.repeat(lambda run=function: run(x, y), number=calls, repeat=ROUNDS)) / calls
    return cost
