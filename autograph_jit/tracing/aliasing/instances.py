"""Instances of users' classes where paths of control flow meet: joined attribute by attribute, and never objects of the run.

What the paths leave is then one new instance that holds the joined values. It is a copy: a program that writes an attribute of a
joined instance, or of one that was joined, or asks which object it is, is traced again with the instances of that class
made by Python when the program runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.structures.templates import fields_of, is_user_instance, made_here_in
from autograph_jit.tracing.values.trace import Restart, active, current, user_span

MUTABLE = (list, dict, set, deque)


def class_key(kind: type) -> tuple[str, str, str]:
    """The decision that a class's instances are made at run time; a class that every trace defines anew keeps its key."""
    return "objects", kind.__module__, kind.__qualname__


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
    active().aliasing.joined[id(x)] = x


def expect_own(x: Any) -> None:
    """An instance is about to be changed, or told from others: trace again with objects of the run where it was joined."""
    trace = current()
    if trace is None or x is None:
        return
    if trace.aliasing.joined.get(id(x)) is x:
        raise Restart(class_key(type(x)))
    if trace.aliasing.boxed.get(id(x)) is x:
        raise changed_elsewhere(type(x))


def expect_settled(x: Any) -> None:
    """A value that a path of control flow leaves as an object of the run: instances in it that the trace made are changed by that path,
    and the changes are taken back before it is looked at, so they are made by Python instead."""
    made = made_here_in(x)
    if made is not None:
        raise Restart(class_key(type(made)))


def note_copied(x: Any) -> None:
    """An object from outside becomes one that only the run knows: from here on its attributes are no longer the trace's to change."""
    trace = active()
    if trace.inputs is not None and is_user_instance(x) and trace.inputs.is_reached(x):
        trace.aliasing.boxed[id(x)] = x


def expect_unshared(kind: type | None) -> None:
    """An object of the run is about to change: refused where it may be one whose attributes the trace knows."""
    if any(kind is None or isinstance(x, kind) for x in active().aliasing.boxed.values()):
        raise changed_elsewhere(kind)


def changed_elsewhere(kind: type | None) -> ConversionError:
    return ConversionError(
        f"an object{f' of class {kind.__name__}' if kind else ''} is changed that is either one from outside or one made here",
        user_span(),
        "only the run knows which it is, and the attributes of the one from outside are kept in compiled code",
        "change the object in each branch, or pass both as arguments",
    )
