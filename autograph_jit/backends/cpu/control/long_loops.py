"""Loops over elements that may take long look at signals now and then: Ctrl-C ends them within a tenth of a second.

    for index in range(count): body          while first < count:
                                                 for index in range(first, min(first + length, count)): body
                                                 look at signals, if trips are left

Nests that threads may share have the same in their batches (`sharing.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.nests.domains import Guard, LoopBody, NestBody, Walk, emit_loop, emit_nest
from autograph_jit.backends.cpu.signatures import I32, I64
from autograph_jit.backends.cpu.threading.sharing_form import atoms_of
from autograph_jit.backends.cpu.values import constant_of
from autograph_jit.ir.types import ArrayType

STRETCH = 1 << 18  # elements between looks at signals, each of which may be a miss of all caches
StoreNest = Callable[[tuple[ir.Value, ...], list[Walk]], None]
ONE = I64(1)
Stretch = Callable[[ir.Value, ir.Value, list[ir.Value]], list[ir.Value]]  # of its first trip, its number of trips, registers


def may_be_long(e: Emitter, sizes: tuple[ir.Value, ...]) -> bool:
    """Whether a nest here may look at signals, and may have so much to do that it must: not in the inner of two loops, nor in a function
    that threads run, nor where it is bounded by the sizes of arguments that are small."""
    known = constant_of(e.product(sizes)) if all(constant_of(size) is not None for size in sizes) else None
    return not e.is_outlined and e.loop_depth < 2 and not is_bounded_by_arguments(e) and (known is None or known > STRETCH)


def is_bounded_by_arguments(e: Emitter) -> bool:
    """Whether arguments are small, and the operation's arrays have no sizes but theirs; `work_of_arguments` knows what those make."""
    assert e.operation is not None
    if e.sharing_form is None:
        return False
    types = [value.type for value in (*e.operation.operands, *e.operation.results)]
    return all(name in e.atoms for type in types if isinstance(type, ArrayType) for name in atoms_of(type))


def poll(e: Emitter) -> None:
    """Look at signals; leave where one raised."""
    calm, interrupted = e.block("calm"), e.block("interrupted")
    e.b.cbranch(e.b.icmp_signed("==", e.call("ag_poll", e.frame), I32(0)), calm, interrupted)
    e.b.position_at_end(interrupted)
    e.leave(PENDING)
    e.b.position_at_end(calm)


def emit_stretches(e: Emitter, count: ir.Value, elements: ir.Value, carried: list[ir.Value], body: Stretch) -> list[ir.Value]:
    """Trips by stretches of about STRETCH elements, so many a trip, with registers carried from one to the next."""
    length = trips_between_looks(e, count, elements)
    before, stretch, further, done = e.b.block, e.block("stretch"), e.block("further"), e.block("stretched")
    e.b.branch(stretch)
    e.b.position_at_end(stretch)
    first = e.b.phi(I64)
    phis = [e.b.phi(register.type) for register in carried]
    trips = e.minimum(e.b.sub(count, first), length)
    following = body(first, trips, list(phis))
    last = e.b.add(first, trips, flags=["nsw"])
    e.b.cbranch(e.compare("<", last, count), further, done).set_weights([1, 1 << 10])
    e.b.position_at_end(further)
    poll(e)
    for phi, start, step in zip((first, *phis), (I64(0), *carried), (last, *following), strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(step, e.b.block)
    e.b.branch(stretch)
    e.b.position_at_end(done)
    return following


def trips_between_looks(e: Emitter, count: ir.Value, elements: ir.Value) -> ir.Value:
    """How many trips have about STRETCH elements; all of them where there is less to do, without a division."""
    before, long, merge = e.b.block, e.block("long"), e.block("length")
    e.b.cbranch(e.compare(">", e.mul(count, elements), I64(STRETCH)), long, merge).set_weights([1, 1 << 10])
    e.b.position_at_end(long)
    several = e.b.udiv(e.maximum(I64(STRETCH), elements), elements)
    e.b.branch(merge)
    e.b.position_at_end(merge)
    length = e.b.phi(I64)
    length.add_incoming(count, before)
    length.add_incoming(several, long)
    return length


def emit_long_loop(
    e: Emitter, count: ir.Value, carried: list[ir.Value], body: LoopBody, inner: tuple[ir.Value, ...] = ()
) -> list[ir.Value]:
    """As `emit_loop`, for trips of so many elements, the product of `inner`."""
    if not may_be_long(e, (count, *inner)):
        return emit_loop(e, count, carried, body)

    def stretch(first: ir.Value, trips: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        return emit_loop(e, trips, registers, lambda index, state: body(e.b.add(first, index, flags=["nsw"]), state))

    return emit_stretches(e, count, e.product(inner), carried, stretch)


def emit_long_nest(
    e: Emitter,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    carried: list[ir.Value],
    body: NestBody,
    axes: tuple[int, ...] | None = None,
    guard: Guard | None = None,
    price: ir.Value = ONE,
) -> list[ir.Value]:
    """As `emit_nest`; a place costs as much as so many elements, times those along the axes that are not among `axes`."""
    order = tuple(range(len(sizes))) if axes is None else axes
    if not order or not may_be_long(e, (*sizes, price)):
        return emit_nest(e, sizes, walks, carried, body, order, guard)

    def stretch(first: ir.Value, trips: ir.Value, registers: list[ir.Value]) -> list[ir.Value]:
        return emit_nest(e, *cut(e, sizes, walks, order[0], first, trips), registers, body, order, guard)

    elements = e.mul(elements_beside(e, sizes, order[0]), price)
    return emit_stretches(e, sizes[order[0]], elements, carried, stretch)


def emit_nest_by_stretches(e: Emitter, sizes: tuple[ir.Value, ...], walks: list[Walk], axis: int, nest: StoreNest) -> None:
    """A nest by stretches of one axis, if it may be long."""
    if not may_be_long(e, sizes):
        nest(sizes, walks)
        return

    def stretch(first: ir.Value, trips: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        nest(*cut(e, sizes, walks, axis, first, trips))
        return []

    emit_stretches(e, sizes[axis], elements_beside(e, sizes, axis), [], stretch)


def cut(
    e: Emitter, sizes: tuple[ir.Value, ...], walks: list[Walk], axis: int, first: ir.Value, trips: ir.Value
) -> tuple[tuple[ir.Value, ...], list[Walk]]:
    """So many places of one axis from the first one on."""
    moved = [walk.moved(e, axis, first) for walk in walks]
    return (*sizes[:axis], trips, *sizes[axis + 1 :]), moved


def elements_beside(e: Emitter, sizes: tuple[ir.Value, ...], axis: int) -> ir.Value:
    return e.product((*sizes[:axis], *sizes[axis + 1 :]))
