"""Ctrl-C that arrives while a destructor runs, one of llvmlite's among them: Python prints it as ignored; here it is raised soon after."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

kept: list[BaseException] = []  # what signal handlers raised where it could not be raised
hooks: list[Callable[[Any], Any]] = [sys.unraisablehook]  # the one that was there before ours


@contextmanager
def keeping_interrupts() -> Iterator[None]:
    """While code is traced and compiled, what the handler of a signal raises in a destructor is kept, and raised at the next operation
    that is recorded, the next pass or, at the latest, the end. Handlers run in the main thread, so that other threads need none of this.
    Everything else that Python ignores goes to the hook that was there."""
    if not is_main_thread():
        yield
        return
    before = sys.unraisablehook
    if before is not keep:
        hooks[:] = [before]
    sys.unraisablehook = keep
    try:
        yield
    finally:
        if sys.unraisablehook is keep:
            sys.unraisablehook = before
        raise_kept()


def is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def keep(ignored: Any) -> None:
    """In the place of `sys.unraisablehook`."""
    if is_main_thread() and is_interrupt(ignored.exc_value):
        kept.append(ignored.exc_value)
    else:
        hooks[0](ignored)


def keep_interrupt(error: BaseException) -> None:
    """Keep an exception that is dropped, if the handler of a signal raised it."""
    if is_main_thread() and is_interrupt(error):
        kept.append(error)


def is_interrupt(error: BaseException | None) -> bool:
    """Whether the handler of a signal raised an exception: Python's own, or one of the user's, whose frame is in the traceback then."""
    if isinstance(error, KeyboardInterrupt):
        return True
    codes = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()} - {None}
    entry = error.__traceback__ if error is not None else None
    while entry is not None and entry.tb_frame.f_code not in codes:
        entry = entry.tb_next
    return entry is not None


def raise_kept() -> None:
    """A safe place: raise what was kept."""
    if kept and is_main_thread():
        error = kept.pop()
        kept.clear()
        raise error
