"""Items of a list that are constants, where only the run knows which of them is asked for: one list of them for a call of the program."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.sequences.dynamic import common_kind
from autograph_jit.tracing.values.trace import active, at_the_beginning, is_inside

CONSTANTS = (bool, int, float, str, bytes)


def constant_items(items: list[Any]) -> NativeList | None:
    """The items, in a list that the program makes before its loops and functions, and never changes; None where they are no constants, or
    stand outside of loops and functions."""
    trace = active()
    is_apart = bool(trace.regions) and trace.inputs is not None and is_inside(trace) and not trace.differentiation.directions
    if not is_apart or not items or not all(type(item) in CONSTANTS for item in items):
        return None
    kind = common_kind(items)
    if kind is None or not kind.is_native:
        return None
    key = "constant items", tuple((type(item), repr(item)) for item in items)  # 0.0 and -0.0 are two
    if key not in trace.inputs.reads:
        with at_the_beginning(trace):
            trace.inputs.reads[key] = made = NativeList(kind)
            for item in items:
                made.push(item)
    return trace.inputs.reads[key]  # type: ignore[no-any-return]
