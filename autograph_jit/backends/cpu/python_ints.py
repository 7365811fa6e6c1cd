"""How CPython keeps an int: how many digits it has, and what it is where it has one, which most have."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I1, I32, I64, PTR

TAG_AT, DIGIT_AT = symbols.OBJECT_SIZE, symbols.OBJECT_SIZE + 8


def digits_of(r: Routine, x: ir.Value) -> ir.Value:
    """How many digits an int has."""
    tag = r.field(x, TAG_AT)
    return r.b.lshr(tag, I64(3)) if symbols.TAGGED_INTS else r.b.select(r.b.icmp_signed("<", tag, I64(0)), r.b.neg(tag), tag)


def number_of_digit(r: Routine, x: ir.Value) -> ir.Value:
    """The number of an int of at most one digit."""
    tag = r.field(x, TAG_AT)
    sign = r.b.sub(I64(1), r.b.and_(tag, I64(3))) if symbols.TAGGED_INTS else tag
    return r.b.mul(sign, r.b.zext(r.field(x, DIGIT_AT, I32), I64))


def read_int(r: Routine, x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The number of what may be an int, and whether it may have none, with an exception pending then."""
    is_int = r.b.icmp_unsigned("==", r.field(x, symbols.OBJECT_SIZE - 8, PTR), r.global_object("PyLong_Type"))
    int_, digit, call, done = (r.function.append_basic_block(name) for name in ("int", "digit", "call", "read"))
    r.b.cbranch(is_int, int_, call)
    r.b.position_at_end(int_)
    r.b.cbranch(r.b.icmp_unsigned("<=", digits_of(r, x), I64(1)), digit, call)
    r.b.position_at_end(digit)
    known = number_of_digit(r, x)
    r.b.branch(done)
    r.b.position_at_end(call)
    converted = r.call("PyLong_AsLongLong", x)
    fails = r.b.icmp_signed("==", converted, I64(-1))
    r.b.branch(done)
    r.b.position_at_end(done)
    number, failed = r.b.phi(I64), r.b.phi(I1)
    for value, flag, block in ((known, I1(0), digit), (converted, fails, call)):
        number.add_incoming(value, block)
        failed.add_incoming(flag, block)
    return number, failed
