"""Integer divisions in scalar loops: a jump where the divisor is not positive, or a number is negative that seldom is.

    x % y                           if x >= 0 and y > 0:  the processor's remainder of numbers without a sign
                                    else:                 Python's, which has the divisor's sign, made of the processor's

In a chain of divisions (`x, y = y, x % y`) each waits for the one before; what Python's rule adds is a third of it.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import floor_division
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import constant_of
from autograph_jit.ir.graph import Block, Operation, Value

I64_DTYPE, U64_DTYPE = np.dtype(np.int64), np.dtype(np.uint64)
GROWING = ("add", "multiply", "pyint_add", "pyint_multiply")
DEEPEST = 4
OFTEN = 1 << 20


def divide_by_positive(e: Emitter, division: Operation) -> ir.Value | None:
    """The quotient or remainder of two single integers; None where a jump would not pay."""
    dividend, divisor = division.operands
    x, y = e.get(dividend), e.get(divisor)
    if not e.loop_depth or e.afterwards is not None or constant_of(y) is not None:
        return None
    unsigned = e.ranges.is_nonnegative(dividend, division) or is_seldom_negative(dividend)
    usual = e.compare(">", y, I64(0))
    if unsigned:
        usual = e.b.and_(e.compare(">=", e.b.or_(x, y), I64(0)), e.b.icmp_unsigned("!=", y, I64(0)))
    fast, slow, merge = e.block("positive"), e.block("signed"), e.block("divided")
    e.b.cbranch(usual, fast, slow).set_weights([OFTEN, 1])
    which = int(division.name == "remainder")
    found = []
    for block in (fast, slow):
        e.b.position_at_end(block)
        whole = e.b.udiv if which == 0 else e.b.urem
        found.append(whole(x, y) if block is fast and unsigned else floor_division(e, I64_DTYPE, x, y)[which])
        e.b.branch(merge)
    e.b.position_at_end(merge)
    result = e.b.phi(x.type)
    for number, block in zip(found, (fast, slow)):
        result.add_incoming(number, block)
    return result


def is_seldom_negative(value: Value, depth: int = 0) -> bool:
    """Whether a number is carried by a loop, a remainder, or a sum or product of such; of elements and differences nobody can tell."""
    operation = value.owner
    if isinstance(operation, Block) or depth > DEEPEST:
        return isinstance(operation, Block)
    if operation.name == "constant":
        return bool(operation.attributes["value"] >= 0)
    return operation.name == "remainder" or operation.name in GROWING and all(is_seldom_negative(x, depth + 1) for x in operation.operands)
