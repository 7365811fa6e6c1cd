"""The operands of a nest: how the domain walks their memory, and their numbers at the current index.

What is read elsewhere (`kernels.elsewhere`) is walked along the axes that no integer chooses; rotated axes are turned.

Where the indices of gathers were not looked at before, the nest looks through those of a block of elements first. Blocks in which all count
from the front and are in bounds are read as they are. In others each is looked at; one that is out of bounds sets a flag, which the last
pointer of the nest points to, and behind the nest the first one is searched that NumPy would have found.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import Turn, Walk, walk_array
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Complex, Emitted, array_type, constant_of, literal
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.scalar import Expr, in_order
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.loop_nest import Operand

I64_DTYPE = np.dtype(np.int64)
NOTHING: Mapping[int, Emitted] = {}
DEAR = frozenset({"div", "floordiv", "mod", "sqrt", "call"})


class Reading(enum.Enum):
    """What is read where the indices of gathers are not known to be in bounds: all operands as if they were, those that say where the
    gathers read, all with a look at each index."""

    ALL = enum.auto()
    INDICES = enum.auto()
    CAREFUL = enum.auto()


def is_flat(e: Emitter, builder: NestBuilder, type: ArrayType) -> bool:
    """Whether one loop over all elements of a domain in memory order can read every operand."""
    return all(is_flat_operand(e, value, spec, type) for value, spec in zip(builder.values, builder.operands))


def is_flat_operand(e: Emitter, value: Value, spec: Operand, type: ArrayType) -> bool:
    if spec.turns or None in spec.indices:
        return False
    is_whole = isinstance(value.type, ArrayType) and value.type.dims == type.dims and e.facts.is_contiguous(value)
    return isinstance(value.type, ScalarType) or bool(spec.indices) or is_whole


def walk_operands(e: Emitter, builder: NestBuilder, domain: tuple[Size, ...]) -> list[Walk]:
    """How a domain walks each array, and the flag."""
    return [*(walk_operand(e, value, spec, domain) for value, spec in arrays_of(builder)), *walk_flag(e, builder, len(domain))]


def walk_operand(e: Emitter, value: Value, spec: Operand, domain: tuple[Size, ...]) -> Walk:
    array, index_map = e.get(value), spec.index_map
    assert index_map is not None
    places = [(index_map[axis], axis, behind) for axis, behind in spec.turns]
    turns = {place: Turn(e.get(behind).shape[axis], array.shape[axis]) for place, axis, behind in places if place is not None}
    return replace(walk_array(e, array, array_type(value).dims, index_map, domain), turns=turns)


def walk_flat(e: Emitter, builder: NestBuilder, kept: int = 0) -> list[Walk]:
    """How a domain whose axes but the first `kept` are one walks each array."""
    return [*(flat_walk(e.get(value), spec, kept) for value, spec in arrays_of(builder)), *walk_flag(e, builder, kept + 1)]


def walk_flag(e: Emitter, builder: NestBuilder, rank: int) -> list[Walk]:
    """The flag of a nest that looks at the indices of gathers itself."""
    if not waiting_of(e, builder):
        return []
    e.flags[builder] = e.slots(1)
    e.b.store(I64(0), e.flags[builder])
    return [Walk(e.flags[builder], (I64(0),) * rank, I64_DTYPE.itemsize)]


def waiting_of(e: Emitter, builder: NestBuilder) -> dict[int, Operation]:
    """The operands whose indices the nest looks at."""
    return {position: gather for position, gather in builder.gathers.items() if gather in e.waiting}


def flat_walk(array: Array, spec: Operand, kept: int) -> Walk:
    if spec.indices:
        return Walk(array.pointer, (I64(0),) * (kept + 1), array.dtype.itemsize)
    return Walk(array.pointer, (*array.strides[:kept], I64(array.dtype.itemsize)), array.dtype.itemsize)


def arrays_of(builder: NestBuilder) -> list[tuple[Value, Operand]]:
    """The operands that are arrays, each of which has a pointer."""
    return [(value, spec) for value, spec in zip(builder.values, builder.operands) if spec.index_map is not None]


def load_operands(
    e: Emitter, builder: NestBuilder, pointers: list[ir.Value], kept: Mapping[int, Emitted] = NOTHING, reading: Reading = Reading.ALL
) -> list[Emitted]:
    """The numbers of a nest's operands at the current index; those in `kept`, by the number of the array, are loaded already."""
    arrays = iter(range(len(pointers)))
    waiting = waiting_of(e, builder)
    numbers: list[Emitted] = []
    for position, (value, spec) in enumerate(zip(builder.values, builder.operands)):
        if spec.index_map is None:
            numbers.append(e.get(value))
            continue
        number = next(arrays)
        if number in kept:
            numbers.append(kept[number])
        elif position in waiting and reading is Reading.INDICES:
            numbers.append(None)
        elif position in waiting and reading is Reading.CAREFUL:
            numbers.append(load_carefully(e, value, spec, pointers[number], numbers, pointers[-1]))
        else:
            numbers.append(load_operand(e, value, spec, pointers[number], numbers, wraps=position not in waiting))
    return numbers


