"""Scalar operations on lanes: sums of progressions stay progressions, ints fail where they leave 64 bits, the rest are expressions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.integers import INSTRUCTIONS
from autograph_jit.backends.cpu.arithmetic.scalars import emit_node, floor_division
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.scalar import Expr, in_order
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.kernels.fusion import scalar_expression
from autograph_jit.kernels.invariants import DIVISIONS

I64_DTYPE = np.dtype(np.int64)
SUMS = {"add": "add", "pyint_add": "add", "subtract": "sub", "pyint_subtract": "sub", "multiply": "mul", "pyint_multiply": "mul"}
LIMIT = 2**31  # factors below it have a product of 64 bits


def emit_scalar(lanes: Lanes, operation: Operation) -> Emitted:
    """The result of an operation on numbers of which some vary."""
    e = lanes.e
    numbers = [e.get(value) for value in operation.operands]
    if operation.name in SUMS and operation.result.type == I64_TYPE and Progression in map(type, numbers):
        found = sum_of_progressions(lanes, operation, *numbers)
        if found is not None:
            return found
    if operation.name in INSTRUCTIONS:
        return checked_sum(lanes, operation)
    if operation.name == "pyint_truncate":
        return truncated(lanes, operation)
    if operation.name in DIVISIONS and isinstance(numbers[0], Progression) and not is_varying(numbers[1]):
        return divided_progression(lanes, operation.name, *numbers)
    expression, values = scalar_expression(operation)
    return evaluate(lanes, expression, [lanes.spread(e.get(value)) for value in values])


def is_varying(emitted: Emitted) -> bool:
    return isinstance(emitted, Progression) or isinstance(emitted.type, ir.VectorType)


def evaluate(lanes: Lanes, expression: Expr, operands: list[ir.Value]) -> ir.Value:
    """An expression in all lanes; calls are made lane by lane."""
    done: dict[int, ir.Value] = {}
    for node in in_order(expression):
        args = [done[id(arg)] for arg in node.args]
        if node.op == "operand":
            done[id(node)] = operands[node.value]
        elif node.op == "const":
            done[id(node)] = lanes.constant(node.value, node.dtype)
        elif node.op == "call":
            done[id(node)] = call_each(lanes, node, args)
        else:
            done[id(node)] = emit_node(lanes.e, node, args)
    return done[id(expression)]


def call_each(lanes: Lanes, node: Expr, args: list[ir.Value]) -> ir.Value:
    b = lanes.e.b
    result: ir.Value = ir.Constant(lanes.type_of(node.dtype), ir.Undefined)
    for lane in range(lanes.width):
        number = emit_node(lanes.e, node, [b.extract_element(arg, I32(lane)) for arg in args])
        result = b.insert_element(result, number, I32(lane))
    return result


def sum_of_progressions(lanes: Lanes, operation: Operation, x: Emitted, y: Emitted) -> Progression | None:
    """A sum with a progression, or a multiple of one; None where it is neither."""
    e, name = lanes.e, SUMS[operation.name]
    if any(not isinstance(number, Progression) and is_varying(number) for number in (x, y)):
        return None
    if name == "mul":
        if isinstance(x, Progression) and isinstance(y, Progression):
            return None
        progression, factor = (x, y) if isinstance(x, Progression) else (y, x)
        check_ends(lanes, operation, "smul", progression, Progression(factor, I64(0)))
        return Progression(e.mul(progression.base, factor), e.mul(progression.step, factor))
    first, second = (number if isinstance(number, Progression) else Progression(number, I64(0)) for number in (x, y))
    check_ends(lanes, operation, f"s{name}", first, second)
    each: Callable[[ir.Value, ir.Value], ir.Value] = e.add if name == "add" else e.sub
    return Progression(each(first.base, second.base), each(first.step, second.step))


def check_ends(lanes: Lanes, operation: Operation, instruction: str, x: Progression, y: Progression) -> None:
    """Fail where the first or the last of the results leaves 64 bits: the others lie between them."""
    e = lanes.e
    if operation.name not in INSTRUCTIONS or operation in e.assured or e.ranges.cannot_overflow(operation):
        return
    for p, q in ((x.base, y.base), (lanes.last(x), lanes.last(y))):
        pair = getattr(e.b, f"{instruction}_with_overflow")(p, q)
        lanes.require_all(e.b.not_(e.b.extract_value(pair, 1)))


def checked_sum(lanes: Lanes, operation: Operation) -> ir.Value:
    """A sum, difference or product of Python's ints."""
    e, b = lanes.e, lanes.e.b
    x, y = (lanes.vector(value) for value in operation.operands)
    plain, _ = INSTRUCTIONS[operation.name]
    result = getattr(b, plain)(x, y)
    if operation in e.assured or e.ranges.cannot_overflow(operation):
        return result
    if plain == "mul":
        small = [b.icmp_unsigned("<", b.add(factor, factor.type(LIMIT)), factor.type(2 * LIMIT)) for factor in (x, y)]
        lanes.require(b.and_(*small))
    else:
        signs = b.and_(b.xor(x, result), b.xor(y, result) if plain == "add" else b.xor(x, y))
        lanes.require(b.icmp_signed(">=", signs, signs.type(0)))
    return result


def truncated(lanes: Lanes, operation: Operation) -> ir.Value:
    """`int(x)`; it fails where that is not an int of 64 bits."""
    b, number = lanes.e.b, lanes.vector(operation.operands[0])
    limit = float(2**63)
    fits = b.and_(b.fcmp_ordered(">", number, number.type(-limit)), b.fcmp_ordered("<", number, number.type(limit)))
    lanes.require(fits)
    return b.fptosi(b.select(fits, number, number.type(0.0)), lanes.type_of(I64_DTYPE))


def divided_progression(lanes: Lanes, name: str, x: Progression, divisor: ir.Value) -> Progression:
    """Quotients or remainders of numbers that all have one quotient, as most neighbours do; it fails for others."""
    e = lanes.e
    last = lanes.last(x)
    quotient, other = (floor_division(e, I64_DTYPE, number, divisor)[0] for number in (x.base, last))
    same = e.compare("==", quotient, other)
    known = constant_of(divisor)
    lanes.require_all(same if known else e.b.and_(same, e.compare("!=", divisor, I64(0))))
    if name == "floor_divide":
        return Progression(quotient, I64(0))
    return Progression(e.sub(x.base, e.mul(quotient, divisor)), x.step)
