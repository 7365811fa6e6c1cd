"""Operators that a user's class defines, `a + b` or `-a`: converted calls while a trace is under way.

Converted code leaves arithmetic to Python, which looks operators up in the class. So the classes that a trace meets have their
operator methods replaced until it ends; under Python the replacement only forwards, which is what other threads see meanwhile.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.forks import hold_across_forks
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.objects.callers_objects import guard_method, is_reached
from autograph_jit.tracing.plain.calls import FORWARDING, forwarded, is_library
from autograph_jit.tracing.structures.guards import IN_C
from autograph_jit.tracing.values.abstract import OfTheRun
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace, current, user_span

ARITHMETIC = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()
NAMES = frozenset(
    [f"__{prefix}{name}__" for name in ARITHMETIC for prefix in ("", "r", "i")]
    + [f"__{name}__" for name in "neg pos abs invert round lt le gt ge eq ne post_init getattr setattr delattr".split()]
)
# What Python itself asks, as in `"ab" * x`: it takes no stand-in for an answer.
ANSWERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("__index__", "__len__", "__length_hint__"), operator.index),
    **{f"__{kind.__name__}__": kind for kind in (int, float, complex, bool)},
}
STEPS = ("__next__", "__getitem__")  # which loops of C code call, as often as only the run knows
REPLACED = NAMES | ANSWERS.keys() | set(STEPS)
LOCK = threading.RLock()
hold_across_forks(LOCK)
users: dict[type, int] = {}
originals: dict[type, dict[str, FunctionType]] = {}


def special_method(x: Any, names: tuple[str, ...]) -> FunctionType | None:
    """The first of these methods that the class of `x` defines in Python, outside of libraries."""
    if isinstance(x, (OfTheRun, int, float, complex, str)):
        return None
    found = (getattr(type(x), name, None) for name in names)
    methods = (forwarded(method) or method for method in found)
    return next((method for method in methods if isinstance(method, FunctionType) and not is_library(method)), None)


def written_by(x: Any, function: Any) -> FunctionType | None:
    """The method of the user's that `str(x)`, or `repr(x)`, asks; None where Python's own is asked."""
    kind: Any = type(x)
    method = special_method(x, ("__str__",)) if function is str else None
    if method is None and (function is repr or kind.__str__ is object.__str__):
        return special_method(x, ("__repr__",))
    return method


def meet(trace: Trace, x: Any) -> Any:
    """A value that enters the trace: the operators of its class become converted calls, as those of a stand-in's class are."""
    kind = type(x)
    if kind not in trace.definitions.classes and not issubclass(kind, InstanceReference):
        trace.definitions.classes.add(kind)
        for base in kind.__mro__:
            if base not in trace.definitions.classes or base is kind:
                trace.definitions.classes.add(base)
                replace_operators(trace, base)
    return x


def replace_operators(trace: Trace, kind: type) -> None:
    """Put converted calls in the place of the operators that a class itself defines in Python."""
    with LOCK:  # another thread's trace may be about to give the class its own methods back
        found = {name: value for name, value in vars(kind).items() if name in REPLACED and is_user_function(value)}
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
        if name in STEPS:
            expect_not_reached(args[0], function)
            return function(*args, **kwargs)
        found = language.call(function, args, kwargs)
        return ANSWERS[name](found) if name in ANSWERS else found

    return method


def known_length(x: Any) -> int:
    """How many items a loop goes through, as far as the trace can tell: a method of the user's is not asked."""
    if special_method(x, ("__len__",)) is None:
        return len(x) if hasattr(type(x), "__len__") else 0
    return next((kind.__len__(x) for kind in IN_C if isinstance(x, kind)), 0)


def expect_not_reached(x: Any, function: Callable[..., Any]) -> None:
    """Refuse what goes through an object of the caller's in C while the program is traced: the next call may find other items."""
    if not is_reached(x):
        return
    what, remedy = f"a function of a library calls `{function.__qualname__}`", "go through the object with a for loop"
    why = "it does so while the function is traced, and would go through the same items in every call"
    raise ConversionError(what, user_span(), why, remedy)


CODE = forwarding(object, "", lambda: None).__code__
FORWARDING[id(CODE)] = CODE
