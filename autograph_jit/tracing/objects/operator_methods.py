"""Operators that a user's class defines, `a + b` or `-a`: converted calls while a trace is under way.

Converted code leaves arithmetic to Python, which looks operators up in the class. So the classes that a trace meets have their
operator methods replaced until it ends; under Python the replacement only forwards, which is what other threads see meanwhile.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph_jit.forks import hold_across_forks
from autograph_jit.tracing.objects.callers_objects import guard_method
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.values.abstract import OfTheRun
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace, current

ARITHMETIC = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()
NAMES = frozenset(
    [f"__{prefix}{name}__" for name in ARITHMETIC for prefix in ("", "r", "i")]
    + [f"__{name}__" for name in "neg pos abs invert round lt le gt ge eq ne post_init getattr setattr delattr".split()]
)
LOCK = threading.RLock()
hold_across_forks(LOCK)
users: dict[type, int] = {}
originals: dict[type, dict[str, FunctionType]] = {}


def special_method(x: Any, names: tuple[str, ...]) -> FunctionType | None:
    """The first of these methods that the class of `x` defines in Python, outside of libraries."""
    if isinstance(x, (OfTheRun, int, float, complex, str)):
        return None
    methods = (getattr(type(x), name, None) for name in names)
    return next((method for method in methods if isinstance(method, FunctionType) and not is_library(method)), None)


def written_by(x: Any, function: Any) -> FunctionType | None:
    """The method of the user's that `str(x)`, or `repr(x)`, asks; None where Python's own is asked."""
    kind: Any = type(x)
    method = special_method(x, ("__str__",)) if function is str else None
    if method is None and (function is repr or kind.__str__ is object.__str__):
        return special_method(x, ("__repr__",))
    return method


def meet(trace: Trace, x: Any) -> Any:
    """A value that enters the trace: the operators of its class become converted calls."""
    kind = type(x)
    if kind not in trace.definitions.classes:
        trace.definitions.classes.add(kind)
        for base in kind.__mro__:
            if base not in trace.definitions.classes or base is kind:
                trace.definitions.classes.add(base)
                replace_operators(trace, base)
    return x


def replace_operators(trace: Trace, kind: type) -> None:
    """Put converted calls in the place of the operators that a class itself defines in Python."""
    with LOCK:  # another thread's trace may be about to give the class its own methods back
        found = {name: value for name, value in vars(kind).items() if name in NAMES and is_user_function(value)}
        if not found and kind not in users:
            return
        if kind not in users:
            originals[kind] = found
            for name, function in found.items():
                type.__setattr__(kind, name, forwarding(kind, name, function))
        users[kind] = users.get(kind, 0) + 1
        trace.definitions.replaced.append(kind)


def restore_operators(trace: Trace) -> None:
    """Give the classes of a finished trace their own methods back."""
    with LOCK:
        for kind in trace.definitions.replaced:
            users[kind] -= 1
            if not users[kind]:
                del users[kind]
                for name, function in originals.pop(kind).items():
                    type.__setattr__(kind, name, function)
        trace.definitions.replaced.clear()


def is_user_function(value: Any) -> bool:
    """Whether a class attribute is a method that can be converted."""
    return isinstance(value, FunctionType) and not is_library(value) and not value.__code__.co_filename.startswith("<string")


def forwarding(kind: type, name: str, function: Callable[..., Any]) -> Any:
    """The method, converted where a trace calls it."""

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None:
            return function(*args, **kwargs)
        guard_method(trace, kind, name, function)
        return language.call(function, args, kwargs)

    return method


FORWARDING = forwarding(object, "", lambda: None).__code__


def forwarded(fn: Any) -> Any:
    """The function that a converted operator stands for; None for anything else."""
    return fn.__dict__["__wrapped__"] if isinstance(fn, FunctionType) and fn.__code__ is FORWARDING else None
