"""Tracing one region: its block, the state after it, the places that it wrote, and whether it ends in an exception."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from autograph_jit.errors import AutographJitError
from autograph_jit.ir.graph import Block, Value, is_visible
from autograph_jit.tracing.aliasing.journal import Journal, Place, close_journal, open_journal
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.hosting.exceptions import emit_raise
from autograph_jit.tracing.plain.undefined import OUT_OF_REACH, Undefined
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.demands import Region
from autograph_jit.tracing.structures.templates import fields_of, is_user_instance
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import Maybe, Staged
from autograph_jit.tracing.values.faults import expect_users
from autograph_jit.tracing.values.trace import Trace, active, block_of

GetState = Callable[[], tuple[Any, ...]]
SetState = Callable[[tuple[Any, ...]], None]
WrittenPlaces = dict[tuple[Any, ...], tuple[Place, Any]]


class Unreachable(BaseException):
    """Every path through a region operation ends in an exception: nothing follows it."""


@dataclass
class Traced:
    """A traced region. state and places hold what they hold at its end; raised: control never gets there."""

    block: Block
    state: tuple[Any, ...]
    places: WrittenPlaces
    raised: bool


@contextmanager
def as_left_by(traced: Traced) -> Iterator[set[int]]:
    """The places that a region wrote hold what it left there, during the with statement: values that it leaves may refer to them.
    Gives the identities of the places' owners."""
    before = [(place, place.read()) for place, _ in traced.places.values()]
    try:
        for place, value in traced.places.values():
            put(place, value)
        yield {id(place.owner) for place, _ in traced.places.values()}
    finally:
        for place, value in before:
            put(place, value)


def put(place: Place, value: Any) -> None:
    """Let a place hold a value, or none."""
    if place.read() is not value:
        place.write(value)


@contextmanager
def region_of(region: Region) -> Iterator[None]:
    """The region stack during the with statement."""
    trace = active()
    trace.regions.append(region)
    tries = list(trace.handling.tries)
    try:
        yield
    finally:
        trace.regions.pop()
        trace.handling.tries[:] = tries


def trace_region(
    region: Region,
    run: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    state: tuple[Any, ...],
    places: WrittenPlaces | None = None,
    block: Block | None = None,
) -> Traced:
    """Run `run` with `state` and `places` as its state, recording into a block of its own; everything it wrote is rolled back."""
    trace = active()
    before = get_state()
    journal = open_journal(trace)
    block = block or Block()
    raised, cells = False, list[tuple[Place, Any]]()
    try:
        with region_of(region), block_of(trace, block):
            set_state(state)
            for place, value in (places or {}).values():
                journal.record(place)
                place.write(value)
            own = own_cells(get_state)
            cells = shared_cells(trace, journal, own)
            raised = run_to_end(run, block)
            after = tuple(seen_from(block, value) for value in get_state())
            for key in [key for key, place in journal.places().items() if id(place.owner) in own]:
                del journal.before[key]  # a branch of an inner function has written it: it is among the state
            for place, content in cells:
                if place.read() is not content or place.key in journal.before:
                    journal.before[place.key] = (place, content)
            written: WrittenPlaces = {key: (place, place.read()) for key, place in journal.places().items()}
    except BaseException:
        for place, content in cells:
            put(place, content)
        raise
    finally:
        set_state(before)
        close_journal(trace, journal)
        trace.calls.regions.pop(sys._getframe(), None)
    return Traced(block, after, written, raised)


def own_cells(get_state: GetState) -> set[int]:
    """The cells of the variables that a region's state reads, by itself or by the state that it extends, its free `get_state`."""
    found: set[int] = set()
    pending: list[Any] = [get_state]
    for each in pending:
        if isinstance(each, MethodType):
            pending += [value for value in vars(each.__self__).values() if isinstance(value, FunctionType | MethodType)]
        elif isinstance(each, FunctionType):
            for name, cell in zip(each.__code__.co_freevars, each.__closure__ or ()):
                found.add(id(cell))
                pending += [cell.cell_contents] if name == "get_state" else []
    return found


def shared_cells(trace: Trace, journal: Journal, own: set[int]) -> list[tuple[Place, Any]]:
    """Variables that inner functions assign, with what they hold: a call may change them, and no operator sees it. The region's own
    state is left out."""
    return [(place, place.read()) for key, place in trace.outside.cells.items() if id(place.owner) not in own and key not in journal.before]


def seen_from(block: Block, x: Any) -> Any:
    """The value of a variable in a block; undefined where it is one of an inner region or of an earlier trace, which nothing reads."""
    return x if all(is_visible(block, value) for value in values_in(x)) else Undefined(OUT_OF_REACH)


def values_in(x: Any, around: tuple[Any, ...] = ()) -> Iterator[Value]:
    """The graph values that a variable holds, those in static containers and in attributes of instances, too; what is `around` is not
    gone into again."""
    if isinstance(x, Unchanging):
        x = x.items
    if isinstance(x, Dynamic) and x.dynamic is not None:
        yield x.dynamic if isinstance(x.dynamic, Value) else x.dynamic.value
    elif isinstance(x, (Staged, InstanceReference)):
        yield x.value
    elif isinstance(x, Text):
        yield x.held.value
    elif isinstance(x, Maybe):
        yield x.present.value
        yield from values_in(x.content, around)
    elif isinstance(x, Chosen):
        yield x.selector
        yield from (value for option in x.alternatives for value in values_in(option, around))
    elif not any(x is each for each in around):
        yield from (value for part in parts_in(x) for value in values_in(part, (*around, x)))


def parts_in(x: Any) -> Iterable[Any]:
    """What stands in a list, tuple or dict whose items the trace knows, or in an instance, apart from its containers: the caller's are
    long, and hold nothing of the graph."""
    if isinstance(x, (list, tuple)):
        return list.__iter__(x) if isinstance(x, list) else x
    if isinstance(x, dict):
        return dict.values(x)
    fields = fields_of(x) if is_user_instance(x) else None
    return [part for part in (fields or {}).values() if not isinstance(part, (list, tuple, dict))]


def run_to_end(run: Callable[[], Any], block: Block) -> bool:
    """Run converted code; an exception becomes the end of the block. Tells whether there was one."""
    try:
        run()
    except AutographJitError:
        raise
    except Unreachable:
        block.terminated = True
        return True
    except Exception as exception:
        expect_users(exception)
        emit_raise(exception)
        block.terminated = True
        return True
    return False


def merged_places(first: Traced, second: Traced | None = None) -> dict[tuple[Any, ...], Place]:
    """The places that either region wrote."""
    found = {key: place for key, (place, _) in first.places.items()}
    for key, (place, _) in second.places.items() if second else ():
        found.setdefault(key, place)
    return found


def value_at(traced: Traced, key: tuple[Any, ...], place: Place) -> Any:
    """What a place holds at the end of a region."""
    return traced.places[key][1] if key in traced.places else place.read()
