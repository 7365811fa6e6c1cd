"""Checks, exceptions, calls back into Python, and what counts how often a program does something."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def run_check(ok: Any, *payload: Any, error: ErrorSpec, known: bool = False) -> tuple[()]:
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


def run_raise(*operands: Any, error: ErrorSpec | None = None, kind: Any = None, known: bool = False) -> Any:
    """Raise the exception object, which is of a class where `kind` is given, or the error built of the payload."""
    raise operands[0] if error is None else error.build(operands)


def run_host_call(*values: Any, fn: Any, label: str = "", results: Any = (), pure: bool = False, **ignored: Any) -> Any:
    """Call the Python function; it returns a tuple, one value for each result."""
    return fn(*values)


def infer_tally(types: Types, attributes: Attributes) -> Types:
    """Nothing, to count this place or the calls of a function, or the bounds of a counted loop, to count its trips."""
    if types not in ((), (I64, I64, I64)):
        raise GraphError("tally takes nothing, or the start, stop and step of a loop")
    return ()


def infer_host_calls(types: Types, attributes: Attributes) -> Types:
    """An int."""
    if types:
        raise GraphError("host_calls takes nothing")
    return (I64,)


def infer_ask_to_leave(types: Types, attributes: Attributes) -> Types:
    """The iterations with this one, the calls at which it is asked next, and whether the loop goes on."""
    if types != (I64,) * 4:
        raise GraphError("ask_to_leave takes iterations, the calls at which it asks, those before the loop, and the length of the loop")
    return (I64, I64, BOOL)


def run_ask_to_leave(iterations: Any, asks_at: Any, before: Any, length: Any, *, fn: Any) -> tuple[Any, Any, Any]:
    """Only compiled programs count calls, and ask."""
    return iterations + np.int64(1), asks_at, np.bool_(True)


def ask(fn: Any, iterations: Any, asks_at: Any, length: Any) -> tuple[Any, Any, Any]:
    """The results where it is time to ask `fn` whether Python takes over the loop, of which so many iterations are left. Where it does, 0
    stands in the place of the calls at which it is asked next."""
    if fn(max(int(length - iterations - 1), 0)):
        return iterations + 1, np.int64(0), np.bool_(False)
    return iterations + 1, 2 * asks_at, np.bool_(True)


def define_effect(name: str, infer: Any, eager: Any, effect: Effect, fails: Any = None) -> OpDef:
    """Define an operation that each backend and the differentiation know."""
    kind = Structured()
    return define_op(name, infer=infer, eager=eager, kernel=kind, effect=effect, may_fail=True, fails=fails, derivative=BY_STRUCTURE)


def host_call_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the Python function may raise."""
    return bool(attributes.get("fails", True))


check = define_effect("check", infer_check, run_check, Effect.CONTROL)
raise_ = define_effect("raise_", infer_raise, run_raise, Effect.CONTROL)
host_call = define_effect("host_call", lambda types, attributes: tuple(attributes["results"]), run_host_call, Effect.HOST, host_call_fails)
tally = define_op("tally", infer=infer_tally, eager=lambda *bounds, number, callee=None: (), effect=Effect.CONTROL, derivative=FLAT)
host_calls = define_op("host_calls", infer=infer_host_calls, eager=lambda: np.int64(0), effect=Effect.CONTROL, derivative=FLAT)
ask_to_leave = define_op(
    "ask_to_leave", infer=infer_ask_to_leave, eager=run_ask_to_leave, effect=Effect.CONTROL, may_fail=True, derivative=FLAT
)
