"""Loops over rectangular domains: pointers advance axis by axis, the innermost axis with literal strides wherever possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.loop_hints import AS_WRITTEN, NOT_UNROLLED, Hint, loop_hints
from autograph_jit.backends.cpu.signatures import I1, I32, I64
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.backends.cpu.values import Array, constant_of
from autograph_jit.ir.dims import Size, lower_bound
from autograph_jit.kernels.loop_nest import IndexMap
from autograph_jit.records import dataclass

LoopBody = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
NestBody = Callable[[list[ir.Value], list[ir.Value]], list[ir.Value]]  # of pointers and registers
GUARDED_BLOCK = 512
MOST_COPIES = 64  # of the body of a nest that are written out
SCALARS = 4  # gathered elements that a fold works on at once


@dataclass(frozen=True, slots=True)
class Turn:
    """An axis of `size` that is rotated: index i of the domain is element i - shift, from the end where that is negative."""

    shift: ir.Value
    size: ir.Value


@dataclass(frozen=True, slots=True)
class Walk:
    """An array's pointer and its stride in bytes along each axis of a domain; `turns` has the axes that are rotated."""

    pointer: ir.Value
    strides: tuple[ir.Value, ...]
    itemsize: int
    turns: Mapping[int, Turn] = field(default_factory=dict)

    def moved(self, e: Emitter, axis: int, index: ir.Value) -> Walk:
        """The walk whose index 0 of an axis is this one's `index`."""
        turn = self.turns.get(axis)
        if turn is None:
            return replace(self, pointer=address(e, self, axis, self.pointer, index))
        return replace(self, turns={**self.turns, axis: Turn(e.sub(turn.shift, index), turn.size)})


@dataclass(frozen=True, slots=True)
class Guard:
    """Another body, for blocks of elements where `is_outside` is true of any; for the others there may be another guard."""

    is_outside: Callable[[list[ir.Value]], ir.Value]
    body: NestBody
    further: Guard | None = None
    is_rare: bool = False  # whether the other body is not worth vectors


