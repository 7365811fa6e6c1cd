"""Tests of nests of several loops: which of them LLVM may write out."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.nests.domains import is_long_inside
from autograph_jit.backends.cpu.runtime_module import I64


def test_few_known_trips_are_written_out_and_others_are_not() -> None:
    unknown = ir.Argument(ir.Module(), I64)
    for sizes, is_long in (((3, 3), False), ((8, 8), False), ((6, 6, 3), True), ((3, None), True), ((None, 3), True), ((1, 1, 65), True)):
        values = tuple(unknown if size is None else I64(size) for size in sizes)
        assert is_long_inside(values, tuple(range(len(sizes)))) is is_long
    assert not is_long_inside((unknown, I64(3), I64(3)), (1, 2))
