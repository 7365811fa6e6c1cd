"""Python's ints: 64-bit arithmetic that fails instead of wrapping, unchecked where ranges prove that it cannot wrap."""

from __future__ import annotations

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ops.elementwise import OVERFLOW_MESSAGE

INSTRUCTIONS = {"pyint_add": ("add", "sadd"), "pyint_subtract": ("sub", "ssub"), "pyint_multiply": ("mul", "smul")}
FOLDS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y}


@rule("pyint_add", "pyint_subtract", "pyint_multiply")
def emit_checked(e: Emitter, operation: Operation) -> list[Emitted]:
    plain, checked = INSTRUCTIONS[operation.name]
    x, y = (e.get(value) for value in operation.operands)
    first, second = constant_of(x), constant_of(y)
    if first is not None and second is not None and -(2**63) <= FOLDS[plain](first, second) < 2**63:
        return [e.integer(FOLDS[plain](first, second))]
    if e.ranges.cannot_overflow(operation):
        return [getattr(e.b, plain)(x, y, flags=["nsw"])]
    pair = getattr(e.b, f"{checked}_with_overflow")(x, y)
    e.guard(e.b.not_(e.b.extract_value(pair, 1)), lambda: OverflowError(OVERFLOW_MESSAGE))
    return [e.b.extract_value(pair, 0)]
