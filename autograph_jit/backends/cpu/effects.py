"""Checks and exceptions."""

from __future__ import annotations

from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.host import call_python
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.values import Emitted, dtype_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ScalarType


@rule("check")
def emit_check(e: Emitter, operation: Operation) -> list[Emitted]:
    spec, ok = operation.attributes["error"], e.get(operation.operands[0])
    payload = operation.operands[1:]
    if all(isinstance(value.type, ScalarType) for value in payload):
        e.guard(ok, lambda *numbers: spec.build(numbers), *((e.get(value), dtype_of(value)) for value in payload))
        return []
    failing, passed = e.block("fails"), e.block("ok")
    e.b.cbranch(ok, passed, failing)
    e.b.position_at_end(failing)
    raise_in_python(e, operation)
    e.b.position_at_end(passed)
    return []


@rule("raise_")
def emit_raise(e: Emitter, operation: Operation) -> list[Emitted]:
    spec = operation.attributes.get("error")
    if spec is not None and all(isinstance(value.type, ScalarType) for value in operation.operands):
        e.fail(lambda *numbers: spec.build(numbers), *((e.get(value), dtype_of(value)) for value in operation.operands))
    else:
        raise_in_python(e, operation)
    return []


def raise_in_python(e: Emitter, operation: Operation) -> None:
    """Let the operation's eager rule raise, for messages with objects; ends the block."""
    attributes, eager = dict(operation.attributes), operation.opdef.eager
    call_python(e, operation, lambda *objects: eager(*objects, **attributes), operation.name)
    e.leave(PENDING)
