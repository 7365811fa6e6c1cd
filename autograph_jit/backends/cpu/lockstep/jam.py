"""Which loops are turned inside out: those around one that LLVM vectorises and that adds to the same elements in every trip.

    for i in range(l):                              for i in range(0, l, 4), for j in range(0, n, 16):
        for k in range(m):                              for k in range(m):
            for j in range(n):                              for 4 rows at once, and 16 trips of the inner loop:
                out[i, j] += a[i, k] * b[k, j]                  out[i, j : j + 16] += a[i, k] * b[k, j : j + 16]

What the outer loop adds up stays in registers then, and what several rows read is read once. Each element sees the same operations in the
same order. Two loops over a matrix that does not fit the cache are left alone where no loop over rows is around them: rows are better read
from end to end then.
"""

from __future__ import annotations

from dataclasses import replace

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.choice import LOOPS, MOST_OPERATIONS, Writes, is_possible
from autograph_jit.backends.cpu.lockstep.divergence import Divergence, find_divergence
from autograph_jit.backends.cpu.values import array_type
from autograph_jit.ir.graph import Operation, Value, literal_of
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.kernels.trips import Trips, disjoint_arrays, indices_of, uses
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Unproved:
    """An index of a load or a store that is not proved to be in bounds: a constant and multiples of numbers, also of loops' indices."""

    operation: Operation
    axis: int
    terms: tuple[tuple[Value, int], ...]
    constant: int


@dataclass(frozen=True, slots=True)
class Jam:
    """An outer loop and the inner one whose trips run side by side; `rows` is a loop around both, some of whose trips share them."""

    rows: Operation | None
    outer: Operation
    inner: Operation
    trips: Trips
    divergence: Divergence
    unproved: list[Unproved]
    disjoint: set[frozenset[Value]]

    @property
    def loops(self) -> list[Operation]:
        return [loop for loop in (self.rows, self.outer, self.inner) if loop is not None]


def find_jam(e: Emitter, loop: Operation) -> Jam | None:
    """How two or three loops are turned inside out; None where that is not possible, or would not be faster."""
    if e.handlers or e.retreat is not None:
        return None
    return find_pair(e, loop) or find_rows(e, loop)


def find_pair(e: Emitter, outer: Operation) -> Jam | None:
    inner = loop_inside(outer)
    if inner is None or not is_simple(inner):
        return None
    trips = Trips(outer, index_of(inner))
    if len(trips.operations) > MOST_OPERATIONS or any(trips.is_inside(bound) for bound in inner.operands) or not adds_up(trips, outer):
        return None
    if any(operation.name in LOOPS and operation is not inner or not is_possible(e, trips, operation) for operation in trips.operations):
        return None
    disjoint, unproved = disjoint_arrays(trips, e.facts, e.ranges), find_unproved(e, outer, [inner])
    divergence = find_divergence(trips)
    writes = Writes(e, divergence, [])
    others = [operation for operation in trips.operations if operation.name not in ("load", "store", "cond")]
    if disjoint is None or unproved is None or any(map(writes.can_fail, others)):
        return None
    return Jam(None, outer, inner, trips, divergence, unproved, disjoint)


def find_rows(e: Emitter, rows: Operation) -> Jam | None:
    """A loop whose trips are independent, around a pair that can be turned inside out: some rows of a product at once."""
    outer = loop_inside(rows)
    pair = find_pair(e, outer) if outer is not None else None
    if pair is None:
        return None
    trips = Trips(rows, index_of(rows))
    others = [operation for operation in rows.regions[0].operations if operation is not pair.outer]
    if not all(isinstance(operation.opdef.kernel, Pointwise) and is_possible(e, trips, operation) for operation in others):
        return None
    if any(trips.is_inside(bound) for loop in (pair.outer, pair.inner) for bound in loop.operands):
        return None
    disjoint, unproved = disjoint_arrays(trips, e.facts, e.ranges), find_unproved(e, rows, [pair.outer, pair.inner])
    if disjoint is None or unproved is None:
        return None
    return replace(pair, rows=rows, unproved=unproved, disjoint=disjoint | pair.disjoint)


def loop_inside(loop: Operation) -> Operation | None:
    """The only loop in a simple loop."""
    if not is_simple(loop):
        return None
    loops = [operation for operation in loop.regions[0].operations if operation.name in LOOPS]
    return loops[0] if len(loops) == 1 else None


def index_of(loop: Operation) -> Value:
    return loop.regions[0].args[0]


def is_simple(loop: Operation) -> bool:
    """Whether a loop counts up by ones, carries nothing and does not break."""
    return counts_up(loop) and not (loop.operands[3:] or loop.attributes.get("has_break") or loop.regions[0].terminated)


def counts_up(loop: Operation) -> bool:
    """Whether an operation is a counted loop whose step is 1."""
    return loop.name == "for_loop" and literal_of(loop.operands[2]) == 1


def adds_up(trips: Trips, outer: Operation) -> bool:
    """Whether all stores go to elements that are the same in every trip of the outer loop."""
    stores = [operation for operation in trips.operations if operation.name == "store"]
    return bool(stores) and not any(uses(store, index_of(outer)) for store in stores)


def find_unproved(e: Emitter, outermost: Operation, inner: list[Operation]) -> list[Unproved] | None:
    """The indices to look at before the loops; None where one is not a sum with indices of these loops."""
    trips = Trips(outermost, index_of(outermost), frozenset(map(index_of, inner)))
    found = []
    for operation in trips.operations:
        if operation.name not in ("load", "store") or operation.attributes.get("proved"):
            continue
        for axis, (index, dim) in enumerate(zip(indices_of(operation), array_type(operation.operands[0]).dims)):
            if e.ranges.is_index(index, dim, operation) == (True, True):
                continue
            form = trips.form_of(index)
            if form is None:
                return None
            own = ((trips.index, form.step),) if form.step else ()
            found.append(Unproved(operation, axis, (*own, *form.rest), form.constant))
    return found
