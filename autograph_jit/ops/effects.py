"""Checks, exceptions, calls back into Python, and what counts how often a program does something."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE, FLAT
from autograph_jit.ir.opdef import Attributes, Effect, ErrorSpec, OpDef, Structured
from autograph_jit.ir.types import BOOL, I64, ObjectType, ScalarType
from autograph_jit.ops.inference import Types, expect_type
from autograph_jit.ops.registry import define_op


def expect_payload(name: str, types: Types) -> None:
    """Refuse payload other than scalars and objects."""
    for type in types:
        if not isinstance(type, ScalarType | ObjectType):
            raise GraphError(f"{name} takes scalars and objects as payload, not {type}")


def infer_check(types: Types, attributes: Attributes) -> Types:
    """A bool, then what the message names."""
    if not types:
        raise GraphError("check takes a bool")
    expect_type("check", types[0], BOOL)
    expect_payload("check", types[1:])
    return ()


def run_check(ok: Any, *payload: Any, error: ErrorSpec) -> tuple[()]:
    """Raise the error unless `ok`."""
    if not ok:
        raise error.build(payload)
    return ()


def infer_raise(types: Types, attributes: Attributes) -> Types:
    """One exception object, or the payload of the error."""
    if attributes.get("error") is None:
        if len(types) != 1 or not isinstance(types[0], ObjectType):
            raise GraphError("raise_ without an error takes one exception object")
    expect_payload("raise_", types)
    return ()


def run_raise(*operands: Any, error: ErrorSpec | None = None) -> Any:
    """Raise the exception object, or the error built of the payload."""
    raise operands[0] if error is None else error.build(operands)


def infer_host_call(types: Types, attributes: Attributes) -> Types:
    """The types that the attribute `results` states."""
    return tuple(attributes["results"])


def run_host_call(*values: Any, fn: Any, label: str = "", results: Any = (), pure: bool = False, **ignored: Any) -> Any:
    """Call the Python function; it returns a tuple, one value for each result."""
    return fn(*values)


def infer_tally(types: Types, attributes: Attributes) -> Types:
    """Nothing, to count this place, or the bounds of a counted loop, to count its trips."""
    if types not in ((), (I64, I64, I64)):
        raise GraphError("tally takes nothing, or the start, stop and step of a loop")
    return ()


def run_tally(*bounds: Any, number: int) -> tuple[()]:
    """Only compiled programs count."""
    return ()


def define_effect(name: str, infer: Any, eager: Any, effect: Effect, fails: Any = None) -> OpDef:
    """Define an operation that each backend and the differentiation know."""
    kind = Structured()
    return define_op(name, infer=infer, eager=eager, kernel=kind, effect=effect, may_fail=True, fails=fails, derivative=BY_STRUCTURE)


def host_call_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the Python function may raise."""
    return bool(attributes.get("fails", True))


check = define_effect("check", infer_check, run_check, Effect.CONTROL)
raise_ = define_effect("raise_", infer_raise, run_raise, Effect.CONTROL)
host_call = define_effect("host_call", infer_host_call, run_host_call, Effect.HOST, host_call_fails)
tally = define_op(
    "tally", infer=infer_tally, eager=run_tally, kernel=Structured(), effect=Effect.CONTROL, may_fail=False, derivative=FLAT
)
