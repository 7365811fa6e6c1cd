"""Calls in converted code: user functions are converted on the way, libraries are called as they are."""

import functools
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.plain.frames import frame_reader
from autograph_jit.tracing.plain.packages import Packages

# No `from __future__ import annotations` here: a call of `exec` or `compile` would hand it on to the user's code.

F = TypeVar("F", bound=Callable[..., Any])
Converter = Callable[[FunctionType], Callable[..., Any]]

LIBRARIES = {"numpy", "scipy", "numba", "llvmlite", "gast", "astunparse", "autograph_jit"}
KNOWN = (frozenset(sys.stdlib_module_names) | LIBRARIES) - {"__main__"}  # of which this package knows what they do with their arguments
NEVER_CONVERTED = Packages(KNOWN)
MISFIT = "**"
DERIVED_ORDERINGS = {function for derived in getattr(functools, "_convert", {}).values() for _, function in derived}
FORWARDING: dict[int, CodeType] = {}  # the code of what stands for a method, its `__wrapped__`
NOT_CONVERTED = "__autograph_not_converted__"
FORM = "__autograph_form__"  # the attribute of a generator in converted code with itself, its consumable form and whether loops take that
converter: Converter | None = None


def set_converter(new: Converter | None) -> None:
    """Choose how functions called from converted code are converted; None calls them as they are."""
    global converter
    converter = new


def is_library(fn: FunctionType) -> bool:
    """Whether a function was written in a module that is never converted, or is marked so itself. The comparisons that
    `functools.total_ordering` gives a class ask the one that the class defines; what stands for a method while a trace is under way is as
    the method is."""
    fn = forwarded(fn) or fn
    if NOT_CONVERTED in fn.__dict__:
        return True
    if fn in DERIVED_ORDERINGS:
        return False
    return fn.__globals__.get("__name__", "") in NEVER_CONVERTED


def forwarded(fn: Any) -> Any:
    """The method that a function stands for while a trace is under way; None for anything else."""
    return fn.__dict__["__wrapped__"] if isinstance(fn, FunctionType) and id(fn.__code__) in FORWARDING else None


def is_library_module(x: Any) -> bool:
    """Whether an object is a module that is never converted: its names mean the same at every call."""
    return isinstance(x, ModuleType) and x.__name__ in NEVER_CONVERTED


def is_numpy(fn: Any) -> bool:
    """A function, ufunc or scalar type of NumPy's; what cannot be looked up in a table is an object with a `__call__` of its own."""
    return type(fn).__hash__ is not None and (
        isinstance(fn, np.ufunc)
        or (getattr(fn, "__module__", None) or "").split(".")[0] == "numpy"
        or type(fn).__module__.startswith("numpy")
    )


def callee(fn: Any) -> Any:
    """What to call for `fn`: its converted form where it is, or wraps, a user's function."""
    if converter is None or isinstance(fn, (type, BuiltinFunctionType)):
        return fn
    if isinstance(fn, FunctionType):
        if is_library(fn):
            return fn
        try:
            return converter(fn)
        except ConversionError:
            return fn  # plain Python gives the same result
    if isinstance(fn, MethodType):
        inner = callee(fn.__func__)
        return fn if inner is fn.__func__ else MethodType(inner, fn.__self__)
    if type(fn) is functools.partial:
        inner = callee(fn.func)
        return fn if inner is fn.func else functools.partial(inner, *fn.args, **fn.keywords)
    method = getattr(type(fn), "__call__", None)  # noqa: B004 - the function itself is wanted
    if isinstance(method, FunctionType):
        inner = callee(method)
        return fn if inner is method else MethodType(inner, fn)
    return fn


class Misfit:
    """What stands for `*content` or `**content` in a call, where it is no iterable or mapping: the call names its function in the error."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content


def call(fn: Any, args: tuple, kwargs: dict[str, Any] | None = None) -> Any:
    """Call a function from converted code."""
    if args and type(args[0]) is Misfit:
        return fn(*args[0].content)
    if kwargs and MISFIT in kwargs:
        return fn(**kwargs[MISFIT].content)
    target = frame_reader(fn, args, kwargs) or callee(fn)
    return target(*args, **kwargs) if kwargs is not None else target(*args)


def merge_keywords(*pieces: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a call written with `**`; a name given twice is a TypeError."""
    merged: dict[str, Any] = {}
    for piece in pieces:
        for name in piece.keys():
            if name in merged:
                raise TypeError(f"got multiple values for keyword argument '{name}'")
            merged[name] = piece[name]
    return merged


def converted(fn: F) -> F:
    """Marks a function that is defined in converted code and so is converted itself."""
    return fn


def generator(form: FunctionType | None, by_loops: bool) -> Callable[[F], F]:
    """Marks a generator that is defined in converted code: `form`, where it has one, gives its items to a with statement or, where
    `by_loops`, to a loop."""

    def mark(fn: F) -> F:
        if form is not None:
            form.__defaults__, form.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__  # type: ignore[attr-defined]
        fn.__dict__[FORM] = fn, form, by_loops
        return fn

    return mark


def lambda_(fn: FunctionType, defaults: tuple, kwdefaults: dict[str, Any]) -> FunctionType:
    """A lambda that was written out as a function: gives it the defaults, which are evaluated where the lambda stood."""
    fn.__defaults__, fn.__kwdefaults__ = defaults or None, kwdefaults or None
    return fn
