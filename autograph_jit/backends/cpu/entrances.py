"""Native entrances: a callable that checks the guards of one executable, runs it and hands its result on, without a line of Python.

What an entrance checks stands in a table, which native code reads (`entrance_code.py`).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph_jit.backends.cpu.checks import GUARD_WORDS, Check, guard_words
from autograph_jit.backends.cpu.entrance_code import (
    ANY_COUNT,
    CALLS,
    COUNT,
    ENTRY,
    ENTRY_OBJECT,
    GUARDS,
    HEAD_WORDS,
    LEAVES,
    LIMIT,
    MATCH,
    NAMES,
    NAMES_AT,
    RESULT,
    RESULT_OBJECT,
    SAME_LEAVES,
    SLOTS,
    TEXT,
)
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.matching import Match
from autograph_jit.backends.once import once
from autograph_jit.errors import Deoptimized, Unfit
from autograph_jit.records import dataclass

POSITIONAL_OR_KEYWORDS = 0x0001 | 0x0002  # METH_VARARGS | METH_KEYWORDS
# A prototype of our own: those of `ctypes.pythonapi` are everybody's, and somebody else may set them between two lines.
PROTOTYPE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
make_callable = PROTOTYPE(("PyCFunction_NewEx", ctypes.pythonapi))


@dataclass(frozen=True, slots=True)
class Run:
    """What an entrance runs: an executable's native function at `address`, called with `entry`, on the arguments at `leaves`;
    the result is its only one, `given`, or `finish(results, args)`. `failing(exception, args)` is called instead where it raises, `plain`
    where it leaves the call to Python."""

    address: int
    entry: Callable[..., Any]
    leaves: tuple[int, ...]
    result: int
    given: object
    finish: Callable[..., Any]
    failing: Callable[..., Any]
    plain: Callable[..., Any]


class Entrance:
    """The `call` of one executable, with `count` positional arguments and those of these names; `calls` tells how many it has let in. The
    checks read so many attributes into `slots`."""

    def __init__(
        self,
        count: int,
        names: Sequence[str],
        checks: Sequence[Check],
        match: Match | None,
        run: Run,
        unusual: set[Any],
        limit: int | None = None,
        slots: int = 0,
    ) -> None:
        same = run.leaves == tuple(range(count + len(names) + slots))
        words = head(count, names, checks, run.leaves, slots)
        words[MATCH], words[ENTRY], words[ENTRY_OBJECT] = match.address if match else 0, run.address, id(run.entry)
        words[LEAVES], words[RESULT], words[RESULT_OBJECT] = SAME_LEAVES if same else len(run.leaves), run.result, id(run.given)
        words[LIMIT] = limit or 0
        self.table, interned = table_of(words, checks, run.leaves, names)
        self.run, self.unusual, self.has_limit = run, unusual, limit is not None
        self.kept = (match, run.entry, run.given, interned, *(kept for check in checks for kept in check.kept))

    @property
    def calls(self) -> int:
        return int(self.table[CALLS])

    def admit(self, calls: int) -> None:
        """Let in so many more calls."""
        self.table[LIMIT] = self.table[CALLS] + calls

    def before(self, behind: Callable[..., Any]) -> Callable[..., Any]:
        """The entrance as a callable; `behind` takes the calls that do not fit."""
        run = self.run
        belongings = (self.table, behind, run.failing, run.finish, self.unusual, Exception, Deoptimized, run.plain, Unfit, self.kept)
        definition = definitions().up_to_limit if self.has_limit else definitions().enter
        call: Callable[..., Any] = make_callable(ctypes.addressof(definition), belongings, None)
        return call


class Bypass:
    """The way to `plain`, a function of Python, for calls with `count` positional arguments, or any where it is None, and those of these
    names, that pass the checks."""

    def __init__(
        self, count: int | None, names: Sequence[str], checks: Sequence[Check], plain: Callable[..., Any], unusual: set[Any], slots: int = 0
    ) -> None:
        words = head(ANY_COUNT if count is None else count, names, checks, slots=slots)
        self.table, interned = table_of(words, checks, (), names)
        self.plain, self.unusual, self.kept = plain, unusual, (interned, *(kept for check in checks for kept in check.kept))

    def before(self, behind: Callable[..., Any]) -> Callable[..., Any]:
        """The way as a callable; `behind` takes the calls that do not fit."""
        belongings = (self.table, behind, self.plain, None, self.unusual, Exception, self.kept)
        call: Callable[..., Any] = make_callable(ctypes.addressof(definitions().around), belongings, None)
        return call


def head(count: int, names: Sequence[str], checks: Sequence[Check], leaves: Sequence[int] = (), slots: int = 0) -> list[int]:
    """The first words of a table: the form of the call, and where the guards and the names stand."""
    words = [0] * HEAD_WORDS
    words[COUNT], words[GUARDS], words[SLOTS] = count, len(checks), slots
    words[NAMES], words[NAMES_AT] = len(names), HEAD_WORDS + GUARD_WORDS * len(checks) + len(leaves)
    return words


def table_of(words: list[int], checks: Sequence[Check], leaves: Sequence[int], names: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The table, and the names in it: those of a call that stand in code are the same objects."""
    interned = tuple(map(sys.intern, names))
    return np.array([*words, *guard_words(checks), *leaves, *map(id, interned)], dtype=np.int64), interned


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


class Definitions(NamedTuple):
    """The native functions of all entrances, of those with a limit, and of all ways around them, with what keeps them alive."""

    enter: Definition
    up_to_limit: Definition
    around: Definition
    library: Library


@once
def definitions() -> Definitions:
    """Compiled at the first use."""
    library = Library(TEXT)

    def definition(name: str) -> Definition:
        return Definition(b"call", library.address(name), POSITIONAL_OR_KEYWORDS, None)

    return Definitions(definition("ag_enter"), definition("ag_enter_up_to_limit"), definition("ag_pass"), library)
