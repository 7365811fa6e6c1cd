"""Kinds of callables that no user wrote: those that move their arguments around, make objects that change, or were made by `exec`."""

from __future__ import annotations

import array
import contextlib
import io
import queue
import random
import sys
import threading
import types
from typing import Any

from autograph_jit.source import source_text
from autograph_jit.tracing.expressions.named_parts import GETTERS
from autograph_jit.tracing.hosting.purity import is_opaque_class, is_private, is_pure
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED

STRUCTURAL_MODULES = frozenset(
    ("itertools", "_operator", "operator", "functools", "dataclasses", "copy", "collections", "contextlib", "types", "enum")
)
COMPUTING_MODULES = ("builtins", "decimal", "fractions", "numpy", "random", "scipy")
LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore, threading.Event, threading.Thread)
# Objects of the library that change: every run makes its own, and what they do happens when the program runs.
MADE_BY_PYTHON = (io.IOBase, array.array, bytearray, queue.Queue, queue.SimpleQueue, random.Random, contextlib.ExitStack, *LOCKS)


def has_no_source(fn: types.FunctionType) -> bool:
    """Whether a function was made by `exec`, as those of dataclasses are; cells of notebooks and doctests have their source."""
    return fn.__code__.co_filename.startswith("<") and not source_text(fn)


def is_special(fn: types.FunctionType) -> bool:
    """Whether a function is a special method: those that a library makes for a class, of its fields alone."""
    return fn.__name__.startswith("__") and fn.__name__.endswith("__")


def is_structural(fn: Any) -> bool:
    """Functions that only move their arguments around, or apply operators to them."""
    if isinstance(fn, type):
        package = fn.__module__.partition(".")[0]
        if issubclass(fn, (str, bytes, int, float, complex)) or package in COMPUTING_MODULES or any(map(is_opaque_class, fn.__mro__)):
            return False
        has_python_init = isinstance(fn.__init__, types.FunctionType) and is_pure(fn)
        return package not in sys.stdlib_module_names or package in STRUCTURAL_MODULES or has_python_init
    module = fn.__globals__.get("__name__") if isinstance(fn, types.FunctionType) else getattr(fn, "__module__", None)
    return module in STRUCTURAL_MODULES and not is_private(fn) or isinstance(fn, (*GETTERS, contextlib.ContextDecorator))


def is_library_class(kind: type) -> bool:
    """Whether a class comes with a library."""
    return kind.__module__ in NEVER_CONVERTED
