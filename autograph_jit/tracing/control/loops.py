"""Loops: `while` and `for` over Python values and over the data, with the state that they carry found by tracing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autograph_jit import budget
from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.tracing.containers.outside import form_of, note_read, of_many
from autograph_jit.tracing.control.branches import and_, in_each_case, known_flag, predicate
from autograph_jit.tracing.control.carried import Carried
from autograph_jit.tracing.control.generators import StagedGenerator, for_generated
from autograph_jit.tracing.control.hand_over import HandOver, is_handed_over, may_be_handed_over, rest_of
from autograph_jit.tracing.control.in_order import expect_end
from autograph_jit.tracing.control.python_loops import Statement, in_python, loop_in_python, note_loop
from autograph_jit.tracing.control.regions import GetState, SetState, Traced, trace_region
from autograph_jit.tracing.control.unrolled import MAX_WRITTEN_OUT, is_short_loop, unrolled_for, unrolled_to_end
from autograph_jit.tracing.control.user_iterators import is_user_iterator, iterator_of
from autograph_jit.tracing.joining.list_references import keep_by_reference
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.sequences.bounds import Bounds, can_end, index_of, is_unrolled, item_at, known_trips, loop_bounds, most_trips
from autograph_jit.tracing.sequences.cursors import parts_of, to_be_left
from autograph_jit.tracing.sequences.indexed import Indexed, changes_behind, goes_backwards, indexed, is_staged_iterable, item_of
from autograph_jit.tracing.sequences.loop_options import LimitedLoop, LoopOptions
from autograph_jit.tracing.structures.choices import Chosen, choice_in
from autograph_jit.tracing.structures.demands import Region, expected_short, foresee_staged
from autograph_jit.tracing.texts.constants import expect_data
from autograph_jit.tracing.values.abstract import StagedObject, content_of
from autograph_jit.tracing.values.callers_iterators import expect_not_callers
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import FOLLOWED, Restart, Trace, active, block_of, constant, current, emit, user_span

MAX_STATIC_TRIPS = 400
MANY_TRIPS, MAX_STATIC_OPERATIONS = 16, 800  # a loop with a condition that is known is written out up to here, if its trips are alike
MAX_ATTEMPTS = 20
MANY_ATTEMPTS = 5
MAX_GROWN_ONE_BY_ONE = 2
Thunk = Callable[[], Any]


def loop_key(trace: Trace) -> Any:
    """A name for the loop at the user's line, the same in the next trace."""
    span = user_span(2)
    return trace.occurrence(("loop", span.filename, span.lineno) if span else ("loop",))


def while_stmt(test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: tuple[str, ...]) -> None:
    """`while test(): body()`."""
    trace = current()
    if trace is None:
        while test():
            body()
        return
    key = loop_key(trace)
    loop = Statement(body, (test, body, get_state, set_state), names, get_state, set_state)
    if (there := in_python(trace, key)) is not None:
        loop_in_python(trace, loop, *there)
        return
    trips, before = 0, trace.recorded.operations
    if ("long", key) in trace.decisions and ("short", key) not in trace.decisions:
        try:
            staged_while(trace, key, test, loop)
        except ConversionError:  # its trips are not alike: write them out after all
            raise Restart(("short", key)) from None
        return
    if not trace.follows(("stage", key)):
        counts = [dict(trace.loops.reached)]
        while isinstance(going := probe(trace, test, get_state, set_state), bool) and trace.loops.checkpoint is None:
            if not (test_now(test) if going else going):
                if not going:
                    test_now(test)
                return
            budget.spend(FOLLOWED)
            body()
            trips += 1
            if trips == 1:
                counts.append(dict(trace.loops.reached))
            trace.watch.step(trace)
            if trips > MAX_STATIC_TRIPS:
                raise Restart(("stage", key))
            if trips > MANY_TRIPS and trace.recorded.operations - before > MAX_STATIC_OPERATIONS and ("short", key) not in trace.decisions:
                raise Restart(("long", key))
        if trips or isinstance(going, bool):
            foresee_staged(trace, key, counts[0], counts[-1])
    staged_while(trace, key, test, loop)


def test_now(test: Thunk) -> bool:
    """Evaluate a condition that is known while tracing."""
    found = predicate(test())
    assert isinstance(found, bool)
    return found


