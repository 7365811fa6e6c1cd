"""Instances of users' classes where paths of control flow meet: joined attribute by attribute, and never objects of the run.

What the paths leave is then one new instance that holds the joined values. It is a copy: a program that writes an attribute of a
joined instance, or of one that was joined, or asks which object it is, is traced again with the instances of that class
made by Python when the program runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph_jit.staging.plain_calls import NEVER_CONVERTED
from autograph_jit.staging.templates import fields_of
from autograph_jit.staging.trace import Restart, active, current

MUTABLE = (list, dict, set, deque)


def class_key(kind: type) -> tuple[str, str, str]:
    """The decision that a class's instances are made at run time; a class that every trace defines anew keeps its key."""
    return "objects", kind.__module__, kind.__qualname__


def is_user_instance(x: Any) -> bool:
    """Whether an object is nothing but its class, written by the user, and its attributes."""
    kind: Any = type(x)
    return kind.__new__ is object.__new__ and fields_of(x) is not None and kind.__module__.partition(".")[0] not in NEVER_CONVERTED


def is_record(x: Any) -> bool:
    """Whether the trace made this instance, and knows all that it holds."""
    trace = current()
    if trace is None or id(x) not in trace.created or not is_user_instance(x) or class_key(type(x)) in trace.decisions:
        return False
    return not any(isinstance(value, MUTABLE) for value in (fields_of(x) or {}).values())


def record_parts(x: Any) -> tuple[tuple[Any, ...], list[Any], Callable[[list[Any]], Any]]:
    """The key, attributes and constructor of a record."""
    fields = fields_of(x) or {}
    kind, names = type(x), tuple(fields)
    return ("record", kind, names), list(fields.values()), lambda items: joined_record(kind, names, items)


def joined_record(kind: type, names: tuple[str, ...], items: list[Any]) -> Any:
    """A new instance with joined attributes."""
    made: Any = object.__new__(kind)
    for name, item in zip(names, items):
        object.__setattr__(made, name, item)
    trace = active()
    trace.created[id(made)] = (made, len(trace.regions))
    note_joined(made)
    return made


def note_joined(x: Any) -> None:
    """This instance was copied, or is a copy: nobody may change it from here on."""
    active().joined[id(x)] = x


def expect_own(x: Any) -> None:
    """An instance is about to be changed, or told from others: trace again with objects of the run where it was joined."""
    trace = current()
    if trace is not None and trace.joined.get(id(x)) is x:
        raise Restart(class_key(type(x)))
