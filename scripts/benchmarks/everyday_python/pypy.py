"""PyPy beside us: the same programs under the Python that is known for its speed with them, where `pypy3` is on PATH and runs them."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from pathlib import Path

from benchmarks.everyday_python.program import Program

SCRIPTS = Path(__file__).resolve().parents[2]
COMMAND = "pypy3"
LONGEST_SECONDS = 120.0


def is_installed() -> bool:
    return shutil.which(COMMAND) is not None


def seconds(program: Program, size: int) -> float | None:
    """Seconds of a warm call under PyPy; None where it does not run the program (newer syntax, NumPy) or finds another result."""
    command = [COMMAND, "-m", "benchmarks.everyday_python.pypy_child", program.function.__module__, program.name, str(size)]
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    answer = json.loads(done.stdout.splitlines()[-1])
    expected = repr(program.function(*copy.deepcopy(program.arguments(size))))
    return answer["seconds"] if answer["result"] == expected else None
