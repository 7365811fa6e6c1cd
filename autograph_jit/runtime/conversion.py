"""Joins the converter and the operators: a function converted for tracing, once."""

from __future__ import annotations

import functools
import types
from typing import Any

from autograph_jit import budget
from autograph_jit.converters.pipeline import USUAL, Form, convert_function, convert_generator, convert_resumable
from autograph_jit.library.namespace import operators_namespace
from autograph_jit.tracing.control import generators, kept_generators
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.values.trace import MADE_BY_OPERATORS, current


def convert(function: Any) -> Any:
    """The converted function; bound methods, partials and callable objects keep what they are bound to."""
    if isinstance(function, types.MethodType):
        return types.MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    if isinstance(function, types.FunctionType):
        note_reached(function)
        return convert_function(function, operators_namespace, form_of(function))
    return function


def form_of(function: types.FunctionType) -> Form:
    """In which form the trace under way wants a function, with variables of it, and of those inside it, in cells."""
    trace, code = current(), function.__code__
    if trace is None:
        return USUAL
    found = trace.definitions.in_cells
    inside = frozenset(each for each in found if each[0] == code.co_filename and each[1] >= code.co_firstlineno) if found else found
    return Form(inside, MADE_BY_OPERATORS in trace.decisions)


def convert_lazy(function: types.FunctionType, by_with: bool) -> types.FunctionType | None:
    """The consumable form of a generator function, where it has one."""
    note_reached(function)
    return convert_generator(function, operators_namespace, by_with)


def convert_kept(function: types.FunctionType) -> Any:
    """The functions that begin and advance the generators of a function, where they can be kept."""
    note_reached(function)
    return convert_resumable(function, operators_namespace)


def note_reached(function: types.FunctionType) -> None:
    """The compilation under way depends on a function's source."""
    compilation = budget.current()
    if compilation is not None:
        compilation.reached.add((str(function.__module__), function.__code__.co_filename, function.__code__.co_qualname))


calls.converter = convert
generators.converter = convert_lazy
kept_generators.converter = convert_kept
plain.set_converter(convert)
