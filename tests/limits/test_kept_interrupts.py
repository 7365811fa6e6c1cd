"""Ctrl-C that arrives while a destructor runs is not lost, and handlers of signals run once."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from llvmlite.binding import ffi

import autograph_jit as ag
from autograph_jit.backends.cpu.library import ENGINES
from autograph_jit.backends.disk_cache import disk_cache

pytestmark = pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="interrupts are signals")


class Cancelled(Exception):
    """What a handler of the user's raises."""


class Interrupting:
    """Ctrl-C arrives while an instance is destroyed."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def compiled(number: float) -> Any:
    return ag.compile(lambda x: np.sum(x) * number, fallback="error")(np.ones(3))


def differentiated(number: float) -> Any:
    return ag.grad(lambda x: x * x * number)(1.5)


def taped(number: float) -> Any:
    x = ag.Variable(np.array(1.5))
    call = ag.compile(lambda x: x * x * number, fallback="error")
    with ag.GradientTape() as tape:
        y = call(x)
    return float(tape.gradient(y, x))


PROGRAMS: dict[Callable[[float], Any], float] = {compiled: 3.0, differentiated: 3.0, taped: 3.0}


@pytest.fixture
def destructors(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What runs at each destruction of an object of llvmlite's, the first ones of this list first. What other tests left is gone before."""
    gc.collect()
    ENGINES.bury()
    actions: list[Callable[[], None]] = []
    destroy = ffi.ObjectRef.__del__

    def destroyed(self: Any) -> None:
        destroy(self)
        if actions:
            actions.pop(0)()

    monkeypatch.setattr(ffi.ObjectRef, "__del__", destroyed)
    monkeypatch.setattr(disk_cache, "enabled", False)
    return actions


def nothing() -> None:
    pass


@pytest.mark.parametrize("program", PROGRAMS)
def test_interrupt_in_each_destructor_of_a_compilation_is_raised(program: Any, destructors: list[Callable[[], None]]) -> None:
    program(1.0)
    destructors += [nothing] * 1000
    program(1.5)
    assert (count := 1000 - len(destructors)) >= 3
    for place in range(count):
        destructors[:] = [nothing] * place + [lambda: signal.raise_signal(signal.SIGINT)]
        with pytest.raises(KeyboardInterrupt):
            program(2.0 + place)
        assert not destructors
        assert np.isclose(program(0.5 + place), (0.5 + place) * PROGRAMS[program])


def test_handler_of_the_users_runs_once_and_its_exception_is_raised(destructors: list[Callable[[], None]]) -> None:
    runs = []

    def handler(number: int, frame: FrameType | None) -> None:
        runs.append(number)
        raise Cancelled

    before = signal.signal(signal.SIGTERM, handler)
    try:
        destructors.append(lambda: signal.raise_signal(signal.SIGTERM))
        with pytest.raises(Cancelled):
            compiled(1.0)
        assert runs == [signal.SIGTERM] and signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_interrupt_in_a_destructor_of_the_programs_is_raised() -> None:
    @ag.compile(fallback="error")
    def dropping(x: Any) -> Any:
        made = dict.fromkeys("a", Interrupting())
        made.clear()
        return x + 1.0

    with pytest.raises(KeyboardInterrupt):
        dropping(np.ones(3))


def test_what_else_is_ignored_goes_to_the_hook_that_was_there(
    monkeypatch: pytest.MonkeyPatch, destructors: list[Callable[[], None]]
) -> None:
    told: list[Any] = []
    hook = lambda ignored: told.append(ignored.exc_type)  # noqa: E731
    monkeypatch.setattr(sys, "unraisablehook", hook)
    destructors.append(lambda: os.stat("/no/such/file"))
    assert compiled(1.0) == 3.0 and told == [FileNotFoundError] and sys.unraisablehook is hook


def test_no_python_code_runs_where_compiled_functions_and_tapes_die() -> None:
    def made() -> Any:
        class Scale:
            def __mul__(self, x: Any) -> Any:
                return x * 2.0

        return ag.compile(lambda x: Scale() * x, fallback="error")

    function = made()
    function(1.0), function(1.0)
    with ag.GradientTape() as tape:
        function(ag.Variable(np.array(1.0)))
    gc.collect()
    ran: list[str] = []
    sys.setprofile(lambda frame, event, argument: ran.append(frame.f_code.co_qualname) if event == "call" else None)
    del function, tape
    gc.collect()
    sys.setprofile(None)
    assert not ran
