"""Results by native code where that suits and gets through, by Python everywhere else."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import add_incoming, bind_phis, make_phis
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.values import Array, Emitted, flatten
from autograph_jit.ir.graph import Operation

Native = Callable[[Emitter, Operation], tuple[ir.Value, list[Emitted]]]  # whether it got through, and the results, which are new


def emit_alternatives(
    e: Emitter, operation: Operation, suits: ir.Value, native: Native, by_python: Callable[[], list[Emitted]]
) -> list[Emitted]:
    """The results of an operation by native code, or by Python where that does not suit or did not get through."""
    targets = operation.results
    trying, failed, done, other, merge = (e.block(name) for name in ("native", "failed", "done", "by_python", "either"))
    e.b.cbranch(suits, trying, other)
    e.b.position_at_end(merge)
    phis = make_phis(e, targets)
    e.b.position_at_end(trying)
    passed, found = native(e, operation)
    e.b.cbranch(passed, done, failed)
    e.b.position_at_end(failed)
    for value in found:
        if isinstance(value, Array):
            e.call("ag_release", e.frame, value.owner)
    e.b.branch(other)
    for block, results in ((done, lambda: found), (other, by_python)):
        e.b.position_at_end(block)
        parts = [flatten(target.type, e.facts.is_contiguous(target), value) for target, value in zip(targets, results(), strict=True)]
        add_incoming(e, phis, [register for registers in parts for register in registers])
        e.b.branch(merge)
    e.b.position_at_end(merge)
    return bind_phis(e, targets, phis)
