"""Run-time checks: a condition that must hold, with the exception that Python would raise."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph_jit.errors import NONE_IS_NO_OPERAND
from autograph_jit.ir.graph import Value
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import BOOL
from autograph_jit.tracing.values.abstract import Maybe, Protocol, Staged, StagedScalar, Undefined
from autograph_jit.tracing.values.trace import active, constant, emit


def check(good: Value, exception: type[Exception], template: str, *payload: Value) -> None:
    """Fail with `exception(template.format(*payload))` where `good` is false."""
    assert good.type == BOOL
    emit("check", good, *payload, error=ErrorSpec(exception, template))


def is_constant(value: Value) -> bool:
    """Whether the value is known while tracing."""
    return getattr(value.owner, "name", "") == "constant"


def constant_value(value: Value) -> Any:
    """The NumPy scalar of a constant."""
    return value.owner.attributes["value"]  # type: ignore[union-attr]


def nonzero(value: Value) -> Value:
    """`value != 0` as b1."""
    return emit("not_equal", value, constant(value.type.dtype.type(0))).result  # type: ignore[union-attr]


def content_of(x: Any, exception: type[Exception] = TypeError, message: str = "") -> Any:
    """The content of a value that may be absent; using an absent one raises what Python would: for None, `exception(message)`."""
    if not isinstance(x, Maybe):
        return x
    if active().facts.get(x.present.value):
        return x.content
    if isinstance(x.absent, Undefined):
        check(x.present.value, UnboundLocalError, unbound_message(x.absent.name))
    else:
        check(x.present.value, exception, (message or NONE_IS_NO_OPERAND).replace("{", "{{").replace("}", "}}"))
    return x.content


def settle(x: Any) -> Any:
    """A value that may be absent, as what it is where the conditions around decide it."""
    if not isinstance(x, Maybe):
        return x
    known = active().facts.get(x.present.value)
    return x if known is None else x.content if known else x.absent


def unbound_message(name: str) -> str:
    """Python's text for a local that is read before it is assigned."""
    return f"cannot access local variable '{name}' where it is not associated with a value"


def staged_not(x: StagedScalar) -> StagedScalar:
    """The negation of a staged Python bool."""
    return StagedScalar(emit("logical_not", x.value).result, True)


Protocol.content_of = content_of
Protocol.check = check


def as_number(x: Any) -> Any:
    """The int that an instance of a user's class stands for, by its own `__index__`, which is traced; anything else as it is."""
    method = getattr(type(x), "__index__", None)
    return Protocol.call(method, (x,), None) if isinstance(method, FunctionType) and not isinstance(x, (Staged, Maybe)) else x
