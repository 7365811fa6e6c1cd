"""Threads that compile different functions at the same time: everything native is constructed once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSTRUCTORS = """
import os, threading, time
from autograph_jit.backends.cpu import entrances, library, matching, runtime_library, target
from autograph_jit.backends.cpu.threading import threads

constructors = [
    entrances.definitions, matching.checker, runtime_library.runtime, threads.pool, library.machine,
    target.has_fused_multiply_add, target.vector_bytes,
]
construct = library.Library.__init__

def slowly(self, *args, **kwargs):
    time.sleep(0.02)  # the other threads run meanwhile
    construct(self, *args, **kwargs)

library.Library.__init__ = slowly
for constructor in constructors:
    barrier, found = threading.Barrier(4), []
    def ask():
        barrier.wait()
        found.append(constructor())
    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers: asker.start()
    for asker in askers: asker.join()
    assert len(found) == 4 and all(each is found[0] for each in found), constructor
"""


def run(*arguments: str) -> None:
    """A Python of its own, which compiles everything anew, ends well."""
    variables = os.environ | {"PYTHONPATH": str(ROOT), "AUTOGRAPH_JIT_CACHE": "0"}
    done = subprocess.run([sys.executable, *arguments], env=variables, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_native_is_constructed_once_however_many_threads_ask() -> None:
    run("-c", CONSTRUCTORS)


@pytest.mark.parametrize("arguments", [("8", "200", "0"), ("4", "100", "4", "--collect")])
def test_threads_make_first_calls_of_different_functions_at_once(arguments: tuple[str, ...]) -> None:
    run("-m", "tests.runtime.first_calls", *arguments)
