"""An array program is a benchmark of which numba is given the same source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Benchmark


def program(function: Callable[..., Any], arguments: Callable[[int], tuple], size: int, quick: int) -> Benchmark:
    """The benchmark of a function; its kind is the file that it stands in."""
    return Benchmark(function.__module__.rpartition(".")[2], function, function, arguments, size, quick)
