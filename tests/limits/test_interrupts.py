"""Ctrl-C ends compiled code soon, leaves what was written, and the process goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
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
def long_loop_by_threes(x: Any) -> Any:
    for i in range(0, 10**15, 3):
        x[0] += i % 2
        x[1] = x[0]


@ag.compile(fallback="error")
def long_loop_of_digits(x: Any) -> Any:
    for i in range(10**15):
        n, total = i, 0
        while n > 0:
            total += n % 10
            n //= 10
        x[0] += total % 3
        x[1] = x[0]


@ag.compile(fallback="error")
def endless_in_lockstep(x: Any) -> Any:
    for i in range(len(x)):
        value = x[i] + 1.0
        while value > 0.0:
            value = value * 1.0
        x[i] = value


ROWS = 10**7 if numba.config.OPT else 3 * 10**6  # half a second


@ag.compile(fallback="error")
def long_kernel(x: Any) -> Any:
    grid = np.broadcast_to(x, (ROWS, 8))
    return (np.sin(grid * 1.5) + np.exp(-grid) * np.cos(grid)).sum(axis=1)


@ag.compile(fallback="error")
def nested_kernels(x: Any) -> Any:
    while True:
        y = np.sqrt(np.abs(np.sin(np.arange(20_000) * x[0])))
        x[0] += 1.0
        x[1] = x[0] + 0.0 * y[0]


def lateness(function: Callable[..., Any], x: np.ndarray, after: float, *, moves: bool = False) -> float:
    """Seconds from the signal, so long after the call or, where it `moves` its argument, after that, to the KeyboardInterrupt."""
    sent: list[float] = []

    def send() -> None:
        while moves and not x.any():  # compiled meanwhile
            time.sleep(0.01)
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
    endless_in_lockstep(np.full(40, -2.0))  # compiled: no trip of it loops
    x = np.zeros(40)
    assert min(lateness(endless_in_lockstep, x, 0.3) for _ in range(3)) < ALLOWED_SECONDS
    assert not x.any(), "no trip was complete"


LOOPS = (endless, endless_with_handler, long_loop, long_loop_by_threes, long_loop_of_digits, nested_kernels)


@pytest.mark.parametrize("function", LOOPS, ids=lambda function: function.name)
def test_endless_loops_end_soon_and_leave_a_consistent_state(function: Any) -> None:
    best = ALLOWED_SECONDS * BUSY_FACTOR
    for _ in range(ATTEMPTS):
        x = np.zeros(3)
        best = min(best, lateness(function, x, 0.3, moves=True))
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


def sorted_values(x: Any) -> Any:
    return np.sort(np.sin(x))


def gathered(x: Any) -> Any:
    return x[(np.arange(len(x)) * 7_919_993) % len(x)]


def scattered(x: Any) -> Any:
    y = np.zeros_like(x)
    np.add.at(y, (np.arange(len(x)) * 7_919_993) % len(x), x)
    return y


def searched(x: Any) -> Any:
    return np.searchsorted(x, (x[::8] * 77.7) % 1.0)


def product(x: Any) -> Any:
    y = x[:2_250_000].reshape(1500, 1500)
    return y @ y


def inverted(x: Any) -> Any:
    return np.linalg.inv(x[:1_440_000].reshape(1200, 1200) + 1200.0 * np.eye(1200))


def elementwise(x: Any) -> Any:
    return np.sin(np.broadcast_to(x, (5, len(x))) * np.exp(-x)).sum(axis=0)


@pytest.mark.parametrize("function", (sorted_values, gathered, scattered, searched, product, inverted, elementwise))
def test_a_long_operation_on_arrays_ends_soon(function: Any) -> None:
    compiled = ag.compile(function, fallback="error", parallel=False)
    x = np.linspace(0.0, 1.0, 6_000_000)
    started = time.perf_counter()
    expected = compiled(x)
    after = min((time.perf_counter() - started) / 8, 0.1)
    best = ALLOWED_SECONDS * BUSY_FACTOR
    for _ in range(ATTEMPTS):
        best = min(best, lateness(compiled, x, after))
        if best < ALLOWED_SECONDS:
            break
    assert best < ALLOWED_SECONDS
    assert np.array_equal(compiled(x), expected), "what the interrupted call left behind does not matter"


OPERATIONS = {
    "scan": lambda x: np.cumsum(x),
    "scan of rows": lambda x: np.cumprod(x.reshape(-1, 2), axis=0),
    "gather": lambda x: x[(x * 3.0).astype(int)],
    "scatter": lambda x: np.add.at(x, (x * 3.0).astype(int), 1.0),
    "mask": lambda x: x[x > x[0]],
    "masked write": lambda x: np.copyto(x, 1.0, where=x > 0.5),
    "positions": lambda x: np.nonzero(x),
    "extremum": lambda x: np.argmax(x),
    "search": lambda x: np.searchsorted(x, x),
    "product of all": lambda x: np.prod(x),
    "copy": lambda x: x.copy(),
    "full": lambda x: np.full(len(x), 2.0),
    "joined": lambda x: np.concatenate((x, x)),
    "numbers": lambda x: np.arange(len(x)),
    "shifted update": lambda x: np.subtract(x[1:], x[:-1], out=x[1:]),
    "outer product": lambda x: x[:, None] * x,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_outside_of_loops_looks_at_signals(name: str) -> None:
    compiled = ag.compile(OPERATIONS[name], fallback="error", parallel=False)
    compiled(np.linspace(0.0, 1.0, 40_000 if name != "outer product" else 400))
    (executable,) = compiled.specializations[0].executables.values()
    assert "ag_poll" in executable.llvm


def test_a_small_call_does_not_pay_for_looks_at_signals() -> None:
    compiled = ag.compile(lambda x, y: np.exp(x) @ np.exp(y) + np.cumsum(x, axis=0)[:, :1], fallback="error")
    compiled(np.ones((3, 3)), np.ones((3, 3)))
    (executable,) = compiled.specializations[0].executables.values()
    assert "ag_poll" not in executable.llvm


def test_a_process_that_ends_waits_for_the_routine_that_was_left(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
import os, signal, threading
import numpy as np, autograph_jit as ag
f = ag.compile(lambda x: x @ x, fallback="error")
x = np.ones((2500, 2500))
f(x[:10, :10])
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    f(x)
except KeyboardInterrupt:
    print("interrupted")
""")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stdout) == (0, "interrupted\n"), ran.stderr


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
