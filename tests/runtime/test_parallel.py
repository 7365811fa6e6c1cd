"""Threads in the life of a process: when they start, many callers at once, forks, Ctrl-C, code from disk, the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import dispatch

ROOT = Path(__file__).parents[2]
HEAD = """
import os, signal, sys, threading, time, warnings
import numpy as np
import autograph_jit as ag
from autograph_jit.backends.cpu.threading.threads import pool

pool().load.value = -1  # shares on a busy machine too
warnings.simplefilter("ignore", DeprecationWarning)  # of os.fork in a process with threads

@ag.compile(fallback="error")
def weigh(x, y):
    return np.sum(np.exp(-x * x) * y), np.tanh(x) * y

x = np.random.default_rng(0).normal(size=500_000)
y = x + 1.0
def count():
    time.sleep(0.1)  # the thread in which LLVM worked may be about to end
    return len(os.listdir("/proc/self/task"))
def show(result):
    print(result[0].hex(), float(result[1].sum()).hex())
"""


def run(folder: Path, source: str, **environment: str) -> list[str]:
    """The lines that a program prints in a process of its own."""
    path = folder / "program.py"
    path.write_text(HEAD + source)
    variables = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run([sys.executable, str(path)], env=variables, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in /proc")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


@needs_proc
def test_threads_start_with_the_first_large_call_and_no_earlier(tmp_path):
    source = """
before = count()
weigh(x[:100], y[:100])
print(count() - before)
weigh(x, y)
print(count() - before)
ag.config(threads=5)
print(count() - before)
ag.config(threads=2)
weigh(x, y)
print(count() - before)
"""
    assert run(tmp_path, source, AUTOGRAPH_JIT_THREADS="3") == ["0", "2", "4", "4"]


@needs_proc
def test_one_thread_starts_none(tmp_path):
    """By the setting, by the function's option, by the processors that the process may use."""
    source = """
def started(function):
    before = count()
    for _ in range(3): function(x, y)
    return count() - before
with ag.config(threads=1):
    print(started(ag.compile(weigh.__wrapped__)))
print(started(ag.compile(weigh.__wrapped__, parallel=False)))
processors = os.sched_getaffinity(0)
os.sched_setaffinity(0, [min(processors)])  # after numba has counted them
print(started(ag.compile(weigh.__wrapped__)))
"""
    assert run(tmp_path, source, NUMBA_NUM_THREADS="4") == ["0"] * 3


def test_results_are_the_same_for_all_numbers_of_threads_also_from_disk(tmp_path):
    cache = {"AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": str(tmp_path / "cache")}
    source = """
show(weigh(x, y))
print(' disk ' in weigh.explain(x, y))
for threads in (2, 4):
    ag.config(threads=threads)
    show(weigh(x, y))
"""
    found = [run(tmp_path, source, AUTOGRAPH_JIT_THREADS=count, **cache) for count in ("1", "8")]
    assert [results for one, _, *others in found for results in (one, *others)] == [found[0][0]] * 6
    assert [disk for _, disk, *_ in found] == ["False", "True"]


