"""The loops of generators that are kept: what they go through, and where they are in it (see `converters.cursors`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.records import dataclass
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.generators import StagedGenerator
from autograph_jit.tracing.control.kept_generators import is_kept_generator, keep_instead, none_if_missing, present_content, send_step
from autograph_jit.tracing.control.tries import try_stmt
from autograph_jit.tracing.control.user_iterators import iterator_of, user_method
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.sequences.ranges import make_range
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, Undefined, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import user_span

BY_NUMBER = (TracedList, list, tuple, str, bytes, Text, StagedArray, np.ndarray, range)


@dataclass(frozen=True, slots=True)
class Next:
    """Whether there is an item, the item, and what the iterator returned where there is none."""

    is_there: Any
    take: Callable[[], Any]
    returned: Any = None


def walked(x: Any, is_by_number: bool) -> Any:
    """What a loop goes through: by numbers, or an iterator whose `__next__` is Python code."""
    found = iterator_of(content_of(x, TypeError, "'NoneType' object is not iterable"))
    if isinstance(found, StagedGenerator):
        keep_instead(found.function)
    if isinstance(found, BY_NUMBER) or not is_by_number and user_method(found, "__next__") is not None:
        return found
    what = f"a generator that is kept goes through a {getattr(type(found), '__name__', 'value')}"
    raise ConversionError(what, user_span(), "its place there cannot be kept", "go through a list, or through numbers")


def next_item(source: Any, place: Any, sent: Any) -> Next:
    """The next item of what a loop goes through."""
    source, place, sent = map(present_content, (source, place, sent))
    is_object = isinstance(source, StagedObject)
    if is_object or isinstance(source, BY_NUMBER):
        if sent is not None:
            what = "`send` to a generator that hands on the items of a container"
            raise ConversionError(what, user_span(), "Python asks the container's iterator", "send to it elsewhere")
    if isinstance(source, BY_NUMBER):
        return Next(language.compare("<", place, language.call(len, (source,), None)), lambda: language.getitem(source, place))
    if is_kept_generator(source):
        step = send_step(source, sent)
        return Next(language.unary("not", step.is_end), step.item, none_if_missing(step.returned))
    state: tuple[Any, ...] = (True, Undefined("item"), None)

    def set_state(new: tuple[Any, ...]) -> None:
        nonlocal state
        state = new

    def fetch() -> None:
        if is_object:
            set_state((True, host_object(item_of_object, source, place, label="next item"), None))
        else:
            set_state((True, language.call(user_method(source, "__next__"), (source,), None), None))

    def at_end(error: Any) -> None:
        set_state((False, Undefined("item"), language.call(getattr, (error, "value"), None)))

    try_stmt(fetch, ((lambda: StopIteration, at_end),), None, None, lambda: state, set_state, ("found", "item", "returned"))
    found, item, returned = state
    return Next(found, lambda: present_content(item), returned)


def item_of_object(source: Any, place: int) -> Any:
    """The next item of an iterator, or the item of a container at a place, as one that was empty in the trace; StopIteration behind it."""
    if hasattr(type(source), "__next__"):
        return next(source)
    if place >= len(source):
        raise StopIteration
    return source[place]


def is_item(found: Next) -> Any:
    """Whether there was an item."""
    return found.is_there


def item_taken(found: Next) -> Any:
    """The item."""
    return found.take()


def returned_by(found: Next) -> Any:
    """What the iterator returned at its end."""
    return found.returned


def range_parts(*args: Any) -> tuple[Any, Any, Any]:
    """The first number of a range, how many there are, and the step."""
    made = make_range(*args)
    return made.start, len(made) if isinstance(made, range) else made.count, made.step