def load_operand(e: Emitter, value: Value, spec: Operand, pointer: ir.Value, numbers: list[Emitted], wraps: bool = True) -> Emitted:
    """The number that a pointer of an array points to, or that lies where the numbers before say, which is known to be in bounds; it may
    count from the end if it `wraps`."""
    array = e.get(value)
    for axis, index in enumerate(spec.indices):
        if index is not None:
            place = emit_expression(e, index, numbers)
            if wraps:
                place = e.b.select(e.compare("<", place, I64(0)), e.b.add(place, array.shape[axis]), place)
            pointer = e.offset(pointer, e.mul(place, array.strides[axis]))
    return e.load_number(pointer, spec.dtype, array.contiguous, array.scope)


def load_carefully(e: Emitter, value: Value, spec: Operand, pointer: ir.Value, numbers: list[Emitted], flag: ir.Value) -> Emitted:
    """The same where nothing is known of the integers; 0, and the flag set, where one is out of bounds."""
    array, inside = e.get(value), I1(1)
    for axis, index in enumerate(spec.indices):
        assert index is not None
        chosen = emit_expression(e, index, numbers)
        place = e.b.select(e.compare("<", chosen, I64(0)), e.b.add(chosen, array.shape[axis]), chosen)
        inside = e.b.and_(inside, e.b.icmp_unsigned("<", place, array.shape[axis]))
        pointer = e.offset(pointer, e.mul(place, array.strides[axis]))
    ends: list[tuple[Emitted, ir.Block]] = []
    with e.b.if_else(inside, likely=True) as (there, astray):
        with there:
            ends.append((e.load_number(pointer, spec.dtype, array.contiguous, array.scope), e.b.block))
        with astray:
            e.b.store(I64(1), flag)
            ends.append((literal(0, spec.dtype), e.b.block))
    return joined(e, ends)


def joined(e: Emitter, ends: list[tuple[Emitted, ir.Block]]) -> Emitted:
    """The number that comes from whichever block was left."""
    phis = []
    for registers in zip(*(parts_of(number) for number, _ in ends)):
        phi = e.b.phi(registers[0].type)
        for register, (_, block) in zip(registers, ends):
            phi.add_incoming(register, block)
        phis.append(phi)
    return Complex(*phis) if len(phis) == 2 else phis[0]


def parts_of(number: Emitted) -> list[ir.Value]:
    return [number.re, number.im] if isinstance(number, Complex) else [number]


def is_astray(e: Emitter, builder: NestBuilder, pointers: list[ir.Value]) -> ir.Value:
    """Whether an index of an element counts from the end or is out of bounds."""
    numbers = load_operands(e, builder, pointers, reading=Reading.INDICES)
    found: ir.Value = I1(0)
    for position in waiting_of(e, builder):
        shape = e.get(builder.values[position]).shape
        for size, index in zip(shape, builder.operands[position].indices):
            assert index is not None
            found = e.b.or_(found, e.b.icmp_unsigned(">=", emit_expression(e, index, numbers), size))
    return found


def staying_operands(e: Emitter, builder: NestBuilder, walks: list[Walk], pointers: list[ir.Value]) -> dict[int, Emitted]:
    """The numbers that stay along the innermost axis, loaded in front of it."""
    staying = {}
    for number, ((value, spec), walk, pointer) in enumerate(zip(arrays_of(builder), walks, pointers)):
        if constant_of(walk.strides[-1]) == 0 and not spec.indices:
            staying[number] = load_operand(e, value, spec, pointer, [])
    return staying


@contextmanager
def reading_elsewhere(e: Emitter, builder: NestBuilder, expression: Expr, walks: list[Walk]) -> Iterator[None]:
    """While a nest is emitted: no vectors where little is done with elements that integers choose anew for each. Then what waited for it
    fails if it must."""
    around = e.in_scalars
    e.in_scalars = gathers_by_element(builder, walks) and not any(node.op in DEAR for node in in_order(expression))
    yield
    e.in_scalars = around
    flag = e.flags.pop(builder, None)
    if flag is not None:
        with e.b.if_then(e.b.icmp_unsigned("!=", e.b.load(flag, typ=I64), I64(0)), likely=False):
            e.fail_pending()
            e.b.unreachable()
        for gather in waiting_of(e, builder).values():
            e.pending.pop(gather, None)


def gathers_by_element(builder: NestBuilder, walks: list[Walk]) -> bool:
    """Whether a nest gathers by an index that changes along the innermost axis."""
    by_operand = dict(zip((k for k, spec in enumerate(builder.operands) if spec.index_map is not None), walks))
    chosen = [index for spec in builder.operands for index in spec.indices if index is not None]
    used = {node.value for index in chosen for node in in_order(index) if node.op == "operand"}
    return any(constant_of(by_operand[k].strides[-1]) != 0 for k in used if k in by_operand)
