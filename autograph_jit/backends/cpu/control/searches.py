"""Searches inside loops whose length only the run tells: the best of a few is chosen without a jump, the best of many jumped to.

    for i in range(n):                                  if k <= 128: the loop whose better numbers are chosen
        for j in range(k):                              else:        the loop that jumps where a number is better
            if d[i, j] < best: best = d[i, j]; at = j

Of `k` numbers in no order some `log(k)` are better than all before: of a few that is nearly every other one, which no processor foresees.
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.backends.cpu.control.branches import FEW_TRIPS, is_in_few_trips, may_be_record
from autograph_jit.backends.cpu.control.counting import Range, distance_of
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.ir.graph import Operation

MOST_OPERATIONS = 60  # in a body that is emitted twice


def is_search_of_any_length(e: Emitter, loop: Operation) -> bool:
    """Whether a short trip of a loop that runs again and again keeps the best so far, and literals do not tell how many there are."""
    body = loop.regions[0]
    if e.is_rare or not e.loop_depth or len(body.operations) > MOST_OPERATIONS or is_in_few_trips(e.ranges, body):
        return False
    has_loops = any(operation.name in ("for_loop", "while_loop") for operation in body.operations)
    return not has_loops and any(operation.name == "cond" and may_be_record(operation) for operation in body.operations)


def emit_by_length(e: Emitter, loop: Operation, over: Range, emit: Callable[[], None]) -> None:
    """The loop twice, for few trips and for many; both go on where the loop ends."""
    few, many = e.block("few"), e.block("many")
    trips = distance_of(e, over, over.start, over.stop) if over.trips is None else over.trips
    e.b.cbranch(e.b.icmp_unsigned("<=", trips, I64(FEW_TRIPS)), few, many)
    budget = e.budget
    e.b.position_at_end(few)
    e.short_searches.add(loop)
    emit()
    e.short_searches.discard(loop)
    e.budget = budget
    e.b.position_at_end(many)
    emit()
