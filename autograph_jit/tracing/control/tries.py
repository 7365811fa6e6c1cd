"""`try` and `with`: real Python outside a trace; inside one, a handler region that failing operations jump to."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError, is_for_no_handler
from autograph_jit.ir.graph import Block
from autograph_jit.ir.types import OBJECT
from autograph_jit.tracing.aliasing.journal import Place, creation_depth, write
from autograph_jit.tracing.control.branches import if_stmt, joined_descriptions, predicate
from autograph_jit.tracing.control.generators import suspended, with_generated
from autograph_jit.tracing.control.protection import Protected
from autograph_jit.tracing.control.regions import GetState, SetState, Traced, Unreachable, as_left_by, trace_region, value_at
from autograph_jit.tracing.hosting.exceptions import StagedException, exception_is, is_perhaps_beyond, narrowed, of_cases
from autograph_jit.tracing.hosting.host_calls import host_bool, host_object
from autograph_jit.tracing.hosting.known_exceptions import RaisedPlace, cases_of
from autograph_jit.tracing.joining.descriptions import compose, decompose, describe
from autograph_jit.tracing.joining.sizes import OwnSizes
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.operand_texts import like
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.demands import Region
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar
from autograph_jit.tracing.values.alternatives import distribute, in_each_kind
from autograph_jit.tracing.values.float_errors import handled_as_set
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace, active, block_of, current, emit, user_span
from autograph_jit.tracing.values.types import ValueType

Handler = tuple[Callable[[], Any] | None, Callable[[Any], Any]]
MAX_ATTEMPTS = 12
TRANSPARENT_MANAGERS = (np.errstate, warnings.catch_warnings, contextlib.nullcontext)
HARMLESS_MANAGERS = (contextlib.suppress, contextlib.closing, contextlib.nullcontext, contextlib._GeneratorContextManager)


def try_stmt(
    body: Callable[[], Any],
    handlers: tuple[Handler, ...],
    orelse: Callable[[], Any] | None,
    finalbody: Callable[[], Any] | None,
    get_state: GetState,
    set_state: SetState,
    names: tuple[str, ...],
) -> None:
    """`try: body() except ...: ... else: orelse() finally: finalbody()`."""
    trace = current()
    if trace is None:
        plain.try_stmt(body, handlers, orelse, finalbody, get_state, set_state, names)
    elif finalbody is not None:
        staged_finally(trace, lambda: try_stmt(body, handlers, orelse, None, get_state, set_state, names), finalbody, get_state, set_state)
    elif handlers:
        fine = staged_try(trace, body, lambda exception: handle(exception, handlers, get_state, set_state), get_state, set_state)
        if orelse is not None:
            if_stmt(fine, orelse, lambda: None, get_state, set_state, names)
    else:
        body()
        if orelse is not None:
            orelse()


def staged_finally(trace: Trace, body: Callable[[], Any], finalbody: Callable[[], Any], get_state: GetState, set_state: SetState) -> None:
    """The final body on both ways out; after an exception it goes on."""

    def clean_up(exception: Any) -> None:
        if_stmt(finalbody(), lambda: None, lambda: reraise(exception), get_state, set_state, ())

    fine = staged_try(trace, body, clean_up, get_state, set_state)
    if_stmt(fine, finalbody, lambda: None, get_state, set_state, ())


def handle(exception: StagedException, handlers: tuple[Handler, ...], get_state: GetState, set_state: SetState) -> None:
    """Find the first handler that matches, at trace time where the class is known."""
    if not handlers:
        raise exception
    (types, handler), rest = handlers[0], handlers[1:]
    found = BaseException if types is None else types()
    run = lambda: run_handler(handler, narrowed(exception, found, True))  # noqa: E731
    pass_on = lambda: handle(narrowed(exception, found, False), rest, get_state, set_state)  # noqa: E731
    if_stmt(exception_is(exception, found), run, pass_on, get_state, set_state, ())


def run_handler(handler: Callable[[Any], Any], exception: StagedException) -> None:
    """Run a handler while its exception is the one being handled, so that a bare `raise` raises it again."""
    try:
        raise exception
    except StagedException:
        handler(exception)


def staged_try(
    trace: Trace, body: Callable[[], Any], handler: Callable[[StagedException], Any], get_state: GetState, set_state: SetState
) -> Any:
    """Trace the body until the state that the handler takes is stable; returns whether the body ended normally."""
    state = get_state()
    descriptions: list[ValueType] | None = None
    places: dict[tuple[Any, ...], Place] = {}
    place_descriptions: dict[Any, ValueType] = {}
    counts = dict(trace.loops.reached)
    sizes, holds = OwnSizes(trace, "unwound"), dict[Any, Any]()
    for _ in range(MAX_ATTEMPTS):
        trace.loops.reached = dict(counts)
        protected = Protected(get_state, descriptions, places, place_descriptions, sizes, holds)
        traced = trace_region(Region("try"), partial(run_protected, trace, protected, body), get_state, set_state, state)
        if protected.seen is None:
            inline(trace, traced, set_state)
            return True
        if descriptions is not None and protected.wanted is None and protected.covers():
            return finish_try(protected, traced, handler, get_state, set_state)
        protected.widen()
        descriptions = protected.wanted
        written = {key: place for key, place in protected.written.items() if creation_depth(trace, place.owner) <= len(trace.regions)}
        places = {**places, **written, **{key: place for key, (place, _) in traced.places.items()}}
        place_descriptions = {
            key: joined(sizes, place_descriptions.get(key), protected.wanted_places.get(key), left_in(place))
            for key, place in places.items()
        }
    raise ConversionError(
        "the state of this try statement keeps changing its type", user_span(), "", "give its variables one type before the statement"
    )


def left_in(place: Place) -> ValueType | None:
    """The description of what a place holds at the end of the body."""
    return None if isinstance(place, RaisedPlace) else describe(place.read())


def joined(sizes: OwnSizes, *parts: ValueType | None) -> ValueType:
    """The join of the descriptions that exist."""
    known = [part for part in parts if part is not None]
    result = known[0]
    for part in known[1:]:
        result = sizes.join(result, part)
    return result


def run_protected(trace: Trace, protected: Protected, body: Callable[[], Any]) -> None:
    """Run the body with its failing operations attached."""
    trace.handling.tries.append(protected)
    body()


def inline(trace: Trace, traced: Traced, set_state: SetState) -> None:
    """Nothing in the body can fail: its operations simply take place here."""
    trace.block.operations += trace.block.adopt(traced.block.operations)
    set_state(traced.state)
    for place, value in traced.places.values():
        write(place, value)
    if traced.raised:
        raise Unreachable


def finish_try(
    protected: Protected, traced: Traced, handler: Callable[[StagedException], Any], get_state: GetState, set_state: SetState
) -> Any:
    """Trace the handler and append the `try_` operation."""
    assert protected.descriptions is not None
    block = Block()
    exception = block.add_argument(OBJECT, "exception")
    values = iter(
        [
            block.add_argument(type_)
            for description in [*protected.descriptions, *protected.place_descriptions.values()]
            for type_ in description.parts
        ]
    )
    if protected.beyond:
        active().handling.beyond.add(id(exception))
    before = get_state()
    with block_of(active(), block):
        state = tuple(compose(description, values) for description in protected.descriptions)
        places = {key: (protected.places[key], compose(description, values)) for key, description in protected.place_descriptions.items()}
    found = {place.name: value for place, value in places.values() if isinstance(place, RaisedPlace)}
    places = {key: pair for key, pair in places.items() if not isinstance(pair[0], RaisedPlace)}
    caught = of_cases(exception, cases_of(found, protected.kinds), list(protected.others))
    handled = trace_region(Region("handler"), lambda: handler(caught), get_state, set_state, state, places, block)
    return join_try(traced, handled, before, set_state)


def join_try(traced: Traced, handled: Traced, before: tuple[Any, ...], set_state: SetState) -> Any:
    """Append `try_` and join what body and handler leave; the result tells whether the body ended normally."""
    keys = {**{key: place for key, (place, _) in traced.places.items()}, **{key: place for key, (place, _) in handled.places.items()}}
    pairs = [
        *zip(traced.state, handled.state),
        *((value_at(traced, key, place), value_at(handled, key, place)) for key, place in keys.items()),
        (True, False),
    ]
    if traced.raised and handled.raised:
        emit("try_", regions=[traced.block, handled.block], results=())
        raise Unreachable
    descriptions = joined_descriptions(traced, handled, pairs)
    for region, index in ((traced, 0), (handled, 1)):
        if not region.raised:
            with block_of(active(), region.block), as_left_by(region):
                yields = [v for description, pair in zip(descriptions, pairs) for v in decompose(description, pair[index])]
            region.block.yields = yields
    operation = emit(
        "try_",
        regions=[traced.block, handled.block],
        results=tuple(type_ for description in descriptions for type_ in description.parts),
    )
    results = iter(operation.results)
    *joined_values, fine = [compose(description, results) for description in descriptions]
    set_state(tuple(joined_values[: len(before)]))
    for place, value in zip(keys.values(), joined_values[len(before) :]):
        write(place, value)
    return fine


def except_groups() -> None:
    """`except*` would not see what is raised when the program runs."""
    if current() is not None:
        raise ConversionError(
            "`except*` in compiled code",
            user_span(),
            "groups of exceptions are taken apart by Python",
            "catch ExceptionGroup with `except` and look at its `exceptions`, or keep the statement outside",
        )


def enter_and_leave(manager: Any) -> None:
    with manager:
        pass


def with_stmt(
    manager_thunk: Callable[[], Any], body: Callable[[Any], Any], get_state: GetState, set_state: SetState, names: tuple[str, ...]
) -> None:
    """`with manager as value: body(value)`."""
    trace = current()
    if trace is None:
        with manager_thunk() as value:
            body(value)
        return
    manager = manager_thunk()
    if type(manager) is contextlib._GeneratorContextManager:
        if with_generated(manager, body, get_state, set_state):
            return
        suspended(manager.gen)
    if isinstance(manager, TRANSPARENT_MANAGERS) or hasattr(manager, "__transparent__"):
        with manager as value, handled_as_set(trace) if isinstance(manager, np.errstate) else contextlib.nullcontext():
            body(value)
        return
    enter, leave = entry_and_exit(manager)
    value = enter()

    def on_exception(exception: StagedException) -> None:
        if isinstance(manager, contextlib._GeneratorContextManager):
            manager.gen.close()
            raise ConversionError(
                "an exception can leave this with statement while its context manager is a generator",
                user_span(),
                "the generator would have to go on in two ways",
                "write the context manager as a class with __enter__ and __exit__, or use try/finally",
            )
        if is_perhaps_beyond(exception):
            own = host_bool(is_for_no_handler, exception.__dict__["object"], label="with", pure=True, fails=False)
            if_stmt(own, lambda: reraise(exception), lambda: leave_by(exception), get_state, set_state, ())
        else:
            leave_by(exception)

    def leave_by(exception: StagedException) -> None:
        swallowed = predicate(leave(exception))
        if swallowed is True:
            return
        if swallowed is False:
            raise exception
        if_stmt(StagedScalar(swallowed, True), lambda: None, lambda: reraise(exception), get_state, set_state, ())

    fine = staged_try(trace, lambda: body(value), on_exception, get_state, set_state)
    if_stmt(fine, lambda: leave(None), lambda: None, get_state, set_state, ())


def entry_and_exit(manager: Any) -> tuple[Callable[[], Any], Callable[[StagedException | None], Any]]:
    """`manager.__enter__()`, and `manager.__exit__` with an exception or without."""
    if isinstance(manager, StagedObject) or acts_when_run(manager):
        return (
            lambda: host_object(entered, manager, label="__enter__"),
            lambda exception: host_bool(exited, manager, None if exception is None else exception.__dict__["object"], label="__exit__"),
        )
    if isinstance(manager, Chosen):
        return (
            lambda: distribute(manager, lambda each: entry_and_exit(each)[0]()),
            lambda exception: distribute(manager, lambda each: entry_and_exit(each)[1](exception)),
        )
    kind = type(manager)
    if not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
        refuse_manager(manager)

    def leave(exception: StagedException | None) -> Any:
        if exception is None:
            return language.call(kind.__exit__, (manager, None, None, None), None)
        caught = exception.__dict__["object"]
        if is_library_method(kind.__exit__):
            return host_bool(exited, manager, caught, label="__exit__")
        return language.call(kind.__exit__, (manager, language.call(type, (exception,), None), exception, None), None)

    return lambda: language.call(kind.__enter__, (manager,), None), leave


@in_each_kind
def refuse_manager(x: Any) -> None:
    """The error of a with statement whose object is no context manager."""
    raise TypeError(text_of(enter_and_leave, like(x)))


def is_library_method(method: Any) -> bool:
    """Whether a method is called as it is, never converted."""
    return not isinstance(method, FunctionType) or is_library(method)


def acts_when_run(manager: Any) -> bool:
    """Whether a library's manager does something outside of the program, such as taking a lock: not while it is traced, then."""
    kind: Any = type(manager)
    acts = is_library_method(getattr(kind, "__enter__", None)) and is_library_method(getattr(kind, "__exit__", None))
    return acts and hasattr(kind, "__enter__") and not isinstance(manager, HARMLESS_MANAGERS) and not contains_staged(manager)


def entered(manager: Any) -> Any:
    """What the `__enter__` of an object of the run gives."""
    if not (hasattr(type(manager), "__enter__") and hasattr(type(manager), "__exit__")):
        enter_and_leave(manager)
    return type(manager).__enter__(manager)


def exited(manager: Any, exception: BaseException | None) -> bool:
    """Whether the `__exit__` of an object of the run swallows an exception."""
    if exception is None:
        return bool(type(manager).__exit__(manager, None, None, None))
    return bool(type(manager).__exit__(manager, type(exception), exception, exception.__traceback__))


def reraise(exception: StagedException) -> None:
    """Raise again."""
    raise exception
