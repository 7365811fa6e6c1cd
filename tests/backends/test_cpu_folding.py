"""The builder of LLVM code makes no instruction whose result it has, and shares none where control may come from elsewhere."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest
from llvmlite import ir

from autograph_jit.backends.cpu.folding import FoldingBuilder

I1, I64, PTR = ir.IntType(1), ir.IntType(64), ir.PointerType()


@pytest.fixture
def builder() -> FoldingBuilder:
    function = ir.Function(ir.Module(), ir.FunctionType(I64, [I64, I64, PTR]), "f")
    return FoldingBuilder(function.append_basic_block("entry"))


def count(b: FoldingBuilder, name: str) -> int:
    """How often an instruction stands in the function, whose module LLVM accepts."""
    llvm.parse_assembly(str(b.module)).verify()
    return sum(instruction.opname == name for block in b.function.blocks for instruction in block.instructions)


def test_what_literals_decide_is_no_instruction(builder) -> None:
    x, y, pointer = builder.function.args
    truth = builder.icmp_signed("<", I64(2), I64(3))
    assert truth.constant == 1
    assert builder.not_(truth).constant == 0
    assert builder.select(truth, x, y) is x
    assert builder.select(builder.not_(truth), x, y) is y
    other = builder.icmp_signed("<", x, y)
    assert builder.and_(truth, other) is other
    assert builder.or_(other, truth).constant == 1
    assert builder.gep(pointer, [I64(0)], source_etype=I64) is pointer


def test_equal_instructions_are_made_once_and_others_are_not(builder) -> None:
    x, y, pointer = builder.function.args
    assert builder.mul(x, y) is builder.mul(x, y)
    assert builder.mul(x, I64(8)) is builder.mul(x, I64(8))
    assert builder.mul(x, y, flags=["nsw"]) is not builder.mul(x, y)
    assert builder.mul(x, y) is not builder.mul(y, x)
    assert builder.icmp_signed("<", x, y) is not builder.icmp_signed("<=", x, y)
    assert builder.gep(pointer, [x], source_etype=I64) is not builder.gep(pointer, [x], source_etype=I1)
    builder.ret(x)
    assert count(builder, "mul") == 4


def test_a_way_that_may_not_be_taken_shares_nothing_with_what_follows(builder) -> None:
    x, y, _ = builder.function.args
    before = builder.add(x, y)
    with builder.if_then(builder.icmp_signed("<", x, y)):
        inside = builder.mul(x, y)
    after = builder.mul(x, y)
    assert inside is not after
    assert builder.add(x, y) is before
    with builder.if_else(builder.icmp_signed(">", x, y)) as (then, otherwise):
        with then:
            first = builder.sub(x, y)
        with otherwise:
            assert builder.sub(x, y) is not first
    assert builder.sub(x, y) is not first
    assert builder.mul(x, y) is after
    builder.ret(after)
    assert count(builder, "mul") == 2


def test_code_put_into_a_finished_block_shares_nothing(builder) -> None:
    x, y, _ = builder.function.args
    end = builder.append_basic_block("end")
    first = builder.add(x, y)
    builder.branch(end)
    builder.position_at_end(end)
    with builder.goto_entry_block():
        assert builder.add(x, y) is not first
    builder.ret(x)
    assert count(builder, "add") == 2
