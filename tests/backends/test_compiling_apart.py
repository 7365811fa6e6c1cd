"""LLVM works in a thread of its own: Ctrl-C ends the call at once, and what LLVM was doing is neither lost nor in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import autograph_jit as ag
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.runtime_library import runtime
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.errors import InternalError

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts are signals of POSIX")
optimise = library.optimised
WAIT = 60.0  # seconds that a test which fails waits


class Cancelled(Exception):
    """What a handler of the user's raises."""


class Compiler:
    """In the place of LLVM's passes: it notes its threads, does `first`, and waits for `may_end` before it begins."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.may_end = threading.Event()
        self.may_end.set()
        self.first: Callable[[], None] = lambda: None

    def __call__(self, text: str) -> Any:
        self.threads.append(threading.get_ident())
        self.first()
        assert self.may_end.wait(WAIT)
        return optimise(text)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Compiler:
    """Every module is long enough for a thread of its own, and none is on disk."""
    runtime()
    ag.compile(lambda x: x + 0.5, fallback="error")(np.ones(3))
    made = Compiler()
    monkeypatch.setattr(disk_cache, "chosen", tmp_path / "cache")
    monkeypatch.setattr(library, "optimised", made)
    monkeypatch.setattr(library, "APART", 0)
    return made


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_interrupt_leaves_before_llvm_is_done_and_its_code_is_kept(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = ag.compile(lambda x: x * 2.25, fallback="error")
    compiler.may_end.clear()
    compiler.first = interrupt
    with pytest.raises(KeyboardInterrupt):
        fast(np.ones(3))
    assert compiler.threads and threading.get_ident() not in compiler.threads
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):  # who comes next waits for the lock, may be interrupted too
        patch.setattr(library, "show", interrupt)
        ag.compile(lambda x: x - 1.0, fallback="error")(1.0)
    compiler.may_end.set()
    compiler.first = lambda: None
    assert fast(np.ones(3))[0] == 2.25 and len(compiler.threads) == 1, "found on disk, where the thread that was left has put it"
    assert ag.compile(lambda x: x - 1.0, fallback="error")(1.0) == 0.0


def test_exception_of_a_users_handler_leaves_as_it_is(compiler: Compiler) -> None:
    def handler(number: int, frame: FrameType | None) -> None:
        raise Cancelled

    compiler.first = interrupt
    compiler.may_end.clear()
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(Cancelled):
            ag.compile(lambda x: x * 2.5, fallback="error")(np.ones(3))
    finally:
        signal.signal(signal.SIGINT, before)
        compiler.may_end.set()


def test_handler_that_returns_lets_the_compilation_go_on(compiler: Compiler) -> None:
    seen: list[int] = []
    compiler.first = interrupt
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        assert ag.compile(lambda x: x * 2.75, fallback="error")(2.0) == 5.5 and seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_llvm_raises_is_raised_by_the_call(compiler: Compiler) -> None:
    def fail() -> None:
        raise RuntimeError("no such instruction")

    compiler.first = fail
    with pytest.raises(InternalError, match="no such instruction"):
        ag.compile(lambda x: x * 3.25, fallback="error")(np.ones(3))
    compiler.first = lambda: None
    assert ag.compile(lambda x: x * 3.25, fallback="error")(2.0) == 6.5


def test_terminal_is_told_while_llvm_works(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def show() -> None:
        shown.append("")
        if len(shown) == 3:
            compiler.may_end.set()

    monkeypatch.setattr(library, "show", show)
    compiler.may_end.clear()
    assert ag.compile(lambda x: x * 3.5, fallback="error")(2.0) == 7.0 and len(shown) >= 3


def test_short_modules_and_those_of_who_has_the_lock_stay_in_their_thread(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    with global_compiler_lock:  # another thread would wait for it for ever
        assert ag.compile(lambda x: x * 3.75, fallback="error")(2.0) == 7.5
    monkeypatch.undo()
    monkeypatch.setattr(disk_cache, "enabled", False)
    monkeypatch.setattr(library, "optimised", compiler)
    assert ag.compile(lambda x: x * 4.25, fallback="error")(2.0) == 8.5
    assert set(compiler.threads) == {threading.get_ident()} and len(compiler.threads) >= 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of os.fork in a process with threads
def test_child_of_a_handlers_fork_does_not_wait_for_its_parents_thread(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    compile_whole = library.code_of

    def end_late(*args: Any, **kwargs: Any) -> bytes:
        code = compile_whole(*args, **kwargs)
        while not children:  # a fork waits for the lock, which is free by now
            time.sleep(0.01)
        return code

    monkeypatch.setattr(library, "code_of", end_late)
    compiler.first = interrupt
    before = signal.signal(signal.SIGINT, lambda number, frame: children.append(os.fork()))
    try:
        result = ag.compile(lambda x: x * 4.5, fallback="error")(2.0)
    finally:
        if children == [0]:
            os._exit(0 if "result" in locals() and result == 9.0 else 1)
        signal.signal(signal.SIGINT, before)
    assert result == 9.0 and os.waitpid(children[0], 0)[1] == 0


def test_process_that_ends_waits_for_llvm(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
import os, signal, time
import numpy as np
import autograph_jit as ag
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.runtime_library import runtime
runtime()
optimise = library.optimised
def slowly(text):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.5)
    return optimise(text)
library.optimised, library.APART = slowly, 0
try:
    ag.compile(lambda x: x * 4.75, fallback="error")(np.ones(3))
except KeyboardInterrupt:
    print("interrupted")
""")
    environment = os.environ | {"AUTOGRAPH_JIT_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert (ran.returncode, ran.stdout) == (0, "interrupted\n"), ran.stderr
    assert any((tmp_path / "cache").iterdir())
