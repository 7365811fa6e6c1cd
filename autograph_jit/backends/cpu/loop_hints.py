"""What LLVM is told about a loop: metadata of the jump that ends it."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

Hint = tuple[str, ir.Value | None]
I32 = ir.IntType(32)
UNROLLED: Sequence[Hint] = [("llvm.loop.mustprogress", None)]  # as far as LLVM finds it worth its while, in vectors too
NOT_UNROLLED: Sequence[Hint] = [("llvm.loop.unroll.disable", None)]
AS_WRITTEN: Sequence[Hint] = [("llvm.loop.vectorize.width", I32(1)), ("llvm.loop.interleave.count", I32(1)), *NOT_UNROLLED]


def loop_hints(module: ir.Module, hints: Sequence[Hint]) -> ir.MDValue:
    """The metadata "llvm.loop" of names with their values, where they have one."""
    nodes = [module.add_metadata([ir.MetaDataString(module, name), *([] if value is None else [value])]) for name, value in hints]
    loop = module.add_metadata(nodes)
    loop.operands = (loop, *nodes)  # LLVM knows a loop's metadata by its reference to itself
    return loop
