"""Print the measurements as a table and write them as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.case import Benchmark
from benchmarks.measure import Timing

Results = dict[str, tuple[Benchmark, dict[str, Timing]]]

NOISE = 0.05  # two timings of one function differ by up to this share

HEADER = f"{'function':24}{'kind':22}{'numpy ms':>11}{'numba ms':>10}{'ours ms':>10}{'/numba':>8}{'/numpy':>8}{'first s':>9}{'numba':>7}"


def ratio(timings: dict[str, Timing], name: str, other: str) -> float:
    """How many times as long `name` takes as `other`; NaN where either has no time."""
    return timings[name].median_s / timings[other].median_s if name in timings and other in timings else math.nan


def row(case: Benchmark, timings: dict[str, Timing]) -> str:
    """One line of the table; faults follow, one line each."""
    milliseconds = [timings[name].median_s * 1e3 for name in ("numpy", "numba", "ours")]
    line = (
        f"{case.name:24}{case.kind:22}{milliseconds[0]:11.3f}{milliseconds[1]:10.3f}{milliseconds[2]:10.3f}"
        f"{ratio(timings, 'ours', 'numba'):8.2f}{ratio(timings, 'ours', 'numpy'):8.2f}"
        f"{timings['ours'].first_call_s:9.2f}{timings['numba'].first_call_s:7.2f}"
    )
    if "jax" in timings:
        line += f"   jax {timings['jax'].median_s * 1e3:.3f} ms"
    return "\n".join([line, *faults(timings)])


def faults(timings: dict[str, Timing]) -> list[str]:
    """What went wrong, one line for each contender that it went wrong with."""
    return [f"    {name}: {timing.fault.splitlines()[0]}" for name, timing in timings.items() if timing.fault]


def summary(results: Results) -> str:
    """The worst ratio, how many are within 1.25 of numba, and the median of first calls."""
    against = {name: ratio(timings, "ours", "numba") for name, (_, timings) in results.items()}
    known = {name: value for name, value in against.items() if not math.isnan(value)}
    firsts = [timings["ours"].first_call_s for _, timings in results.values() if not math.isnan(timings["ours"].first_call_s)]
    if not known or not firsts:
        return "nothing of ours could be timed"
    worst = max(known, key=known.__getitem__)
    slower = [name for name, (_, timings) in results.items() if ratio(timings, "ours", "numpy") > 1.0 + NOISE]
    return (
        f"timed {len(known)} of {len(results)}; within 1.25 x hand-written numba: {sum(value <= 1.25 for value in known.values())}; "
        f"worst {known[worst]:.2f} ({worst}); geometric mean {statistics.geometric_mean(known.values()):.2f}\n"
        f"slower than NumPy by over {NOISE:.0%}: {', '.join(slower) or 'none'}; first call: median {statistics.median(firsts):.2f} s"
    )


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        **{name: metadata.version(name) for name in ("numpy", "numba", "llvmlite")},
    }


def write_json(path: Path, results: Results, warm_up_s: dict[str, float], overhead_s: dict[str, float]) -> None:
    """Write every figure; a time that does not exist is null."""
    rows = {
        name: {"kind": case.kind, "size": case.size, **{who: _timing(timing) for who, timing in timings.items()}}
        for name, (case, timings) in results.items()
    }
    document = {"machine": machine(), "warm_up_s": warm_up_s, "call_s": overhead_s, "benchmarks": rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n")


def _timing(timing: Timing) -> dict[str, Any]:
    return {
        "first_call_s": _number(timing.first_call_s),
        "median_s": _number(timing.median_s),
        "samples": len(timing.samples_s),
        "fault": timing.fault,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def overhead_lines(warm_up_s: dict[str, float], overhead_s: dict[str, float]) -> Iterable[str]:
    """One line on the first compilation of the process, one on the cost of a call."""
    yield "first compilation of the process: " + ", ".join(f"{name} {cost:.2f} s" for name, cost in warm_up_s.items())
    yield "a call with two small arrays: " + ", ".join(f"{name} {cost * 1e6:.2f} us" for name, cost in overhead_s.items())
