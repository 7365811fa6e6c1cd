"""What code that nobody sees may change or keep is an object of the run: its list or instance is the one that the program goes on with."""

from __future__ import annotations

import functools
import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograph_jit.tracing.containers.outside import is_container, note_write
from autograph_jit.tracing.functions.closures import expect_objects
from autograph_jit.tracing.hosting.purity import is_private
from autograph_jit.tracing.plain.calls import KNOWN, NOT_CONVERTED
from autograph_jit.tracing.plain.packages import package_of
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.templates import fields_of, made_here_in
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import Restart, Trace

KEEPING = frozenset(
    "threading _thread queue _queue asyncio concurrent multiprocessing weakref _weakref atexit _ctypes _contextvars sched".split()
)


def give(trace: Trace, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Before a host call: trace again where the function may change or keep what the trace itself holds."""
    if isinstance(fn, StagedObject) or may_change(fn):
        for x in (*args, *kwargs.values()):
            give_object(trace, x)
    elif args and is_inherited(fn, args[0]):
        give_object(trace, args[0])


def is_inherited(fn: Any, x: Any) -> bool:
    """Whether a function is a method in Python that an instance has from a library's class: it changes what it likes there."""
    return isinstance(fn, FunctionType) and any(vars(base).get(fn.__name__) is fn for base in type(x).__mro__)


def may_change(fn: Any) -> bool:
    """Whether nothing is known of a function: one that is not converted on demand, private to its library, or of somebody's in C."""
    if isinstance(fn, MethodType):
        return may_change(fn.__func__)
    if is_private(fn):
        return True
    if isinstance(fn, FunctionType):
        package = package_of(fn.__globals__.get("__name__", ""))
        return NOT_CONVERTED in fn.__dict__ or package in KEEPING or package not in KNOWN or is_method_outside(fn, package)
    if isinstance(fn, (type, BuiltinFunctionType)):
        package = str(fn.__module__ or type(fn.__self__).__module__).partition(".")[0]  # type: ignore[union-attr]
        return package in KEEPING or package not in KNOWN and package not in sys.builtin_module_names
    return False


def is_method_outside(fn: FunctionType, package: str) -> bool:
    """Whether a function is a method in Python of a class outside the standard library: what its functions do with their arguments is
    documented, what methods do with a dict that one hands another is not."""
    owner, _, _ = fn.__qualname__.rpartition(".")
    return bool(owner) and not owner.endswith("<locals>") and package not in sys.stdlib_module_names


def give_object(trace: Trace, x: Any) -> None:
    """One value that is given away."""
    if isinstance(x, tuple):
        for item in x:
            give_object(trace, item)
    elif isinstance(x, functools.partial):
        give_object(trace, (x.func, *x.args, *x.keywords.values()))
    elif isinstance(x, (MethodType, BuiltinFunctionType)):
        give_object(trace, x.__self__)
    elif isinstance(x, Dynamic) or id(x) in trace.outside.made or made_here_in(x) is not None:
        expect_objects(trace, x)
    elif is_container(x):
        note_write(x)
    elif trace.inputs is not None and not callable(x) and fields_of(x) is not None and trace.inputs.is_reached(x):
        raise Restart(("outside", id(x)))
