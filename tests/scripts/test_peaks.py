"""The measurement of peak memory sees an array that a call makes, and the result of its process."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks import peaks
from benchmarks.case import Benchmark

pytestmark = pytest.mark.skipif(not peaks.CLEAR.exists() or not os.access(peaks.CLEAR, os.W_OK), reason="needs Linux's /proc")


def three_copies(x: np.ndarray) -> float:
    return float((x + 1.0).sum() + (x + 2.0).sum())


def test_a_temporary_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Benchmark("", three_copies, three_copies, lambda n: (np.ones(n),), 10, 10)
    monkeypatch.setitem(peaks.SIZES, case.name, 4_000_000)
    assert 30e6 < peaks.peak_of_call(case.plain, case) < 70e6


def test_every_function_with_a_size_is_a_benchmark() -> None:
    assert set(peaks.cases()) == set(peaks.SIZES)


def test_a_process_of_its_own_reports_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"scripts:{Path.cwd()}")
    assert peaks.measure_apart("floyd_warshall", "numpy") > 1e6