def emit_loop(
    e: Emitter,
    count: ir.Value,
    carried: list[ir.Value],
    body: LoopBody,
    copies: int = 0,
    in_vectors: bool = True,
    is_row: bool = False,
    width: int = 0,
) -> list[ir.Value]:
    """for index in range(count), with registers carried from one trip to the next; their last values. See `advise` for the rest."""
    before, header, inside, done = e.b.block, e.block("loop"), e.block("element"), e.block("end")
    e.b.branch(header)
    e.b.position_at_end(header)
    index = e.b.phi(I64)
    phis = [e.b.phi(register.type) for register in carried]
    e.b.cbranch(e.compare("<", index, count), inside, done)
    e.b.position_at_end(inside)
    following = body(index, list(phis))
    index.add_incoming(I64(0), before)
    index.add_incoming(e.b.add(index, I64(1), flags=["nsw", "nuw"]), e.b.block)
    for phi, start, step in zip(phis, carried, following, strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(step, e.b.block)
    advise(e, e.b.branch(header), SCALARS if e.in_scalars and carried else copies, in_vectors, is_row, width)
    e.b.follow(done, before)
    e.b.position_at_end(done)
    return list(phis)


def advise(e: Emitter, latch: ir.Instruction, copies: int = 0, in_vectors: bool = True, is_row: bool = False, width: int = 0) -> None:
    """Ask LLVM to work on that many vectors at once: a long expression is a chain of operations that wait for each other. A loop of few
    trips is not worth the code that vectors take. A short row that fills vectors must stay a loop, or LLVM makes vectors of its columns,
    whose elements it gathers one by one. Tell it where trips do not wait for each other."""
    wishes: list[Hint] = [("llvm.loop.interleave.count", I32(copies))] if copies else []
    if width:
        wishes.append(("llvm.loop.vectorize.width", I32(width)))
    if is_row:
        wishes += NOT_UNROLLED
    if not in_vectors or e.is_rare:
        wishes += AS_WRITTEN
    elif e.in_scalars:
        wishes = [("llvm.loop.vectorize.width", I32(1)), ("llvm.loop.interleave.count", I32(max(copies, 1)))]
    if e.access_group is not None:
        wishes.append(("llvm.loop.parallel_accesses", e.access_group))
    if wishes:
        latch.set_metadata("llvm.loop", loop_hints(e.module, wishes))


def walk_array(e: Emitter, array: Array, dims: tuple[Size, ...], index_map: IndexMap, domain: tuple[Size, ...]) -> Walk:
    """How a domain walks an array: stride 0 along axes that it repeats, which for unproved sizes that may be 1 only the run can tell."""
    strides: list[ir.Value] = [I64(0)] * len(domain)
    for axis, (target, size, stride) in enumerate(zip(index_map, array.shape, array.strides)):
        if target is None or target < 0:
            continue
        proved = dims[axis] == domain[target] or (lower_bound(dims[axis]) or 0) > 1 or constant_of(stride) == 0
        strides[target] = stride if proved else e.select(e.compare("==", size, I64(1)), I64(0), stride)
    return Walk(array.pointer, tuple(strides), array.dtype.itemsize)


def address(e: Emitter, walk: Walk, axis: int, pointer: ir.Value, index: ir.Value) -> ir.Value:
    """The address at an index of one axis, relative to a pointer."""
    stride = walk.strides[axis]
    if constant_of(stride) == 0:
        return pointer
    if axis in walk.turns:
        turn = walk.turns[axis]
        element = e.sub(index, turn.shift)
        index = e.b.select(e.compare("<", element, I64(0)), e.add(element, turn.size), element)
    return e.offset(pointer, e.mul(index, stride))


def emit_nest(
    e: Emitter,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    carried: list[ir.Value],
    body: NestBody,
    axes: tuple[int, ...] | None = None,
    guard: Guard | None = None,
    copies: int = 0,
    enter: Callable[[list[ir.Value]], None] | None = None,
) -> list[ir.Value]:
    """Loops over the domain, or over some of its axes, outermost first; `body` gets a pointer for each walk.

    `enter` gets the pointers in front of the innermost loop.
    """
    order = tuple(range(len(sizes))) if axes is None else axes

    def descend(depth: int, pointers: list[ir.Value], registers: list[ir.Value]) -> list[ir.Value]:
        if depth == len(order):
            return emit_guarded_loop(e, I64(1), registers, lambda _: pointers, body, guard) if guard else body(pointers, registers)
        axis = order[depth]

        def locate(index: ir.Value) -> list[ir.Value]:
            return [address(e, walk, axis, pointer, index) for walk, pointer in zip(walks, pointers)]

        if depth == len(order) - 1:
            if enter is not None:
                enter(pointers)
            if any(axis in walk.turns for walk in walks):
                return emit_turned_loop(e, sizes[axis], registers, axis, walks, pointers, body, guard, copies)
            if guard is None and depth and not registers and fills_vectors(walks, axis, sizes[axis]):
                return emit_loop(e, sizes[axis], registers, lambda index, inner: body(locate(index), inner), copies, is_row=True)
            return emit_guarded_loop(e, sizes[axis], registers, locate, body, guard, copies, width_backwards(walks, axis))
        stays = constant_of(sizes[axis]) is not None and is_long_inside(sizes, order[depth:])
        return emit_loop(e, sizes[axis], registers, lambda index, inner: descend(depth + 1, locate(index), inner), is_row=stays)

    return descend(0, [walk.pointer for walk in walks], carried)


def width_backwards(walks: list[Walk], axis: int) -> int:
    """The width of the vectors for a loop that goes through some array backwards, 0 where none does. LLVM 22's vectorizer has two models
    of what these cost: where a loop has few trips at most they disagree, which ends the process, unless it is told the width."""
    is_backwards = any((constant_of(walk.strides[axis]) or 0) < 0 for walk in walks)
    return vector_bytes() // max(walk.itemsize for walk in walks) if is_backwards else 0


def is_long_inside(sizes: tuple[ir.Value, ...], axes: tuple[int, ...]) -> bool:
    """Whether loops in one another are of an unknown length or longer than is worth writing out: LLVM writes out each outer loop of a few
    trips with all that is in it, and its work grows with the product of their lengths."""
    known = [length for axis in axes if (length := constant_of(sizes[axis])) is not None]
    return len(known) < len(axes) or math.prod(known) > MOST_COPIES


def fills_vectors(walks: list[Walk], axis: int, size: ir.Value) -> bool:
    """Whether rows of a known length are whole vectors of elements that lie side by side."""
    moving = [walk for walk in walks if constant_of(walk.strides[axis]) != 0]
    dense = all(constant_of(walk.strides[axis]) == walk.itemsize for walk in moving)
    known = constant_of(size)
    return known is not None and dense and bool(moving) and all(known * walk.itemsize % vector_bytes() == 0 for walk in moving)


def emit_turned_loop(
    e: Emitter,
    count: ir.Value,
    carried: list[ir.Value],
    axis: int,
    walks: list[Walk],
    pointers: list[ir.Value],
    body: NestBody,
    guard: Guard | None,
    copies: int,
) -> list[ir.Value]:
    """A loop along an axis that walks rotate: by stretches, in each of which all of them go straight on."""
    before, header, inside, done = e.b.block, e.block("turn"), e.block("stretch"), e.block("turned")
    straight = [replace(walk, turns={}) for walk in walks]
    e.b.branch(header)
    e.b.position_at_end(header)
    first = e.b.phi(I64)
    phis = [e.b.phi(register.type) for register in carried]
    e.b.cbranch(e.compare("<", first, count), inside, done)
    e.b.position_at_end(inside)
    stop = count
    for turn in [walk.turns[axis] for walk in walks if axis in walk.turns]:
        stop = e.b.select(e.compare("<", first, turn.shift), e.minimum(stop, turn.shift), stop)
    starts = [address(e, walk, axis, pointer, first) for walk, pointer in zip(walks, pointers)]

    def locate(index: ir.Value) -> list[ir.Value]:
        return [address(e, walk, axis, pointer, index) for walk, pointer in zip(straight, starts)]

    following = emit_guarded_loop(e, e.b.sub(stop, first), list(phis), locate, body, guard, copies)
    for phi, start, step in zip([first, *phis], [I64(0), *carried], [stop, *following], strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(step, e.b.block)
    e.b.branch(header)
    e.b.position_at_end(done)
    return list(phis)


def emit_guarded_loop(
    e: Emitter,
    count: ir.Value,
    carried: list[ir.Value],
    locate: Callable[[ir.Value], list[ir.Value]],
    body: NestBody,
    guard: Guard | None,
    copies: int = 0,
    width: int = 0,
) -> list[ir.Value]:
    """A loop over elements; under a guard by blocks, each looked through first to choose which body it runs."""
    if guard is None:
        return emit_loop(e, count, carried, lambda index, registers: body(locate(index), registers), copies, width=width)
    blocks = e.b.sdiv(e.add(count, I64(GUARDED_BLOCK - 1)), I64(GUARDED_BLOCK))

    def block(number: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        first = e.mul(number, I64(GUARDED_BLOCK))
        size = e.minimum(e.sub(count, first), I64(GUARDED_BLOCK))

        def at(index: ir.Value) -> list[ir.Value]:
            return locate(e.b.add(first, index, flags=["nsw"]))

        def choose(held: Guard | None, state: list[ir.Value]) -> list[ir.Value]:
            if held is None:
                return emit_loop(e, size, state, lambda index, inner: body(at(index), inner), copies)

            def look(index: ir.Value, found: list[ir.Value]) -> list[ir.Value]:
                return [e.b.or_(found[0], e.b.zext(held.is_outside(at(index)), I32))]

            in_scalars, e.in_scalars = e.in_scalars, False
            (found,) = emit_loop(e, size, [I32(0)], look)
            e.in_scalars = in_scalars
            return emit_either(
                e,
                e.b.icmp_unsigned("!=", found, I32(0)),
                lambda: emit_loop(e, size, state, lambda index, inner: held.body(at(index), inner), in_vectors=not held.is_rare),
                lambda: choose(held.further, state),
            )

        return choose(guard, registers)

    return emit_loop(e, blocks, carried, block)


def emit_either(
    e: Emitter, condition: ir.Value, first: Callable[[], list[ir.Value]], second: Callable[[], list[ir.Value]]
) -> list[ir.Value]:
    """The registers of whichever of two pieces of code the condition chooses."""
    ends = []
    with e.b.if_else(condition) as (yes, no):
        with yes:
            ends.append((first(), e.b.block))
        with no:
            ends.append((second(), e.b.block))
    merged = []
    for registers in zip(ends[0][0], ends[1][0], strict=True):
        phi = e.b.phi(registers[0].type)
        for register, (_, block) in zip(registers, ends):
            phi.add_incoming(register, block)
        merged.append(phi)
    return merged


def unit_stride(e: Emitter, walks: list[Walk], axis: int) -> ir.Value:
    """Whether every stride along an axis that is not literal is the item size."""
    unit: ir.Value = I1(1)
    for walk in walks:
        stride = walk.strides[axis]
        if constant_of(stride) is None:
            same = e.compare("==", stride, I64(walk.itemsize))
            unit = same if constant_of(unit) == 1 else e.b.and_(unit, same)
    return unit


def with_unit_stride(walk: Walk, axis: int) -> Walk:
    """The walk in the version of a nest where strides along the axis are known to be the item size."""
    if constant_of(walk.strides[axis]) is not None:
        return walk
    return replace(walk, strides=(*walk.strides[:axis], I64(walk.itemsize), *walk.strides[axis + 1 :]))


def emit_store_nest(
    e: Emitter,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    body: NestBody,
    guard: Guard | None = None,
    copies: int = 0,
    enter: Callable[[list[ir.Value]], None] | None = None,
) -> None:
    """A nest without carried registers, in a second version for contiguous memory where strides are not literal."""
    unit = unit_stride(e, walks, len(sizes) - 1) if sizes else I1(1)
    if constant_of(unit) == 1:
        emit_nest(e, sizes, walks, [], body, guard=guard, copies=copies, enter=enter)
        return
    with e.b.if_else(unit) as (contiguous, strided):
        with contiguous:
            plain = [with_unit_stride(walk, len(sizes) - 1) for walk in walks]
            emit_nest(e, sizes, plain, [], body, guard=guard, copies=copies, enter=enter)
        with strided:
            emit_nest(e, sizes, walks, [], body, guard=guard, enter=enter)
