"""Places that converted code writes other than its local variables: attributes, globals, entries of lists and dicts.

Tracing a region journals each place before its first write; the region is then rolled back, and the places that it wrote
become values that the region carries.
"""

from __future__ import annotations

from typing import Any

from autograph_jit.staging.trace import Trace, current
from autograph_jit.staging.values import Undefined


class Place:
    """Somewhere a value is kept. Equal places have equal keys."""

    __slots__ = ("owner", "name")

    def __init__(self, owner: Any, name: Any) -> None:
        self.owner, self.name = owner, name

    @property
    def key(self) -> tuple[Any, ...]:
        return type(self), id(self.owner), self.name

    def read(self) -> Any:
        raise NotImplementedError

    def write(self, value: Any) -> None:
        raise NotImplementedError


class AttributePlace(Place):
    """An attribute in an instance's dictionary or slot."""

    __slots__ = ()

    def read(self) -> Any:
        fields = getattr(self.owner, "__dict__", None)
        if fields is not None:
            return fields.get(self.name, Undefined(self.name))
        return getattr(self.owner, self.name, Undefined(self.name))

    def write(self, value: Any) -> None:
        if isinstance(value, Undefined):
            if not isinstance(self.read(), Undefined):
                object.__delattr__(self.owner, self.name)
        elif isinstance(self.owner, type):
            type.__setattr__(self.owner, self.name, value)
        else:
            object.__setattr__(self.owner, self.name, value)


class EntryPlace(Place):
    """An entry of a dict, or an element of a list."""

    __slots__ = ()

    def read(self) -> Any:
        if isinstance(self.owner, list):
            return list.__getitem__(self.owner, self.name)
        return dict.get(self.owner, self.name, Undefined(str(self.name)))

    def write(self, value: Any) -> None:
        if isinstance(self.owner, list):
            list.__setitem__(self.owner, self.name, value)
        elif isinstance(value, Undefined):
            dict.pop(self.owner, self.name, None)
        else:
            dict.__setitem__(self.owner, self.name, value)


class Journal:
    """The places written since it was opened, with their content before."""

    def __init__(self) -> None:
        self.before: dict[tuple[Any, ...], tuple[Place, Any]] = {}

    def record(self, place: Place) -> None:
        if place.key not in self.before:
            self.before[place.key] = (place, place.read())

    def places(self) -> dict[tuple[Any, ...], Place]:
        return {key: place for key, (place, _) in self.before.items()}

    def roll_back(self) -> None:
        for place, content in reversed(self.before.values()):
            place.write(content)


def write(place: Place, value: Any) -> None:
    """Write to a place, journaled where a trace is under way."""
    trace = current()
    if trace is not None and trace.journals and creation_depth(trace, place.owner) < len(trace.regions):
        trace.journals[-1].record(place)
    place.write(value)


def creation_depth(trace: Trace, owner: Any) -> int:
    """How many regions enclose the creation of an object; -1 for one from outside the trace."""
    depth = getattr(owner, "depth", None) if isinstance(owner, (list, dict)) else None
    if depth is not None:
        return depth
    known = trace.created.get(id(owner))
    return known[1] if known is not None else -1


def note_created(trace: Trace, made: Any) -> Any:
    """Remember that converted code made this object here."""
    if hasattr(made, "__dict__") and not isinstance(made, type) and id(made) not in trace.created:
        trace.created[id(made)] = (made, len(trace.regions))
    return made


def open_journal(trace: Trace) -> Journal:
    """Start journaling; the caller closes it."""
    journal = Journal()
    trace.journals.append(journal)
    return journal


def close_journal(trace: Trace, journal: Journal) -> None:
    """Stop journaling and roll back."""
    popped = trace.journals.pop()
    assert popped is journal
    journal.roll_back()
