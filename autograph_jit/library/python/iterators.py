"""Loops over objects of a user's class: `__iter__` and `__next__` are converted calls, and StopIteration ends a staged loop."""

from __future__ import annotations

from typing import Any

from autograph_jit.library.python.generated import Asked
from autograph_jit.library.python.iteration import staged_iter, staged_next
from autograph_jit.tracing.aliasing.references import references_in
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.control.branches import and_, if_stmt, not_
from autograph_jit.tracing.control.kept_generators import is_kept_generator, stepped
from autograph_jit.tracing.control.loops import while_stmt
from autograph_jit.tracing.control.tries import try_stmt
from autograph_jit.tracing.control.unrolled import unrolled_for
from autograph_jit.tracing.control.user_iterators import SequenceIterator, iterator_of, user_method
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.plain.identity import is_one_of
from autograph_jit.tracing.sequences.cursors import Cursor, Drawn, cursor, over
from autograph_jit.tracing.sequences.dynamic import Rowed
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.values.abstract import StagedObject, Undefined, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language


def for_iterator(iterator: Any, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: tuple[str, ...]) -> None:
    """The loop over an iterator whose `__next__` is Python code."""
    if not isinstance(iterator, Cursor):
        for_user_iterator(iterator, extra_test, body, get_state, set_state, names)
    elif isinstance(iterator.source, Drawn) and isinstance(iterator.position, int):
        unrolled_for(iterator, extra_test, body, get_state, set_state)
    else:
        for_cursor(iterator, extra_test, body, get_state, set_state, names)


def for_cursor(iterator: Cursor, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: tuple[str, ...]) -> None:
    """The loop over a position in a source: before every trip it is asked whether there is an item."""
    going: Any = True
    iterator.claim()

    def goes_on() -> Any:
        return and_(lambda: going, lambda: not_(iterator.at_end()))

    def trip() -> None:
        nonlocal going
        body(iterator.take())
        going = True if extra_test is None else extra_test()

    def loop_state() -> tuple[Any, ...]:
        return (going, *get_state())

    def set_loop_state(state: tuple[Any, ...]) -> None:
        nonlocal going
        going, *rest = state
        set_state(tuple(rest))

    while_stmt(goes_on, trip, loop_state, set_loop_state, ("going", *names))
    if iterator.may_grow:
        language.if_exp(going, lambda: at_its_end(iterator, None), lambda: None)


def at_its_end(iterator: Cursor, default: Any) -> Any:
    """What stands for an item of an iterator that has found its end."""
    iterator.finish()
    return default


def for_user_iterator(iterator: Any, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: tuple[str, ...]) -> None:
    """The loop over an iterator of a user's class: it ends where `__next__` raises StopIteration."""
    going: Any = True
    found: Any = True
    item: Any = Undefined("item")

    def trip_state() -> tuple[Any, ...]:
        return (item, found, *get_state())

    def set_trip_state(state: tuple[Any, ...]) -> None:
        nonlocal item, found
        item, found, *rest = state
        set_state(tuple(rest))

    def fetch() -> None:
        nonlocal item
        item = language.call(user_method(iterator, "__next__"), (iterator,), None)

    def at_end(error: Any) -> None:
        nonlocal found
        found = False

    def trip() -> None:
        nonlocal going, found, item
        item, found = Undefined("item"), True
        if is_kept_generator(iterator):
            step = stepped(iterator, None)
            found, item = language.unary("not", step.is_end), step.item()
        else:
            try_stmt(fetch, ((lambda: StopIteration, at_end),), None, None, trip_state, set_trip_state, ("item", "found", *names))
        if_stmt(found, lambda: body(content_of(item)), lambda: None, trip_state, set_trip_state, ("item", "found", *names))
        going = found if extra_test is None else and_(lambda: found, extra_test)

    def loop_state() -> tuple[Any, ...]:
        return (going, *get_state())

    def set_loop_state(state: tuple[Any, ...]) -> None:
        nonlocal going
        going, *rest = state
        set_state(tuple(rest))

    while_stmt(lambda: going, trip, loop_state, set_loop_state, ("going", *names))


def iterator_name(kind: type | None) -> str:
    """The name of the iterators over objects of a type, where that is known."""
    return "" if kind is None or not is_one_of(kind, (set, frozenset, dict, tuple, list)) else type(iter(kind())).__name__


@builtin(iter)
def iter_of_object(source: Any, *sentinel: Any) -> Any:
    name = ""
    if isinstance(source, Rowed) and source.is_native and not sentinel:
        return over(source.rows_one_by_one(), "set_iterator" if isinstance(source, set) else "dict_keyiterator")
    if isinstance(source, TracedDict) and source.dynamic is not None:
        source = source.dynamic
    if isinstance(source, StagedObject) and not sentinel:
        name = iterator_name(source.python_type)
        source = language.iterate(source)
    found = cursor(source, name) if not sentinel else None
    if found is not None:
        return found
    made = source if sentinel else iterator_of(source)
    return staged_iter(source, *sentinel) if made is source else made


@builtin(next)
def next_of_object(iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, Chosen) and all(user_method(each, "__next__") for each in references_in(iterator) or (None,)):
        return distribute(iterator, lambda option: next_of_object(option, *default))
    method = user_method(iterator, "__next__")
    if method is None:
        return staged_next(iterator, *default)
    if is_kept_generator(iterator) and default:
        step = stepped(iterator, None)
        return language.if_exp(step.is_end, lambda: default[0], step.item)
    if not default:
        return language.call(method, (iterator,), None)
    if isinstance(iterator, Cursor):
        iterator.claim()
        return language.if_exp(iterator.at_end(), lambda: at_its_end(iterator, default[0]), iterator.take)
    result: Any = default[0]

    def set_result(state: tuple[Any, ...]) -> None:
        nonlocal result
        (result,) = state

    def fetch() -> None:
        set_result((language.call(method, (iterator,), None),))

    try_stmt(fetch, ((lambda: StopIteration, lambda error: None),), None, None, lambda: (result,), set_result, ("result",))
    return result


builtin(Asked.at_end)(convert_on_call(Asked.at_end))
builtin(Cursor.__next__)(convert_on_call(Cursor.__next__))
builtin(SequenceIterator.__next__)(convert_on_call(SequenceIterator.__next__))
