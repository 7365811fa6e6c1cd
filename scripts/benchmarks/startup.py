"""What a new process pays: importing and a first trivial result, and the first call of every benchmark, cold and with code on disk."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from typing import Any

from benchmarks.array_programs import suite as array_programs
from benchmarks.long_programs import NAMES
from benchmarks.peers import installed
from benchmarks.processes import run

ROUNDS = 5
FIRST_RESULTS = {
    "numba": "import numba, numpy as np\n@numba.njit\ndef f(x):\n    return x[0] + 1.0\nf(np.ones(2))",
    "jax": "import jax, jax.numpy as jnp\njax.jit(lambda x: x[0] + 1.0)(jnp.ones(2)).block_until_ready()",
    "ours": "import numpy as np, autograph_jit as ag\n@ag.compile\ndef f(x):\n    return x[0] + 1.0\nf(np.ones(2))",
}


def script(program: str, folder: str) -> str:
    """The program as a file: functions need a source."""
    path = os.path.join(folder, "first_result.py")
    with open(path, "w") as file:
        file.write(program)
    return path


def start_up() -> dict[str, float]:
    """Median seconds of whole processes from nothing to the first result; ours without and with code on disk."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        for name, program in FIRST_RESULTS.items():
            path = script(program, folder)
            python = str(installed.interpreter(name)) if installed.is_installed(name) else sys.executable
            try:
                run(path, cache=cache, python=python)  # files are read once before
            except RuntimeError as error:
                print(f"    {name}: {error}")
                continue
            found[name] = statistics.median(run(path, python=python)[0] for _ in range(ROUNDS))
            if name == "ours":
                found["ours, on disk"] = statistics.median(run(path, cache=cache)[0] for _ in range(ROUNDS))
    return found


def first_calls() -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of the first call of every benchmark in a process that finds no code on disk, and in one that finds all."""
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (json.loads(run("-m", "benchmarks.first_calls", cache=os.path.join(folder, "cache"))[1]) for _ in range(2))
    return cold, warm


def long_programs() -> dict[str, float]:
    """Processor seconds of the first call of every long or recursive program, each in a process of its own; printed as they come."""
    found = {}
    for name in NAMES:
        try:
            made = json.loads(run("-m", "benchmarks.long_programs", name)[1])
        except RuntimeError as error:
            print(f"{name:28} stopped: {error}", flush=True)
            continue
        found[name] = made["seconds"]
        print(f"{name:28}{made['seconds']:8.3f}{'  in Python' if made['in_python'] else ''}", flush=True)
    return found


def describe(cold: dict[str, float], warm: dict[str, float]) -> str:
    """A line for each function, medians and maxima below."""
    lines = [f"{'first call, seconds':28}{'cold':>8}{'on disk':>9}"]
    lines += [f"{name:28}{cold[name]:8.3f}{warm[name]:9.3f}" for name in cold]
    for what, measure in (("median", statistics.median), ("longest", max)):
        lines.append(f"{what:28}{measure(cold.values()):8.3f}{measure(warm.values()):9.3f}")
    return "\n".join(lines)


def run_suite() -> dict[str, Any]:
    """Measure and print; the figures."""
    cold, warm = first_calls()
    print(describe(cold, warm), "", sep="\n")
    found = array_programs.run()
    print("first calls of long programs, processor seconds")
    long = long_programs()
    whole = start_up()
    print("new process to first result, seconds: " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in whole.items()))
    return {
        "first_call_cold_s": cold,
        "first_call_from_disk_s": warm,
        "array_programs": found,
        "long_programs_s": long,
        "new_process_s": whole,
    }
