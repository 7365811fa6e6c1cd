"""Lists and dicts that belong to the caller's world: a traced function may change one or look into it, not both.

What the trace reads of them is known while tracing; what it writes happens when the program runs. A program that does both would
read the past.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.staging.containers import Dynamic
from autograph_jit.staging.trace import Trace, current, user_span

KINDS = (list, dict, set, deque)


def belongs_outside(trace: Trace, container: Any) -> bool:
    """Whether a container was not made by the traced program."""
    return isinstance(container, KINDS) and not isinstance(container, Dynamic) and id(container) not in trace.host_containers


def note_read(container: Any) -> None:
    """The trace looks into a container."""
    trace = current()
    if trace is not None and belongs_outside(trace, container):
        trace.outside_reads[id(container)] = container
        refuse_both(trace, container)


def note_write(container: Any) -> None:
    """The program changes a container when it runs."""
    trace = current()
    if trace is not None and belongs_outside(trace, container):
        trace.outside_writes[id(container)] = container
        refuse_both(trace, container)


def refuse_both(trace: Trace, container: Any) -> None:
    if id(container) in trace.outside_reads and id(container) in trace.outside_writes:
        raise ConversionError(
            f"this {type(container).__name__} from outside the function is both changed and read",
            user_span(),
            "what is read of it is known while the function is traced, what is written happens when it runs",
            "pass it as an argument, or keep it out of the compiled function",
        )
