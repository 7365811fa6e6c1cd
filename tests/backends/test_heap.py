"""The allocator keeps freed temporaries, unless the user's environment says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = "from autograph_jit.backends.cpu.heap import keep_freed_memory; print(keep_freed_memory())"


def answer(**settings: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env={**environment, **settings}, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the thresholds are the GNU C library's")
def test_thresholds_are_raised():
    assert answer() == "True"


def test_setting_of_the_environment_is_left_alone():
    assert answer(MALLOC_TRIM_THRESHOLD_="131072") == "False"
