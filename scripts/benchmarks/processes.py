"""New Python processes: how long one takes, what it prints, and where it keeps compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
import time


def run(*arguments: str, cache: str = "", python: str = sys.executable) -> tuple[float, str]:
    """Seconds of a new Python process, and what it printed; with a directory for compiled code, or none."""
    variables = os.environ | ({"AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": cache} if cache else {"AUTOGRAPH_JIT_CACHE": "0"})
    started = time.perf_counter()
    done = subprocess.run([python, *arguments], env=variables, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    return time.perf_counter() - started, done.stdout
