"""Allocations of compiled code that fail: the n-th one of a call, for every n, in a process whose compiled code is linked to failing ones.

The linker finds `malloc`, `PyTuple_New` and others here instead of in the C library and in CPython, so that ordinary processes have
nothing of this. It has to be asked for before anything is compiled: `python -m tests.fuzz.allocation_faults ROUNDS PROGRAM ...`.
"""

from __future__ import annotations

import copy
import ctypes
import faulthandler
import gc
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.runtime_library import runtime
from tests.fuzz.fault_programs import PROGRAMS, Program

ROOT = Path(__file__).parents[2]
# Python fills its own stores for some forty batches, more where other programs run; a leak grows in each, or nearly so.
BATCHES, QUIET = 200, 3
# By name: the arguments' types, and whether Python is told (a null pointer is all that the C library gives).
ALLOCATORS = {
    "malloc": (("i64",), False),
    "calloc": (("i64", "i64"), False),
    "realloc": (("ptr", "i64"), False),
    "PyTuple_New": (("i64",), True),
    "PyLong_FromLongLong": (("i64",), True),
    "PyFloat_FromDouble": (("double",), True),
    "PyCapsule_New": (("ptr", "ptr", "ptr"), True),
    "PyWeakref_NewRef": (("ptr", "ptr"), True),
    "PyArray_Scalar": (("ptr", "ptr", "ptr"), True),
    "PyArray_NewFromDescr": (("ptr", "ptr", "i32", "ptr", "ptr", "ptr", "i32", "ptr"), True),
}
COUNTERS = """
@ag_left = global i64 -1
@ag_asked = global i64 0
@ag_held = global i64 0
@ag_failed = global i64 -1

define void @ag_fault_free(ptr %block) {
  %some = icmp ne ptr %block, null
  %one = zext i1 %some to i64
  %1 = atomicrmw sub ptr @ag_held, i64 %one monotonic
  %free = inttoptr i64 FREE to ptr
  call void %free(ptr %block)
  ret void
}
"""
ALLOCATOR = """
define ptr @ag_fault_NAME(PARAMETERS) {
  %1 = atomicrmw add ptr @ag_asked, i64 1 monotonic
  %left = atomicrmw sub ptr @ag_left, i64 1 monotonic
  %fails = icmp eq i64 %left, 0
  br i1 %fails, label %failing, label %passing
failing:
  store i64 NUMBER, ptr @ag_failed
  TELL
  ret ptr null
passing:
  %real = inttoptr i64 ADDRESS to ptr
  %made = call ptr %real(PARAMETERS)
  COUNT
  ret ptr %made
}
"""
COUNT = """%there = icmp ne ptr %made, null
  %old = icmp ne ptr OLD, null
  %new = xor i1 %old, true
  %another = and i1 %there, %new
  %one = zext i1 %another to i64
  %2 = atomicrmw add ptr @ag_held, i64 %one monotonic"""
TELL = """%memory_error = inttoptr i64 NO_MEMORY to ptr
  %2 = call ptr %memory_error()"""


def address_of(name: str) -> int:
    """The function that is found without us."""
    if name in symbols.NUMPY_API:
        return symbols.numpy_api_address(symbols.NUMPY_API[name])
    library = ctypes.pythonapi if name.startswith("Py") else ctypes.CDLL(None)
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def module_text() -> str:
    """The allocators that fail when `ag_left` is down to nothing; those of the C library count the blocks that are held."""
    parts = [COUNTERS.replace("FREE", str(address_of("free")))]
    for number, (name, (types, tells)) in enumerate(ALLOCATORS.items()):
        count = "" if tells else COUNT.replace("OLD", "%a0" if name == "realloc" else "null")
        tell = TELL.replace("NO_MEMORY", str(address_of("PyErr_NoMemory"))) if tells else ""
        parameters = ", ".join(f"{type} %a{index}" for index, type in enumerate(types))
        text = ALLOCATOR.replace("NAME", name).replace("PARAMETERS", parameters)
        text = text.replace("TELL", tell).replace("ADDRESS", str(address_of(name)))
        parts.append(text.replace("COUNT", count).replace("NUMBER", str(number)))
    return "".join(parts)


class Faults:
    """The allocators in the place of the real ones. `asked` counts allocations, `held` blocks that were not freed."""

    def __init__(self) -> None:
        self.library = Library(module_text())
        symbols.register_numpy()
        register, symbols.register_numpy = symbols.register_numpy, lambda: None
        for name in ALLOCATORS:
            llvm.add_symbol(name, self.library.address(f"ag_fault_{name}"))
        llvm.add_symbol("free", self.library.address("ag_fault_free"))
        runtime()
        symbols.register_numpy = register
        self.left, self.asked, self.held, self.failed = (
            ctypes.c_int64.from_address(self.library.variable(f"ag_{name}")) for name in ("left", "asked", "held", "failed")
        )

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], place: int) -> tuple[Any, BaseException | None]:
        """A call whose allocation of this number fails, none where it is negative."""
        try:
            self.left.value = place
            return function(*args), None
        except Exception as error:
            return None, error.with_traceback(None)
        finally:
            self.left.value = -1


