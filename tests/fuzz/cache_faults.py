"""Faults of the cache: each of its file operations fails once in each way, or the process dies there; results stay right, warnings few.

A way of meeting the cache (nothing there, entries found, damaged, another's, a pipe, too many) is prepared anew for each fault. Then
modules are compiled or found, with the fault, and twice more without: right each time, with at most one warning in the first run, with none
in the later ones, and found on disk in the last.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph_jit as ag
from autograph_jit.backends import disk_cache as module
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.library import Library, digest_of
from autograph_jit.backends.disk_cache import SUFFIX, TEMPORARY, DiskCache
from autograph_jit.backends.file_operations import FileOperations
from autograph_jit.errors import CacheWarning
from autograph_jit.runtime import kept_entries

OPERATIONS = [name for name in vars(FileOperations) if not name.startswith("_") and name != "user"]
ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EACCES", "ENOENT", "EROFS", "EMFILE", "ESTALE", "EDQUOT")}
KILLED, SURVIVED = 42, 0
LARGE = 100_000


class Fault:
    """What happens at one operation: the operation, its arguments, and what it does otherwise."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, name: str, perform: Callable[..., Any], *arguments: Any) -> Any:
        if name == "close":  # the descriptor is gone, whatever the system says
            perform(*arguments)
            perform = noted
        if self.kind in ERRORS:
            code = ERRORS[self.kind]
            raise OSError(code, os.strerror(code), *(argument for argument in arguments[:1] if isinstance(argument, str)))
        if self.kind == "no memory":
            raise MemoryError
        if self.kind == "done, then EIO":  # as a file server that answers too late
            perform(*arguments)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self.kind == "killed before":
            os._exit(KILLED)
        if self.kind == "killed after":
            try:
                perform(*arguments)
            finally:
                os._exit(KILLED)
        return self.part(name, perform, *arguments)

    def part(self, name: str, perform: Callable[..., Any], descriptor: int, given: Any) -> Any:
        """A part of what should be read or written; `nothing` is what a full disk or a file that was cut off gives."""
        none: Any = b"" if name == "read" else 0
        half = max(1, given // 2) if name == "read" else given[: max(1, len(given) // 2)]
        done = none if self.kind == "nothing" else perform(descriptor, half)
        if self.kind == "killed within":
            os._exit(KILLED)
        return done


def noted(*arguments: Any) -> None:
    """What was done already."""


KILLS = ("killed before", "killed after")
ANYWHERE = (*ERRORS, "no memory", "done, then EIO", *(KILLS if hasattr(os, "fork") else ()))
OF_PARTS = ("short", "nothing", *(("killed within",) if hasattr(os, "fork") else ()))


def kinds_of(name: str) -> tuple[str, ...]:
    """The ways in which an operation can fail."""
    return ANYWHERE + (OF_PARTS if name in ("read", "write") else ())


class Faulty(FileOperations):
    """The operations, one of which has a fault; which were asked for."""

    def __init__(self, at: int = -1, kind: str = "") -> None:
        self.at, self.fault = at, Fault(kind)
        self.asked: list[str] = []


def faulty(name: str) -> Callable[..., Any]:
    """An operation that is counted, and fails where it is its turn."""
    performed = getattr(FileOperations, name)

    def operation(self: Faulty, *arguments: Any) -> Any:
        self.asked.append(name)
        if len(self.asked) - 1 != self.at:
            return performed(self, *arguments)
        return self.fault(name, lambda *given: performed(self, *given), *arguments)

    return operation


for _name in OPERATIONS:
    setattr(Faulty, _name, faulty(_name))


def text_of(number: int) -> str:
    """A module whose function returns this number."""
    return library.normalize_ir_text(f"define i64 @entry() {{\n  ret i64 {number}\n}}\n")


def run_modules(cache: DiskCache) -> tuple[list[Any], bool]:
    """What two modules return, and whether both were found on disk."""
    found = [Library(text_of(number)) for number in (1, 2)]
    return [ctypes.CFUNCTYPE(ctypes.c_int64)(one.address("entry"))() for one in found], all(one.from_disk for one in found)


def run_program(cache: DiskCache) -> tuple[list[Any], bool]:
    """What a function gives that is compiled anew, and whether its code was found on disk."""

    @ag.compile(fallback="error")
    def total(x):
        result = 0.0
        for value in x:
            result += 2.0 * value if value > 1.0 else value
        return result

    return [total(np.arange(5.0))], " disk " in total.explain()


def unrolled(x: Any, n: int) -> Any:
    for _ in ag.unroll(range(1000)):
        x = x + n
    return x


def run_refusal(cache: DiskCache, n: int = 1) -> tuple[list[Any], bool]:
    """What a function gives that is beyond its budget, and whether that was found on disk."""
    warnings.filterwarnings("ignore", "unrolled runs in Python", UserWarning)
    function = ag.compile(unrolled, compile_seconds=0.02)
    return [function(0.5, n)], function.account.compilations == 0


def clear_then_run(cache: DiskCache) -> tuple[list[Any], bool]:
    """`cache clear`, which may say that it cannot, then the modules."""
    try:
        cache.clear()
    except (OSError, MemoryError) as error:
        assert str(error) or isinstance(error, MemoryError)
    return run_modules(cache)


def entries(folder: Path) -> tuple[Path, Path]:
    """The entries of the two modules, made."""
    cache = DiskCache(folder / "cache")
    with patch.object(library, "disk_cache", cache):
        run_modules(cache)
    return cache.path(digest_of(text_of(1))), cache.path(digest_of(text_of(2)))


def refusal_of_another_call(folder: Path) -> None:
    """An entry that does not hold for the call, which is of the same kind."""
    cache = DiskCache(folder / "cache")
    with patch.object(kept_entries, "disk_cache", cache), warnings.catch_warnings():
        run_refusal(cache, 2)


def one_missing(folder: Path) -> None:
    entries(folder)[1].unlink()


def damaged(folder: Path) -> None:
    first, second = entries(folder)
    first.write_bytes(first.read_bytes()[:-3])
    second.write_bytes(b"")


def exchanged(folder: Path) -> None:
    first, second = entries(folder)
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def pipe(folder: Path) -> None:
    path = entries(folder)[1]
    path.unlink()
    os.mkfifo(path)


def too_many(folder: Path) -> None:
    """A link to the directory, which contains more than is kept, and files that killed processes have left."""
    entries(folder)[1].unlink()
    (folder / "cache").rename(folder / "elsewhere")
    (folder / "cache").symlink_to("elsewhere")
    old = time.time() - 100_000
    for digit in "0123":
        for path in (folder / "cache" / (digit * 64 + SUFFIX), folder / "cache" / (TEMPORARY + digit)):
            path.write_bytes(bytes(LARGE))
            os.utime(path, (old, old))


@dataclass(frozen=True)
class Meeting:
    """How the cache is met: what is prepared, what runs, what it must give."""

    name: str
    prepare: Callable[[Path], Any] = lambda folder: None
    run: Callable[[DiskCache], tuple[list[Any], bool]] = run_modules
    expected: tuple[Any, ...] = (1, 2)


MEETINGS = (
    Meeting("nothing there"),
    Meeting("both found", entries),
    Meeting("one missing", one_missing),
    Meeting("damaged", damaged),
    Meeting("exchanged", exchanged),
    Meeting("a pipe", pipe),
    Meeting("too many", too_many),
    Meeting("cleared", too_many, clear_then_run),
    Meeting("a program, nothing there", run=run_program, expected=(19.0,)),
    Meeting("a refusal, nothing there", run=run_refusal, expected=(1000.5,)),
    Meeting("a refusal of another call", refusal_of_another_call, run_refusal, expected=(1000.5,)),
)


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder."""
    folder = Path(tempfile.mkdtemp(prefix="ag-faults-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@dataclass
class CacheCampaign:
    """The faults of a run, by their kind and by the operation; those after which something was wrong."""

    kinds: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    warned: int = 0
    wrong: list[str] = field(default_factory=list)

    def run(self, step: int = 1, start: int = 0) -> None:
        """All faults, or every so many."""
        run_program(DiskCache(enabled=False))  # what every program needs is compiled once in a process
        turn = start
        for meeting in MEETINGS:
            with scratch() as folder:
                asked = self.operations_of(meeting, folder)
            for at, name in enumerate(asked):
                for kind in kinds_of(name):
                    if turn % step == 0:
                        self.inject(meeting, at, name, kind)
                    turn += 1

    def operations_of(self, meeting: Meeting, folder: Path) -> list[str]:
        """The operations of a meeting in their order."""
        files = Faulty()
        meeting.prepare(folder)
        self.check(meeting, folder, files, f"{meeting.name}, no fault")
        return files.asked

    def inject(self, meeting: Meeting, at: int, name: str, kind: str) -> None:
        """One fault, in a process of its own if it dies of it; then two runs without."""
        self.kinds[kind] += 1
        self.operations[name] += 1
        label = f"{meeting.name}, {kind} at operation {at}, {name}"
        with scratch() as folder:
            meeting.prepare(folder)
            if kind.startswith("killed"):
                self.die(meeting, folder, Faulty(at, kind), label)
            else:
                self.check(meeting, folder, Faulty(at, kind), label)
            self.check(meeting, folder, Faulty(), f"{label}, the next run", int(meeting.prepare is pipe))
            if meeting.run is not clear_then_run and not self.check(meeting, folder, Faulty(), f"{label}, the run after", 0):
                self.wrong.append(f"{label}: not found on disk afterwards")

    def die(self, meeting: Meeting, folder: Path, files: Faulty, label: str) -> None:
        """Run in a child until it is killed."""
        child = os.fork()
        if not child:
            try:
                self.check(meeting, folder, files, label)
            finally:
                os._exit(SURVIVED)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != KILLED:
            self.wrong.append(f"{label}: the process was not killed there")

    def check(self, meeting: Meeting, folder: Path, files: Faulty, label: str, allowed: int = 1) -> bool:
        """One run; whether all was found on disk."""
        cache = DiskCache(folder / "cache", files=files)
        users = [patch.object(user, "disk_cache", cache) for user in (library, kept_entries)]
        with users[0], users[1], patch.object(module, "LIMIT_BYTES", 3 * LARGE), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                result, from_disk = meeting.run(cache)
            except Exception as error:
                self.wrong.append(f"{label}: {type(error).__name__}: {error}")
                return False
        self.warned += bool(said)
        if tuple(result) != meeting.expected:
            self.wrong.append(f"{label}: {result}, not {meeting.expected}")
        if len(said) > allowed or any(warning.category is not CacheWarning for warning in said):
            self.wrong.append(f"{label}: {[str(warning.message) for warning in said]}")
        return from_disk

    def report(self) -> str:
        """How many faults of which kind at which operation, and what went wrong."""
        lines = [f"{self.kinds.total()} faults, {self.warned} runs with a warning, {len(self.wrong)} runs that were wrong"]
        lines += [", ".join(f"{count} {name}" for name, count in counts.most_common()) for counts in (self.kinds, self.operations)]
        return "\n".join([*lines, *self.wrong[:50]])
