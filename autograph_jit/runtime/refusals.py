"""Which calls of a compiled function run in Python: those with arguments of kinds that could not be compiled, and what they cost."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.backends.cpu import checks as native
from autograph_jit.backends.cpu.checks import Check
from autograph_jit.backends.cpu.entrances import Bypass
from autograph_jit.errors import ConversionError, VariableMade
from autograph_jit.runtime.costs import MANY_ITEMS
from autograph_jit.runtime.own_calls import with_own_calls
from autograph_jit.runtime.writing_back import Args
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.values.trace import unusual

MAX_REFUSALS = 4  # of one function: whoever was refused so often for different kinds of arguments is not asked again
LAZY = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
SIZED = (str, bytes, bytearray, set, frozenset, dict)


def kind_of(x: Any) -> Any:
    """What a refusal holds for: class, dtype and rank of an array; of a container whether it is long, of a list the class of its first
    item, of a tuple those of all, as far as it is not long."""
    kind = type(x)
    if kind is np.ndarray:
        return kind, x.dtype, x.ndim
    if kind is list:
        return kind, len(x) > MANY_ITEMS, type(x[0]) if x else None
    if kind is tuple:
        return kind, len(x) > MANY_ITEMS, tuple(map(type, x[:MANY_ITEMS]))
    return (kind, len(x) > MANY_ITEMS) if kind in SIZED else kind


def checks_of(place: int, kind: Any) -> list[Check] | None:
    """The native form of the comparison with a kind; None where it has none."""
    if not isinstance(kind, tuple):
        return [native.has_type(place, kind)]
    is_kind = native.has_type(place, kind[0])
    if kind[0] is np.ndarray:
        return [is_kind, native.has_layout(place, *kind[1:])]
    if kind[0] is list:
        return [is_kind, native.has_items(place, kind[2], MANY_ITEMS, kind[1])]
    sizes = [native.is_longer(place, kind[0], MANY_ITEMS, kind[1])]
    if kind[0] is tuple and not kind[1]:
        count = len(kind[2])
        sizes = [native.is_longer(place, tuple, count, False), *([native.is_longer(place, tuple, count - 1, True)] if count else [])]
    if None in sizes:
        return None
    items = [native.has_item(place, index, item) for index, item in enumerate(kind[2])] if kind[0] is tuple else []
    return [is_kind, *filter(None, sizes), *items]


def is_lazy(function: Callable[..., Any]) -> bool:
    """Whether a call of the function does nothing but make a generator or a coroutine."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & LAZY)


def refuse_lazy(function: Callable[..., Any], name: str) -> None:
    """ConversionError for generators and asynchronous functions."""
    if is_lazy(function):
        code: Any = getattr(function, "__code__", None)
        kind = "generator" if code.co_flags & inspect.CO_GENERATOR else "asynchronous function"
        span = SourceSpan(code.co_filename, code.co_firstlineno)
        why = "Python suspends and resumes its frame"
        raise ConversionError(f"the {kind} {name} is not compiled", span, why, "compile the functions that it calls")


class Refusals:
    """The kinds of arguments with which one compiled function runs in Python, each with the reason.

    They belong to the function's code: where a module is loaded again, they are gone.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.forget()

    def forget(self) -> None:
        """None so far."""
        self.plain, self.code = self.function, getattr(self.function, "__code__", None)
        self.reasons: dict[Any, str] = {}
        self.is_general = self.is_installed = self.made_variables = False

    def kinds(self, arguments: Args) -> Any:
        """What later calls must have in common with this one to be refused with it."""
        return tuple(map(kind_of, arguments[:-1])), tuple((name, kind_of(x)) for name, x in arguments[-1].items())

    @property
    def last(self) -> str | None:
        """The last reason, where there was any."""
        return next(reversed(self.reasons.values()), None)

    def covers(self, arguments: Args) -> bool:
        """Whether a call like this was refused before."""
        if not self.reasons:
            return False
        if getattr(self.function, "__code__", None) is not self.code:
            self.forget()
            return False
        return self.is_general or self.kinds(arguments) in self.reasons

    def note(self, reason: str, arguments: Args, compiled: object, is_general: bool = False) -> bool:
        """Keep that calls like this one are refused, or all that no program is there for; whether the reason is a new one."""
        is_new = reason not in self.reasons.values()
        if not self.reasons:
            self.plain = with_own_calls(self.function, compiled)
        self.reasons[self.kinds(arguments)] = reason
        self.is_installed = False
        self.is_general = is_general or self.is_general or is_lazy(self.function) or len(self.reasons) >= MAX_REFUSALS
        return is_new

    def are_for_setup(self, error: ConversionError | None) -> bool:
        """Whether a call makes the Variables that later ones use: it was refused for making one, and the call before was not."""
        before, self.made_variables = self.made_variables, isinstance(error, VariableMade)
        return self.made_variables and not before

    def are_to_be_installed(self) -> bool:
        """Whether there are refusals that no native way knows of yet; asked for the first time it is True, then False."""
        was, self.is_installed = self.is_installed, True
        return not was

    def before(self, call: Callable[..., Any], compiled: Collection[Any]) -> Callable[..., Any]:
        """`call` behind what takes the refused calls to the plain function, as far as native code can tell them. For arguments of the kinds
        in `compiled` there are programs, which `call` looks for."""
        own = native.has_same_fields(self.function) if isinstance(self.function, FunctionType) else []
        if self.is_general:
            return call if compiled else Bypass(None, (), own, self.plain, unusual).before(call)
        for kinds in self.reasons:
            positional, named = kinds
            checks = [checks_of(place, kind) for place, kind in enumerate((*positional, *(kind for _, kind in named)))]
            if None not in checks and kinds not in compiled:
                held, names = [*own, *itertools.chain(*filter(None, checks))], [name for name, _ in named]
                call = Bypass(len(positional), names, held, self.plain, unusual).before(call)
        return call
