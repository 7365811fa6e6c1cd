"""Lists of compiled code that paths of control flow exchange: what may be one list when the program runs is of one kind, everywhere."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.values.trace import Restart, active
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ValueType

PYTHON_LISTS = ("lists of Python",)  # the decision that lists which paths exchange for others are Python's


class Family:
    """Lists that may be one at run time."""

    def __init__(self) -> None:
        self.members: dict[int, Any] = {}

    def add(self, container: Any) -> None:
        self.members[id(container)] = container
        container.family = self


def unite(first: Any, second: Any) -> None:
    """From now on these may be one list."""
    if first.family is not None and first.family is second.family:
        return
    family = first.family or Family()
    family.add(first)
    for member in relatives(second):
        family.add(member)


def relatives(container: Any) -> list[Any]:
    """A list and all that may be the same one."""
    return [container] if container.family is None else list(container.family.members.values())


def decisions_for(container: Any, kind: ValueType) -> set[tuple[Any, ...]]:
    """What makes a list, and all that may be the same one, lists of a kind."""
    return {("dynamic", member.key, kind) for member in relatives(container)}


def expect_alone(container: Any) -> None:
    """Python is given a list, and may keep it: where it may be one under another name, trace again with all of them as Python's."""
    if container.family is not None:
        raise Restart(*decisions_for(container, PYTHON_OBJECT))


def note_length_changed() -> None:
    """A list may change its length that may have other names: loops that run over one of these read it before every trip."""
    active().aliasing.length_changes += 1
