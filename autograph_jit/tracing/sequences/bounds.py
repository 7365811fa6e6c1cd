"""The bounds, the index and the items of a staged `for` loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim, Size, atom
from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.in_c import ITERATED
from autograph_jit.ir.types import I64
from autograph_jit.tracing.sequences.dynamic import common_kind
from autograph_jit.tracing.sequences.indexed import Enumerated, Indexed, Sequence, Zipped
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.demands import MAX_UNROLLED_TRIPS, ROLLED, WRITTEN_OUT, decisions_of_size
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.lift import index_value, scalar, size_bits
from autograph_jit.tracing.values.trace import Trace, active, constant, in_c
from autograph_jit.tracing.values.types import PYTHON_OBJECT

MAX_UNROLLED_ONE_BY_ONE = 4


class Bounds:
    """Start, stop and step of a counted loop; `direct` where the loop's index is the item itself."""

    def __init__(self, start: Value, stop: Value, step: Value, direct: bool) -> None:
        self.values, self.direct = (start, stop, step), direct


def loop_bounds(source: Any) -> Bounds:
    """A range runs by its own bounds; anything else counts from 0 to its length."""
    from_range = source.items if isinstance(getattr(source, "items", None), range) else None
    if from_range is not None:
        start, stop, step = (constant(np.int64(bound)) for bound in (from_range.start, from_range.stop, from_range.step))
        return Bounds(start, stop, step, direct=True)
    if isinstance(source, StagedRange):
        return Bounds(index_value(source.start), index_value(source.stop), index_value(source.step), direct=True)
    return Bounds(constant(np.int64(0)), index_value(source.length()), constant(np.int64(1)), direct=False)


def index_of(block: Block, source: Any, label: str) -> StagedScalar:
    """The stand-in of the loop's index."""
    value = block.add_argument(I64, "i")
    size: Size = atom(label)
    bits = 48
    if isinstance(source, StagedRange):
        bits = max([48, *(bound.bits for bound in (source.start, source.stop, source.step) if isinstance(bound, StagedScalar))])
    elif isinstance(getattr(source, "items", None), range):
        bits = max(size_bits(source.items.start), size_bits(source.items.stop))
    return scalar(value, True, size, min(bits, 62))


def item_at(source: Any, index: StagedScalar) -> Any:
    """What a loop assigns its variables of one trip."""
    with in_c(active().calls.for_c or ITERATED):
        return source.item(index)


def is_unrolled(trace: Trace, key: Any, trips: int | None) -> bool:
    """Whether an earlier trace decided to unroll this loop, or so many others at its line that all of them are."""
    if not trace.decisions.isdisjoint({(WRITTEN_OUT, key), ("exact",)}):
        return True
    if (ROLLED, key) in trace.decisions:
        return False
    if ("unroll", key) in trace.decisions:
        return True
    if trips is None or trips > MAX_UNROLLED_TRIPS:
        return False
    return sum(decision[0] == "unroll" and decision[1][0] == key[0] for decision in trace.decisions) > MAX_UNROLLED_ONE_BY_ONE


def can_end(trace: Trace, source: Indexed) -> bool:
    """Whether the number of trips is known, or can be in another trace: a list may have become one that only the run knows."""
    length = source.length()
    if not isinstance(length, StagedScalar) or id(length.value) in trace.sources.numbers:
        return True
    return isinstance(length.size, Dim) and decisions_of_size(trace, length.size) is not None or isinstance(length.size, int)


def known_trips(iterable: Any, source: Indexed | None) -> int | None:
    """The number of trips, where it is known while tracing."""
    if isinstance(iterable, range):
        return len(iterable)
    length = source.length() if source is not None else None
    return length if isinstance(length, int) else length.size if isinstance(length, StagedScalar) and isinstance(length.size, int) else None


def most_trips(source: Indexed) -> int | None:
    """How many trips a loop makes at most that takes from a tuple of different kinds, whose items only a number that the trace knows can
    tell apart, beside others of which only the run knows how many they are; None of other loops."""
    if isinstance(source, Enumerated):
        return most_trips(source.source)
    if not isinstance(source, Zipped):
        return None
    known = [part.items for part in source.sources if isinstance(part, Sequence) and isinstance(part.items, tuple)]
    if not any(common_kind(list(items)) == PYTHON_OBJECT for items in known):
        return None
    return min(map(len, known))
