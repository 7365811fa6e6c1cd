"""Recursion that the data ends: a recursive call inside a trace goes through a compiled function of its own."""

from __future__ import annotations

import types
import weakref
from typing import Any

from autograph_jit.runtime.conversion import convert
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.staging.expressions.calls import call
from autograph_jit.staging.expressions.closures import Shape, rebuilt
from autograph_jit.staging.expressions.variables import converted
from autograph_jit.staging.values import Protocol

_local: weakref.WeakValueDictionary[Shape, CompiledFunction] = weakref.WeakValueDictionary()
_compiled: weakref.WeakValueDictionary[types.CodeType, CompiledFunction] = weakref.WeakValueDictionary()
# A result whose type the data decide is an object, which a tape cannot follow out of compiled code: there the recursion is Python's.
OPTIONS = {"static_argnames": (), "fallback": "error", "device": None, "recorded_in_python": True}


def compile_again(function: types.FunctionType) -> CompiledFunction:
    """The compiled form of a recursive function, one for each code object."""
    found = _compiled.get(function.__code__)
    if found is None:
        found = _compiled[function.__code__] = CompiledFunction(function, convert, dict(OPTIONS))
    return found


def compile_local(shape: Shape, names: dict[int, dict[str, Any]]) -> CompiledFunction:
    """The compiled form of a local function with what it captures as an argument, one for each shape."""
    found = _local.get(shape)
    if found is None:
        recurses = frozenset({("recursive", shape.functions[0].code)})
        found = _local[shape] = CompiledFunction(with_captured(shape, names), lambda function: function, dict(OPTIONS), recurses)
    return found


def with_captured(shape: Shape, names: dict[int, dict[str, Any]]) -> Any:
    """The function of a shape, with the leaves as its first argument; where it assigns variables, their contents follow its result."""

    def run(leaves: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        function, cells = rebuilt(shape, names, leaves)
        for other in (function, *(cell.cell_contents for cell, (kind, _) in zip(cells, shape.contents) if kind == "function")):
            converted(other)
        result = call(function, args, kwargs)
        if not shape.assigned:
            return result
        return (result, *(cells[number].cell_contents for number in shape.assigned))

    run.__name__ = run.__qualname__ = shape.functions[0].code.co_name
    return run


Protocol.compile_again, Protocol.compile_local = compile_again, compile_local
