"""Which host calls change nothing but objects that the run has made: functions of the library on plain values and containers.

A call that is stopped half way, because an int leaves 64 bits, can be made again where all that it did was of this kind.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import numpy as np

from autograph_jit.source import is_machinery
from autograph_jit.tracing.values.abstract import OfTheRun, StagedObject, StagedScalar, Undefined
from autograph_jit.tracing.values.own_marks import is_marked

CONTAINERS = (list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool, range, slice)
VALUES = frozenset({Fraction, date, datetime, time, timedelta})  # of the standard library: they cannot change
PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), np.generic, np.dtype, range, Undefined)
MODULES = frozenset({math.__name__, operator.__name__, "_operator", "_heapq", "_bisect", "_collections", "itertools"})
NUMBERS = (len, sorted, sum, min, max, abs, round, divmod, pow, chr, ord, bin, hex, oct)
BUILTINS = frozenset((*NUMBERS, repr, format, ascii, isinstance, issubclass))
TEXTS = frozenset({"f-string", "str %", "str.format"})  # these run code of whatever they are given


def is_local(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], label: str) -> bool:
    """Whether a host call changes at most objects among its staged arguments."""
    if label.startswith(("object call", "method ", "attribute", "recursive call")) and "append" not in label:
        return False
    if label in TEXTS and not all(map(has_plain_text, (*args, *kwargs.values()))):
        return False
    return is_harmless(function) and all(map(is_plain, (*args, *kwargs.values())))


def has_plain_text(x: Any) -> bool:
    """Whether the text of a value is Python's own: that of a number or a text, or a tuple of such."""
    if isinstance(x, StagedObject):
        return x.python_type in (str, bytes)
    return isinstance(x, (StagedScalar, *PLAIN)) or type(x) is tuple and all(map(has_plain_text, x))


def is_plain_exception(kind: type) -> bool:
    """Whether making an exception of a class runs nobody's code."""
    own = (kind.__init__, kind.__new__)  # type: ignore[misc]
    return issubclass(kind, BaseException) and not any(isinstance(method, FunctionType) for method in own)


def is_harmless(function: Any, depth: int = 3) -> bool:
    """Whether calling a function runs nobody's code but the library's, and nothing outside is reached by it."""
    if isinstance(function, type):
        is_container = issubclass(function, CONTAINERS) and function.__module__ in ("builtins", "collections")
        return is_container or function in VALUES or is_plain_exception(function)
    if isinstance(function, MethodDescriptorType | WrapperDescriptorType):
        return function.__objclass__.__module__ in ("builtins", "collections")
    if isinstance(function, BuiltinFunctionType):
        return function in BUILTINS or function.__module__ in MODULES and function.__self__ is not None
    if not isinstance(function, FunctionType) or depth == 0 or not is_machinery(function.__code__.co_filename):
        return False
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = [part for content in contents for part in (content.values() if type(content) is dict else (content,))]
    return all(is_plain(part) or is_harmless(part, depth - 1) for part in parts)


def is_plain(x: Any, depth: int = 4) -> bool:
    """Whether a value is staged, cannot change, or is a container of the trace that holds such values: not an object from outside."""
    if isinstance(x, (OfTheRun, PLAIN)) or is_marked(x, "dynamic"):
        return True
    if isinstance(x, slice):
        return is_plain((x.start, x.stop, x.step), depth)
    return type(x) is tuple and depth > 0 and all(is_plain(item, depth - 1) for item in x)


def marked(call: Callable[..., Any], local: bool, reads: bool = False, may_differ: bool = False) -> Callable[..., Any]:
    """The function of a host call, with what `acts_locally`, `only_reads` and `may_differ` tell."""
    marks = {"acts_locally": local, "only_reads": reads, "may_differ": may_differ}
    vars(call).update({name: True for name, holds in marks.items() if holds})
    return call


def acts_locally(call: Callable[..., Any]) -> bool:
    return getattr(call, "acts_locally", False)


def only_reads(call: Callable[..., Any]) -> bool:
    """Whether a host call changes nothing, whatever it is given."""
    return getattr(call, "only_reads", False)


def may_differ(call: Callable[..., Any]) -> bool:
    """Whether the type of a host call's result was found by examples: it raises ResultDiffers where it has another one."""
    return getattr(call, "may_differ", False)
