"""Places that converted code writes other than its local variables: attributes, globals, entries of lists and dicts.

Tracing a region journals each place before its first write; the region is then rolled back, and the places that it wrote
become values that the region carries.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FunctionType, GetSetDescriptorType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.escapes import expect_not_given
from autograph_jit.tracing.aliasing.instances import expect_own
from autograph_jit.tracing.aliasing.row_classes import is_row_too
from autograph_jit.tracing.aliasing.shared_objects import expect_not_shared
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.structures.getters import Attribute
from autograph_jit.tracing.structures.templates import contains_staged, fields_of, is_user_instance, slot_names
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Trace, current, user_span


def is_set_in_c(owner: Any, name: str) -> bool:
    """Whether an attribute of an object is one that code in C sets."""
    is_in_c = not isinstance(owner, type) and fields_of(owner) is None
    return is_in_c and isinstance(getattr(type(owner), name, None), GetSetDescriptorType)


class Place:
    """Somewhere a value is kept. Equal places have equal keys."""

    __slots__ = ("owner", "name")

    def __init__(self, owner: Any, name: Any) -> None:
        self.owner, self.name = owner, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

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
        kind: Any = type(self.owner)
        if fields is not None and self.name not in slot_names(kind):
            return fields.get(self.name, Undefined(self.name))
        if hasattr(kind, self.name):
            return getattr(self.owner, self.name, Undefined(self.name))
        raise AttributeError(text_of(setattr, self.owner, self.name, None))

    def write(self, value: Any) -> None:
        if computes(type(self.owner), self.name) and hasattr(self.owner, "__dict__"):
            fields = self.owner.__dict__
            fields.pop(self.name, None) if isinstance(value, Undefined) else fields.__setitem__(self.name, value)
        elif isinstance(value, Undefined):
            if not isinstance(self.read(), Undefined):
                (type if isinstance(self.owner, type) else object).__delattr__(self.owner, self.name)
        elif is_set_in_c(self.owner, self.name) and contains_staged(value):
            what = f"`{self.name}` of a {type(self.owner).__name__} is set to what only the run knows"
            raise ConversionError(what, user_span(), "a class in C takes real values", "set it in a function marked ag.do_not_convert")
        else:
            put_attribute(self.owner, self.name, value)


@acts_for_program
def put_attribute(owner: Any, name: str, value: Any) -> None:
    """What Python does, which refuses a name that there is no slot for, fields of named tuples, and attributes of classes in C."""
    (type if isinstance(owner, type) else object).__setattr__(owner, name, value)


def computes(kind: type, name: str) -> bool:
    """Whether a class has a property or a descriptor of the user's under a name, which says how it is set: an entry of the same name in
    the dict of an instance is written there."""
    found = next((each.__dict__[name] for each in kind.__mro__ if name in each.__dict__), None)
    return isinstance(found, property) or isinstance(getattr(type(found), "__set__", None), FunctionType)


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


class CellPlace(Place):
    """A variable of a function that is not part of the trace, in the cell that closures share."""

    __slots__ = ()

    def read(self) -> Any:
        try:
            return self.owner.cell_contents
        except ValueError:
            return Undefined(self.name)

    def write(self, value: Any) -> None:
        if isinstance(value, Undefined):
            del self.owner.cell_contents
        else:
            self.owner.cell_contents = value


@functools.cache
def stored_free_names(code: CodeType) -> frozenset[str]:
    """The free variables that a function, or one defined inside it, assigns or deletes."""
    stored = {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_DEREF", "DELETE_DEREF")}
    inner = [stored_free_names(const) for const in code.co_consts if isinstance(const, CodeType)]
    return frozenset(stored.union(*inner) & set(code.co_freevars))


def assigned_cells(function: FunctionType) -> list[CellPlace]:
    """The variables of the functions around `function` that it assigns: its `nonlocal` names."""
    cells = function.__closure__ or ()
    return [CellPlace(cells[function.__code__.co_freevars.index(name)], name) for name in sorted(stored_free_names(function.__code__))]


def expect_cells(trace: Trace, function: FunctionType) -> None:
    """What `function` assigns outside the trace must be in the journal from the start: the next trace has it there."""
    if id(function) in trace.definitions.functions:
        return
    places = assigned_cells(function)
    for place in places:
        if place.key not in trace.journals[0].before:
            foresee_open(trace, OpenPlace(place))
        trace.journals[-1].record(place)


@dataclass(frozen=True)
class OpenPlace:
    """A place outside the trace that the program writes: a decision of the trace. `getter` finds its owner in a call's arguments;
    `order` is how many were found before: new attributes come in the order in which they are first written."""

    place: Place
    getter: Callable[[Any], Any] | None = field(default=None, compare=False)
    label: str = field(default="", compare=False)
    order: int = field(default=0, compare=False)

    def read(self, args: Any) -> Any:
        """The content in a call."""
        return (self.place if self.getter is None else type(self.place)(self.getter(args), self.place.name)).read()

    def is_empty(self, args: Any) -> bool:
        """Whether there is no content in a call."""
        return isinstance(self.read(args), Undefined)

    def open(self, trace: Trace) -> None:
        """Journal the place from the start, with an input as its content: a path that does not write it must leave what the call finds."""
        place, getter = self.place, self.getter
        trace.journals[0].record(place)
        content = place.read()
        if isinstance(content, Undefined):
            if is_inherited(place.owner, place.name):  # which is read in the place of its own
                trace.inputs.guard(self.is_empty, "value", True, f"{self.label} is an attribute of the class")
            return
        is_plain = getter is not None and not computes(type(place.owner), place.name)
        read = Attribute(getter, place.name) if getter is not None and is_plain else self.read
        lifted = trace.inputs.variable(content, read, self.label or str(place.name), place.key)
        trace.outside.opened[place.key] = lifted
        place.write(lifted)


def is_inherited(owner: Any, name: str) -> bool:
    """Whether an instance or class without an attribute of its own has one from its class, or from one of its bases."""
    return hasattr(owner if isinstance(owner, type) else type(owner), name) and (isinstance(owner, type) or is_user_instance(owner))


def open_places(trace: Trace, function: Any) -> None:
    """Open what the traced function assigns of the functions around it, and what earlier traces found to be written, but for attributes
    of what has become an object of the run since, which Python writes, or a row."""
    of_run = {decision[1] for decision in trace.decisions if decision[0] == "outside"}
    found = [decision[1] for decision in trace.decisions if decision[0] == "place" and id(decision[1].place.owner) not in of_run]
    places = [opened for opened in found if not is_row_too(trace, opened.place.owner)]
    if isinstance(function, FunctionType):
        places += [OpenPlace(place) for place in assigned_cells(function)]
    for opened in sorted(set(places), key=lambda opened: (opened.order, opened.label, str(opened.place.name))):
        opened.open(trace)


def places_outside(trace: Trace) -> set[Any]:
    """The keys of the places outside the trace that the program writes."""
    return {*trace.outside.opened, *(decision[1].place.key for decision in trace.decisions if decision[0] == "place")}


def expect_open(trace: Trace, place: Place) -> None:
    """A place of an object from outside, or a global, must be open from the start before it is written: the next trace has it so."""
    if trace.inputs is None or not trace.journals or place.key in trace.journals[0].before:
        return
    known = trace.inputs.origins.get(id(place.owner))
    if isinstance(place, AttributePlace) and known is not None:
        before = sum(decision[0] == "place" for decision in (*trace.decisions, *trace.recorded.foreseen))
        foresee_open(trace, OpenPlace(place, known[1], f"{known[2]}.{place.name}", before))
    elif type(place.owner) is dict and "__builtins__" in place.owner:
        foresee_open(trace, OpenPlace(place))


def foresee_open(trace: Trace, opened: OpenPlace) -> None:
    """A place turns out to be one that has to be open from the start, if it can be written at all: the trace goes on with what it holds."""
    trace.journals[0].record(opened.place)
    trace.foresee(("place", opened))


class Journal:
    """The places written since it was opened, with their content before."""

    def __init__(self) -> None:
        self.before: dict[tuple[Any, ...], tuple[Place, Any]] = {}

    def record(self, place: Place) -> bool:
        """Remember what a place holds; whether that was not known yet."""
        is_new = place.key not in self.before
        if is_new:
            self.before[place.key] = (place, place.read())
        return is_new

    def places(self) -> dict[tuple[Any, ...], Place]:
        return {key: place for key, (place, _) in self.before.items()}

    def roll_back(self) -> None:
        for place, content in reversed(self.before.values()):
            place.write(content)


def is_written(trace: Trace, place: Place) -> bool:
    """Whether the program has written to a place: what is there is not from outside."""
    return any(place.key in journal.before for journal in trace.journals)


def is_as_found(trace: Trace, place: Place) -> bool:
    """Whether a place that was opened still holds what it held when the trace began: that is from outside."""
    known = trace.journals[0].before.get(place.key)
    return known is not None and known[1] is place.read()


def has_come_or_gone(trace: Trace, place: Place) -> bool:
    """Whether a place that was opened holds something now and held nothing when the trace began, or the other way round."""
    known = trace.journals[0].before.get(place.key) if trace.journals else None
    return known is not None and isinstance(known[1], Undefined) != isinstance(place.read(), Undefined)


def write(place: Place, value: Any) -> None:
    """Write to a place, journaled where a trace is under way."""
    trace = current()
    if trace is not None:
        expect_own(place.owner)
        expect_not_shared(place.owner)
        expect_not_given(place.owner)
        expect_open(trace, place)
    is_journaled = trace is not None and trace.journals and creation_depth(trace, place.owner) < len(trace.regions)
    journal = trace.journals[-1] if trace is not None and is_journaled else None
    is_new = journal is not None and journal.record(place)
    try:
        place.write(value)
    except (AttributeError, TypeError):  # there is no such place
        if journal is not None and is_new:
            del journal.before[place.key]
        raise


def creation_depth(trace: Trace, owner: Any) -> int:
    """How many regions enclose the creation of an object; -1 for one from outside the trace."""
    if is_marked(owner, "knows_depth"):
        own: int = owner.depth
        return own
    known = trace.created.get(id(owner))
    found, _, depth = trace.outside.made.get(id(owner), (None, None, -1))  # a container of a library's or a user's class
    return known[1] if known is not None else depth if found is owner else -1


def move_out(trace: Trace, owner: Any) -> None:
    """An object leaves the regions in which it was made: its places are journaled from here on."""
    known = trace.created.get(id(owner))
    if known is not None and known[1] > len(trace.regions):
        trace.created[id(owner)] = (owner, len(trace.regions))


def note_created(trace: Trace, made: Any) -> Any:
    """Remember that converted code made this object here."""
    has_attributes = fields_of(made) is not None or isinstance(made, BaseException)
    if has_attributes and id(made) not in trace.created:
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
