"""Loops over objects of a user's class: `__iter__` and `__next__` are converted calls, and StopIteration ends a staged loop."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph_jit.library.python.iteration import staged_iter, staged_next
from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.control.branches import and_, if_stmt, not_
from autograph_jit.tracing.control.generators import StagedGenerator
from autograph_jit.tracing.control.loops import unrolled_for, while_stmt
from autograph_jit.tracing.control.tries import try_stmt
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.plain.identity import is_one_of
from autograph_jit.tracing.sequences.cursors import Cursor, Drawn, cursor, over
from autograph_jit.tracing.sequences.dynamic import Rowed
from autograph_jit.tracing.values.abstract import Maybe, Protocol, Staged, StagedObject, Undefined
from autograph_jit.tracing.values.trace import active


class SequenceIterator:
    """What `iter` gives for an object that has items by number only: its methods are converted like a user's."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.position = 0
        self.ended = False

    def __iter__(self) -> SequenceIterator:
        return self

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        try:
            item = self.items[self.position]
        except (IndexError, StopIteration):
            self.ended = True
            raise StopIteration from None
        self.position += 1
        return item


def user_method(x: Any, name: str) -> FunctionType | None:
    """A method that the class of `x` defines in Python, outside of libraries."""
    if isinstance(x, (Staged, Maybe, StagedGenerator)):
        return None
    if isinstance(x, (Cursor, SequenceIterator)):
        return getattr(type(x), name, None)
    method = getattr(type(x), name, None)
    return method if isinstance(method, FunctionType) and not is_library(method) else None


def is_read_by_number(x: Any) -> bool:
    """Whether the class of `x` says in Python what its items are, but not how to go through them."""
    return user_method(x, "__getitem__") is not None and not hasattr(type(x), "__iter__")


def iterator_of(x: Any) -> Any:
    """`iter(x)` where the class of `x` says in Python what that is, otherwise `x` itself."""
    if is_read_by_number(x):
        return note_created(active(), SequenceIterator(x))
    method = user_method(x, "__iter__")
    return x if method is None else Protocol.call(method, (x,), None)


def is_user_iterator(x: Any) -> bool:
    return user_method(x, "__next__") is not None


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
        item = Protocol.call(user_method(iterator, "__next__"), (iterator,), None)

    def at_end(error: Any) -> None:
        nonlocal found
        found = False

    def trip() -> None:
        nonlocal going, found, item
        item, found = Undefined("item"), True
        try_stmt(fetch, ((lambda: StopIteration, at_end),), None, None, trip_state, set_trip_state, ("item", "found", *names))
        if_stmt(found, lambda: body(Protocol.content_of(item)), lambda: None, trip_state, set_trip_state, ("item", "found", *names))
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
        return over(source.rows(), "set_iterator" if isinstance(source, set) else "dict_keyiterator")
    if isinstance(source, TracedDict) and source.dynamic is not None:
        source = source.dynamic
    if isinstance(source, StagedObject) and not sentinel:
        name = iterator_name(source.python_type)
        source = Protocol.iterate_object(source)
    found = cursor(source, name) if not sentinel else None
    if found is not None:
        return found
    made = source if sentinel else iterator_of(source)
    return staged_iter(source, *sentinel) if made is source else made


@builtin(next)
def next_of_object(iterator: Any, *default: Any) -> Any:
    method = user_method(iterator, "__next__")
    if method is None:
        return staged_next(iterator, *default)
    if not default:
        return Protocol.call(method, (iterator,), None)
    result: Any = default[0]

    def set_result(state: tuple[Any, ...]) -> None:
        nonlocal result
        (result,) = state

    def fetch() -> None:
        set_result((Protocol.call(method, (iterator,), None),))

    try_stmt(fetch, ((lambda: StopIteration, lambda error: None),), None, None, lambda: (result,), set_result, ("result",))
    return result


builtin(Cursor.__next__)(convert_on_call(Cursor.__next__))
builtin(SequenceIterator.__next__)(convert_on_call(SequenceIterator.__next__))
Protocol.iterator_of, Protocol.is_user_iterator, Protocol.for_iterator = iterator_of, is_user_iterator, for_iterator
Protocol.is_read_by_number = is_read_by_number
