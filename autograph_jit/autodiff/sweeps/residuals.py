"""Where the forward sweep keeps what the reverse sweep reads: one array for the trips of counted loops, growable lists for the rest.

Forward:  `r = empty(trips, n); for_loop[..., store(r, x, trip)]`       Reverse: `for_loop[x = load(r, trip), ...]`

An array has one axis for each loop around the value, outermost first, and then those of the value: it is allocated once, before the
outermost loop, so all its sizes must be known there. Where they are not, or where a branch or a loop that a condition ends lies
between, values are pushed on a list and popped in reverse order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from autograph_jit.autodiff.checkpointing.budget import check_bytes, check_length
from autograph_jit.autodiff.sweeps.invariants import Invariants, length_of
from autograph_jit.autodiff.sweeps.phantoms import ABSENT, Phantoms, Request, stack_element
from autograph_jit.autodiff.sweeps.triangles import emit_trips, most_trips
from autograph_jit.autodiff.sweeps.trips import bound_of, index_of, known_trip_count, trip_count, trip_number
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, constant, detached, emit

Read = Callable[[Value], Value]
FEW_TRIPS = 1 << 12


@dataclass
class Buffer:
    """An array of residuals: the loops around the value, outermost first, and the phantom that stands for the array."""

    loops: list[Operation]
    phantom: Value
    item: ScalarType | ArrayType


@dataclass
class Residuals:
    """What the forward copy of each block keeps at its end, in order: in `buffers` by phantom, else on the lists, which are made in
    `header`."""

    header: Block
    invariants: Invariants
    wanted: dict[Block, list[Request]] = field(default_factory=dict)
    stacks: dict[str, Value] = field(default_factory=dict)
    buffers: dict[Value, Buffer] = field(default_factory=dict)
    made: dict[Value, Value] = field(default_factory=dict)
    filled: dict[Operation, Value] = field(default_factory=dict)
    nests: dict[Block, list[Operation] | None] = field(default_factory=dict)

    def stack(self, type_: ScalarType) -> Value:
        """The list for an element type."""
        key = str(type_)
        if key not in self.stacks:
            with detached(active(), self.header):
                self.stacks[key] = emit("list_new", elem=type_).result
        return self.stacks[key]

    def nest(self, region: Block) -> list[Operation] | None:
        """The counted loops around a region, outermost first, if nothing else is around it and their bounds are known before."""
        if region not in self.nests:
            found: list[Operation] = []
            block: Block | None = region
            while block in self.invariants.owners:
                found.insert(0, self.invariants.owners[block])
                block = found[0].block
            exact = block is self.invariants.root and all(self.is_counted(loop, found[0]) for loop in found)
            self.nests[region] = found if exact and found else None
        return self.nests[region]

    def is_counted(self, loop: Operation, outermost: Operation) -> bool:
        """Whether the trips of a loop are known before the outermost loop, or a number that they do not exceed by much."""
        if loop.name == "while_loop":
            bound = bound_of(loop)
            return bound is not None and self.invariants.is_known(bound, outermost)
        if loop.name != "for_loop" or loop.regions[0].terminated or (loop.attributes.get("has_break") and not may_stop_early(loop)):
            return False
        return self.is_even(loop, outermost) or most_trips(loop, outermost, self.invariants) is not None

    def is_even(self, loop: Operation, outermost: Operation) -> bool:
        """Whether a loop makes as many trips in each trip of the loops around it."""
        return loop.name == "while_loop" or all(self.invariants.is_known(bound, outermost) for bound in loop.operands[:3])

    def plan(self, request: Request, region: Block) -> Buffer | None:
        """The array for a request, if it can have one."""
        loops, type_ = self.nest(region), request.phantom.type
        if loops is None or not isinstance(type_, (ScalarType, ArrayType)):
            return None
        sizes = type_.dims if isinstance(type_, ArrayType) else ()
        if sizes and any(loop.attributes.get("has_break") and "bounded" not in loop.attributes for loop in loops):
            return None
        if sizes and not all(self.is_even(loop, loops[0]) for loop in loops):
            return None
        if not all(self.invariants.has_size(size, region, loops[0]) for size in sizes):
            return None
        trips = tuple(known_trip_count(loop) for loop in loops)
        dims = tuple(active().fresh_atom("d", "trips") if count is None else count for count in trips)
        phantom = Value(ArrayType(type_.dtype, (*dims, *sizes)), ABSENT, 0, "residuals")  # type: ignore[arg-type]
        self.buffers[request.phantom] = Buffer(loops, phantom, type_)
        return self.buffers[request.phantom]

    def has_place(self, request: Request) -> bool:
        """Whether a request has an array of its own."""
        return request.phantom in self.buffers

    def allocate(self, loop: Operation, at_hand: Read) -> None:
        """Emit, where a loop of the outermost block begins, the arrays for its trips."""
        buffers = [buffer for buffer in self.buffers.values() if buffer.loops[0] is loop]
        if buffers:
            sizes = [self.sizes(buffer, at_hand) for buffer in buffers]
            loops = list(dict.fromkeys(inner for buffer in buffers for inner in buffer.loops))
            check_bytes(loops, [(shape, self.bytes_touched(buffer)) for shape, buffer in zip(sizes, buffers)])
            for shape, buffer in zip(sizes, buffers):
                assert isinstance(buffer.phantom.type, ArrayType)
                made = emit("empty", *shape, dtype=buffer.phantom.type.dtype, dims=buffer.phantom.type.dims).result
                active().differentiation.residuals.add(made)
                self.made[buffer.phantom] = made

    def bytes_touched(self, buffer: Buffer) -> float:
        """The bytes of an element, on the average over all places: of a triangle half of the rows are never touched."""
        return buffer.item.dtype.itemsize / 2 ** sum(not self.is_even(loop, buffer.loops[0]) for loop in buffer.loops[:-1])

    def loops_around(self, region: Block) -> list[Operation]:
        """The loops around a region, outermost first."""
        found: list[Operation] = []
        block: Block | None = region
        while block in self.invariants.owners:
            operation = self.invariants.owners[block]
            found[:0] = [operation] if operation.name.endswith("_loop") else []
            block = operation.block
        return found

    def bound_lists(self, region: Block) -> None:
        """At the end of a trip in which values were pushed on a list, check how long it is."""
        loops = self.loops_around(region)
        if loops and region in loops[-1].regions and loops[-1] in self.filled:
            check_length(loops, self.filled[loops[-1]])

    def trips(self, loop: Operation, outermost: Operation, at_hand: Read) -> Value:
        bound = bound_of(loop) if loop.name == "while_loop" else None
        if bound is not None:
            return self.invariants.known(bound, outermost, at_hand)
        count = known_trip_count(loop)
        if count is not None:
            return constant(np.int64(count))
        form = None if self.is_even(loop, outermost) else most_trips(loop, outermost, self.invariants)
        if form is not None:
            return emit_trips(form, lambda value: self.invariants.known(value, outermost, at_hand))
        return trip_count(*(scalar(self.invariants.known(bound, outermost, at_hand)) for bound in loop.operands[:3])).value

    def sizes(self, buffer: Buffer, at_hand: Read) -> list[Value]:
        """The trips of the loops, then the sizes of what is kept."""
        region, outermost = buffer.loops[-1].regions[0], buffer.loops[0]
        trips = [self.trips(loop, outermost, at_hand) for loop in buffer.loops]
        if isinstance(buffer.item, ScalarType):
            return trips
        return trips + [self.invariants.size(size, region, partial(length_of, at_hand), outermost) for size in buffer.item.dims]


def may_stop_early(loop: Operation) -> bool:
    """Whether a loop with `break` has so few trips that places for all of them cost nothing."""
    count = known_trip_count(loop)
    return "bounded" in loop.attributes or (count is not None and count <= FEW_TRIPS)


def place_in(buffer: Buffer, array_: Value, read: Read) -> tuple[Value, list[Value]]:
    """Where the value of this trip stands: the array and indices of a number, a view of the array and no indices for an array."""
    numbers = [trip_number(read(index_of(loop)), loop, read) for loop in buffer.loops]
    if isinstance(buffer.item, ScalarType):
        return array_, numbers
    items = (("int",),) * len(numbers) + (("full",),) * len(buffer.item.dims)
    return emit("basic_index", array_, *numbers, items=items, dims=buffer.item.dims, proved=True).result, []


def recall(phantoms: Phantoms, request: Request, region: Block, given: dict[Value, Value | Callable[[], Value]]) -> Value:
    """Emit the reverse of `save`; `given` has what is known at the start of the region, or how to make it."""
    residuals = phantoms.residuals
    buffer = residuals.buffers.get(request.phantom) or residuals.plan(request, region)
    if buffer is None:
        return pop(residuals, request)

    def read(value: Value) -> Value:
        known = given.get(value)
        return phantoms.value(value).value if known is None else known if isinstance(known, Value) else known()

    place, indices = place_in(buffer, buffer.phantom, read)
    return emit("load", place, *indices, proved=True).result if indices else place


def save(residuals: Residuals, request: Request, value: Value, values: dict[Value, Value], region: Block) -> None:
    """Keep a value of the forward sweep, where it is computed."""
    buffer = residuals.buffers.get(request.phantom)
    if buffer is None:
        push(residuals, request, value)
        for loop in residuals.loops_around(region)[-1:]:
            residuals.filled.setdefault(loop, residuals.stack(stack_element(value.type)))
        return
    place, indices = place_in(buffer, residuals.made[buffer.phantom], lambda found: values.get(found, found))
    if indices:
        emit("store", place, value, *indices, proved=True)
    else:
        emit("assign", place, value)


def pop(residuals: Residuals, request: Request) -> Value:
    """Take a value back from its list."""
    type_ = request.phantom.type
    stack = residuals.stack(stack_element(type_))
    last = constant(np.int64(-1))
    if not isinstance(type_, ArrayType):
        return emit("list_pop", stack, last).result
    sizes = residuals.stack(stack_element(constant(np.int64(0)).type))
    lengths = [constant(np.int64(size)) if isinstance(size, int) else emit("list_pop", sizes, last).result for size in reversed(type_.dims)]
    return emit("list_take", stack, *reversed(lengths), dims=type_.dims).result


def push(residuals: Residuals, request: Request, value: Value) -> None:
    """Keep a value on a list: scalars one by one, arrays element by element with the sizes that the type leaves open."""
    stack = residuals.stack(stack_element(value.type))
    if not isinstance(value.type, ArrayType):
        emit("list_push", stack, value)
        return
    emit("list_extend", stack, value)
    sizes = residuals.stack(stack_element(constant(np.int64(0)).type))
    for axis, size in enumerate(value.type.dims):
        if not isinstance(size, int):
            emit("list_push", sizes, emit("dim", value, axis=axis).result)