def probe(trace: Trace, test: Thunk, get_state: GetState, set_state: SetState) -> Value | bool:
    """What kind of truth the condition has, without keeping any effect of evaluating it."""
    found: list[Any] = []
    counts = dict(trace.loops.reached)
    traced = trace_region(Region("probe"), partial(trace_test_into, found, test), get_state, set_state, get_state())
    trace.loops.reached = counts
    if traced.raised:
        return True
    return found[0]


def staged_while(trace: Trace, key: Any, test: Thunk, loop: Statement) -> None:
    """A `while_loop` operation: retrace until the carried state is stable."""
    if is_handed_over(trace, key, loop):
        left_while(trace, key, test, loop)
        return
    body, get_state, set_state = loop.body, loop.get_state, loop.set_state
    carried = Carried(trace, get_state())
    counts = dict(trace.loops.reached)
    for attempt in range(MAX_ATTEMPTS):
        trace.loops.reached = dict(counts)
        trace_test, entered, places = carried.enter()
        found: list[Any] = []
        region = Region("while", key, for_c=trace.calls.for_c, carried=carried)
        tested = trace_region(region, partial(trace_test_into, found, test), get_state, set_state, entered, places, trace_test)
        if carried.takes_first_values(tested, entered):
            trace.loops.discarded.append(region)
            continue
        trace_body, state, places = carried.enter()
        looped = trace_region(region, body, get_state, set_state, state, places, trace_body)
        if carried.absorb((tested, entered), (looped, state)):
            if may_be_handed_over(trace, key, loop, (tested.block, looped.block), carried.places.values()):
                trace.loops.discarded.append(region)
                trace.loops.reached = dict(counts)
                left_while(trace, key, test, loop)
                return
            operation = finish_while(carried, tested, looped, found, set_state)
            note_loop(trace, key, loop, operation, carried.places.values())
            return
        trace.loops.discarded.append(region)
        if carried.leave_in_vain(set_state):
            settle_flags(carried, tested, found[:1], set_state)
            return
        refer_to_lists(carried, attempt)
    raise unstable(carried)


def left_while(trace: Trace, key: Any, test: Thunk, loop: Statement) -> None:
    """The loop as one that Python may take over."""
    hand_over = HandOver(loop, test)
    staged_while(trace, key, hand_over.goes_on, hand_over.statement())
    hand_over.finish(trace, key, lambda iterations: None)


def trace_test_into(found: list[Any], test: Thunk) -> None:
    """Trace the condition; its value is kept for the operation, as is what `ag.loop_options` in it asks for."""
    trace = active()
    trace.loops.checkpoint = None
    found.append(predicate(test()))
    found.append(trace.loops.checkpoint)


def finish_while(carried: Carried, tested: Traced, looped: Traced, found: list[Any], set_state: SetState) -> Operation:
    """Append the operation and give the variables their values after the loop."""
    initial = carried.initial()
    carried.close(looped)
    if not tested.raised:
        with block_of(active(), tested.block):
            going = found[0] if not isinstance(found[0], bool) else constant(np.bool_(found[0]))
            tested.block.yields = [going, *carried.leave(tested)]
    options = {"checkpoint": found[1]} if found[1:] not in ([], [None]) else {}
    operation = emit("while_loop", *initial, regions=[tested.block, looped.block], results=tuple(carried.types()), **options)
    carried.after(operation.results, set_state)
    settle_flags(carried, tested, tested.block.yields[:1], set_state)
    return operation


def settle_flags(carried: Carried, tested: Traced, tests: list[Any], set_state: SetState) -> None:
    """After a loop whose condition is one flag, or its negation, the flag is known."""
    if tested.raised or not isinstance(tests[0], Value):
        return
    going = tests[0]
    set_state(tuple(known_flag(going, False, held, value) for held, value in zip(tested.state, carried.current)))


def refer_to_lists(carried: Carried, attempt: int) -> None:
    """Lists of known length that change places are joined item by item, and what is written to one of them is carried: where that does not
    settle, trace again with references to lists of the run."""
    if attempt == MANY_ATTEMPTS:
        keep_by_reference(carried.descriptions)


