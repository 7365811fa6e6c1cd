"""Loops that take an integer apart, by bits or by digits: they end within 64 trips, so that nobody need look at signals inside.

    while v != 0: v &= v - 1; count += 1            while n > 0: total += n % 10; n //= 10
"""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.kernels.ranges import Ranges

DECREMENTS = ("subtract", "pyint_subtract")
LEAST_DIVISORS = {"right_shift": 1, "floor_divide": 2}


def ends_soon(ranges: Ranges, loop: Operation) -> bool:
    """Whether a `while` loop runs while an integer is not zero that loses a bit or a digit in every trip."""
    test, body = loop.regions
    condition = test.yields[0].owner if test.yields else None
    if not isinstance(condition, Operation) or condition.name not in ("not_equal", "greater") or body.terminated:
        return False
    tested, bound = condition.operands
    if tested.type != I64 or ranges.affine(bound) != 0 or tested not in test.args:
        return False
    place = test.args.index(tested)
    return any(
        shrinks(ranges, arg, body.yields[place], condition.name) for arg, value in zip(body.args, test.yields[1:]) if value is tested
    )


def shrinks(ranges: Ranges, arg: Value, following: Value, comparison: str) -> bool:
    """Whether what a trip makes of the tested number has a bit or a digit less."""
    step = following.owner
    if not isinstance(step, Operation) or len(step.operands) != 2:
        return False
    if step.name == "bitwise_and":
        return any(x is arg and is_one_less(ranges, y, arg) for x, y in (step.operands, step.operands[::-1]))
    least = LEAST_DIVISORS.get(step.name)
    divisor = ranges.affine(step.operands[1])
    if least is None or not isinstance(divisor, int) or step.operands[0] is not arg or divisor < least:
        return False
    return comparison == "greater" or ranges.is_nonnegative(arg, step)


def is_one_less(ranges: Ranges, value: Value, arg: Value) -> bool:
    operation = value.owner
    if not isinstance(operation, Operation) or operation.operands[:1] != [arg]:
        return False
    return operation.name in DECREMENTS and ranges.affine(operation.operands[1]) == 1
