"""Joins the converter and the operators: a function converted for tracing, once."""

from __future__ import annotations

import functools
import types
from typing import Any

from autograph_jit import budget
from autograph_jit.converters.pipeline import convert_function, convert_generator
from autograph_jit.library.namespace import operators_namespace
from autograph_jit.tracing.control import generators
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.plain import operators as plain


def convert(function: Any) -> Any:
    """The converted function; bound methods, partials and callable objects keep what they are bound to."""
    if isinstance(function, types.MethodType):
        return types.MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    if isinstance(function, types.FunctionType):
        note_reached(function)
        return convert_function(function, operators_namespace)
    return function


def convert_lazy(function: types.FunctionType, by_with: bool) -> types.FunctionType | None:
    """The consumable form of a generator function, where it has one."""
    note_reached(function)
    return convert_generator(function, operators_namespace, by_with)


def note_reached(function: types.FunctionType) -> None:
    """The compilation under way depends on a function's source."""
    compilation = budget.current()
    if compilation is not None:
        compilation.reached.add((str(function.__module__), function.__code__.co_filename, function.__code__.co_qualname))


calls.converter = convert
generators.converter = convert_lazy
plain.set_converter(convert)
