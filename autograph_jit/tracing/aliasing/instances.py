"""Instances of users' classes where paths of control flow meet: joined attribute by attribute, and never objects of the run.

What the paths leave is then one new instance that holds the joined values. It is a copy: a program that writes an attribute of a
joined instance, or of one that was joined, or asks which object it is, is traced again with instances of that class that are one object
under all names; so is one that returns two instances which may be one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.aliasing.row_classes import by_reference, class_key
from autograph_jit.tracing.structures.templates import fields_of, is_user_instance, made_here_in
from autograph_jit.tracing.values.trace import Restart, active, current

MUTABLE = (list, dict, set, deque)


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
    return ("record", kind, names), list(fields.values()), lambda items: joined_record(x, names, items)


def joined_record(like: Any, names: tuple[str, ...], items: list[Any]) -> Any:
    """A new instance with joined attributes, which may be another one."""
    made: Any = object.__new__(type(like))
    for name, item in zip(names, items):
        object.__setattr__(made, name, item)
    trace = active()
    trace.created[id(made)] = (made, len(trace.regions))
    note_joined(made)
    note_relatives(like, made)
    return made


def note_relatives(x: Any, y: Any) -> None:
    """From now on x and y may be one instance."""
    relatives = active().aliasing.relatives
    first, second = (relatives.setdefault(id(each), [each]) for each in (x, y))
    if first is not second:
        first += second
        relatives.update((id(each), first) for each in second)


def expect_apart(x: Any, is_seen: Callable[[Any], bool]) -> None:
    """An instance leaves: none that may be the same leaves as another one."""
    if any(other is not x and is_seen(other) for other in active().aliasing.relatives.get(id(x), ())):
        raise Restart(by_reference(type(x)))


def note_joined(x: Any) -> None:
    """This instance was copied, or is a copy: nobody may change it from here on."""
    active().aliasing.joined[id(x)] = x


def expect_own(x: Any) -> None:
    """An instance is about to be changed, or told from others: trace again with objects of the run where it was joined."""
    trace = current()
    if trace is None or x is None:
        return
    if trace.aliasing.joined.get(id(x)) is x:
        raise Restart(by_reference(type(x)))


def expect_settled(x: Any) -> None:
    """A value that a path of control flow leaves as an object of the run: instances in it that the trace made are changed by that path,
    and the changes are taken back before it is looked at, so they are made by Python instead."""
    made = made_here_in(x)
    if made is not None:
        raise Restart(by_reference(type(made)))
