"""What the operations of a `try` body take along for its handler, and the exceptions that they may raise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ops.exceptions_raised import classes_raised, may_be_beyond
from autograph_jit.tracing.aliasing.instances import is_user_instance
from autograph_jit.tracing.aliasing.journal import Journal, Place
from autograph_jit.tracing.control.regions import GetState, seen_from
from autograph_jit.tracing.control.signatures import is_immutable
from autograph_jit.tracing.hosting.known_exceptions import KnownException, RaisedPlace, fill_store, note_raised
from autograph_jit.tracing.hosting.local_calls import may_differ
from autograph_jit.tracing.joining.descriptions import decompose, describe, join
from autograph_jit.tracing.joining.sizes import OwnSizes
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, Undefined
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import STORED, Composite, Constant, Optional, TextType, ValueType


class Protected:
    """The body of a `try` while it is traced: every operation that can fail takes along what the handler needs."""

    def __init__(
        self,
        get_state: GetState,
        descriptions: list[ValueType] | None,
        places: dict[tuple[Any, ...], Place],
        place_descriptions: dict[Any, ValueType],
        sizes: OwnSizes,
        holds: dict[Any, Any],
    ) -> None:
        self.get_state, self.descriptions, self.places, self.place_descriptions = get_state, descriptions, places, place_descriptions
        self.sizes = sizes
        self.seen: list[ValueType] | None = None
        self.seen_places: dict[Any, ValueType] = {}
        self.covered: tuple[list[ValueType], dict[Any, ValueType]] | None = None
        self.written: dict[Any, Place] = {}  # also by paths of the body that only raise
        self.wanted: list[ValueType] | None = None
        self.wanted_places: dict[Any, ValueType] = {}
        self.kinds: set[type[BaseException]] = set()  # of exceptions whose values the handler finds among the places
        self.others: set[type[BaseException] | None] = set()  # classes of the others
        self.raised: tuple[tuple[KnownException, ...], Any] | None = None  # what the next operation raises: cases, and classes of others
        self.holds = holds  # what that holds
        self.at_start = {key: place.read() for key, place in places_in(active().journals).items() if key not in places}
        self.beyond = False
        self.busy = False
        self.depth = len(active().regions)

    def before(self, error: ErrorSpec | None) -> list[Value] | None:
        """The unwind values of the operation that is about to be appended; None while they are being built."""
        if self.busy:
            return None
        self.busy = True
        if type(error) is ErrorSpec and "{" not in error.template and not (self.raised or active().handling.is_total):
            note_raised(error.exception, error.template)
        fill_store(self.holds, () if self.raised is None else self.raised[0])
        try:
            state = tuple(seen_from(active().block, value) for value in self.get_state())
            found = [describe(value) for value in state]
            self.seen = found if self.seen is None else [x if x == y else join(x, y) for x, y in zip(self.seen, found)]
            changed = self.changed_places()
            self.written.update(changed)
            for key, place in changed.items():
                exact = describe_place(place)
                known = self.seen_places.get(key, describe(self.at_start[key]) if key in self.at_start else exact)
                self.seen_places[key] = known if known == exact and key in self.seen_places else join(known, exact)
            if self.descriptions is None:
                return []
            if self.covered != (self.seen, self.seen_places):  # what was seen before is covered still
                if not self.covers():
                    self.widen()
                    return []
                self.covered = self.seen, self.seen_places.copy()
            values = [v for description, value in zip(self.descriptions, state) for v in decompose(description, value)]
            return values + [
                v for key, description in self.place_descriptions.items() for v in decompose(description, self.places[key].read())
            ]
        finally:
            self.busy = False

    def all_places(self) -> dict[tuple[Any, ...], Place]:
        """The places known to be written in the body, and those written so far in this trace."""
        found = {**self.places, **(places_in(active().journals) if self.descriptions is None else {})}
        places = (RaisedPlace(self.holds, name) for name in self.holds)
        return {**found, **{place.key: place for place in places}}

    def changed_places(self) -> dict[tuple[Any, ...], Place]:
        """Without those that hold the very value of the beginning, which the handler finds there."""
        known = {key: value for key, value in self.at_start.items() if key not in self.seen_places}
        return {key: place for key, place in self.all_places().items() if key not in known or place.read() is not known[key]}

    def may_see(self, keys: Iterable[tuple[Any, ...]]) -> bool:
        """Whether the handler may find places: only those of objects that the body has made, and that no variable holds, are gone then."""
        trace, owners = active(), {key[1] for key in keys}
        if any(trace.created.get(owner, (None, -1))[1] <= self.depth for owner in owners):
            return True
        held = (*self.get_state(), *(place.read() for place in self.all_places().values() if id(place.owner) not in owners))
        seen = set(owners)
        return any(may_hold(value, seen) for value in held)

    def widen(self) -> None:
        """Note what was seen so far for the next attempt: what lists hold now, which may be something else at the end."""
        assert self.seen is not None
        self.wanted = list(map(self.sizes.join, self.wanted or self.descriptions or self.seen, self.seen))
        for key, seen in self.seen_places.items():
            known = self.wanted_places.get(key) or self.place_descriptions.get(key, seen)
            self.wanted_places[key] = self.sizes.join(known, seen)

    def covers(self) -> bool:
        """Whether what was seen so far fits the descriptions of this attempt."""
        assert self.descriptions is not None and self.seen is not None
        fits = all(self.sizes.join(known, seen) == known for known, seen in zip(self.descriptions, self.seen))
        return fits and all(
            key in self.place_descriptions and self.sizes.join(self.place_descriptions[key], seen) == self.place_descriptions[key]
            for key, seen in self.seen_places.items()
        )

    def note(self, operation: Operation) -> None:
        """An operation was appended that can fail."""
        cases, others = self.raised or ((), set() if active().handling.is_total else classes_raised(operation))
        self.raised = None
        if cases and operation.name in ("raise_", "check"):
            operation.attributes = {**operation.attributes, "known": True}
        self.kinds.update(case.kind for case in cases)
        self.others.update(others)
        self.beyond = self.beyond or may_raise_beyond(operation)


def places_in(journals: Iterable[Journal]) -> dict[tuple[Any, ...], Place]:
    """The places that have been written in the regions under way."""
    return {key: place for journal in journals for key, place in journal.places().items()}


def describe_place(place: Place) -> ValueType:
    """The description of what a place holds; of what exceptions of a class hold, there may be others, which cost nothing."""
    found = describe(place.read())
    return join(with_references(found), Constant(Undefined(place.name[1]))) if isinstance(place, RaisedPlace) else found


def with_references(x: ValueType) -> ValueType:
    """A description with references to texts instead of their letters."""
    if isinstance(x, TextType):
        return STORED[x.kind] if x.form == "text" else x
    return x.of(map(with_references, x.inner)) if isinstance(x, (Composite, Optional)) else x


def may_hold(value: Any, seen: set[int]) -> bool:
    """Whether a variable may lead to one of the objects in `seen`, or to one that was looked at before."""
    if isinstance(value, (StagedScalar, StagedArray, Text, Undefined)) or is_immutable(value):
        return False
    if is_marked(value, "is_native") and value.is_native:
        return False
    if id(value) in seen or not is_user_instance(value):
        return True
    seen.add(id(value))
    return any(may_hold(each, seen) for each in (fields_of(value) or {}).values())


def may_raise_beyond(operation: Operation) -> bool:
    """Whether an operation may raise an exception that Python would not."""
    if operation.name == "raise_":
        return any(id(operand) in active().handling.beyond for operand in operation.operands)
    return may_be_beyond(operation) or operation.name == "host_call" and may_differ(operation.attributes["fn"])
