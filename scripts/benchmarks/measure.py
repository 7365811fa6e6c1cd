"""Time one benchmark under every contender: first call, then rounds in which the contenders take turns."""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from benchmarks.case import Benchmark
from benchmarks.contender import WALL, FirstCall, Local, Runner

SHORTEST_SAMPLE_SECONDS = 2e-4  # shorter calls are timed in batches, so that the clock's own cost does not count

LONGEST_WARM_SECONDS = 1e-2  # longer calls warm themselves: to read again what others took from the caches is a small part of them

FEWEST, MOST = 3, 40  # samples of a contender


class Field(Protocol):
    """What `measure` needs of a contender."""

    @property
    def name(self) -> str: ...

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner | None: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How to measure: small sizes or not, seconds for each contender, whether the least time counts or the median, by which clock."""

    quick: bool = False
    seconds: float = 1.0
    least: bool = False
    clock: str = WALL


@dataclass(slots=True)
class Timing:
    """What one contender needed, and what is wrong with its result, if anything is; `time_s` is the time that counts."""

    first_call_s: float = math.nan
    median_s: float = math.nan
    least_s: float = math.nan
    time_s: float = math.nan
    fault: str = ""
    samples_s: list[float] = field(default_factory=list)

    def summarise(self, least: bool) -> None:
        self.median_s, self.least_s = statistics.median(self.samples_s), min(self.samples_s)
        self.time_s = self.least_s if least else self.median_s


def is_mutating(case: Benchmark, arguments: tuple) -> bool:
    """Whether a call changes an argument: such a call is timed on fresh copies."""
    mine = copy.deepcopy(arguments)
    case.plain(*mine)
    return not all(np.array_equal(a, b) for a, b in zip(mine, arguments))


def difference(got: Any, want: Any, rtol: float) -> str:
    """What differs between two results (tuples and lists of arrays, numbers, None), or an empty string."""
    if isinstance(want, tuple | list):
        if not isinstance(got, tuple | list) or len(got) != len(want):
            return f"{type(got).__name__} instead of {len(want)} values"
        return next(filter(None, (difference(a, b, rtol) for a, b in zip(got, want))), "")
    if want is None or got is None:
        return "" if got is want else f"{got!r} instead of {want!r}"
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    scale = float(np.max(np.abs(want), initial=0.0))
    if not np.allclose(got, want, rtol=rtol, atol=rtol * scale, equal_nan=True):
        return f"largest difference {np.max(np.abs(got - want)):.3g} at scale {scale:.3g}"
    return ""


def difference_of_calls(got: FirstCall, want: FirstCall, rtol: float) -> str:
    """What differs between two calls: the result, or an argument that both know afterwards."""
    return difference(got.result, want.result, rtol) or next(
        filter(None, (difference(value, want.arguments[k], rtol) for k, value in got.arguments.items())), ""
    )


def call_and_compare(contender: Field, case: Benchmark, arguments: tuple, mutating: bool, want: FirstCall) -> tuple[Runner | None, Timing]:
    """The benchmark started and called once, with what is wrong; no runner where the contender has no program or cannot run it."""
    timing = Timing()
    try:
        at_small_size = fault_at_small_size(contender, case) if case.sensitive else ""
        runner = contender.start(case, arguments, mutating)
        if runner is None:
            return None, timing
        got = runner.first()
    except Exception as error:  # noqa: BLE001 - a contender that fails is reported, the others still run
        timing.fault = f"{type(error).__name__}: {error}"
        return None, timing
    timing.first_call_s = got.seconds
    timing.fault = difference_of_calls(got, want, case.rtol)
    if case.sensitive and not at_small_size:
        timing.fault = ""
    return runner, timing


def fault_at_small_size(contender: Field, case: Benchmark) -> str:
    """What is wrong with the result after few steps, where differences in rounding have not grown."""
    arguments = case.arguments(case.quick)
    runner = contender.start(case, arguments, True)
    return difference_of_calls(runner.first(), Local(case.plain, arguments, True).first(), case.rtol) if runner else ""


def start_all(case: Benchmark, arguments: tuple, field_of: Iterable[Field]) -> tuple[dict[str, Runner], dict[str, Timing]]:
    """Every contender that has a program for the case, called once; its result is compared with NumPy's."""
    mutating = is_mutating(case, arguments)
    want = Local(case.plain, arguments, mutating).first()
    running: dict[str, Runner] = {}
    timings: dict[str, Timing] = {}
    for contender in field_of:
        runner, timing = call_and_compare(contender, case, arguments, mutating, want)
        if runner is not None:
            running[contender.name] = runner
        if runner is not None or timing.fault:
            timings[contender.name] = timing
    return running, timings


def measure(case: Benchmark, field_of: Iterable[Field], settings: Settings) -> dict[str, Timing]:
    """Time every contender that has a program for the case, in turns."""
    running, timings = start_all(case, case.arguments(case.quick if settings.quick else case.size), field_of)
    take_turns(running, timings, settings)
    return timings


def take_turns(running: dict[str, Runner], timings: dict[str, Timing], settings: Settings) -> None:
    """Sample the contenders in turns, so that a change of the machine's speed meets all of them alike.

    Each is sampled until it has had its seconds, at least `FEWEST` and at most `MOST` times.
    """
    one_call = {name: runner.sample(1, 1, settings.clock) for name, runner in running.items()}
    warm = {name: int(cost < LONGEST_WARM_SECONDS) for name, cost in one_call.items()}
    batch = {name: 1 + int(SHORTEST_SAMPLE_SECONDS / max(cost, 1e-7)) for name, cost in one_call.items()}
    seconds = 0.0 if settings.quick else settings.seconds
    for k in range(MOST):
        for name, runner in running.items():
            if k < FEWEST or k * batch[name] * one_call[name] < seconds:
                timings[name].samples_s.append(runner.sample(batch[name], warm[name], settings.clock))
    for name in running:
        timings[name].summarise(settings.least)
