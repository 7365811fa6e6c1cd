"""Print the measurements as a table and write them as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.case import Benchmark
from benchmarks.measure import Timing

Results = dict[str, tuple[Benchmark, dict[str, Timing]]]

NOISE = 0.05  # two timings of one function differ by up to this share
OURS = "ours"
TARGET, FLOOR = 1.3, 0.8  # the speed that is wanted over the best peer: geometric mean, each


def speed(timings: dict[str, Timing], other: str) -> float:
    """How many times as fast as another contender ours is; NaN where either has no time."""
    return timings[other].time_s / timings[OURS].time_s if OURS in timings and other in timings else math.nan


def best_peer(timings: dict[str, Timing]) -> str:
    """The fastest contender but NumPy and ours, or an empty string."""
    peers = [name for name, timing in timings.items() if name not in (OURS, "numpy") and not math.isnan(timing.time_s)]
    return min(peers, key=lambda name: timings[name].time_s, default="")


def header(names: list[str], width: int) -> str:
    """The first line of the table; `width` is that of its first column."""
    times = "".join(f"{name[:12]:>13}" for name in names)
    ratios = "".join(f"{'ours / ' + name[:8]:>16}" for name in names if name != OURS)
    return f"{'times in ms':{width}}{times}{ratios}{'best / ours':>13}"


def row(case: Benchmark, timings: dict[str, Timing], names: list[str], width: int) -> str:
    """One line of the table; faults follow, one line each."""
    times = "".join(number(timings[name].time_s * 1e3, 13) if name in timings else f"{'':13}" for name in names)
    ratios = "".join(number(1.0 / speed(timings, name), 16) for name in names if name != OURS)
    line = f"{case.name:{width}}{times}{ratios}{number(speed(timings, best_peer(timings)), 13)}"
    return "\n".join([line, *faults(timings)])


def number(value: float, width: int) -> str:
    return f"{'':{width}}" if math.isnan(value) else f"{value:{width}.3g}" if value < 100 else f"{value:{width}.0f}"


def faults(timings: dict[str, Timing]) -> list[str]:
    """What went wrong, one line for each contender that it went wrong with."""
    return [f"    {name}: {timing.fault.splitlines()[0]}" for name, timing in timings.items() if timing.fault]


def is_faulty(results: Results) -> bool:
    return any(timing.fault for _, timings in results.values() for timing in timings.values())


def speeds(results: Results, other: str) -> dict[str, float]:
    """Ours against one contender, by benchmark, where both have a time."""
    found = {name: speed(timings, other) for name, (_, timings) in results.items()}
    return {name: value for name, value in found.items() if not math.isnan(value)}


def comparison(against: dict[str, float], other: str) -> str:
    """The geometric mean of the speeds, and the least."""
    least = min(against, key=against.__getitem__)
    mean = statistics.geometric_mean(against.values())
    return f"against {other}: {len(against)} timed, {mean:.2f} x as fast (geometric mean), least {against[least]:.2f} ({least})"


def summary(results: Results, names: list[str]) -> str:
    """The speeds against each contender and against the best of them, what is slower than NumPy, the median of first calls."""
    lines = [comparison(found, name) for name in names if name != OURS and (found := speeds(results, name))]
    best = {name: speed(timings, best_peer(timings)) for name, (_, timings) in results.items()}
    best = {name: value for name, value in best.items() if not math.isnan(value)}
    if best:
        under = sorted((name for name in best if best[name] < FLOOR), key=best.__getitem__)
        lines.append(comparison(best, "the best peer of each"))
        lines.append(f"under {FLOOR} of the best peer: {', '.join(f'{name} {best[name]:.2f}' for name in under) or 'none'}")
    slower = [name for name, value in speeds(results, "numpy").items() if value < 1.0 / (1.0 + NOISE)]
    lines.append(f"slower than NumPy by over {NOISE:.0%}: {', '.join(slower) or 'none'}")
    firsts = [timings[OURS].first_call_s for _, timings in results.values() if OURS in timings and not timings[OURS].fault]
    if firsts:
        lines.append(f"first call of ours: median {statistics.median(firsts):.3f} s, longest {max(firsts):.2f} s")
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "cpus_used": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        **{name: metadata.version(name) for name in ("numpy", "numba", "llvmlite")},
    }


def figures(results: Results) -> dict[str, Any]:
    """A table as JSON; a time that does not exist is null."""
    return {
        name: {"kind": case.kind, "size": case.size, **{who: _timing(timing) for who, timing in timings.items()}}
        for name, (case, timings) in results.items()
    }


def write_json(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n")


def _timing(timing: Timing) -> dict[str, Any]:
    return {
        "first_call_s": _number(timing.first_call_s),
        "median_s": _number(timing.median_s),
        "least_s": _number(timing.least_s),
        "samples": len(timing.samples_s),
        "fault": timing.fault,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
