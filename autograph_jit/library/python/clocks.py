"""The clocks of the module `time`: read when the program runs, in the order of its effects."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.hosting.host_calls import host_effect, host_scalar

CLOCKS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")


def read_clock(clock: Callable[[], float], dtype: np.dtype) -> Any:
    """A host call that is made every time, seconds as a float or nanoseconds as an int."""
    name = clock.__name__
    return host_scalar(lambda: getattr(time, name)(), dtype=dtype, weak=True, label=name)


def sleep(seconds: Any) -> None:
    """The program waits, not the trace of it."""
    host_effect(lambda value: time.sleep(value), seconds, label="sleep")


for name in CLOCKS:
    for clock, dtype in ((getattr(time, name, None), np.dtype(np.float64)), (getattr(time, f"{name}_ns", None), np.dtype(np.int64))):
        if clock is not None:
            BUILTINS[clock] = partial(read_clock, clock, dtype)
BUILTINS[time.sleep] = sleep
