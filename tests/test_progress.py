"""The line that a long compilation writes on a terminal: what it says, where, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import re
import threading
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import budget, progress
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.progress import ProgressLine, progress_line
from autograph_jit.runtime.settings import from_environment
from tests.tables import table


class Terminal(io.StringIO):
    """A stream that says it is a terminal, and keeps all that is written."""

    def isatty(self) -> bool:
        return True

    def rows(self) -> list[str]:
        """What stands on the screen at the end."""
        return [row.rstrip() for row in map(as_seen, self.getvalue().split("\n"))]


class Broken(Terminal):
    """A terminal that has gone."""

    def write(self, text: str) -> int:
        raise OSError("gone")


def as_seen(text: str) -> str:
    """One row of a screen, on which each part behind a carriage return overwrites the one before."""
    row = ""
    for part in text.split("\r"):
        row = part + row[len(part) :]
    return row


def unrolled(x: Any) -> Any:
    for _ in ag.unroll(range(400)):
        x = x * 1.5 + 1.0
    return x


def endless(x: Any) -> Any:
    for _ in ag.unroll(range(10**9)):
        x = x * 1.5 + 1.0
    return x


def show_on(monkeypatch: pytest.MonkeyPatch, stream: Any) -> None:
    """Let this be standard error, whatever pytest puts in its place."""
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error is a terminal, and every compilation takes long."""
    made = Terminal()
    show_on(monkeypatch, made)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(budget, "STEP", 10_000.0)
    monkeypatch.setattr(disk_cache, "enabled", False)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_line_names_function_stages_and_seconds_and_is_erased(terminal: Terminal) -> None:
    ag.compile(unrolled, fallback="error")(np.ones(3))
    written = terminal.getvalue()
    for stage in (budget.TRACING, "running the pass ", "compiling to machine code"):
        assert f"compiling `unrolled`: {stage}" in written
    assert len(re.findall(r", \d+ s", written)) > 3 and terminal.rows() == [""]


def refused(x: Any) -> None:
    with pytest.raises(ag.ConversionError):
        ag.compile(endless, fallback="error", compile_seconds=0.2)(x)


def interrupted(x: Any) -> None:
    def interrupt(compilation: budget.Compilation) -> None:
        if compilation.spent > 100_000:
            raise KeyboardInterrupt

    budget.watchers.append(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            ag.compile(endless, fallback="error")(x)
    finally:
        budget.watchers.remove(interrupt)


@table("end", {refused: None, interrupted: None})
def test_line_is_erased_however_the_compilation_ends(terminal: Terminal, end: Callable[[Any], None]) -> None:
    end(np.ones(3))
    assert "compiling `endless`: tracing" in terminal.getvalue() and terminal.rows()[-1] == "" and progress_line.owner is None


def test_warning_stands_in_a_row_of_its_own(terminal: Terminal) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: print(f"<{message}>", file=terminal)
        ag.grad(lambda x: unrolled(x).sum())(np.ones(3))
        with ag.config(compile_seconds=0.1):
            ag.grad(lambda x: np.sum(unrolled(x)))(np.ones(3))
    (told,) = [row for row in terminal.rows() if row]
    assert told.startswith("<compiling") and "takes long" in told and told.endswith(">")


@table("name", ("no terminal", "no stream", "setting"))
def test_nothing_is_written(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    written: Any = {"no terminal": io.StringIO(), "no stream": None, "setting": terminal}[name]
    show_on(monkeypatch, written)
    with ag.config(progress=name != "setting"):
        ag.compile(unrolled, fallback="error")(np.ones(3))
    assert written is None or written.getvalue() == ""


def test_terminal_that_fails_does_not_disturb_the_compilation(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    show_on(monkeypatch, Broken())
    np.testing.assert_allclose(ag.compile(unrolled, fallback="error")(np.zeros(3)), unrolled(np.zeros(3)))


def test_dumb_terminal_has_one_line_that_stays(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    ag.compile(unrolled, fallback="error")(np.ones(3))
    assert re.fullmatch(r"compiling `unrolled`: tracing, \d+ s\n", terminal.getvalue())


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_line_is_not_wider_than_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    termios, fcntl = pytest.importorskip("termios"), pytest.importorskip("fcntl")
    outside, inside = os.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, np.array([20, 24, 0, 0], np.uint16).tobytes())
    with open(inside, "w") as stream, open(outside, "rb", buffering=0) as screen:
        show_on(monkeypatch, stream)
        progress_line.show("compiling `f`: tracing, 3 s")
        progress_line.show("compiling `f`: x, 4 s")
        progress_line.erase()
        written = ""
        while not written.endswith(" \r"):
            written += screen.read(1000).decode()
    assert written == f"\rcompiling `f`: tracin\rcompiling `f`: x, 4 s\r{' ' * 23}\r"


def test_line_belongs_to_one_thread_at_a_time(terminal: Terminal) -> None:
    line, done = ProgressLine(), threading.Event()
    line.show("one")
    other = threading.Thread(target=lambda: (line.show("two"), line.erase(), done.set()))
    other.start()
    assert done.wait(30) and terminal.rows() == ["one"]
    line.erase()
    line.show("three")
    assert terminal.rows() == ["three"]
    other.join()


def test_threads_that_compile_at_once_leave_nothing(terminal: Terminal) -> None:
    functions = [ag.compile(lambda x, n=n: unrolled(x) * n, fallback="error") for n in range(3)]
    threads = [threading.Thread(target=function, args=(np.ones(3),)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(part.strip() == "" or part.startswith("compiling `") for part in terminal.getvalue().split("\r"))
    assert terminal.getvalue() and terminal.rows() == [""]


def test_environment_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_environment().progress
    monkeypatch.setenv("AUTOGRAPH_JIT_PROGRESS", "0")
    assert not from_environment().progress
