"""Recursion that the data ends: a recursive call inside a trace goes through a compiled function of its own."""

from __future__ import annotations

import types
import weakref

from autograph_jit.runtime.conversion import convert
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.staging.values import Protocol

_compiled: weakref.WeakValueDictionary[types.CodeType, CompiledFunction] = weakref.WeakValueDictionary()
OPTIONS = {"static_argnames": (), "fallback": "error", "device": None}


def compile_again(function: types.FunctionType) -> CompiledFunction:
    """The compiled form of a recursive function, one for each code object."""
    found = _compiled.get(function.__code__)
    if found is None:
        found = _compiled[function.__code__] = CompiledFunction(function, convert, dict(OPTIONS))
    return found


Protocol.compile_again = compile_again
