"""Process-wide settings, from the environment and `ag.config`; eager mode and device of a `with` statement."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from autograph_jit.errors import SettingError
from autograph_jit.tracing.values.trace import current, unusual

ASKED_HERE, ASKED_BY_SETTINGS = "eager mode or a device in a context", "eager mode or a device by settings"
LOG_NAMES = ("recompiles", "fallbacks", "kernels")
BACKENDS = ("cpu", "interpreter")
DEVICES = ("cpu", "cuda")
FLAGS = {"eager": "", "cache": "1", "progress": "1", "strict": ""}  # of the environment, with what they are there by default


@dataclass
class Settings:
    """eager          run compiled functions as plain Python
    backend        "cpu" (native code) or "interpreter" (graphs run by their eager rules)
    device         where functions run that were compiled without `device`
    logs           which of "recompiles", "fallbacks", "kernels" are logged
    max_programs   compilations of one function after which it runs in Python
    cache          keep compiled programs, and refusals that took long to find, on disk, for later processes
    threads        how many threads share a large array operation; None: NUMBA_NUM_THREADS, or the processors that the process may use
    saved_bytes    a gradient whose loops would save more than that checkpoints them
    compile_seconds  what one compilation may cost, in seconds of work that is counted, not timed; None: anything
    progress       a compilation that takes long says on a terminal what it is doing
    strict         a fault of this package raises InternalError, where otherwise the function would run in Python: for tests
    """

    eager: bool = False
    backend: str = "cpu"
    device: str = "cpu"
    logs: tuple[str, ...] = ()
    max_programs: int = 32
    cache: bool = True
    threads: int | None = None
    saved_bytes: int = 1 << 30
    compile_seconds: float | None = 10.0
    progress: bool = True
    strict: bool = False


def is_true(text: str) -> bool:
    """The truth of an environment variable."""
    return text.strip().lower() not in ("", "0", "false", "no")


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """The value, if it is among those allowed."""
    if value not in allowed:
        raise SettingError(f"setting {name}={value!r}: expected one of {', '.join(map(repr, allowed))}")
    return value


def checked_logs(value: Any) -> tuple[str, ...]:
    """Names of logs, from a sequence or from text with commas."""
    names = value.split(",") if isinstance(value, str) else value
    return tuple(one_of("logs", name.strip(), LOG_NAMES) for name in names if name.strip())


def checked_count(name: str, value: Any) -> int:
    """A positive int."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingError(f"setting {name}={value!r}: expected a positive int")
    return value


