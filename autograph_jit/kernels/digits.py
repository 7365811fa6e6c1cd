"""`while` loops that run as long as an integer has bits or digits: what they count is a small number.

while v != 0: v &= v - 1; count += 1                at most 64 trips
while j > 0: total += t[j]; j -= j & -j             the same
while n > 0: total += n % 10; n //= 10              a digit less
"""

from __future__ import annotations

from autograph_jit.ir.dims import scale
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.kernels.invariants import SMALL_STEP, Carried, Knowledge

DECREMENTS = ("subtract", "pyint_subtract")
LEAST_DIVISORS = {"right_shift": 1, "floor_divide": 2}
MOST_DIGITS = 64


def learn_count(knowledge: Knowledge, loop: Operation, carried: dict[int, Carried]) -> None:
    """Learn that counters of such a loop are few steps away from their start."""
    counters = [each for each in carried.values() if each.steps and max(map(abs, each.steps)) <= SMALL_STEP]
    test, body = loop.regions
    if not counters or not test.yields or body.terminated or not loses_digits(knowledge, loop):
        return
    for each in counters:
        assert each.steps is not None
        low, high = knowledge.known.limits_of_sum(each.start)
        low, high = low + MOST_DIGITS * min(*each.steps, 0), high + MOST_DIGITS * max(*each.steps, 0)
        known = knowledge.known.limits.get(each.name)
        if known is not None:
            knowledge.known.limits[each.name] = max(low, known[0]), min(high, known[1])


def loses_digits(knowledge: Knowledge, loop: Operation) -> bool:
    """Whether the loop runs while an integer is not zero that loses a bit or a digit in every trip."""
    test, body = loop.regions
    condition = test.yields[0].owner
    if not isinstance(condition, Operation) or condition.name not in ("not_equal", "greater"):
        return False
    tested, bound = condition.operands
    if tested.type != I64 or knowledge.affine(bound) != 0 or tested not in test.args:
        return False
    place = test.args.index(tested)
    same = test.yields[place + 1] is tested
    return same and shrinks(knowledge, body.args[place], body.yields[place], condition.name)


def shrinks(knowledge: Knowledge, arg: Value, following: Value, comparison: str) -> bool:
    """Whether what a trip makes of the tested number has a bit or a digit less."""
    step = following.owner
    if not isinstance(step, Operation) or len(step.operands) != 2:
        return False
    if step.name == "bitwise_and":
        return any(x is arg and is_one_less(knowledge, y, arg) for x, y in (step.operands, step.operands[::-1]))
    if step.name in DECREMENTS:
        return step.operands[0] is arg and is_lowest_bit(knowledge, step.operands[1], arg)
    least = LEAST_DIVISORS.get(step.name)
    divisor = knowledge.affine(step.operands[1])
    if least is None or not isinstance(divisor, int) or step.operands[0] is not arg or divisor < least:
        return False
    return comparison == "greater" or knowledge.is_nonnegative(arg, step)


def is_one_less(knowledge: Knowledge, value: Value, arg: Value) -> bool:
    operation = value.owner
    if not isinstance(operation, Operation) or operation.operands[:1] != [arg]:
        return False
    return operation.name in DECREMENTS and knowledge.affine(operation.operands[1]) == 1


def is_lowest_bit(knowledge: Knowledge, value: Value, arg: Value) -> bool:
    """Whether a value is `arg & -arg`."""
    operation = value.owner
    if not isinstance(operation, Operation) or operation.name != "bitwise_and" or arg not in operation.operands:
        return False
    return any(knowledge.affine(other) == scale(knowledge.affine(arg), -1) for other in operation.operands)
