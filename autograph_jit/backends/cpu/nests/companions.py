"""Updates of several arrays in one nest: each element of each of them is loaded once, and stored when all are computed."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Walk, emit_store_nest, walk_array
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.nests.updates import part_of
from autograph_jit.backends.cpu.threading.sharing import cost_of, share_nest
from autograph_jit.backends.cpu.values import Emitted, array_type
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.slices import place_of
from autograph_jit.kernels.updates import Update


def emit_companions(e: Emitter, updates: list[Update]) -> None:
    """All updates of a group (`kernels.companions`)."""
    bases = list(dict.fromkeys(update.base for update in updates))
    parts = [part_of(e, update, "companion") for update in updates]
    arrays: dict[Value, Walk] = {base: whole_walk(e, base) for base in bases}
    for part in parts:
        arrays.update((value, walk) for value, walk in part.walks.items() if whole_of(value, bases) is None)

    def element(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        places = dict(zip(arrays, pointers, strict=True))
        numbers: dict[Value, Emitted] = {value: load(e, value, place) for value, place in places.items()}
        for part in parts:
            operands = [operand_of(e, value, bases, numbers) for value in part.update.builder.values]
            numbers[part.update.base] = emit_expression(e, part.expression, operands)
        for base in bases:
            array = e.get(base)
            e.store_number(numbers[base], places[base], array.dtype, array.contiguous, array.scope)
        return []

    def nest(sizes: tuple[ir.Value, ...], walks: list[Walk]) -> None:
        emit_store_nest(e, sizes, walks, element)

    together = NestBuilder(len(array_type(bases[0]).dims), e.consumers)
    for part in parts:
        together.values += part.update.builder.values
        together.operands += part.update.builder.operands
    cost = sum(cost_of(part.expression) for part in parts)
    with independent_trips(e):
        share_nest(e, e.get(bases[0]).shape, list(arrays.values()), 0, 1, cost, together, nest)


def operand_of(e: Emitter, value: Value, bases: list[Value], numbers: dict[Value, Emitted]) -> Emitted:
    """The number of an operand: of an array that is changed, what it is by now."""
    if value in numbers:
        return numbers[value]
    base = whole_of(value, bases) if isinstance(value.type, ArrayType) else None
    return e.get(value) if base is None else numbers[base]


def load(e: Emitter, value: Value, place: ir.Value) -> Emitted:
    array = e.get(value)
    return e.load_number(place, array.dtype, array.contiguous, array.scope)


def whole_of(value: Value, bases: list[Value]) -> Value | None:
    """The changed array that a value is all of."""
    array, _ = place_of(value)
    return array if array in bases else None


def whole_walk(e: Emitter, base: Value) -> Walk:
    dims = array_type(base).dims
    return walk_array(e, e.get(base), dims, tuple(range(len(dims))), dims)
