"""Code that runs at most once in a call and calls functions that do the work: LLVM leaves it as it is written, in a tenth of the time.

A line of such code takes about a nanosecond more in each call; the passes take 0.1 ms for it.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.flow import loops_among

LEAST_LINES = 150  # below, nothing is gained that can be seen


def leave_cold_code(function: ir.Function) -> None:
    """Mark a function that is long and has no loop."""
    if sum(len(block.instructions) for block in function.blocks) >= LEAST_LINES and not loops_among(function.blocks):
        function.attributes.add("noinline")
        function.attributes.add("optnone")