def unstable(carried: Carried) -> ConversionError:
    """The error for state whose type does not settle."""
    return ConversionError(
        "a variable of this loop keeps changing its type",
        user_span(),
        f"after {MAX_ATTEMPTS} traces the loop still changes what it carries: {carried.describe()}",
        "give the variable one type before the loop, or unroll the loop with ag.unroll(...)",
    )


def for_stmt(
    iterable: Any, extra_test: Thunk | None, body: Callable[[Any], Any], get_state: GetState, set_state: SetState, names: tuple[str, ...]
) -> None:
    """`for item in iterable: body(item)` while `extra_test()`."""
    trace = current()
    if trace is None:
        plain.for_stmt(iterable, extra_test, body, get_state, set_state, names)
        return
    if isinstance(iterable, LoopOptions) and iterable.max_iterations is not None:
        limited = LimitedLoop(iterable.max_iterations, body, get_state, set_state)
        for_stmt(replace(iterable, max_iterations=None), extra_test, limited.body, limited.get_state, limited.set_state, ("trips", *names))
        return
    if isinstance(iterable, LoopOptions) and iterable.unroll is None and iterable.checkpoint is None:
        iterable = iterable.iterable
    if isinstance(iterable := choice_in(iterable), Chosen):
        cases, every = iterable.__cases__(), (get_state, set_state, names)
        in_each_case(cases, lambda each: for_stmt(each, extra_test, body, *every), *every)
        return
    expect_not_callers(iterable)
    key = loop_key(trace)
    loop = Statement(body, (body, extra_test, get_state, set_state), names, get_state, set_state)
    if (there := in_python(trace, key)) is not None:
        loop_in_python(trace, loop, *there, iterable)
        return
    iterable = parts_of(iterator_of(iterable))
    loop = replace(loop, iterable=iterable)
    if isinstance(iterable, StagedGenerator) and iterable.lazy is None:
        for_generated(iterable, extra_test, body, get_state, set_state)
        return
    if is_user_iterator(iterable):
        language.for_iterator(iterable, extra_test, body, get_state, set_state, names)
        return
    wish = checkpoint = None
    if isinstance(iterable, LoopOptions):
        iterable, wish, checkpoint = iterable.iterable, iterable.unroll, iterable.checkpoint
    iterable = content_of(iterable, TypeError, "'NoneType' object is not iterable")
    if isinstance(iterable, StagedObject):
        iterable = language.iterate(iterable if extra_test is None else to_be_left(iterable))
    iterable = of_many(form_of(iterable))
    note_read(iterable)
    expect_data(iterable)
    source: Any = indexed(iterable) if is_staged_iterable(iterable) or isinstance(iterable, (range, np.ndarray)) else None
    trips = known_trips(iterable, source)
    has_to = source is None or wish or (is_unrolled(trace, key, trips) and can_end(trace, source))
    if has_to or (wish is None and is_short_loop(trace, key, trips)):
        site, items = None if has_to else key[0], iterable if source is None or isinstance(iterable, range) else source
        with expected_short(trace, key):
            unrolled_for(items, extra_test, body, get_state, set_state, site)
        return
    if wish is None and (most := most_trips(source)) is not None and most * trace.loops.unrolled <= MAX_WRITTEN_OUT:
        unrolled_to_end(source, most, extra_test, body, get_state, set_state)
        return
    if has_grown(trace, key):
        for_growing(source, extra_test, body, get_state, set_state, names)
        expect_end(source, extra_test)
        return
    if not staged_for(trace, key, source, trips, extra_test, loop, checkpoint):
        trace.take(("growing", key))
        for_growing(source, extra_test, body, get_state, set_state, names)
    expect_end(source, extra_test)


def for_each(iterable: Any, body: Callable[[Any], Any]) -> None:
    """`for item in iterable: body(item)`, where the body assigns no variable."""
    for_stmt(iterable, None, body, lambda: (), lambda state: None, ())


def has_grown(trace: Trace, key: Any) -> bool:
    """Whether the list of this loop changes behind it; a loop that is traced over and over, in a recursion, is not tried each time."""
    places = [decision[1][0] for decision in trace.decisions if decision[0] == "growing"]
    return ("growing", key) in trace.decisions or places.count(key[0]) > MAX_GROWN_ONE_BY_ONE


