"""How much memory a function needs at its peak beyond what was there before: NumPy and compiled code in processes of their own."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autograph_jit as ag
from benchmarks import algebra, arrays, learning, signals, stencils
from benchmarks.case import Benchmark

# Sizes at which arrays, and not code, decide.
SIZES = {
    "chain_float64": 2_000_000,
    "chain_float32": 4_000_000,
    "chain_exp": 2_000_000,
    "root_mean_square": 4_000_000,
    "standardize": 60_000,
    "softmax": 60_000,
    "layer_norm": 15_000,
    "covariance": 100_000,
    "dense_layers": 40_000,
    "sobel": 2000,
    "heat": 1500,
    "wave": 2_000_000,
    "life_slices": 1500,
    "stencil_3d": 150,
    "floyd_warshall": 700,
    "gauss_jordan": 400,
    "cholesky_slices": 500,
    "convolve_slices": 1200,
}
WARM_SIZES = (0, 40, 44, 48)  # the second size generalises what was compiled, the call after writes the direct call
MODULES = (arrays, stencils, signals, algebra, learning)
# Every large array has pages of its own, which go back when it is freed. Without it glibc puts arrays into its heap after the first
# ones were freed, and a heap that something else stands behind keeps what is freed: a call would seem to need nothing.
OWN_PAGES = {"MALLOC_MMAP_THRESHOLD_": "131072"}
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def cases() -> dict[str, Benchmark]:
    found = {case.name: case for module in MODULES for case in module.BENCHMARKS}
    return {name: found[name] for name in SIZES}


def resident(field: str) -> int:
    """Bytes that the system's status of this process has under a name: VmRSS now, VmHWM at the peak."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def peak_of_call(function: Callable[..., Any], case: Benchmark) -> int:
    """Bytes beyond those before, at the peak of a call; calls with small and with such arguments come first and compile."""
    for more in WARM_SIZES:
        function(*case.arguments(case.quick + more))
    function(*case.arguments(SIZES[case.name]))
    arguments = case.arguments(SIZES[case.name])
    ctypes.CDLL(None).malloc_trim(0)  # freed memory that a process keeps would hide what a call needs
    CLEAR.write_text("5")  # the peak begins anew
    before = resident("VmRSS")
    function(*arguments)
    return resident("VmHWM") - before


def measure_here(name: str, who: str) -> int:
    case = cases()[name]
    return peak_of_call(case.plain if who == "numpy" else ag.compile(case.plain, fallback="error"), case)


def measure_apart(name: str, who: str) -> int:
    """The peak in a new process."""
    return run_apart("-m", "benchmarks.peaks", name, who)


def run_apart(*command: str) -> int:
    """The number that a new process of Python prints, in which large arrays have pages of their own."""
    environment = {**os.environ, **OWN_PAGES}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True, env=environment)
    return int(json.loads(done.stdout))


def run_suite() -> dict[str, dict[str, int]]:
    """Measure and print; bytes by function and contender."""
    print(f"{'function':24}{'numpy MB':>10}{'ours MB':>10}{'ratio':>8}")
    found = {}
    for name in SIZES:
        found[name] = {who: measure_apart(name, who) for who in ("numpy", "ours")}
        mine, other = found[name]["ours"], found[name]["numpy"]
        print(f"{name:24}{other / 1e6:10.1f}{mine / 1e6:10.1f}{mine / max(other, 1):8.2f}", flush=True)
    return found


if __name__ == "__main__":
    print(json.dumps(measure_here(*sys.argv[1:])))
