"""Numbers asked of an object whose class says in Python what they are: `float(x)`, `int(x)`, `math.floor(x)`, `items[x]`."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph_jit.tracing.containers.own_methods import call_rule
from autograph_jit.tracing.expressions.calls import BUILTINS, native
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.values.abstract import OfTheRun
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language

ASKED: dict[Any, tuple[str, ...]] = {
    float: ("__float__", "__index__"),
    int: ("__int__", "__index__", "__trunc__"),
    complex: ("__complex__", "__float__", "__index__"),
    math.floor: ("__floor__", "__float__"),
    math.ceil: ("__ceil__", "__float__"),
    math.trunc: ("__trunc__",),
}


def special_method(x: Any, names: tuple[str, ...]) -> FunctionType | None:
    """The first of these methods that the class of `x` defines in Python, outside of libraries."""
    if isinstance(x, (OfTheRun, int, float, complex, str)):
        return None
    methods = (getattr(type(x), name, None) for name in names)
    return next((method for method in methods if isinstance(method, FunctionType) and not is_library(method)), None)


def answered(function: Any, names: tuple[str, ...], rule: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of a builtin that asks the class of its first argument before anything else."""

    acts_for_program(rule)

    def asking(x: Any = 0, *rest: Any, **named: Any) -> Any:
        if named:
            return native(function, (x, *rest), named)
        method = special_method(x, names) if not rest else None
        if method is None:
            return call_rule(rule, function, (x, *rest), {})
        found = language.call(method, (x,), None)
        return rule(found) if method.__name__ != names[0] else found

    return asking


def of_numbers(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of a function of the math module: objects stand for their floats."""

    acts_for_program(rule)

    def taking(*args: Any, **kwargs: Any) -> Any:
        return rule(*(language.call(float, (x,), None) if special_method(x, ("__float__",)) else x for x in args), **kwargs)

    return taking


for _function in vars(math).values():
    if callable(_function) and _function in BUILTINS and _function not in ASKED:
        BUILTINS[_function] = of_numbers(BUILTINS[_function])
for _function, _names in ASKED.items():
    BUILTINS[_function] = answered(_function, _names, BUILTINS.get(_function, _function))
