"""The threads that compiled code shares large loop nests with: started by the first program that may, and kept.

They are threads of Python's that stay in native code (`pool.py`): they do not hold the interpreter's lock, and end with the process.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import os
import threading
from typing import Any

import llvmlite.binding as llvm
import numba

from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.threading.pool import pool_text
from autograph_jit.backends.cpu.threading.sharing import SHARE
from autograph_jit.backends.once import once
from autograph_jit.callers import warn_caller

IS_SUPPORTED = os.name == "posix"  # the pool is made of POSIX threads
MOST_PER_PROCESSOR = 16  # more only wait for each other


class Threads:
    """How many threads work on a nest: `limit`, or where that is None numba's number, NUMBA_NUM_THREADS or the processors there are.
    There are fewer where the process may not start so many, and never more than some for each processor: each is told once."""

    def __init__(self) -> None:
        self.limit: int | None = None
        self.wanted = self.is_child = False
        self.helpers = 0
        self.told: set[str] = set()
        self.lock = threading.Lock()

    @property
    def count(self) -> int:
        """Threads that work on a nest, the caller's included."""
        if not IS_SUPPORTED or (self.limit is None and self.is_child):
            return 1
        return self.limit or min(int(numba.config.NUMBA_NUM_THREADS), usable_processors())  # type: ignore[attr-defined]

    def prepare(self) -> None:
        """For a program that shares nests: make `ag_share` known to LLVM's linker, and start threads unless there shall be none."""
        self.wanted = True
        self.follow()

    def set_limit(self, limit: int | None) -> None:
        """Use so many threads from now on, those that call included."""
        most = MOST_PER_PROCESSOR * (os.cpu_count() or 1)
        if limit is not None and limit > most:
            self.tell(f"threads={limit}", f"no more than {most} threads are used, {MOST_PER_PROCESSOR} for each processor")
            limit = most
        self.limit = limit
        if self.wanted:
            self.follow()

    def follow(self) -> None:
        """Start the threads that are missing, and let so many work."""
        native = pool()  # before the lock is taken: a compilation, which the pool would wait for, may come here
        with self.lock:
            while self.helpers < self.count - 1 and self.start(native):
                self.helpers += 1
            native.allow(min(self.count, self.helpers + 1))

    def start(self, native: Pool) -> bool:
        """Start a helper; False where the process has as many threads, or as much memory, as it may."""
        try:
            _thread.start_new_thread(native.help, ())
        except (RuntimeError, MemoryError) as error:
            what = f"{self.helpers + 1} of {self.count} threads share large array operations: {error or type(error).__name__}"
            self.tell(what, "raise the limit of the system (`ulimit -u`, `ulimit -v`), or set ag.config(threads=...)")
            return False
        return True

    def tell(self, what: str, remedy: str) -> None:
        """One warning of a kind in a process."""
        if remedy not in self.told:
            self.told.add(remedy)
            warn_caller(f"{what}; {remedy}", RuntimeWarning)

    def after_fork(self) -> None:
        """A child has none of its parent's threads, and is often one of many: it uses none unless their number was set."""
        self.lock, self.helpers, self.is_child = threading.Lock(), 0, True
        if self.wanted:
            pool().reset()
            pool().allow(1)


def usable_processors() -> int:
    """Processors that this process may run on at the moment; numba counts them when it is imported."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """The loaded native module."""

    def __init__(self) -> None:
        self.library = Library(pool_text(llvm.get_process_triple().split("-")[0]))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.library.engine))  # never unloaded: threads may be inside when the process ends
        self.reset = ctypes.CFUNCTYPE(None)(self.library.address("ag_reset"))
        self.help = ctypes.CFUNCTYPE(None)(self.library.address("ag_help"))
        self.threads: Any = ctypes.c_int64.from_address(self.library.variable("ag_threads"))
        self.load: Any = ctypes.c_int32.from_address(self.library.variable("ag_load"))
        ctypes.c_int64.from_address(self.library.variable("ag_processors")).value = os.cpu_count() or 1
        with contextlib.suppress(OSError):
            self.load.value = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
        llvm.add_symbol(SHARE, self.library.address(SHARE))
        self.reset()

    def allow(self, count: int) -> None:
        """Let so many threads work on a nest."""
        self.threads.value = count


@once
def pool() -> Pool:
    """The process's pool, compiled at the first use."""
    return Pool()


threads = Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.after_fork)
