"""One way to run a benchmark: in this process (NumPy, hand-written numba, ours); `peers.remote` has those that run in others."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numba

import autograph_jit as ag
from benchmarks.case import Benchmark

WALL, CPU = "perf_counter", "process_time"  # clocks of the module `time`


@dataclass(frozen=True, slots=True)
class FirstCall:
    """Seconds of the first call with its compilation, its result, by position the arguments as they are afterwards, CPU seconds."""

    seconds: float
    result: Any
    arguments: dict[int, Any] = field(default_factory=dict)
    processor_s: float = math.nan


class Runner(Protocol):
    """A benchmark with its arguments, ready to be called."""

    def first(self) -> FirstCall: ...

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        """Seconds of one call by a clock of the module `time`, the mean over a batch.

        `warm` calls are made first and not timed: what other contenders left in caches and branch predictors is not this one's cost.
        """


@dataclass(frozen=True, slots=True)
class Local:
    """A function in this process; where it changes its arguments, each call gets fresh copies that are made before the clock starts."""

    function: Callable[..., Any]
    arguments: tuple
    mutating: bool

    def first(self) -> FirstCall:
        mine = copy.deepcopy(self.arguments)
        start, processor = time.perf_counter(), time.process_time()
        result = self.function(*mine)
        processor_s, seconds = time.process_time() - processor, time.perf_counter() - start
        return FirstCall(seconds, result, dict(enumerate(mine)), processor_s)

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        now, function = getattr(time, clock), self.function
        sets = [copy.deepcopy(self.arguments) for _ in range(batch + warm)] if self.mutating else [self.arguments] * (batch + warm)
        for mine in sets[batch:]:
            function(*mine)
        start = now()
        for mine in sets[:batch]:
            function(*mine)
        return (now() - start) / batch


@dataclass(frozen=True, slots=True)
class Contender:
    """A name and how a function is made from a benchmark."""

    name: str
    build: Callable[[Benchmark], Callable[..., Any]]

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner | None:
        """The benchmark made ready; None where this contender has no program for it."""
        return Local(self.build(case), arguments, mutating)


NUMPY = Contender("numpy", lambda case: case.plain)
NUMBA = Contender("numba", lambda case: numba.njit(case.by_hand))
OURS = Contender("ours", lambda case: ag.compile(case.plain, fallback="error"))
LOCAL = (NUMPY, NUMBA, OURS)
