"""The state that a loop carries: variables and written places, under descriptions that widen until the loop fits them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.types import Type
from autograph_jit.tracing.aliasing.journal import Place, write
from autograph_jit.tracing.control.regions import SetState, Traced, WrittenPlaces, as_left_by
from autograph_jit.tracing.joining.descriptions import (
    as_scalar,
    compose,
    decompose,
    describe,
    describe_as_left,
    join,
)
from autograph_jit.tracing.joining.sizes import OwnSizes
from autograph_jit.tracing.numbers.scalars import COUNTER_BITS
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.trace import Trace, active, block_of, constant
from autograph_jit.tracing.values.types import Array, Composite, Constant, Opaque, Optional, Scalar, ValueType

MAX_NESTING = 4


class Carried:
    """Descriptions of the loop's variables, in the order of the state, and of the places that it writes."""

    def __init__(self, trace: Trace, state: tuple[Any, ...]) -> None:
        self.trace = trace
        self.entry = list(state)
        self.descriptions = [widen_entry(value) for value in state]
        self.places: dict[tuple[Any, ...], Place] = {}
        self.place_descriptions: dict[tuple[Any, ...], ValueType] = {}
        self.current: tuple[Any, ...] = state
        self.fixed: set[int] = set()
        self.changing: set[int] = set()
        self.sizes = OwnSizes(trace, "carried")
        self.entered: tuple[Block, tuple[Any, ...]] = Block(), ()
        self.widening: list[int] = []  # positions that the last trip has widened
        self.is_vain = self.was_vain = self.is_again = False

    def all_descriptions(self) -> list[ValueType]:
        return [*self.descriptions, *self.place_descriptions.values()]

    def types(self) -> list[Type]:
        """The types of the values carried."""
        return [part for description in self.all_descriptions() for part in description.parts]

    def enter(self, block: Block | None = None) -> tuple[Block, tuple[Any, ...], WrittenPlaces]:
        """A block with arguments for the state, and the stand-ins on top of them."""
        block = block or Block()
        values = iter([block.add_argument(type_) for type_ in self.types()])
        with block_of(active(), block):
            state = tuple(self.stand_in(description, value, values) for description, value in zip(self.descriptions, self.entry))
            places = {key: (self.places[key], compose(description, values)) for key, description in self.place_descriptions.items()}
        for value in (*state, *(value for _, value in places.values())):
            if isinstance(value, Dynamic) and not any(value is entry for entry in self.entry):
                value.is_loop_state = True
        self.entered = block, state
        return block, state, places

    def stand_in(self, description: ValueType, entry: Any, values: Iterator[Value]) -> Any:
        """What a variable holds inside the loop: the very entry value where the loop does not change it."""
        return entry if isinstance(description, Constant) else compose(description, values)

    def absorb(self, *trips: tuple[Traced, tuple[Any, ...]]) -> bool:
        """Widen by what regions leave, each given with the state it was entered with; True where nothing changed, and no loop in it has."""
        before = (list(self.descriptions), dict(self.place_descriptions))
        same = set(range(len(self.entry))) - self.changing
        for traced, entered in trips:
            if not traced.raised:
                with as_left_by(traced) as written:
                    for position, value in enumerate(traced.state):
                        self.absorb_variable(position, value, written)
                same = {position for position in same if traced.state[position] is entered[position]}
            self.absorb_places(traced)
        for position in same:
            if isinstance(self.descriptions[position], Array):
                self.descriptions[position] = Constant(self.entry[position])
                self.fixed.add(position)
        self.widening = [position for position, (old, new) in enumerate(zip(before[0], self.descriptions)) if old != new]
        is_vain, self.is_vain = self.is_vain, False
        self.was_vain |= is_vain
        is_again, self.is_again = self.is_again, False
        return not (is_vain or is_again) and before == (self.descriptions, self.place_descriptions)

    def takes_first_values(self, tested: Traced, entered: tuple[Any, ...]) -> bool:
        """Widen by a condition that assigns a variable which has had no value, `while (x := f()) is not None`: the body finds it."""
        first = not tested.raised and any(isinstance(old, Undefined) and new is not old for old, new in zip(entered, tested.state))
        return first and not self.absorb((tested, entered))

    def expect_again(self) -> None:
        """What the trip under way has found of a container is not so in every trip: it is traced once more."""
        self.is_again = True

    def leave_in_vain(self, set_state: SetState) -> bool:
        """Leave a loop that has widened what the loop around carries, or has written a place that is new there: that one has to be traced
        again, with this one in it, so this one is not by itself. A loop is traced again so once at most."""
        region = next((region for region in reversed(self.trace.regions) if region.carried is not None or region.kind == "function"), None)
        around = region.carried if region is not None else None
        if around is None or around.was_vain:
            return False
        block, state = around.entered
        carried = set(map(id, state))
        if self.places.keys() <= around.places.keys() and not any(id(self.entry[each]) in carried for each in self.widening):
            return False
        around.is_vain = True
        self.after([block.add_argument(type_) for type_ in self.types()], set_state)
        return True

    def absorb_variable(self, position: int, value: Any, written: set[int]) -> None:
        """Widen one variable; an array that every trip leaves as it was is not carried at all. `written`: owners of places."""
        if position in self.fixed:
            if value is self.entry[position]:
                return
            self.fixed.discard(position)
            self.changing.add(position)
            self.descriptions[position] = widen_entry(self.entry[position])
        self.descriptions[position] = self.widened(self.descriptions[position], describe_as_left(value, written))

    def absorb_places(self, traced: Traced) -> None:
        """Widen the places that a region wrote."""
        for key, (place, value) in traced.places.items():
            if key not in self.places:
                self.add_place(key, place)
            if not traced.raised:
                self.place_descriptions[key] = self.widened(self.place_descriptions[key], describe(value))

    def add_place(self, key: tuple[Any, ...], place: Place) -> None:
        """A place that is new, with what it holds."""
        found = widen_entry(place.read())
        self.places[key], self.place_descriptions[key] = place, self.widened(found, found)

    def widened(self, old: ValueType, new: ValueType) -> ValueType:
        """The join, with inner size labels replaced by the loop's own and int bounds jumping to a counter's."""
        if old == new:
            return old
        joined = join(old, new)
        if nesting(joined) > max(nesting(old), MAX_NESTING):
            return Opaque()  # what holds itself of the trip before, as a linked list does, is an object of the run
        return self.settle(joined, old)

    def settle(self, joined: ValueType, old: ValueType) -> ValueType:
        """Remove from a description what would change at every trip."""
        if isinstance(joined, Scalar):
            known = as_scalar(old)
            size = joined.size if known is not None and known.size == joined.size else None
            bits = joined.bits if known is not None and known.bits == joined.bits else COUNTER_BITS if joined.bits <= COUNTER_BITS else 64
            return replace(joined, size=size, bits=bits)
        if isinstance(joined, Array):
            return self.sizes.settled(joined, old)
        if isinstance(joined, Optional):
            inner = old.content if isinstance(old, Optional) else old
            return replace(joined, content=self.settle(joined.content, inner))
        if isinstance(joined, Composite):
            items = old.items if isinstance(old, Composite) and old.shape == joined.shape else (Constant(None),) * len(joined.items)
            return joined.of(map(self.settle, joined.items, items))
        return joined

    def absorb_entry(self) -> None:
        """Widen the places by what they hold now."""
        for key, description in self.place_descriptions.items():
            self.place_descriptions[key] = self.widened(description, describe(self.places[key].read()))

    def open_places(self, values: Iterator[Value]) -> None:
        """Let the places hold what their values are of."""
        for key, description in self.place_descriptions.items():
            write(self.places[key], compose(description, values))

    def initial(self) -> list[Value]:
        """The values at entry, in the current block."""
        values = [v for description, value in zip(self.descriptions, self.entry) for v in decompose(description, value)]
        return values + [v for key, description in self.place_descriptions.items() for v in decompose(description, self.places[key].read())]

    def leave(self, traced: Traced) -> list[Value]:
        """The values at the end of a region, in the current block."""
        values = [v for description, value in zip(self.descriptions, traced.state) for v in decompose(description, value)]
        for key, description in self.place_descriptions.items():
            value = traced.places[key][1] if key in traced.places else self.places[key].read()
            values += decompose(description, value)
        return values

    def close(self, traced: Traced, going: list[Any] | None = None) -> bool:
        """Set what the body yields; True where it says in front whether to go on."""
        if traced.raised:
            return bool(going)
        with block_of(active(), traced.block), as_left_by(traced):
            keep = [constant(np.bool_(flag)) if isinstance(flag, bool) else flag for flag in going or ()]
            traced.block.yields = [*keep, *self.leave(traced)]
        return bool(keep)

    def after(self, results: list[Value], set_state: SetState) -> None:
        """Give variables and places the loop's results."""
        values = iter(results)
        self.current = tuple(self.stand_in(description, value, values) for description, value in zip(self.descriptions, self.entry))
        set_state(self.current)
        self.open_places(values)

    def describe(self) -> str:
        return ", ".join(str(description) for description in self.all_descriptions() if not isinstance(description, Constant))


def nesting(x: ValueType) -> int:
    """How many containers stand in one another."""
    return isinstance(x, Composite) + max(map(nesting, x.inner), default=0)


def widen_entry(value: Any) -> ValueType:
    """The description to start with: numbers are carried even if they are constants before the loop."""
    exact = describe(value)
    number = as_scalar(exact)
    if number is None or isinstance(exact, Scalar) and exact.size is None and len(exact.kinds) > 1:
        return exact
    return replace(number, size=None, bits=COUNTER_BITS if number.bits <= COUNTER_BITS else 64)
