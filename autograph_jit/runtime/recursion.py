"""Recursion that the data ends: a recursive call inside a trace goes through a compiled function of its own."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from autograph_jit import budget
from autograph_jit.errors import ConversionError
from autograph_jit.runtime.conversion import convert
from autograph_jit.runtime.dispatch import CompiledFunction, Specialization
from autograph_jit.runtime.settings import fallback_here
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.containers.outside import OPEN_CONTAINERS
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.expressions.variables import converted
from autograph_jit.tracing.functions import recursion
from autograph_jit.tracing.functions.closures import Shape, rebuilt
from autograph_jit.weak import WeakValues

# A result whose type the data decide is an object, which a tape cannot follow out of compiled code: there the recursion is Python's.
OPTIONS = {"static_argnames": (), "device": None, "recorded_in_python": True}
MOST_FORMS = 2


class RecursiveFunction(CompiledFunction):
    """A function that calls itself when it runs. Lists and dicts that grow and shrink from level to level would need a program for each
    of their lengths: after a few programs they are objects of the run. What cannot be compiled runs in Python, or raises,
    as the function that recurses was told to."""

    def trace(self, arguments: Args, initial: frozenset[Any] = frozenset()) -> Specialization:
        """A program for these arguments; one for containers of any content, where there are several programs already."""
        if len(self.specializations) >= MOST_FORMS:
            with contextlib.suppress(ConversionError):
                return super().trace(arguments, initial | {OPEN_CONTAINERS})
        return super().trace(arguments, initial)


Forms = WeakValues[tuple[Any, str], RecursiveFunction]  # by the function and what its `fallback` is
_local, _compiled = Forms(), Forms()


def options() -> dict[str, Any]:
    """The options of a level, those of the function that is being traced."""
    compilation = budget.current()
    limits = {} if compilation is None else {"compile_seconds": compilation.seconds, "goes_on": compilation.goes_on}
    return {**OPTIONS, "fallback": fallback_here.get(), **limits}


def with_account(function: RecursiveFunction) -> RecursiveFunction:
    """The levels of a recursion are compilations of the function that is being traced: they spend of the same budget."""
    compilation = budget.current()
    if compilation is not None:
        function.account = compilation.account
    return function


def compile_again(function: types.FunctionType) -> RecursiveFunction:
    """The compiled form of a recursive function, one for each code object."""
    key = function.__code__, fallback_here.get()
    found = _compiled.get(key)
    if found is None:
        found = with_account(RecursiveFunction(function, convert, options()))
        _compiled[key] = found
    return found


def compile_local(shape: Shape, names: dict[int, dict[str, Any]]) -> RecursiveFunction:
    """The compiled form of a local function with what it captures as an argument, one for each shape."""
    key = shape, fallback_here.get()
    found = _local.get(key)
    if found is None:
        recurses = frozenset({("recursive", shape.functions[0].code)})
        found = with_account(RecursiveFunction(with_captured(shape, names), lambda function: function, options(), recurses))
        _local[key] = found
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


recursion.compiler = recursion.Compiler(compile_again, compile_local)