def same(x: Any, y: Any) -> bool:
    """Whether two results, or two states of arguments, are equal; floats to the last few bits, as sums may be in another order."""
    if isinstance(x, (tuple, list)):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, dict):
        return type(x) is type(y) and x.keys() == y.keys() and all(same(x[key], y[key]) for key in x)
    if isinstance(x, np.ndarray):
        return isinstance(y, np.ndarray) and x.dtype == y.dtype and x.shape == y.shape and np.allclose(x, y, rtol=1e-12, equal_nan=True)
    if hasattr(x, "__dict__"):
        return type(x) is type(y) and same(vars(x), vars(y))
    return bool(np.isclose(x, y, rtol=1e-12)) if isinstance(x, (float, np.floating)) else bool(x == y)


class Judge:
    """One program, whose allocations fail in turn. `faults` are the sentences that do not hold."""

    def __init__(self, program: Program, faults: Faults) -> None:
        self.program, self.injection = program, faults
        self.faults: list[str] = []
        self.counts: Counter[str] = Counter()
        self.states: list[Any] = []
        args = program.arguments()
        for state in program.states(*args):
            self.states.append(copy.deepcopy(state))
        self.result = self.states.pop()
        for _ in range(3):
            self.expect_right("a call before any fault")
        asked = faults.asked.value
        self.expect_right("a call before any fault")
        self.allocations = faults.asked.value - asked
        gc.collect()
        gc.freeze()  # what is there now is no garbage later

    def expect_right(self, when: str) -> None:
        args = self.program.arguments()
        result, error = self.injection.call(self.program.compiled, args, -1)
        if error is not None or not same(result, self.result) or not same(list(args), self.states[-1]):
            self.faults.append(f"{when}: {error!r}, {result!r} for {self.result!r}, arguments {args!r}")

    def inject(self, place: int) -> None:
        """Let one allocation fail."""
        args = self.program.arguments()
        result, error = self.injection.call(self.program.compiled, args, place)
        if error is None:
            self.counts["a right result"] += 1
            if not same(result, self.result) or not same(list(args), self.states[-1]):
                self.faults.append(f"allocation {place}: {result!r} for {self.result!r}, arguments {args!r}")
        else:
            self.counts["MemoryError"] += 1
            if not isinstance(error, MemoryError):
                self.faults.append(f"allocation {place}: {error!r}")
            if not any(same(list(args), state) for state in self.states):
                self.faults.append(f"allocation {place}: arguments {args!r}")

    def run(self, rounds: int) -> None:
        """Let each allocation fail so many times; afterwards nothing is held that was not before, and the next call is right."""
        for place in range(self.allocations):
            self.inject(place)
            self.expect_right(f"the call after allocation {place}")
            self.expect_freed(place, rounds - 1)
            self.expect_right(f"the call after allocation {place}")

    def expect_freed(self, place: int, rounds: int) -> None:
        """What a call allocates is freed. Python itself keeps objects for later, so that only what grows again and again is a leak."""
        quiet = 0
        for _ in range(BATCHES):
            before = self.measured()
            for _ in range(rounds):
                self.inject(place)
            after = self.measured()
            if after[:2] != before[:2]:
                break
            quiet = quiet + 1 if after[2] - before[2] < rounds else 0
            if quiet == QUIET:
                return
        name = list(ALLOCATORS)[self.injection.failed.value]
        self.faults.append(f"allocation {place} ({name}): {after} is held after {rounds} times, {before} before")

    def measured(self) -> tuple[int, int, int]:
        gc.collect()
        return runtime().live, self.injection.held.value, sys.getallocatedblocks()


def judge(names: list[str], rounds: int) -> int:
    """Judge programs in this process, and print what came of it."""
    faulthandler.enable()
    faults, counts, sentences = Faults(), Counter[str](), []
    for name in names:
        one = Judge(PROGRAMS[name](), faults)
        one.run(rounds)
        counts += one.counts
        sentences += [f"{name}: {fault}" for fault in one.faults]
    print(json.dumps({"counts": counts, "faults": sentences[:20]}))
    return 1 if sentences else 0


def child(names: list[str], rounds: int) -> tuple[Counter[str], list[str]]:
    """Judge programs in a process of their own: what happened how often, and what does not hold, a crash among it."""
    command = [sys.executable, "-m", "tests.fuzz.allocation_faults", str(rounds), *names]
    variables = os.environ | {"AUTOGRAPH_JIT_CACHE": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables, timeout=600)
    if done.returncode not in (0, 1) or not done.stdout:
        return Counter(), [f"{', '.join(names)}: exit code {done.returncode}: {done.stderr[-2000:]}"]
    found = json.loads(done.stdout.splitlines()[-1])
    return Counter(found["counts"]), found["faults"]


def campaign(count: int) -> int:
    """At least so many faults, and a table of what came of them."""
    total, sentences, rounds = Counter[str](), [], 8
    while total.total() < count and not sentences:
        for name in PROGRAMS:
            counts, faults = child([name], rounds)
            total += counts
            sentences += faults
            print(f"{name:18} {counts.total():6} faults: {dict(counts)}", *faults, sep="\n", flush=True)
        rounds *= 2
    print(f"{total.total()} faults: {dict(total)}; {len(sentences)} sentences that do not hold")
    return bool(sentences)


if __name__ == "__main__":
    sys.exit(judge(sys.argv[2:], int(sys.argv[1])))
