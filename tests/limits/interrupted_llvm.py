"""How long Ctrl-C takes while LLVM works on a long program: `python -m tests.limits.interrupted_llvm LOOPS`; 40 are 2 s of passes."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.runtime_library import runtime

LOOP = """
    for i in range(2, len(x) - 2):
        for j in range(2, len(x) - 2):
            z[i, j] = x[i, j] * {0}.25 + y[i - 1, j] * w[i, j - 1] + max(x[i + 1, j], y[i, j + 2])
"""
AFTER_SECONDS = 0.5  # from the beginning of the passes to the signal
optimise = library.optimised


def long_program(loops: int, folder: str) -> Any:
    """A function of so many loops over matrices."""
    path = Path(folder) / "program.py"
    path.write_text("def program(x, y, z, w):\n" + "".join(LOOP.format(number) for number in range(loops)) + "    return z.sum()\n")
    return run_path(str(path))["program"]


def measure(loops: int) -> None:
    """Print the lines of the module, the seconds of its passes, and those from the signal to the exception."""
    sent: list[float] = []
    passes: list[tuple[int, float]] = []
    done = threading.Event()

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def timed(text: str) -> Any:
        threading.Timer(AFTER_SECONDS, send).start()
        started = time.perf_counter()
        try:
            return optimise(text)
        finally:
            passes.append((text.count("\n"), time.perf_counter() - started))
            done.set()

    runtime()
    library.optimised = timed
    with tempfile.TemporaryDirectory() as folder, ag.config(cache=False, compile_seconds=None):
        try:
            ag.compile(long_program(loops, folder), fallback="error")(*np.ones((4, 9, 9)))
            print("the call ended before the signal")
        except KeyboardInterrupt:
            took = time.perf_counter() - sent[0]
            done.wait()
            print(f"{passes[0][0]} lines, {passes[0][1]:.2f} s of passes: the call ended {took:.4f} s after the signal")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    measure(int(sys.argv[1]))
