"""Binary search in sorted vectors."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.arrays.routines import I64_DTYPE, walk_all
from autograph_jit.backends.cpu.control.long_loops import emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.scalar import and_, eq, lt, ne, operand, or_
from autograph_jit.ir.types import ScalarType

SEARCH = 16  # elements of an array that a search takes as long as


@rule("searchsorted")
def emit_searchsorted(e: Emitter, operation: Operation) -> list[Emitted]:
    array, values = e.get(operation.operands[0]), e.get(operation.operands[1])
    dtype, side = array.dtype, operation.attributes["side"]
    if dtype.kind == "c":
        return emit_by_eager_rule(e, operation)
    if side != "interval":
        return [positions(e, operation, array, values, side)]

    def by_halves(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        return I1(1), [positions(e, operation, array, values, "right")]

    def one_after_another() -> list[Emitted]:
        results = emit_by_eager_rule(e, operation)
        e.host_calls.pop()  # points that are numbers do not get here
        return results

    last = e.load_number(last_element(e, array), dtype, array.contiguous, array.scope)
    x = operand(0, dtype)
    return emit_alternatives(e, operation, emit_expression(e, eq(x, x), [last]), by_halves, one_after_another)


def last_element(e: Emitter, array: Array) -> ir.Value:
    """The address of the last element of a vector that has one."""
    return e.offset(array.pointer, e.mul(e.sub(array.shape[0], I64(1)), array.strides[0]))


def positions(e: Emitter, operation: Operation, array: Array, values: Emitted, side: str) -> Emitted:
    """Where one value or each of an array belongs."""
    if isinstance(operation.operands[1].type, ScalarType):
        return bisect(e, array, values, side)
    dtype = array.dtype
    target = e.allocate(values.shape, I64_DTYPE)

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        value = e.load_number(pointers[0], dtype, values.contiguous, values.scope)
        e.store_number(bisect(e, array, value, side), pointers[1], I64_DTYPE, True, "fresh")
        return []

    emit_long_nest(e, values.shape, [walk_all(values), walk_all(target)], [], element, price=I64(SEARCH))
    return target


def bisect(e: Emitter, array: Array, value: Emitted, side: str) -> ir.Value:
    """The first position whose element does not come before the value (left), or comes after it (right); NaN is last. How often is halved
    depends on the length only, and none of them is a branch that a processor may be mistaken about."""
    dtype = array.dtype
    x, y = operand(0, dtype), operand(1, dtype)
    before = lt(x, y)
    if dtype.kind == "f":
        before = or_(before, and_(ne(y, y), eq(x, x)))

    def advanced(place: ir.Value, low: ir.Value, by: ir.Value) -> ir.Value:
        """`low`, so much further where the position lies behind the element at a place."""
        found = e.load_number(e.offset(array.pointer, e.mul(place, array.strides[0])), dtype, array.contiguous, array.scope)
        further = emit_expression(e, before, [found, value] if side == "left" else [value, found])
        ends = (e.b.add(low, by), low) if side == "left" else (low, e.b.add(low, by))
        chosen = e.b.select(further, *ends)
        chosen.set_metadata("unpredictable", e.module.add_metadata([]))
        return chosen

    entry, loop, body, done = e.b.block, e.block("bisect"), e.block("halve"), e.block("found")
    e.b.branch(loop)
    e.b.position_at_end(loop)
    low, length = e.b.phi(I64), e.b.phi(I64)
    e.b.cbranch(e.compare(">", length, I64(1)), body, done)
    e.b.position_at_end(body)
    half = e.b.lshr(length, I64(1))
    further = advanced(e.b.sub(e.b.add(low, half), I64(1)), low, half)
    for phi, start, step in zip((low, length), (I64(0), array.shape[0]), (further, e.b.sub(length, half))):
        phi.add_incoming(start, entry)
        phi.add_incoming(step, body)
    e.b.branch(loop)
    e.b.position_at_end(done)
    before_last, last, end = e.b.block, e.block("last"), e.block("position")
    e.b.cbranch(e.compare("==", length, I64(1)), last, end)
    e.b.position_at_end(last)
    position = advanced(low, low, I64(1))
    e.b.branch(end)
    e.b.position_at_end(end)
    found = e.b.phi(I64)
    found.add_incoming(low, before_last)
    found.add_incoming(position, last)
    return found
