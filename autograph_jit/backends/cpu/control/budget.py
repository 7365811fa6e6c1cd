"""A call's budget of work, at whose end it looks at signals: Ctrl-C ends loops within a tenth of a second, at no cost that can be measured.

The budget counts elements and trips. Loops take from it and look (`spend`); operations on arrays inside loops only take from it.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.runtime_module import BUDGET
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.values import Array, Emitted
from autograph_jit.ir.graph import Block, Operation, walk_block
from autograph_jit.ir.opdef import Effect, Library
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.escape import is_small

HEAVY_TRIP = 4096  # a trip that works on whole arrays or calls Python, besides what its operations take
ROUTINE = BUDGET // 4  # a call of Python or of a library routine, whose work is not known
PRODUCTS = 4  # of a matrix product take as much as one element
SINGLE_SWEEPS = ("arg_reduce", "arange", "concat", "scan", "linear_recurrence")  # routines that go over their elements once
SWEEPS = {"sort": 16, "scatter": 4, "mask_assign": 2}  # times that an operation goes over its elements, where it is not once


def spend(e: Emitter, work: ir.Value) -> None:
    """Take from the budget, which is a register; look at signals when it is used up."""
    left = e.b.sub(e.budget, work)
    before, after, empty = e.b.block, e.block("calm"), e.block("poll")
    e.b.cbranch(e.compare("<", left, I64(0)), empty, after).set_weights([1, 1 << 20])
    e.b.position_at_end(empty)
    interrupted = e.block("interrupted")
    if e.piece is None:
        e.b.cbranch(e.b.icmp_signed("==", e.call("ag_poll", e.frame), I32(0)), after, interrupted)
        e.b.position_at_end(interrupted)
        e.leave(PENDING)
    else:
        e.b.cbranch(e.b.icmp_signed("==", e.piece.poll(e), I32(0)), after, interrupted)
        e.b.position_at_end(interrupted)
        e.b.ret_void()
    e.b.position_at_end(after)
    e.budget = e.b.phi(I64)
    e.budget.add_incoming(left, before)
    e.budget.add_incoming(I64(BUDGET), empty)


def take(e: Emitter, operation: Operation, results: list[Emitted]) -> None:
    """Take what an operation inside a loop has cost; the loop looks at signals at the end of its trip."""
    if not e.loop_depth or e.b.block.is_terminated or not is_heavy_operation(operation):
        return
    e.budget = e.sub(e.budget, cost_of(e, operation, results))


def cost_of(e: Emitter, operation: Operation, results: list[Emitted]) -> ir.Value:
    """About the number of elements that an operation goes over."""
    counted = ("matmul", *SINGLE_SWEEPS)
    if operation.opdef.effect is Effect.HOST or (isinstance(operation.opdef.kernel, Library) and operation.name not in counted):
        return I64(ROUTINE)
    operands = [e.get(value) for value in operation.operands if value in e.values and isinstance(value.type, ArrayType)]
    arrays = [emitted for emitted in (*results, *operands) if isinstance(emitted, Array)]
    if not arrays:
        return I64(0)
    if operation.name == "matmul":
        x, y = arrays[-2:]
        others = y.shape[-1:] if len(y.shape) > 1 else ()
        return e.b.udiv(e.product((*x.shape, *others)), I64(PRODUCTS))
    largest = max(arrays, key=lambda array: len(array.shape))
    return e.mul(e.product(largest.shape), I64(SWEEPS.get(operation.name, 1)))


def is_heavy(body: Block) -> bool:
    """Whether a trip does more than scalar work and work on arrays of a few numbers."""
    return any(is_heavy_operation(operation) for operation in walk_block(body))


def is_heavy_operation(operation: Operation) -> bool:
    if operation.opdef.effect is Effect.HOST or operation.name in SWEEPS:
        return True
    if operation.name in ("assign", "reduce", "arg_reduce"):
        return not is_small(operation.operands[0])
    return operation.opdef.effect is Effect.PURE and any(
        isinstance(result.type, ArrayType) and not is_small(result) for result in operation.results
    )
