"""What compiling may cost, counted in work: a piece of work stands for microseconds on an ordinary core, and no clock decides."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autograph_jit import progress
from autograph_jit.errors import BudgetError
from autograph_jit.progress import progress_line
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan

STEP = 50_000.0  # microseconds of counted work between two looks at watchers, the clock and the terminal
ALL_COMPILATIONS = 1.2  # of one function, in budgets of one
AT_LAST = 10  # budgets after which even what has no form in Python is given up
CLOCK = 6  # budgets of real time after which work that nobody counted is given up
MICROSECONDS = 1e6
TRACING = "tracing"
REMEDY = "compile the parts of it that compute with numbers and arrays, or raise the limit: ag.config(compile_seconds=...)"

Place = Callable[[], SourceSpan | None]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """A kind of work: what it is called in messages, and the microseconds that one piece of it takes.

    Each is defined where it is done. They were fitted on 2026-11-26 on one core of 2, without a cache, to the first calls of the kernels,
    the array programs, the programs of everyday Python and the long programs of `scripts/bench`: what is counted is 0.6 to 1.5 of what
    is measured for eight in ten of those that take over 0.05 s.
    """

    noun: str
    microseconds: float


@dataclass(slots=True, eq=False)
class Account:
    """What all compilations of one function have spent so far, in microseconds; how many there were, and the last one."""

    spent: float = 0.0
    compilations: int = 0
    last: Compilation | None = None


class Compilation:
    """What one compilation has spent, its restarts and its executables included, and how far it may go.

    `seconds` is the budget, None for any; `tell`, where the function has no form in Python, takes the warning with which it goes on.
    """

    def __init__(self, account: Account, name: str, seconds: float | None, tell: Callable[[str], None] | None = None) -> None:
        self.account, self.name, self.seconds, self.tell_once = account, name, seconds, tell
        self.goes_on = tell is not None
        self.stage = TRACING
        self.place: Place = place_of_trace
        self.counts: dict[Work, int] = defaultdict(int)
        self.spent = self.elapsed = 0.0
        self.began = time.monotonic()
        self.refused: tuple[str, SourceSpan | None, str, str, bool, bool] | None = None
        self.before = account.spent  # by other compilations
        self.reached: set[tuple[str, str, str]] = set()  # functions that were converted: module, file, name
        self.pause, self.is_shown = 0.0, False
        self.limit = float("inf")
        if seconds is not None:
            own = seconds * MICROSECONDS
            self.limit = min(own, max(own * ALL_COMPILATIONS - self.before, 0.0))

    def poll(self) -> None:
        """From time to time: whether the budget is spent, and what watchers and the terminal have to know."""
        if self.spent >= self.limit:
            self.go_beyond()
        self.pause = min(self.limit, self.spent + STEP)
        if self.stage == TRACING:
            for watcher in watchers:
                watcher(self)
        took = self.show()
        if self.seconds is not None and not self.goes_on and took > self.seconds * CLOCK:
            raise self.refusal(f"it has taken {took:.0f} s", is_counted=False)

    def show(self) -> float:
        """The seconds that it has taken; the terminal is told of them where they are many."""
        took = self.elapsed + time.monotonic() - self.began
        if took >= progress.DELAY:
            progress_line.show(f"compiling {self.name}: {self.stage}, {took:.0f} s", not self.is_shown)
            self.is_shown = True
        return took

    def go_beyond(self) -> None:
        """The budget is spent: BudgetError, or a warning where the compilation goes on."""
        tell, self.tell_once = self.tell_once, None
        if tell is None:
            raise self.refusal(self.report())
        progress_line.erase()
        tell(f"compiling {self.name} takes long: {self.report()}; it goes on, as there is no form of it that Python could run")
        self.limit *= AT_LAST

    def refusal(self, found: str, is_counted: bool = True) -> BudgetError:
        """The error with what was found, the same one for a compilation that is tried again after it."""
        if self.refused is None:
            what, why = f"compiling {self.name} takes too long", f"while {self.stage}: {found}"
            self.refused = what, self.place(), why, REMEDY, is_counted, self.is_last()
        return BudgetError(*self.refused)

    def is_last(self) -> bool:
        """Whether no other compilation of the function may follow."""
        return self.seconds is not None and self.before + self.spent >= self.seconds * MICROSECONDS * ALL_COMPILATIONS

    def report(self) -> str:
        """What was counted, in words."""
        parts = [f"{count:,} {work.noun}" for work, count in self.counts.items()]
        earlier = f", after {self.before / MICROSECONDS:.0f} s for earlier compilations" if self.before >= MICROSECONDS else ""
        return f"{', '.join(parts)}: about {self.spent / MICROSECONDS:.0f} s of work{earlier}"


class _Current(threading.local):
    compilation: Compilation | None = None


_current = _Current()
Watcher = Callable[[Compilation], None]
watchers: list[Watcher] = []  # called every STEP of counted work while a function is traced; what they raise ends the trace
places: list[Place] = []  # what knows the user's line that is being traced


def place_of_trace() -> SourceSpan | None:
    """The user's line that is being traced."""
    return places[0]() if places else None


def current() -> Compilation | None:
    """The compilation under way in this thread, if its work is counted."""
    return _current.compilation


@contextmanager
def counting(compilation: Compilation | None) -> Iterator[None]:
    """Inside the with statement work belongs to this compilation, which may have begun before; None: it is not counted."""
    before, _current.compilation = _current.compilation, compilation
    spent = 0.0 if compilation is None else compilation.spent
    if compilation is not None:
        compilation.began = time.monotonic()
    try:
        yield
    finally:
        _current.compilation = before
        if compilation is not None:
            compilation.elapsed += time.monotonic() - compilation.began
            compilation.account.spent += compilation.spent - spent
        progress_line.erase()


def show() -> None:
    """Tell the terminal of the compilation under way, where nothing is counted."""
    if _current.compilation is not None:
        _current.compilation.show()


def spend(work: Work, count: int = 1) -> None:
    """So many pieces of work are done, or about to be; BudgetError where the budget does not allow them."""
    compilation = _current.compilation
    if compilation is not None:
        compilation.counts[work] += count
        compilation.spent += work.microseconds * count
        if compilation.spent >= compilation.pause:
            compilation.poll()


def foresee(microseconds: float) -> None:
    """So much work is surely still to come; BudgetError where the budget does not allow it."""
    compilation = _current.compilation
    if compilation is not None and not compilation.goes_on and compilation.spent + microseconds >= compilation.limit:
        raise compilation.refusal(f"{compilation.report()}, and at least {microseconds / MICROSECONDS:.0f} s to come")


@contextmanager
def stage(name: str, place: Place) -> Iterator[None]:
    """Inside the with statement the work is of this stage, which messages name with the user's line that `place` finds."""
    compilation = _current.compilation
    if compilation is None:
        yield
        return
    before = compilation.stage, compilation.place
    compilation.stage, compilation.place = name, place
    try:
        yield
    finally:
        compilation.stage, compilation.place = before
