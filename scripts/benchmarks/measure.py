"""Time one benchmark under every contender: first call, then rounds in which the contenders take turns."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

import autograph_jit as ag
from benchmarks.case import Benchmark

SHORTEST_SAMPLE_SECONDS = 2e-4  # shorter calls are timed in batches, so that the clock's own cost does not count

LONGEST_WARM_SECONDS = 1e-3  # longer calls warm themselves


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to run a function: its name and how it is made from a benchmark (None: it cannot run this one)."""

    name: str
    build: Callable[[Benchmark], Callable[..., Any] | None]


@dataclass(slots=True)
class Timing:
    """What one contender needed, and what is wrong with its result, if anything is."""

    first_call_s: float = float("nan")
    median_s: float = float("nan")
    fault: str = ""
    samples_s: list[float] = field(default_factory=list)


def contenders(with_jax: Any | None) -> list[Contender]:
    """NumPy, numba and ours; JAX too where its module is given."""
    found = [
        Contender("numpy", lambda case: case.plain),
        Contender("numba", lambda case: numba.njit(case.by_hand)),
        Contender("ours", lambda case: ag.compile(case.plain, fallback="error")),
    ]
    if with_jax is not None:
        found.append(Contender("jax", lambda case: case.jax and _jitted(with_jax, case)))
    return found


def _jitted(jax: Any, case: Benchmark) -> Callable[..., Any]:
    run = jax.jit(case.jax(jax.numpy))
    return lambda *arguments: jax.block_until_ready(run(*arguments))


def is_mutating(case: Benchmark, arguments: tuple) -> bool:
    """Whether a call changes an argument: such a call is timed on fresh copies."""
    mine = copy.deepcopy(arguments)
    case.plain(*mine)
    return not all(np.array_equal(a, b) for a, b in zip(mine, arguments))


def difference(got: Any, want: Any, rtol: float) -> str:
    """What differs between two results (tuples of arrays, numbers, None), or an empty string."""
    if isinstance(want, tuple):
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


def first_call(function: Callable[..., Any], arguments: tuple) -> tuple[float, Any, tuple]:
    """Seconds of a call with copies of the arguments, its result, the arguments afterwards."""
    mine = copy.deepcopy(arguments)
    start = time.perf_counter()
    result = function(*mine)
    return time.perf_counter() - start, result, mine


def sample(function: Callable[..., Any], arguments: tuple, mutating: bool, batch: int, warm: int = 0) -> float:
    """Seconds of one call, the mean over a batch; a mutating call gets fresh copies, made before the clock starts.

    `warm` calls are made first and not timed: what other contenders left in caches and branch predictors is not this one's cost.
    """
    sets = [copy.deepcopy(arguments) for _ in range(batch + warm)] if mutating else [arguments] * (batch + warm)
    for mine in sets[batch:]:
        function(*mine)
    start = time.perf_counter()
    for mine in sets[:batch]:
        function(*mine)
    return (time.perf_counter() - start) / batch


def measure(case: Benchmark, field_of: list[Contender], quick: bool, seconds: float) -> dict[str, Timing]:
    """Time every contender on a case for about `seconds` each, in turns; results are compared with NumPy's."""
    arguments = case.arguments(case.quick if quick else case.size)
    _, want, wanted_arguments = first_call(case.plain, arguments)
    mutating = is_mutating(case, arguments)
    timings: dict[str, Timing] = {}
    running: dict[str, Callable[..., Any]] = {}
    for contender in field_of:
        timing = Timing()
        try:
            function = contender.build(case)
            if function is None:
                continue
            timings[contender.name] = timing
            timing.first_call_s, got, got_arguments = first_call(function, arguments)
            timing.fault = difference(got, want, case.rtol) or difference(got_arguments, wanted_arguments, case.rtol)
            running[contender.name] = function
        except Exception as error:  # noqa: BLE001 - a contender that fails is reported, the others still run
            timings[contender.name] = timing
            timing.fault = f"{type(error).__name__}: {error}"
    take_turns(running, timings, arguments, mutating, seconds)
    return timings


def take_turns(
    running: dict[str, Callable[..., Any]], timings: dict[str, Timing], arguments: tuple, mutating: bool, seconds: float
) -> None:
    """Sample the contenders in turns, so that a change of the machine's speed meets all of them alike."""
    one_call = {name: sample(function, arguments, mutating, 1, 1) for name, function in running.items()}
    warm = {name: int(cost < LONGEST_WARM_SECONDS) for name, cost in one_call.items()}
    batch = {name: 1 + int(SHORTEST_SAMPLE_SECONDS / max(cost, 1e-7)) for name, cost in one_call.items()}
    slowest = max((one_call[name] * batch[name] for name in running), default=1.0)
    for _ in range(max(3, min(40, int(seconds / slowest)))):
        for name, function in running.items():
            timings[name].samples_s.append(sample(function, arguments, mutating, batch[name], warm[name]))
    for name in running:
        timings[name].median_s = statistics.median(timings[name].samples_s)