def for_growing(
    source: Indexed,
    extra_test: Thunk | None,
    body: Callable[[Any], Any],
    get_state: GetState,
    set_state: SetState,
    names: tuple[str, ...],
) -> None:
    """A loop over a list whose length its own body changes: the length is read before every trip."""
    if goes_backwards(source):
        what, remedy = "a loop over a reversed list that its body makes longer or shorter", "go through a copy of the list"
        raise ConversionError(what, user_span(), "its items are counted from the end, which moves", remedy)
    position: Any = 0
    going: Any = True

    def goes_on() -> Any:
        return and_(lambda: going, lambda: position < source.length())

    def trip() -> None:
        nonlocal position, going
        item = item_of(source, position)
        position = position + 1
        body(item)
        going = extra_test() if extra_test is not None else True

    def state_with_position() -> tuple[Any, ...]:
        return (position, going, *get_state())

    def set_state_with_position(state: tuple[Any, ...]) -> None:
        nonlocal position, going
        position, going, *rest = state
        set_state(tuple(rest))

    while_stmt(goes_on, trip, state_with_position, set_state_with_position, ("position", "going", *names))


def staged_for(
    trace: Trace,
    key: Any,
    source: Any,
    trips: int | None,
    extra_test: Thunk | None,
    loop: Statement,
    checkpoint: int | None = None,
) -> bool:
    """A `for_loop` operation: retrace until the carried state is stable. False, and no operation, where the list that it goes through
    changes behind it."""
    if is_handed_over(trace, key, loop):
        return left_for(trace, key, source, trips, extra_test, loop, checkpoint)
    changes = changes_behind(source)
    body, get_state, set_state = loop.body, loop.get_state, loop.set_state
    carried = Carried(trace, get_state())
    counts = dict(trace.loops.reached)
    bounds = loop_bounds(source)
    label = f"v:i{len(trace.regions)}.{trace.occurrence(('index', key))[1]}.{key[0][-1]}"
    for attempt in range(MAX_ATTEMPTS):
        trace.loops.reached = dict(counts)
        block = Block()
        index = index_of(block, source, label)
        _, state, places = carried.enter(block)
        going: list[Any] = []

        def run(index: Any = index, going: list[Any] = going) -> None:
            body(index if bounds.direct else item_at(source, index))
            if extra_test is not None:
                going.append(predicate(extra_test()))

        region = Region("for", key, trips, label, trace.calls.for_c, carried)
        looped = trace_region(region, run, get_state, set_state, state, places, block)
        if changes_behind(source) != changes:
            trace.loops.discarded.append(region)
            trace.loops.reached = dict(counts)
            return False
        if carried.absorb((looped, state)):
            if may_be_handed_over(trace, key, loop, (looped.block,), carried.places.values()):
                trace.loops.discarded.append(region)
                trace.loops.reached = dict(counts)
                return left_for(trace, key, source, trips, extra_test, loop, checkpoint)
            operation = finish_for(carried, looped, bounds, going, set_state, checkpoint)
            note_loop(trace, key, loop, operation, carried.places.values())
            return True
        trace.loops.discarded.append(region)
        if carried.leave_in_vain(set_state):
            return True
        refer_to_lists(carried, attempt)
    raise unstable(carried)


def left_for(
    trace: Trace, key: Any, source: Any, trips: int | None, extra_test: Thunk | None, loop: Statement, checkpoint: int | None
) -> bool:
    """The loop as one that Python may take over."""
    hand_over = HandOver(loop, extra_test or (lambda: True), source.length())
    is_staged = staged_for(trace, key, source, trips, hand_over.goes_on, hand_over.statement(), checkpoint)
    if is_staged:
        hand_over.finish(trace, key, partial(rest_of, loop.iterable))
    return is_staged


def finish_for(
    carried: Carried, looped: Traced, bounds: Bounds, going: list[Any], set_state: SetState, checkpoint: int | None
) -> Operation:
    """Append the operation and give the variables their values after the loop."""
    initial = carried.initial()
    keep = carried.close(looped, going)
    options = {} if checkpoint is None else {"checkpoint": checkpoint}
    types = tuple(carried.types())
    operation = emit("for_loop", *bounds.values, *initial, regions=[looped.block], results=types, has_break=keep, **options)
    carried.after(operation.results, set_state)
    return operation
