"""Joins the converter and the operators: a function converted for staging, once."""

from __future__ import annotations

import functools
import types
from typing import Any

from autograph_jit.converters.pipeline import convert_function, convert_generator
from autograph_jit.staging.control import generators
from autograph_jit.staging.expressions import calls
from autograph_jit.staging.namespace import operators_namespace
from autograph_jit.staging.plain import operators as plain


def convert(function: Any) -> Any:
    """The converted function; bound methods, partials and callable objects keep what they are bound to."""
    if isinstance(function, types.MethodType):
        return types.MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    if isinstance(function, types.FunctionType):
        return convert_function(function, operators_namespace)
    return function


calls.converter = convert
generators.converter = lambda function, by_with: convert_generator(function, operators_namespace, by_with)
plain.set_converter(convert)
