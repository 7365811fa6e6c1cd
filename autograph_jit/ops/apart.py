"""Library routines that may take long run in a thread of their own, so that Ctrl-C ends the call that waits for them.

Signals reach Python in its main thread, between two bytecodes: not while that thread is inside of NumPy or LLVM. One that waits for
another is woken. The routine cannot be stopped: it goes on until it is done, and its result is dropped. So it must not write to what the
program has. A process that ends waits for it, since libraries do not expect to be unloaded while they work.
"""

from __future__ import annotations

import _thread
import atexit
import contextvars
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

LONG, LONG_ALGEBRA = 1 << 20, 1 << 18  # elements of all arguments, from which on a thread costs little and its absence a tenth of a second
WAIT_SECONDS = 0.05  # between two looks at what else is to be done
STACK_BYTES = 16 << 20  # LLVM's passes recurse; a thread may have less than the main one by default
running: set[_thread.LockType] = set()  # a lock for each routine that is not done yet


@atexit.register
def wait_for_all() -> None:
    """Wait for what Ctrl-C left to itself."""
    for done in tuple(running):
        done.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=running.clear)


def nothing() -> None:
    """What there is to do meanwhile, as a rule."""


def run_apart(function: Callable[..., Any], *args: Any, meanwhile: Callable[[], None] = nothing, **kwargs: Any) -> Any:
    """function(*args, **kwargs), in a thread of its own if this is the main thread and a thread can be started; `meanwhile` is called
    now and then."""
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    results: list[Any] = []
    failures: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()
    running.add(done)
    process = os.getpid()

    def run() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            failures.append(error)
        finally:
            running.discard(done)
            done.release()

    try:
        start_thread(run)
    except (RuntimeError, MemoryError):  # the process has as many threads as it may: Ctrl-C waits for the routine
        running.discard(done)
        return function(*args, **kwargs)
    while not done.acquire(timeout=WAIT_SECONDS):
        if os.getpid() != process:  # a signal's handler has forked: this is the child, and the thread is its parent's
            return function(*args, **kwargs)
        meanwhile()
    if failures:
        raise failures[0].with_traceback(None)
    return results[0]


def start_thread(run: Callable[[], None]) -> None:
    """Run this in another thread, with this one's context."""
    before = _thread.stack_size()
    _thread.stack_size(max(before, STACK_BYTES))
    try:
        _thread.start_new_thread(contextvars.copy_context().run, (run,))
    finally:
        _thread.stack_size(before)


def interruptible(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which runs apart where its arguments are large."""
    enough = LONG_ALGEBRA if "linalg" in (function.__module__ or "") else LONG

    def call(*args: Any, **kwargs: Any) -> Any:
        elements = 0
        for arg in (*args, *kwargs.values()) if kwargs else args:
            if isinstance(arg, np.ndarray):
                elements += arg.size
        return run_apart(function, *args, **kwargs) if elements >= enough else function(*args, **kwargs)

    return call
