"""The measurement of peak memory sees an array that a call makes, and the result of its process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks import peaks

pytestmark = pytest.mark.skipif(not peaks.CLEAR.exists() or not os.access(peaks.CLEAR, os.W_OK), reason="needs Linux's /proc")


# Two temporaries of 32 MB, one after the other, in a process whose heap can't grow or shrink: something else stands behind it.
TWO_TEMPORARIES = """
import ctypes, mmap
import numpy as np
from benchmarks import peaks
from benchmarks.case import Benchmark

def two_temporaries(x):
    return float((x + 1.0).sum() + (x + 2.0).sum())

system = ctypes.CDLL(None)
system.sbrk.restype = system.mmap.restype = ctypes.c_void_p
system.sbrk.argtypes, system.mmap.argtypes = [ctypes.c_long], [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
end = system.sbrk(0) + 2 * mmap.PAGESIZE
system.mmap(end - end % mmap.PAGESIZE, mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 2**64 - 1, 0)
case = Benchmark("", two_temporaries, two_temporaries, lambda n: (np.ones(n),), 10, 10)
peaks.SIZES[case.name] = 4_000_000
peaks.peak_of_call(case.plain, case)
print(peaks.peak_of_call(case.plain, case))
"""


def test_a_temporary_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"scripts:{Path.cwd()}")
    assert 30e6 < peaks.run_apart("-c", TWO_TEMPORARIES) < 40e6


def test_every_function_with_a_size_is_a_benchmark() -> None:
    assert set(peaks.cases()) == set(peaks.SIZES)


def test_a_process_of_its_own_reports_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"scripts:{Path.cwd()}")
    assert peaks.measure_apart("chain_float64", "numpy") > 1e6