@pytest.mark.parametrize("wrong", ["0", "many", "-2"])
def test_a_wrong_number_of_threads_is_refused(wrong):
    with pytest.raises(ag.SettingError, match="threads"):
        ag.config(threads=int(wrong) if wrong != "many" else wrong)
    command = [sys.executable, "-c", "import autograph_jit"]
    variables = os.environ | {"AUTOGRAPH_JIT_THREADS": wrong, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert "SettingError" in done.stderr and "threads" in done.stderr


@needs_fork
def test_a_child_of_a_process_with_threads_computes_the_same(tmp_path):
    source = """
ag.config(threads=3)
show(weigh(x, y))
for asks in (False, True, False):
    child = os.fork()
    if child == 0:
        if asks:
            ag.config(threads=2)
        show(weigh(x, y))
        show(ag.compile(weigh.__wrapped__)(x, y))
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
show(weigh(x, y))
"""
    lines = run(tmp_path, source + "sys.stdout.flush()\n", PYTHONUNBUFFERED="1")
    assert len(lines) == 8 and len(set(lines)) == 1


@needs_fork
def test_a_child_made_while_threads_work_does_not_hang(tmp_path):
    source = """
ag.config(threads=3)
weigh(x, y)
busy = True
def keep_working():
    while busy:
        weigh(x, y)
worker = threading.Thread(target=keep_working)
worker.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        weigh(x, y)
        ag.config(threads=2)
        weigh(x, y)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
busy = False
worker.join()
print("done")
"""
    assert run(tmp_path, source) == ["done"]


@needs_fork
def test_a_child_made_while_another_thread_holds_a_lock_compiles(tmp_path):
    source = """
from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock
from autograph_jit.converters import pipeline
from autograph_jit.tracing.objects import operator_methods

class Scale:
    def __init__(self, factor):
        self.factor = factor
    def __mul__(self, x):
        return self.factor * x

@ag.compile(fallback="error")
def scaled(x):
    return Scale(2.0) * x

def hold():
    with lock:
        held.set()
        time.sleep(0.2)

for lock in (ffi.lib._lock, global_compiler_lock, pipeline._lock, operator_methods.LOCK):
    held = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if scaled(3.0) == 6.0 else 1)
    print(os.waitpid(child, 0)[1])
    holder.join()
"""
    assert run(tmp_path, source) == ["0"] * 4


def test_interrupt_ends_a_loop_of_shared_nests(tmp_path):
    source = """
@ag.compile(fallback="error")
def repeat(x):
    for _ in range(10**9):
        x = np.tanh(x) + 0.1
    return x
ag.config(threads=3)
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    repeat(x)
except KeyboardInterrupt:
    show(weigh(x, y))
"""
    assert len(run(tmp_path, source)) == 1


def test_many_threads_make_the_first_call_at_once(monkeypatch):
    compilations = []
    original = dispatch.compile_program

    def counting(*args):
        compilations.append(args)
        return original(*args)

    monkeypatch.setattr(dispatch, "compile_program", counting)
    function = ag.compile(lambda x: (np.sum(np.exp(x)), np.sqrt(x) + 1.0), fallback="error")
    x, found, barrier = np.linspace(0.0, 1.0, 300_000), [], threading.Barrier(32)

    def call():
        barrier.wait()
        for _ in range(3):
            total, roots = function(x)
            found.append((float(total), roots.tobytes()))

    with ag.config(threads=3):
        callers = [threading.Thread(target=call) for _ in range(32)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    assert len(found) == 96 and len(set(found)) == 1
    assert len(compilations) == 1 and len(function.specializations) == 1


def test_many_threads_that_need_the_sharing_form_at_once_compile_it_once():
    function = ag.compile(lambda x: np.exp(x) * 2.0, fallback="error")
    function(np.ones(3))
    x, found, barrier = np.linspace(0.0, 1.0, 300_000), [], threading.Barrier(8)

    def call():
        barrier.wait()
        found.append(function(x).tobytes())

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 8 and len(set(found)) == 1


def test_the_process_ends_while_threads_look_for_work(tmp_path):
    for pause in (0.0, 0.05):
        assert run(tmp_path, f"ag.config(threads=4)\nfor _ in range(50): weigh(x, y)\ntime.sleep({pause})\nprint('end')") == ["end"]


def test_an_interrupt_is_still_seen_by_a_caller_without_loops():
    """A signal that arrives during a shared nest is acted upon as soon as Python runs again."""
    function = ag.compile(lambda x: np.sum(np.exp(x)), fallback="error")
    x = np.ones(300_000)
    function(x)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    deadline = time.monotonic() + 30.0
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() < deadline:
            function(x)


NO_THREADS = """
import _thread
def refused(*args):
    raise RuntimeError("can't start new thread")
start, _thread.start_new_thread = _thread.start_new_thread, refused
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    ag.config(threads=4)
    show(weigh(x, y))
    show(ag.compile(weigh.__wrapped__)(x, y))
    show((ag.compile(lambda x: np.sort(x)[0])(np.tile(x, 4)), weigh(x, y)[1]))  # a routine that runs in a thread of its own where it can
    print([str(each.message).partition(":")[0] for each in told])
_thread.start_new_thread = start
ag.config(threads=4)
show(weigh(x, y))
"""
NO_MEMORY = """
import resource
x[:1] = weigh(x[:10], y[:10])[1][:1]
weigh(x, y)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (60 << 20), resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    before = count()
    ag.config(threads=30)
    ag.config(threads=29)
    print(0 <= count() - before < 28)
    print(len(told))
    show(weigh(x, y))
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
show(weigh(x, y))
"""


def test_a_call_goes_on_where_no_thread_can_be_started(tmp_path):
    first, second, third, told, fourth = run(tmp_path, NO_THREADS, AUTOGRAPH_JIT_THREADS="1")
    assert first == second == fourth and third.split()[1] == first.split()[1]
    assert told == "['1 of 4 threads share large array operations']"


@needs_proc
def test_a_call_goes_on_with_the_threads_that_there_is_memory_for(tmp_path):
    few, told, first, second = run(tmp_path, NO_MEMORY, AUTOGRAPH_JIT_THREADS="1")
    assert (few, told) == ("True", "1") and first == second


@needs_proc
def test_no_more_threads_start_than_processors_can_use(tmp_path):
    source = """
from autograph_jit.backends.cpu.threading.threads import MOST_PER_PROCESSOR
most = MOST_PER_PROCESSOR * os.cpu_count()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    ag.config(threads=most + 1000)
    ag.config(threads=most + 1001)
before = count()
weigh(x, y)
print(count() - before == most - 1, len(told), str(told[0].message).partition(";")[0] == f"threads={most + 1000}")
"""
    assert run(tmp_path, source) == ["True 1 True"]
