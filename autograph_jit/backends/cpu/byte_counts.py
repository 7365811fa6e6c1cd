"""How many bytes an array needs: a function of the program's module for each number of sizes that only the run knows.

bytes_2(known, n, m) = known * n * m        0 where n or m is, UNCOUNTABLE where that leaves 64 bits
"""

from __future__ import annotations

import math

from llvmlite import ir

from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import constant_of

BYTES_LIMIT = 1 << 63
UNCOUNTABLE = (1 << 62) + 1  # bytes, for an array whose size overflows: no system has them, and no array of numbers needs as many


def byte_count(b: ir.IRBuilder, shape: tuple[ir.Value, ...], itemsize: int) -> ir.Value:
    """Bytes of an array. A size of zero hides no other one that is too large: NumPy leaves it out."""
    sizes = [constant_of(size) for size in shape]
    known = itemsize * math.prod(size for size in sizes if size)
    if known >= BYTES_LIMIT:
        return I64(UNCOUNTABLE)
    unknown = [size for size, number in zip(shape, sizes) if number is None]
    if not unknown:
        return I64(0 if 0 in sizes else known)
    count = b.call(counting_function(b.module, len(unknown)), [I64(known), *unknown])
    return b.select(b.icmp_signed("==", count, I64(UNCOUNTABLE)), count, I64(0)) if 0 in sizes else count


def counting_function(module: ir.Module, unknown: int) -> ir.Function:
    """The function for that many unknown sizes."""
    name = f"bytes_{unknown}"
    if (made := module.globals.get(name)) is not None:
        return made
    function = ir.Function(module, ir.FunctionType(I64, [I64] * (unknown + 1)), name)
    function.linkage = "internal"
    function.attributes.add("nounwind")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    total, *sizes = function.args
    overflow, empty = I1(0), I1(0)
    for size in sizes:
        empty = b.or_(empty, b.icmp_signed("==", size, I64(0)))
        pair = b.smul_with_overflow(total, b.select(b.icmp_signed(">", size, I64(1)), size, I64(1)))
        total, overflow = b.extract_value(pair, 0), b.or_(overflow, b.extract_value(pair, 1))
    b.ret(b.select(overflow, I64(UNCOUNTABLE), b.select(empty, I64(0), total)))
    return function
