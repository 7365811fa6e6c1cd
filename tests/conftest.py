"""What every test shares: a generator with a fixed seed; what is compiled is compiled here, not found on disk; a heap that is frozen."""

from __future__ import annotations

import gc
import os
import signal

os.environ["AUTOGRAPH_JIT_CACHE"] = "0"  # before the package is imported; processes that tests start inherit it

import numpy as np
import pytest

from autograph_jit.runtime.settings import ASKED_HERE
from autograph_jit.staging.trace import unusual

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background: tests send Ctrl-C to themselves
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator whose seed is the same in every test."""
    return np.random.default_rng(20240817)


@pytest.fixture(autouse=True)
def as_in_a_new_process():
    """Calls take their shortest way, as long as the test itself does not ask for eager mode or a device."""
    unusual.discard(ASKED_HERE)


def pytest_collection_finish() -> None:
    """The collector need not look through 18,000 tests and all modules again and again: they stay."""
    gc.collect()
    gc.freeze()
