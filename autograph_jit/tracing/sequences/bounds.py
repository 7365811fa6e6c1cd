"""The bounds, the index and the items of a staged `for` loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.in_c import ITERATED
from autograph_jit.ir.types import I64
from autograph_jit.tracing.sequences.indexed import StagedRange
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.lift import index_value, scalar, size_bits
from autograph_jit.tracing.values.trace import active, constant, in_c


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
