"""One program of a compiled function with what was made of it: executables, ways to them, how often they were called and counted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.backends.cpu.entrances import Entrance
from autograph_jit.budget import Compilation
from autograph_jit.errors import SlowerThanPython
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.structures.peeking import READ_ERRORS, acts, peek

AGAIN = "makes calls again in Python, uncompiled, where compiled ints, floats and operands do not reach"
MOST_EXACT = 2  # programs: who calls with a third number is likely to call with a fourth
FEWEST_REPEATS, MOSTLY = 3, 0.9  # of the calls of a program, after which all are left to Python
SINGLE = (bool, type(None), type(Ellipsis))  # classes of which equal values are identical


@dataclass
class Specialization:
    """A program with its executables, by layout and device; its number, why and when (seconds since the epoch) it was made.
    It is inexact where ints have left 64 bits and no further program keeps them exact, as `exact_programs` do for the numbers of one call
    each; `tallies` are the places that its executables count, `kinds` those of the arguments of its first call (see `Refusals`)."""

    program: Program
    number: int = 1
    compilation: Compilation | None = None
    reason: str = "first call"
    generalized: frozenset[Any] = frozenset()
    tallies: int = 0
    kinds: Any = None
    made_at: float = field(default_factory=time.time)
    executables: dict[Any, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    direct: dict[Any, Callable[..., Any] | None] = field(default_factory=dict)
    entrances: dict[Any, Entrance | None] = field(default_factory=dict)
    calls: int = 0
    looks_at: float = math.inf  # so many calls the counts are looked at
    is_inexact: bool = False
    exact_programs: int = 0
    repeats: int = 0  # calls that were made again in Python
    raised: int = 0  # calls that ended in an exception of compiled code
    refusal: SlowerThanPython | None = None  # why later calls are left to Python, where a loop has been handed over

    def __post_init__(self) -> None:
        self.looks_at = 0 if self.tallies else math.inf

    @property
    def all_calls(self) -> int:
        """Calls so far, those that entrances let in among them."""
        return self.calls + sum(entrance.calls for entrance in self.entrances.values() if entrance is not None)

    @property
    def calls_left(self) -> int | None:
        """How many calls may follow the one that begins before the counts are looked at; None where nothing is counted."""
        return max(int(self.looks_at) - self.all_calls - 1, 0) if self.tallies else None

    def is_always_entered(self) -> bool:
        """Whether entrances let in each call that it is for: not where something equal but not identical would do."""
        by_identity = all(guard.kind != "value" or isinstance(guard.expected, SINGLE) for guard in self.program.guards)
        return by_identity and bool(self.entrances) and None not in self.entrances.values()

    def is_due(self) -> bool:
        """Whether the counts are to be looked at before the next call."""
        return self.calls >= self.looks_at or (any(self.entrances.values()) and self.all_calls >= self.looks_at)

    def may_be_exact(self) -> bool:
        """Whether a program for the numbers of one more call is to keep its ints exact; it is counted."""
        may = not self.is_inexact and self.exact_programs < MOST_EXACT
        self.exact_programs += may
        return may

    def note_repeat(self) -> bool:
        """A call has to be made again in Python: whether later ones are left to it, since nearly all had to be."""
        self.repeats += 1
        if self.repeats >= FEWEST_REPEATS and self.repeats + self.exact_programs >= MOSTLY * self.all_calls:
            self.program.is_left = True
            self.direct, self.entrances = {}, {}
        return self.program.is_left

    def leave_later_calls(self, refusal: SlowerThanPython) -> None:
        """The next call, which no entrance lets in, is refused."""
        self.refusal, self.looks_at = refusal, 0
        self.direct, self.entrances = {}, {}

    def look_later(self) -> None:
        """Look again after twice as many calls."""
        self.looks_at = max(2 * self.all_calls, 1)
        for entrance in self.entrances.values():
            if entrance is not None:
                entrance.admit(self.calls_left or 0)

    def counts(self) -> list[float] | None:
        """What the tallies come to in a call on average; None where nothing was counted."""
        counting = [executable for executable in self.executables.values() if hasattr(executable, "counted")]
        calls = self.all_calls
        if not self.tallies or not calls or len(counting) < len(self.executables):
            return None
        return [sum(executable.counted(number) for executable in counting) / calls for number in range(self.tallies)]


def looked_for(specializations: Iterable[Specialization]) -> set[Any]:
    """The kinds of arguments of those that entrances do not find in every case, less those that are left to Python as refused calls are."""
    return {made.kinds for made in specializations if not made.program.is_left and not made.is_always_entered()}


def changed_sizes(specializations: Iterable[Specialization], arguments: Args) -> set[Any]:
    """The sizes, and the numbers of the caller's objects, that differ from those of an earlier specialization, which stop being
    specialised."""
    changed: set[Any] = set()
    for specialization in specializations:
        program = specialization.program
        for name, getter, known in (*program.arrays, *program.lengths, *program.constants):
            try:
                found = peek(getter, arguments)
                if acts(found):
                    continue
                shape = (len(found),) if type(found) in (list, dict, set) else np.shape(found)
            except READ_ERRORS:  # another kind of argument than it was
                continue
            if not isinstance(known, tuple):
                is_another = type(found) is type(known) is not bool and found != known
                changed |= {("value", name, 0)} if is_another else set()
            elif len(shape) == len(known):
                axes = (axis for axis, (old, new) in enumerate(zip(known, shape)) if old != new and new > 1)
                changed |= {("size", name, axis) for axis in axes}
    return changed
