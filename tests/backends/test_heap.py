"""The allocator keeps freed temporaries, unless the user's environment says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


FAULTS = """
import resource
import numpy as np
import autograph_jit as ag

compiled = ag.compile(lambda x: x + 1.0, fallback="error")
x = np.ones(6_000_000)
compiled(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
result = compiled(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, result.sum())
"""


def gives_huge_pages() -> bool:
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return setting.exists() and "[never]" not in setting.read_text()


@pytest.mark.skipif(not gives_huge_pages(), reason="the system has no huge pages to give")
def test_large_results_have_few_page_faults(tmp_path):
    (tmp_path / "faults.py").write_text(FAULTS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, tmp_path / "faults.py"], env=environment, capture_output=True, text=True, check=True)
    faults, total = ran.stdout.split()
    assert float(total) == 12_000_000.0
    assert int(faults) < 6_000_000 * 8 // 4096 // 4
