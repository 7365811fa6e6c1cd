"""Python's ints: 64-bit arithmetic that fails instead of wrapping, unchecked where ranges prove that it cannot wrap."""

from __future__ import annotations

import platform

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import cast
from autograph_jit.backends.cpu.control.deferral import branch_that_implies
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.errors import LoweringError
from autograph_jit.ir.graph import Operation
from autograph_jit.ops.elementwise import OVERFLOW_MESSAGE, truncate_to_pyint

I64_DTYPE, F64_DTYPE = np.dtype(np.int64), np.dtype(np.float64)
LOWEST = -(2**63)
PAIR = ir.VectorType(ir.DoubleType(), 2)
IS_X86 = platform.machine().lower() in ("x86_64", "amd64")

INSTRUCTIONS = {"pyint_add": ("add", "sadd"), "pyint_subtract": ("sub", "ssub"), "pyint_multiply": ("mul", "smul")}
FOLDS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y}


@rule("pyint_add", "pyint_subtract", "pyint_multiply")
def emit_checked(e: Emitter, operation: Operation) -> list[Emitted]:
    plain, checked = INSTRUCTIONS[operation.name]
    x, y = (e.get(value) for value in operation.operands)
    first, second = constant_of(x), constant_of(y)
    if first is not None and second is not None and -(2**63) <= FOLDS[plain](first, second) < 2**63:
        return [e.integer(FOLDS[plain](first, second))]
    if operation in e.assured or e.ranges.cannot_overflow(operation):
        return [getattr(e.b, plain)(x, y, flags=["nsw"] if e.afterwards is None else [])]
    if plain == "mul" and second is not None:
        return [emit_scaled(e, x, second)]
    if plain == "mul" and first is not None:
        return [emit_scaled(e, y, first)]
    pair = getattr(e.b, f"{checked}_with_overflow")(x, y)
    e.guard(e.b.not_(e.b.extract_value(pair, 1)), lambda: OverflowError(OVERFLOW_MESSAGE))
    result = e.b.extract_value(pair, 0)
    if plain == "mul" and x is y and e.afterwards is None:
        e.intrinsic("llvm.assume", ir.VoidType(), e.compare(">=", result, I64(0)))
    return [result]


def emit_scaled(e: Emitter, x: ir.Value, factor: int) -> ir.Value:
    """A product with a literal: the operand is compared, not the product, so that nothing waits for the comparison."""
    if factor not in (0, 1):
        lowest, highest = (-(2**63), 2**63 - 1) if factor > 0 else (2**63 - 1, -(2**63))
        low, high = -(-lowest // factor), min(highest // factor, 2**63 - 1)
        inside = e.b.icmp_unsigned("<=", e.b.sub(x, e.integer(low)), e.integer(high - low))
        e.guard(inside, lambda: OverflowError(OVERFLOW_MESSAGE))
    return e.b.mul(x, e.integer(factor), flags=["nsw"] if e.afterwards is None else [])


@rule("pyint_truncate")
def emit_truncated(e: Emitter, operation: Operation) -> list[Emitted]:
    """One comparison: what does not fit, nan included, converts to the lowest number, which itself is not allowed."""
    number = e.get(operation.operands[0])
    if e.afterwards is not None:
        return [truncated_while_waiting(e, operation, number)]
    converted = truncated(e, number)

    def check() -> None:
        e.operation = operation
        e.guard(e.compare("!=", converted, e.integer(LOWEST)), conversion_error, (number, F64_DTYPE))

    branch = branch_that_implies(e, operation)
    if branch is None:
        check()
    else:
        e.deferred.setdefault(branch, []).append(check)
    return [converted]


def truncated(e: Emitter, number: ir.Value) -> ir.Value:
    """A float64 as an int64, the lowest one where it does not fit."""
    if IS_X86:
        vector = e.b.insert_element(ir.Constant(PAIR, ir.Undefined), number, I32(0))
        return e.intrinsic("llvm.x86.sse2.cvttsd2si64", I64, vector)
    return cast(e, number, F64_DTYPE, I64_DTYPE)


def truncated_while_waiting(e: Emitter, operation: Operation, number: ir.Value) -> ir.Value:
    """For a loop without jumps, with the checks behind that ask for a range: where LLVM makes vectors of the loop, by comparisons and the
    conversion that it knows, 0 for what is outside; else all results of one range are joined bit by bit and looked at behind the loop."""
    low, high = e.afterwards.range_of(operation)
    if not e.afterwards.in_vectors and IS_X86:
        converted = truncated(e, number)
        if low == 0 and high & (high + 1) == 0:
            e.afterwards.join(e, converted, high)
        else:
            e.guard(e.compare("!=", converted, e.integer(LOWEST)), conversion_error, (number, F64_DTYPE))
            e.guard(e.b.icmp_unsigned("<=", e.b.sub(converted, e.integer(low)), e.integer(high - low)), conversion_error)
        return converted
    above = ("fcmp_ordered", ">=", float(low)) if low == LOWEST else ("fcmp_ordered", ">", float(low - 1))
    first, last = (ir.Constant(ir.DoubleType(), end) for end in (above[2], float(high + 1)))
    fits = e.b.and_(e.b.fcmp_ordered(above[1], number, first), e.b.fcmp_ordered("<", number, last))
    e.guard(fits, conversion_error, (number, F64_DTYPE))
    return e.b.fptosi(e.b.select(fits, number, ir.Constant(ir.DoubleType(), 0.0)), I64)


def conversion_error(number: np.float64) -> Exception:
    """The exception of `int(number)`, by Python itself; a number that is only too large for 64 bits is compiled code's."""
    try:
        truncate_to_pyint(number)
    except (OverflowError, ValueError) as error:
        return error
    raise LoweringError(f"{number!r} fits an int")
