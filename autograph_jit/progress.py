"""The line on a terminal that says what a long compilation is doing: written anew as it goes on, erased when it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

from autograph_jit.forks import hold_across_forks

DELAY = 2.0  # seconds: a compilation that takes less says nothing
ECHO = 2  # columns that the terminal's `^C` takes behind the line
ASSUMED_COLUMNS = 80


class ProgressLine:
    """One line at the end of standard error. It belongs to the thread that wrote it first, until that erases it: the compilations of
    other threads say nothing meanwhile. Where standard error is no terminal nothing is written, on a dumb one a line that stays."""

    def __init__(self) -> None:
        self.is_enabled = True
        self.lock = threading.RLock()  # a signal's handler may compile, while its thread writes the line
        self.forget()

    def forget(self) -> None:
        """Nothing is shown."""
        self.owner: int | None = None
        self.stream: Any = None
        self.shown = ""

    def show(self, text: str, is_first: bool = True) -> None:
        """Write the line, in the place of the one that is there; a dumb terminal gets the first one of a compilation only."""
        here = threading.get_ident()
        if not self.is_enabled or self.owner not in (None, here) or not is_terminal(self.stream or sys.stderr):
            return
        with self.lock:
            if self.owner not in (None, here):
                return
            self.owner, self.stream = here, self.stream or sys.stderr
            if is_dumb():
                if is_first:
                    self.write(f"{text}\n", text)
                return
            clipped = text[: columns_of(self.stream) - 1 - ECHO]
            if clipped != self.shown:
                self.write(f"\r{clipped.ljust(len(self.shown))}", clipped)

    def erase(self) -> None:
        """Remove the line, if this thread has written one: what comes next begins where it began."""
        if self.owner != threading.get_ident():
            return
        with self.lock:
            if self.shown and not is_dumb():
                self.write(f"\r{' ' * (len(self.shown) + ECHO)}\r", "")
            self.forget()

    def write(self, text: str, shown: str) -> None:
        """Write to the terminal; where that fails there is no line."""
        self.shown = shown
        with contextlib.suppress(OSError, ValueError):  # it was closed, or has no such characters
            self.stream.write(text)
            self.stream.flush()


def is_terminal(stream: Any) -> bool:
    """Whether somebody looks at a stream while it is written; it may be None, any object of the user's, or closed."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def is_dumb() -> bool:
    """Whether the terminal cannot go back to the beginning of a line."""
    return os.environ.get("TERM") == "dumb"


def columns_of(stream: Any) -> int:
    """How wide a terminal is."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or ASSUMED_COLUMNS
    except (AttributeError, OSError, ValueError):
        return ASSUMED_COLUMNS


progress_line = ProgressLine()
hold_across_forks(progress_line.lock)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=progress_line.forget)
