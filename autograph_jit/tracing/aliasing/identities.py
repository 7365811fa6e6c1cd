"""Lists and dicts that paths of control flow join: the joined one stands for either, so writing one and reading another is refused.

Before: `b = a if c else [0]`, then `b[0] = 1`: the trace has joined a copy of `a` and `[0]` element by element; is `a[0]` read afterwards?
After:  where it is, tracing starts again with both lists kept at run time, where a reference stays a reference.
"""

from __future__ import annotations

from typing import Any

from autograph_jit.budget import Work, spend
from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS, expect_alone
from autograph_jit.tracing.aliasing.instances import note_relatives
from autograph_jit.tracing.structures.demands import Region, is_kept, is_within
from autograph_jit.tracing.structures.templates import is_made_here
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, active, current, user_span
from autograph_jit.tracing.values.types import NEVER, PYTHON_OBJECT, ValueType, join_items

NOTED = Work("reads of containers noted", 0.4)
UNKNOWN = object()  # writes that are not seen
LOOPS = ("for", "while")
Stack = tuple[Region, ...]


class Joined:
    """Containers that may be one at run time, and which of them were written inside which regions."""

    def __init__(self) -> None:
        self.members: list[Any] = []
        self.known: set[int] = set()  # their identities
        self.writes: list[tuple[Any, Stack]] = []

    def add(self, container: Any) -> None:
        if id(container) not in self.known:
            self.known.add(id(container))
            self.members.append(container)
        container.merged = self

    def keep_apart(self, added: ValueType = NEVER) -> None:
        """Trace again with all of them kept at run time: in compiled code, with room for what is about to be added, or else by Python."""
        keys = {member.key for member in self.members}
        if None in keys:
            raise ConversionError(
                "a list or dict that the data chooses is written, and read under another name",
                user_span(),
                "compiled code joined it as a copy",
                "write into an array, or copy the list before it is written",
            )
        kind = join_items((self.members[0].run_time_kind(self.members), added))
        natively = {("dynamic", key, kind) for key in keys}
        is_new = not natively <= active().decisions and PYTHON_LISTS not in active().decisions
        raise Restart(*(natively if is_new else (("dynamic", key, PYTHON_OBJECT) for key in keys)))


def join_identities(x: Any, y: Any) -> None:
    """From now on x and y may be one container."""
    if x is y:
        return
    if not is_marked(x, "merged") or not is_marked(y, "merged"):
        active().outside.joined |= {id(each): each for each in (x, y) if type(each) in (list, dict)}
        if is_made_here(x) and is_made_here(y):
            note_relatives(x, y)
        return
    first, second = x.merged or Joined(), y.merged or Joined()
    for member in (x, y, *(() if second is first else second.members)):
        first.add(member)
    first.writes += [write for write in second.writes if second is not first]


def note_read(container: Any) -> None:
    """A container is read: no other that may be the same was written."""
    trace = current()
    if trace is None:
        return
    spend(NOTED, 1)
    stack = tuple(trace.regions)
    key = tuple(map(id, stack))
    if key not in container.reads:
        container.reads = container.reads or {}
        container.reads[key] = stack
    merged = container.merged
    if merged is not None and any(other is not container and is_kept(inside) for other, inside in merged.writes):
        merged.keep_apart()


def expect_distinct(x: Any, y: Any) -> None:
    """Two containers are compared by identity: they are two in any case, or references of the run."""
    merged = x.merged if is_marked(x, "merged") else None
    if merged is not None and any(member is y for member in merged.members):
        merged.keep_apart()


def note_write(container: Any, added: ValueType = NEVER) -> None:
    """A container is written, for items of a type: no other that may be the same is read by a later trip of a loop around here."""
    merged = container.merged
    if merged is None:
        return
    regions = active().regions
    merged.writes.append((container, tuple(regions)))
    for position, region in enumerate(regions):
        if region.kind in LOOPS:
            others = [member for member in merged.members if member is not container and is_read_in(member, region)]
            if any(is_outside(member, position) or is_outside(container, position) for member in others):
                merged.keep_apart(added)


def is_outside(container: Any, position: int) -> bool:
    """Whether a container was made outside of the region at this position, so that all trips of a loop meet the same."""
    return container.depth + container.is_loop_state <= position


def is_read_in(container: Any, region: Region) -> bool:
    return any(is_kept(stack) and is_within(stack, region) for stack in container.reads.values())


def note_boxed(container: Any) -> None:
    """A container goes on as a Python object of the run, which is another one: it must not be used under its old name."""
    if is_marked(container, "merged"):
        expect_alone(container)
        merged = container.merged or Joined()
        merged.add(container)
        merged.writes.append((UNKNOWN, ()))
