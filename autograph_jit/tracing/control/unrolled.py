"""Loops that are written out trip by trip: how, which are short enough, and which of these hold loops of the run and become a long text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograph_jit import budget
from autograph_jit.tracing.containers.outside import contents_of, expect_light
from autograph_jit.tracing.control.branches import and_, if_stmt, predicate, staged_if
from autograph_jit.tracing.control.generators import expect_no_exit
from autograph_jit.tracing.control.in_order import watched
from autograph_jit.tracing.control.regions import GetState, SetState
from autograph_jit.tracing.objects.operator_methods import known_length
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.demands import MAX_UNROLLED_OPERATIONS, ROLLED
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.lift import is_array, is_number
from autograph_jit.tracing.values.trace import FOLLOWED, Restart, Trace, active

SMALL_RANGE = 4
MAX_WRITTEN_OUT = 32  # trips of short loops in one another
Thunk = Callable[[], Any]


def is_short_loop(trace: Trace, key: Any, trips: int | None) -> bool:
    """Whether a loop, and those around it that are written out, have so few trips together that it is written out too."""
    if trips is None or trips > SMALL_RANGE or (ROLLED, key[0]) in trace.decisions:
        return False
    return trips * trace.loops.unrolled <= MAX_WRITTEN_OUT


class FirstTrip:
    """What the first trip of a loop that is written out holds; `site` of one that is for no other reason than that it is short."""

    def __init__(self, trace: Trace, get_state: GetState, site: Any) -> None:
        self.trace, self.get_state, self.site = trace, get_state, site
        self.recorded, self.staged = trace.recorded.operations, trace.loops.staged
        self.before = forms_between_trips(get_state()) if site is not None else []

    @property
    def operations(self) -> int:
        return self.trace.recorded.operations - self.recorded

    def is_alike(self) -> bool:
        """Whether what the loop carries is of the same form as before: number for number, array for array."""
        return all(before in (after, None) for before, after in zip(self.before, forms_between_trips(self.get_state()), strict=True))

    def expect_few(self, trips: int) -> None:
        """Leave the short loops under way as loops where a loop of the run is in them and so many trips of all of them are a long text."""
        if self.trace.loops.staged > self.staged and self.operations * trips > MAX_UNROLLED_OPERATIONS:
            sites = [short.site for short in self.trace.loops.short if short.is_alike()]
            if sites:
                raise Restart(*((ROLLED, site) for site in sites))


def forms_between_trips(state: tuple[Any, ...]) -> list[Any]:
    """What must not change from trip to trip for a loop to be worth having: None of what has no value yet."""
    return [None if isinstance(value, Undefined) else form_between_trips(value) for value in state]


def form_between_trips(value: Any) -> Any:
    """That of one variable: what a number or an array is changes nothing, the length of a container that the trace knows does."""
    if is_number(value):
        return "number"
    if is_array(value):
        return "array", value.ndim
    own = next((kind for kind in (list, dict, set) if issubclass(type(value), kind)), None)  # a set of the run only says that it is one
    return type(value), id(value), own.__len__(value) if own is not None else None  # without a length of the user's


@acts_for_program
def items_of(iterable: Any) -> Iterator[Thunk]:
    """The items in order, each read by the trip that needs it."""
    if isinstance(iterable, Cursor):
        return iterable.trips()
    if isinstance(iterable, Indexed):
        return (partial(iterable.item, index) for index in range(len(iterable)))
    return items_of_container(iterable)


@acts_for_program
def items_of_container(iterable: Any) -> Iterator[Thunk]:
    """Those of a container of Python's, which may change meanwhile: its own error then."""
    for item in watched(iterable):
        yield partial(known_item, item)


def known_item(item: Any) -> Any:
    """An item that needs no reading."""
    return item


def run_trip(body: Callable[[Any], Any], item: Thunk) -> None:
    """One trip, whose item is read in it."""
    body(item())


def unrolled_for(
    iterable: Any,
    extra_test: Thunk | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    site: Any = None,
) -> None:
    """Trace the body once for every item; staged break flags guard the later trips. `site`: as in `FirstTrip`."""
    trace = active()
    before = trace.loops.unrolled
    count, first = known_length(iterable), FirstTrip(trace, get_state, site)
    trace.loops.unrolled = before * (4 if isinstance(iterable, dict) or not hasattr(type(iterable), "__len__") else max(count, 1))
    going: Any = True
    trace.loops.short += [first] if site is not None else []
    trace.watch.enter()
    try:
        for done, item in enumerate(items_of(contents_of(iterable))):
            budget.spend(FOLLOWED)
            trace.watch.step(trace)
            trace.watch.trip(done, count - done)
            if going is True:
                body(item())
            else:
                staged_if(going, partial(run_trip, body, item), lambda: None, get_state, set_state)
            if done == 0:
                expect_light(iterable, first.operations)
                first.expect_few(trace.loops.unrolled)
            going = predicate(extra_test()) if extra_test is not None else True
            if going is False:
                return
            if going is not True:
                expect_no_exit(iterable)
    finally:
        trace.watch.leave()
        trace.loops.unrolled = before
        if site is not None:
            trace.loops.short.pop()


def unrolled_to_end(
    source: Indexed, most: int, extra_test: Thunk | None, body: Callable[[Any], Any], get_state: GetState, set_state: SetState
) -> None:
    """The body once for every item that there may be; the length, which the body may change, is asked for before each trip."""
    reached = 0

    def goes_on() -> Any:
        nonlocal reached
        reached += 1
        return and_(extra_test or (lambda: True), lambda: reached < source.length())

    def trips() -> None:
        unrolled_for(range(most), goes_on, lambda index: body(source.item(index)), get_state, set_state)

    if_stmt(source.length() > 0, trips, lambda: None, get_state, set_state, ())
