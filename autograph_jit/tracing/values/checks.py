"""Run-time checks: a condition that must hold, with the exception that Python would raise."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.values.abstract import Maybe, StagedScalar, Undecided, is_staged
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, constant, emit


def is_constant(value: Value) -> bool:
    """Whether the value is known while tracing."""
    return getattr(value.owner, "name", "") == "constant"


def constant_value(value: Value) -> Any:
    """The NumPy scalar of a constant."""
    return value.owner.attributes["value"]  # type: ignore[union-attr]


def nonzero(value: Value) -> Value:
    """`value != 0` as b1."""
    return emit("not_equal", value, constant(value.type.dtype.type(0))).result  # type: ignore[union-attr]


def settle_presence(x: Any) -> Any:
    """A value that may be absent, as what it is where the conditions around decide it."""
    if not isinstance(x, Maybe):
        return x
    known = active().facts.get(x.present.value)
    return x if known is None else settle_presence(x.content) if known else x.absent


def settle(x: Any) -> Any:
    """The same; one of several things, which is there, as that which it is where the conditions around decide it."""
    x = settle_presence(x)
    if isinstance(x, Undecided) and not isinstance(x, (Maybe, StagedScalar)):
        cases = x.__cases__()
        return cases[0][1]() if len(cases) == 1 else x
    return x


def staged_not(x: StagedScalar) -> StagedScalar:
    """The negation of a staged Python bool."""
    return StagedScalar(emit("logical_not", x.value).result, True)


def as_number(x: Any) -> Any:
    """The int that an instance of a user's class stands for, by its own `__index__`, which is traced; anything else as it is."""
    method = getattr(type(x), "__index__", None)
    return language.call(method, (x,), None) if isinstance(method, FunctionType) and not is_staged(x) else x


def with_numbers(key: Any) -> Any:
    """A subscript with ints for the instances of user's classes that stand for some."""
    if isinstance(key, slice):
        return slice(*map(with_numbers, (key.start, key.stop, key.step)))
    return as_number(key)
