"""Ctrl-C ends compiled code soon, leaves what was written, and the process goes on."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

ALLOWED_SECONDS = 0.1
BUSY_FACTOR = 10  # machines that run the tests do other work besides: the best of several attempts counts, and even that may be late
ATTEMPTS = 8

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts are signals of POSIX")


@ag.compile(fallback="error")
def endless(x: Any) -> Any:
    while True:
        x[0] += 1.0
        x[1] = x[0]


@ag.compile(fallback="error")
def endless_with_handler(x: Any) -> Any:
    while True:
        try:
            x[0] += 1.0 / float(x[2])
        except ZeroDivisionError:
            x[0] += 1.0
        finally:
            x[1] = x[0]


@ag.compile(fallback="error")
def long_loop(x: Any) -> Any:
    for i in range(10**15):
        x[0] += i % 3
        x[1] = x[0]


@ag.compile(fallback="error")
def endless_in_lockstep(x: Any) -> Any:
    for i in range(len(x)):
        value = x[i] + 1.0
        while value > 0.0:
            value = value * 1.0
        x[i] = value


@ag.compile(fallback="error")
def long_kernel(x: Any) -> Any:
    grid = np.broadcast_to(x, (10**7, 8))
    return (np.sin(grid * 1.5) + np.exp(-grid) * np.cos(grid)).sum(axis=1)


@ag.compile(fallback="error")
def nested_kernels(x: Any) -> Any:
    while True:
        y = np.sqrt(np.abs(np.sin(np.arange(20_000) * x[0])))
        x[0] += 1.0
        x[1] = x[0] + 0.0 * y[0]


def lateness(function: Callable[..., Any], x: np.ndarray, after: float) -> float:
    """Seconds from the signal to the KeyboardInterrupt."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function(x)
        time.sleep(after + 1.0)  # a call that ended before the signal
        sent.append(-1e9)
    return time.perf_counter() - sent[0]


def test_trips_side_by_side_that_do_not_end_are_interrupted() -> None:
    lateness(endless_in_lockstep, np.zeros(40), 3.0)  # compiled meanwhile
    x = np.zeros(40)
    assert min(lateness(endless_in_lockstep, x, 0.3) for _ in range(3)) < ALLOWED_SECONDS
    assert not x.any(), "no trip was complete"


@pytest.mark.parametrize("function", (endless, endless_with_handler, long_loop, nested_kernels), ids=lambda function: function.name)
def test_endless_loops_end_soon_and_leave_a_consistent_state(function: Any) -> None:
    best = lateness(function, np.zeros(3), 3.0)  # compiled meanwhile
    for _ in range(ATTEMPTS):
        x = np.zeros(3)
        best = min(best, lateness(function, x, 0.3))
        assert x[0] > 0 and abs(x[0] - x[1]) <= 2.0, "the last trip but one is complete"
        if best < ALLOWED_SECONDS:
            break
    assert best < ALLOWED_SECONDS
    assert ag.compile(lambda x: x + 1.0, fallback="error")(x).shape == (3,), "the process goes on"


def test_a_long_kernel_ends_soon() -> None:
    long_kernel(np.ones(8))  # compiled, and its memory touched
    best = ALLOWED_SECONDS * BUSY_FACTOR
    for _ in range(ATTEMPTS):
        best = min(best, lateness(long_kernel, np.ones(8), 0.05))
        if best < ALLOWED_SECONDS:
            break
    assert best < ALLOWED_SECONDS
    assert np.isfinite(long_kernel(np.ones(8))).all()


def test_a_handler_does_not_catch_an_interrupt() -> None:
    @ag.compile(fallback="error")
    def stubborn(x: Any) -> Any:
        while True:
            try:
                x[0] += 1.0
                for i in range(10**9):
                    x[1] += i
            except Exception:
                x[2] += 1.0

    x = np.zeros(3)
    assert lateness(stubborn, x, 0.2) < ALLOWED_SECONDS * BUSY_FACTOR
    assert x[2] == 0.0
