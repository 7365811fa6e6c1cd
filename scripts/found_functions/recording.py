"""Records calls of a package's Python functions by the interpreter's profile hook: their arguments, pickled."""

from __future__ import annotations

import importlib
import inspect
import pickle
import sys
import types
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

CALLS, ATTEMPTS, BYTES = 3, 40, 200_000  # distinct calls of a function, how often they are looked for, how long their arguments may be
LAZY = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
LEFT_OUT = set("__init__ __new__ __del__ __getattr__ __getattribute__ __setstate__ __getstate__ __reduce__ __reduce_ex__".split())
INNER = ("__wrapped__", "_implementation", "orig_func", "__func__", "fget", "func", "pyfunc")  # where wrappers keep what they wrap


@dataclass(frozen=True, slots=True)
class Found:
    """A function, by the module and the name that it is found by, with pickled arguments of some of its calls."""

    module: str
    name: str
    line: int
    calls: list[bytes] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.module}:{self.name}:{self.line}"


def find(module: str, name: str, line: int) -> types.FunctionType | None:
    """The function that a name leads to, whatever wraps it; None where it does not."""
    owner: Any = importlib.import_module(module)
    for part in name.split("."):
        if owner is None:
            return None
        owner = inspect.getattr_static(owner, part, None)
    pending, seen = [owner], set[int]()
    while pending:
        candidate = pending.pop()
        if candidate is None or id(candidate) in seen:
            continue
        seen.add(id(candidate))
        if isinstance(candidate, types.FunctionType) and candidate.__code__.co_firstlineno == line and candidate.__module__ == module:
            return candidate
        pending += [inspect.getattr_static(candidate, inner, None) for inner in INNER]
        pending += [getattr(candidate, inner, None) for inner in INNER if not isinstance(candidate, type)]
    return None


class Recorder:
    """A profile hook that keeps calls of functions whose module begins with one of the prefixes."""

    def __init__(self, prefixes: tuple[str, ...]) -> None:
        self.prefixes = prefixes
        self.found: dict[types.CodeType, Found] = {}
        self.attempts: Counter[types.CodeType] = Counter()

    def __call__(self, frame: types.FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or self.attempts[code] >= ATTEMPTS:
            return
        self.attempts[code] += 1
        if not self.attempts[code] > 1 and not self.is_wanted(frame):
            self.attempts[code] = ATTEMPTS
            return
        try:
            call = pickle.dumps(arguments(frame))
        except Exception:  # noqa: BLE001 - whatever the objects of others raise when they are pickled; the call is left out
            return
        kept = self.found[code].calls
        if len(call) <= BYTES and call not in kept:
            kept.append(call)
            if len(kept) == CALLS:
                self.attempts[code] = ATTEMPTS

    def is_wanted(self, frame: types.FrameType) -> bool:
        """Whether the frame's function is one of the package's that can be found again."""
        code, module = frame.f_code, str(frame.f_globals.get("__name__"))
        if not f"{module}.".startswith(self.prefixes) or ".tests." in module or code.co_flags & LAZY:
            return False
        if code.co_name in LEFT_OUT or "<" in code.co_qualname:
            return False
        try:
            function = find(module, code.co_qualname, code.co_firstlineno)
        except Exception:  # noqa: BLE001 - looking attributes up may do anything
            return False
        if function is None or function.__code__ is not code:
            return False
        self.found[code] = Found(module, code.co_qualname, code.co_firstlineno)
        return True

    def __enter__(self) -> Recorder:
        sys.setprofile(self)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(None)

    def functions(self) -> list[Found]:
        """The functions of which calls were kept."""
        return [found for found in self.found.values() if found.calls]


def arguments(frame: types.FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a function was called with, by position and by name."""
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount
    names = code.co_varnames
    by_name = {name: values[name] for name in names[count : count + code.co_kwonlyargcount]}
    rest = count + code.co_kwonlyargcount
    by_position = tuple(values[name] for name in names[:count])
    if code.co_flags & inspect.CO_VARARGS:
        by_position += values[names[rest]]
        rest += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        by_name |= values[names[rest]]
    return by_position, by_name
