"""Numbers asked of an object whose class says in Python what they are: `float(x)`, `int(x)`, `math.floor(x)`, `items[x]`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.containers.own_methods import call_rule
from autograph_jit.tracing.expressions.calls import BUILTINS, native
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.operator_methods import special_method, written_by
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language

ASKED: dict[Any, tuple[str, ...]] = {
    float: ("__float__", "__index__"),
    int: ("__int__", "__index__", "__trunc__"),
    complex: ("__complex__", "__float__", "__index__"),
    math.floor: ("__floor__", "__float__"),
    math.ceil: ("__ceil__", "__float__"),
    math.trunc: ("__trunc__",),
    operator.index: ("__index__",),
}
OF_INTS = ("gcd", "lcm", "factorial", "comb", "perm", "isqrt")


def answered(function: Any, names: tuple[str, ...], rule: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of a builtin that asks the class of its first argument before anything else."""

    acts_for_program(rule)

    def asking(*args: Any, **named: Any) -> Any:
        if named or not args:
            return native(function, args, named)
        method = special_method(args[0], names) if len(args) == 1 else None
        if method is None:
            return call_rule(rule, function, args, {})
        found = language.call(method, args, None)
        return rule(found) if method.__name__ != names[0] else found

    return asking


def of_numbers(function: Any, rule: Callable[..., Any], kind: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of a function of the math module: objects stand for their floats, or for ints, as `kind` finds them."""

    acts_for_program(rule)
    names = ASKED[kind][:1]

    def taking(*args: Any, **kwargs: Any) -> Any:
        numbers = tuple(language.call(kind, (x,), None) if special_method(x, names) else x for x in args)
        return call_rule(rule, function, numbers, kwargs)

    return taking


def written(function: Any, rule: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of `str` or `repr`."""

    def writing(*args: Any, **kwargs: Any) -> Any:
        method = written_by(args[0], function) if len(args) == 1 and not kwargs else None
        return rule(*args, **kwargs) if method is None else call_method_for_text(method, args[0])

    return writing


def call_method_for_text(method: Any, x: Any) -> Any:
    """What a method of the user's gives for `str(x)` or `repr(x)`."""
    found, name = language.call(method, (x,), None), method.__name__
    return found if isinstance(found, (str, Text)) else host_object(expect_str, found, name, label=name, python_type=str, pure=True)


def expect_str(x: Any, name: str) -> str:
    """What a method gave, which has to be a str."""
    if not isinstance(x, str):
        raise TypeError(f"{name} returned non-string (type {type(x).__name__})")
    return x


for _function in (str, repr):
    BUILTINS[_function] = written(_function, BUILTINS[_function])
for _function in vars(math).values():
    if callable(_function) and _function in BUILTINS and _function not in ASKED:
        _kind = operator.index if _function.__name__ in OF_INTS else float
        BUILTINS[_function] = of_numbers(_function, BUILTINS[_function], _kind)
for _function, _names in ASKED.items():
    BUILTINS[_function] = answered(_function, _names, BUILTINS.get(_function, _function))
BUILTINS[operator.call] = lambda function, *args, **kwargs: language.call(function, args, kwargs)
