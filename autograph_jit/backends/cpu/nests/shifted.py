"""Assignments to a slice that read other slices of the same one-dimensional array, a literal distance away: no temporary.

    u[1:-1] = u[2:] + u[:-2]                one = u[0]
                                            for i in range(n):
                                                here = u[1 + i];  u[1 + i] = u[2 + i] + one;  one = here

Elements ahead of the one that is written are read before the loop reaches them. What is overwritten already stays in registers.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import address, walk_array
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.target import in_array_loop
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Operation, Value, literal_of
from autograph_jit.ir.scalar import Expr
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import LoopNest, Store

FARTHEST_BEHIND = 2


def find_shifts(e: Emitter, destination: Value, builder: NestBuilder) -> dict[Value, int]:
    """How many elements ahead of the target's each operand lies that may share its memory; empty where that is not known of all."""
    type = array_type(destination)
    if type.rank != 1 or type.dtype.kind == "c" or not e.facts.is_contiguous(destination):
        return {}
    root, start = origin(destination)
    shifts: dict[Value, int] = {}
    for value, spec in zip(builder.values, builder.operands):
        if spec.index_map is None or not e.facts.may_meet(destination, value):
            continue
        other, first = origin(value)
        if other is not root or start is None or first is None or first - start < -FARTHEST_BEHIND:
            return {}
        if not e.facts.is_contiguous(value) or array_type(value).dims != type.dims:
            return {}
        shifts[value] = first - start
    return shifts


def origin(value: Value) -> tuple[Value, int | None]:
    """The array that a value is a slice of, with step 1, and its first position; None where that is no literal from the front."""
    operation = value.owner
    if not isinstance(operation, Operation) or operation.name != "basic_index" or array_type(operation.operands[0]).rank != 1:
        return value, 0
    items = operation.attributes["items"]
    if len(items) != 1 or items[0][0] != "slice" or items[0][3]:
        return value, 0
    first = literal_of(operation.operands[1]) if items[0][1] else 0
    return operation.operands[0], first if first is not None and first >= 0 else None


def fill_behind(e: Emitter, target: Array, destination: Value, builder: NestBuilder, expression: Expr, shifts: dict[Value, int]) -> None:
    """Store the expression in ascending order; elements behind come from registers. Slices of equal size are not cut short unless empty."""
    type = array_type(destination)
    e.nests.append(LoopNest("assign", type.dims, tuple(builder.operands), expression, Store("out", type.dtype)))
    expansion = in_array_loop(expression, builder.values)
    expression = expansion.expression if expansion.outside is None else expression
    depth = -min(shifts.values())
    walks = {
        value: walk_array(e, e.get(value), array_type(value).dims, spec.index_map, type.dims)
        for value, spec in zip(builder.values, builder.operands)
        if spec.index_map is not None
    }

    def element(index: ir.Value, behind: list[ir.Value]) -> list[ir.Value]:
        place = e.offset(target.pointer, e.mul(index, I64(target.dtype.itemsize)))
        here = read(e, target, place)
        numbers: list[Emitted] = []
        for value in builder.values:
            if value not in walks:
                numbers.append(e.get(value))
            elif value not in shifts:
                numbers.append(read(e, e.get(value), address(e, walks[value], 0, walks[value].pointer, index)))
            elif shifts[value] > 0:  # from the target's pointer: the slice's own depends on the size, and LLVM would not know the distance
                numbers.append(read(e, target, e.offset(place, I64(shifts[value] * target.dtype.itemsize))))
            else:
                numbers.append(here if shifts[value] == 0 else behind[-shifts[value] - 1])
        e.store_number(emit_expression(e, expression, numbers), place, type.dtype, target.contiguous, target.scope)
        return [here, *behind[:-1]]

    with e.b.if_then(e.compare(">", target.shape[0], I64(0))):
        before = [read(e, target, e.offset(target.pointer, I64(-target.dtype.itemsize * back))) for back in range(1, depth + 1)]
        emit_long_loop(e, target.shape[0], before, element)


def read(e: Emitter, array: Array, pointer: ir.Value) -> Emitted:
    return e.load_number(pointer, array.dtype, array.contiguous, array.scope)
