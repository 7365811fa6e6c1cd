"""Counted loops that read elements of an array before later trips write them: such trips may as well read and write in vectors.

    for r in range(top, w - 1, -1): best[r] = max(best[r], best[r - w] + v)         each trip reads what lies ahead, if w >= 0

LLVM compares the stretches that a loop reads and writes; these overlap, so that it would take one element after the other. In front of the
loop it is known how far ahead the reads are. Where none is behind, the accesses are marked as those of a loop whose trips do not wait
for each other: in vectors too all reads of a trip come before its write, and before those of the trips that follow.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.independent import independent_trips
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import array_type
from autograph_jit.ir.graph import Operation, Value, walk_block
from autograph_jit.kernels.trips import Trips


def reads_ahead(e: Emitter, loop: Operation) -> list[tuple[Value, Value, int]] | None:
    """Indices of a store and of a load of its array before it, with the step of both; None where something else may wait for a trip, or
    where LLVM knows the distances."""
    body = loop.regions[0]
    trips = Trips(loop, body.args[0])
    accesses = [operation for operation in walk_block(body) if operation.name in ("load", "store")]
    pairs, is_open = [], False
    for number, store in enumerate(accesses):
        for place, other in enumerate(accesses) if store.name == "store" else ():
            target, array = store.operands[0], other.operands[0]
            if target is not array:
                if e.facts.may_meet(target, array):
                    return None
                continue
            if other is store:
                continue
            if other.name == "store" or array_type(array).rank != 1:
                return None
            written, read = trips.form_of(store.operands[2]), trips.form_of(other.operands[1])
            if written is None or read is None or written.step != read.step or abs(written.step) != 1:
                return None
            if written == read:
                continue
            if place > number:
                return None
            is_open = is_open or written.rest != read.rest
            pairs.append((store.operands[2], other.operands[1], written.step))
    return pairs if is_open else None


def are_ahead(e: Emitter, pairs: list[tuple[Value, Value, int]], at: Callable[[Value], ir.Value], is_upward: bool) -> ir.Value:
    """Whether no load reads what an earlier trip wrote; `at` gives the indices of one trip, which are in bounds."""
    ahead: ir.Value = I1(1)
    for written, read, step in pairs:
        distance = e.sub(at(read), at(written))
        ahead = e.b.and_(ahead, e.compare(">=" if is_upward == (step > 0) else "<=", distance, I64(0)))
    return ahead


def emit_free(e: Emitter, emit: Callable[[], None]) -> None:
    """Emit a loop whose trips do not wait for each other."""
    with independent_trips(e):
        emit()