def checked_seconds(value: Any) -> float | None:
    """Positive seconds; None for no limit, as for infinitely many."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        raise SettingError(f"setting compile_seconds={value!r}: expected a positive number of seconds, or None")
    return float(value)


CHECKS: dict[str, Callable[[Any], Any]] = {
    "eager": bool,
    "backend": lambda value: one_of("backend", value, BACKENDS),
    "device": lambda value: one_of("device", value, DEVICES),
    "logs": checked_logs,
    "max_programs": lambda value: checked_count("max_programs", value),
    "cache": bool,
    "threads": lambda value: None if value is None else checked_count("threads", value),
    "saved_bytes": lambda value: checked_count("saved_bytes", value),
    "compile_seconds": checked_seconds,
    "progress": bool,
    "strict": bool,
}


def number_or_text(text: str) -> Any:
    """The number that a text stands for, otherwise the text; `none` is None."""
    try:
        return None if text.lower() == "none" else float(text)
    except ValueError:
        return text


def from_environment() -> Settings:
    """Settings when the process starts: AUTOGRAPH_JIT_EAGER, _BACKEND, _DEVICE, _LOGS, _CACHE, _PROGRESS, _THREADS, _STRICT,
    _COMPILE_SECONDS."""
    read = os.environ.get
    texts = {name: read(f"AUTOGRAPH_JIT_{name.upper()}", "") for name in ("backend", "device", "logs")}
    found = {name: CHECKS[name](text) for name, text in texts.items() if text}
    threads = read("AUTOGRAPH_JIT_THREADS", "").strip()
    if threads:
        found["threads"] = CHECKS["threads"](int(threads) if threads.isdecimal() else threads)
    seconds = read("AUTOGRAPH_JIT_COMPILE_SECONDS", "").strip()
    if seconds:
        found["compile_seconds"] = CHECKS["compile_seconds"](number_or_text(seconds))
    found |= {name: is_true(read(f"AUTOGRAPH_JIT_{name.upper()}", default)) for name, default in FLAGS.items()}
    return Settings(**found)


settings = from_environment()
eager_here: ContextVar[bool] = ContextVar("eager_here", default=False)
fallback_here: ContextVar[str] = ContextVar("fallback_here", default="warn")  # of the function that is being traced
device_here: ContextVar[str | None] = ContextVar("device_here", default=None)


@contextlib.contextmanager
def tracing_with(fallback: str) -> Iterator[None]:
    """Inside the with statement a function is traced that was told this."""
    token = fallback_here.set(fallback)
    try:
        yield
    finally:
        fallback_here.reset(token)


listeners: list[Callable[[Settings], None]] = []


def note_unusual(changed: Settings) -> None:
    """Calls look at settings where these ask for eager mode or a device."""
    (unusual.add if changed.eager or changed.device != "cpu" else unusual.discard)(ASKED_BY_SETTINGS)


listeners.append(note_unusual)
note_unusual(settings)


class ChangedSettings:
    """What `config` returns: as a context manager it puts the earlier settings back at the end."""

    def __init__(self, before: dict[str, Any]) -> None:
        self.before = before

    def __enter__(self) -> Settings:
        return settings

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        change(self.before)

    def __repr__(self) -> str:
        return f"<{settings}>"


def config(**changes: Any) -> ChangedSettings:
    """Change settings, for good or for a `with` statement: `eager`, `backend`, `device`, `logs`, `max_programs`, `cache`,
    `threads`, `saved_bytes`, `compile_seconds`, `progress`, `strict`.

    >>> with config(logs="recompiles"):
    ...     settings.logs
    ('recompiles',)

    Raises SettingError (a ValueError) for a name that is none, and for a value that does not fit; nothing has changed then.
    """
    unknown = sorted(set(changes) - set(CHECKS))
    if unknown:
        raise SettingError(f"no setting is named {', '.join(map(repr, unknown))}: there are {', '.join(CHECKS)}")
    changes = {name: CHECKS[name](value) for name, value in changes.items()}
    before = {name: getattr(settings, name) for name in changes}
    change(changes)
    return ChangedSettings(before)


def change(changes: dict[str, Any]) -> None:
    """Set values that were checked, and tell those who depend on them."""
    for name, value in changes.items():
        setattr(settings, name, value)
    for listener in listeners:
        listener(settings)


def all_settings() -> dict[str, Any]:
    """Every setting by its name."""
    return dataclasses.asdict(settings)


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """Inside the with statement compiled functions run as plain Python, in this thread or task: breakpoints and prints work."""
    unusual.add(ASKED_HERE)  # for good: a task may go on with a copy of this context
    token = eager_here.set(True)
    try:
        yield
    finally:
        eager_here.reset(token)


def executing_eagerly() -> bool:
    """Whether this line runs as plain Python: outside of compiled functions, and in those that run as Python. In compiled code it is False.

    >>> executing_eagerly()
    True
    """
    return current() is None


@contextlib.contextmanager
def device(name: str) -> Iterator[None]:
    """Inside the with statement functions that were compiled without `device` run on this one: "cpu" or "cuda"."""
    unusual.add(ASKED_HERE)  # for good: a task may go on with a copy of this context
    token = device_here.set(one_of("device", name, DEVICES))
    try:
        yield
    finally:
        device_here.reset(token)


def current_device() -> str:
    """The device of functions that were compiled without one."""
    return device_here.get() or settings.device
