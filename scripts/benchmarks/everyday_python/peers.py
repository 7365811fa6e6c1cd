"""Peers beside us, each in a process of its own: PyPy, known for its speed with such programs, and numba, for those that it compiles."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.everyday_python.program import Program

SCRIPTS = Path(__file__).resolve().parents[2]
LONGEST_SECONDS = 120.0
COMMANDS = {"pypy": "pypy3", "numba": sys.executable}


def installed() -> list[str]:
    """Names of the peers: PyPy where `pypy3` is on PATH, and numba, which comes with the project."""
    return [peer for peer, command in COMMANDS.items() if shutil.which(command) is not None]


def seconds(peer: str, program: Program, size: int) -> float | None:
    """Seconds of a warm call; None where the peer does not run the program (newer syntax, NumPy, types) or finds another result."""
    module = f"benchmarks.everyday_python.{peer}_child"
    paths = [str(SCRIPTS)] if peer == "pypy" else [str(SCRIPTS), *filter(None, sys.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [COMMANDS[peer], "-m", module, program.function.__module__, program.name, str(size)]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    answer = json.loads(done.stdout.splitlines()[-1])
    expected = repr(program.function(*copy.deepcopy(program.arguments(size))))
    return answer["seconds"] if answer["result"] == expected else None
