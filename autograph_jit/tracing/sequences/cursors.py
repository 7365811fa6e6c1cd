"""Iterators that a program holds: a position in a source of items, which staged loops and branches carry like any attribute."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.journal import AttributePlace, note_created, write
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.plain.identity import is_one_of
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.indexed import (
    Composed,
    Elements,
    Endless,
    EndlessTail,
    Enumerated,
    Indexed,
    Mapped,
    Reversed,
    Sequence,
    Tail,
    Zipped,
    indexed,
    item_of,
)
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, user_span

MAX_DRAWN = 10_000
FINISHED = 2**62  # the position of an iterator that has found its end
LOOKING = (isinstance, issubclass, type, id, callable, hasattr, getattr, setattr, print, repr, str)
ADVANCING = (iter, next, zip, enumerate, map, filter, any, all, *(value for value in vars(itertools).values() if isinstance(value, type)))
OF_ONE = (len, bool, int, float, abs, divmod, pow, range)  # that ask the iterator itself for its size or number, which it has not
KEEPING = (*LOOKING, *ADVANCING, *OF_ONE, itertools.tee)
TYPE_NAMES: dict[type, str] = {StagedRange: "range_iterator", Enumerated: "enumerate", Zipped: "zip", Mapped: "map"}
STORING = frozenset("append appendleft insert add setdefault __setitem__ put index count remove".split())


class Cursor:
    """An iterator over a source; its methods are converted like a user's. Its position is None once another iterator takes its items."""

    def __init__(self, source: Indexed) -> None:
        self.source = source
        self.position: Any = 0
        self.upstream: Any = None  # the iterator that all items were taken from

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> Any:
        self.claim()
        if self.at_end():
            self.finish()
            raise StopIteration
        return self.take()

    @property
    def may_grow(self) -> bool:
        """Whether items may come to the source behind its end: a list's iterator that has found it stays there."""
        source = self.source.source if isinstance(self.source, Enumerated) else self.source
        items = source.items if isinstance(source, Sequence) else source.source if isinstance(source, Elements) else None
        return isinstance(items, list)

    def finish(self) -> None:
        """The end has been found."""
        if self.may_grow:
            write(AttributePlace(self, "position"), FINISHED)

    def claim(self) -> None:
        """Items are asked for one by one: what they were computed from is not known to be used up."""
        if self.upstream is not None and not isinstance(self.upstream, Cursor):
            what = "the items of a generator expression over an iterator are asked for one by one"
            raise ConversionError(what, user_span(), "compiled code made them at once", "write a generator function")
        if self.upstream is not None:
            write(AttributePlace(self.upstream, "position"), None)

    def at_end(self) -> Any:
        """Whether the source has no item here, staged where only the run knows."""
        self.expect_own()
        if isinstance(self.source, Endless):
            return self.source.is_empty()
        if isinstance(self.source, Drawn) and isinstance(self.position, int):
            return not self.source.has(self.position)
        return self.position >= self.source.length()

    def take(self) -> Any:
        """The item here; the position goes on."""
        item = item_of(self.source, self.position)
        self.skip()
        return item

    def skip(self) -> None:
        """Go on by one item."""
        write(AttributePlace(self, "position"), self.position + 1)

    def behind(self) -> Any:
        """The item that was skipped last."""
        return item_of(self.source, self.position - 1)

    def has_left(self, count: int) -> Any:
        """Whether there are so many items from here on."""
        self.expect_own()
        if isinstance(self.source, Endless):
            return language.unary("not", self.source.is_empty())
        if isinstance(self.source, Drawn) and isinstance(self.position, int):
            return self.source.has(self.position + count - 1)
        return self.position + count <= self.source.length()

    def trips(self) -> Iterator[Callable[[], Any]]:
        """The items from a known position on, each taken by the trip that needs it: a later one may not be reached."""
        for position in itertools.count(self.position):
            if not self.source.has(position):  # type: ignore[attr-defined]
                return
            yield partial(self.take_at, position)

    def take_at(self, position: int) -> Any:
        """The item at a position; the iterator stands behind it."""
        write(AttributePlace(self, "position"), position + 1)
        return self.source.item(position)

    def rest(self) -> Any:
        """All items from here on, for something that takes them all: the iterator is at its end."""
        left = self.from_here()
        if isinstance(left, Endless):
            what, remedy = "an iterator without an end is used up here", "take some of its items with itertools.islice"
            raise ConversionError(what, user_span(2), "its items do not end", remedy)
        write(AttributePlace(self, "position"), FINISHED if self.may_grow else self.source.length())
        return left.items if isinstance(left, Sequence) else left

    def from_here(self) -> Indexed:
        """The items from here on as a source of their own."""
        self.expect_own()
        if isinstance(self.position, int) and self.position == 0:
            return self.source
        if isinstance(self.source, Endless):
            return EndlessTail(self.source, self.position)
        return Tail(self.source, language.call(min, (self.position, self.source.length()), None) if self.may_grow else self.position)

    def give_away(self) -> Indexed:
        """The items from here on, for another iterator that takes them one by one; this one cannot be asked any more."""
        left = self.from_here()
        write(AttributePlace(self, "position"), None)
        return left

    def __template__(self, template: Any) -> Any:
        """An iterator that leaves the compiled function: one over the items that are left."""
        if not isinstance(self.position, int) and any(protected.busy for protected in active().handling.tries):
            what, why = "an iterator that a `try` advances is used behind it", "its handlers would need the items left at every operation"
            raise ConversionError(what, user_span(2), why, "make the iterator before the `try`, or advance it outside")
        items = template.of(language.call(list, (self,), None))
        return lambda values: iter(items(values))

    def expect_own(self) -> None:
        if self.position is None or isinstance(self.position, Maybe):
            raise ConversionError(
                "an iterator is asked for items that another one takes from it",
                user_span(2),
                "how many the other one has taken is not known here",
                "make an iterator for each",
            )


def to_be_left(x: StagedObject) -> StagedObject:
    """An object of Python's that a loop goes through which may be left before the end: what it has is asked for at once."""
    if x.python_type is not None and issubclass(x.python_type, (Cursor, Iterator)):
        what, why = "a loop that may be left goes through an iterator of which only the run knows which it is", "it would be used up"
        raise ConversionError(what, user_span(), why, "make the iterator in front of the branch, or a list in its place")
    return x


class Drawn(Indexed):
    """The items of Python's own iterator, drawn when they are first asked for: what a trace took that is given up can be taken again."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator = iterator
        self.items: list[Any] = []

    @acts_for_program
    def has(self, index: int) -> bool:
        """Whether there is an item at this index; what Python's iterator raises, the program raises."""
        self.items.extend(itertools.islice(self.iterator, index + 1 - len(self.items)) if index >= len(self.items) else ())
        return index < len(self.items)

    def length(self) -> int:
        if self.has(MAX_DRAWN):
            raise ConversionError(
                "this iterator is advanced where only the run knows how far",
                user_span(2),
                f"it has more than {MAX_DRAWN} items, which would all be part of the program",
                "make a list or an array of what it gives",
            )
        return len(self.items)

    def item(self, index: Any) -> Any:
        if isinstance(index, int) and self.has(index):
            return self.items[index]
        self.length()
        return item_of(Sequence(tuple(self.items)), index)


def type_name(source: Any) -> str:
    """What Python calls an iterator over a source, as far as that is known."""
    if isinstance(source, Drawn):
        return text_of(getattr, source.iterator, "-").split("'")[1]  # with the module, where the texts of errors have it
    if isinstance(source, Reversed):
        return reversed_name(source.source)
    if isinstance(source, Sequence) and isinstance(source.items, (list, tuple, str, range)):
        base: Any = next(kind for kind in (list, tuple, str, range) if isinstance(source.items, kind))
        return type(base.__iter__(source.items)).__name__
    if isinstance(source, Elements) and not isinstance(source.source, StagedArray):
        return "list_iterator"
    return TYPE_NAMES.get(type(source), "iterator")


def reversed_name(source: Any) -> str:
    """What Python calls an iterator over the items of a source in reverse."""
    items = source.items if isinstance(source, Sequence) else source
    if isinstance(items, (range, StagedRange)):
        return "range_iterator"
    is_list = isinstance(items, list) or isinstance(items, Elements) and not isinstance(items.source, StagedArray)
    return "list_reverseiterator" if is_list else "reversed"


CLASSES: dict[str, type[Cursor]] = {}


def cursor_class(name: str) -> type[Cursor]:
    """Cursor by the name of the type that it stands for, one class for all threads: what Python says about its instances names that."""
    return CLASSES.get(name) or CLASSES.setdefault(name, type(name, (Cursor,), {"__doc__": Cursor.__doc__}))


def cursor(x: Any, name: str = "") -> Any:
    """An iterator over a list, tuple, range, string or array, or over what Python's own iterator gives; None for anything else. `name` is
    that of its type, where what it goes through does not tell."""
    if isinstance(x, Cursor):
        return x
    if isinstance(x, (list, tuple, range, str, Indexed, StagedArray, np.ndarray)):
        source = indexed(x)
    else:
        source = Drawn(x) if is_pythons_iterator(x) else None
    return None if source is None else over(source, name)


def over(source: Indexed, name: str = "") -> Cursor:
    """An iterator over a source, made here."""
    return note_created(active(), cursor_class(name or type_name(source))(source))


def is_pythons_iterator(x: Any) -> bool:
    """Whether something is an iterator written in C, each of whose items stands for itself."""
    if isinstance(x, (types.GeneratorType, itertools.groupby)) or not isinstance(x, Iterator):
        return False
    return type(x).__module__ in ("builtins", "itertools") and not type(x).__name__.startswith("_")


def adopted(x: Any, sources: tuple[Any, ...]) -> Any:
    """What a call made of `sources`: an iterator of Python's as one that a trace can take back; not where it runs the program's code."""
    if isinstance(x, Composed):
        return over(x)
    if is_pythons_iterator(x) and not any(isinstance(source, Iterator) for source in sources):
        return over(Drawn(x))
    if isinstance(x, Iterator):
        trace = active()
        trace.created.setdefault(id(x), (x, len(trace.regions)))
    return x


def collected_arguments(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call: what only looks through an iterator gets all the items that are left in it."""
    return args if keeps_iterators(fn) else tuple(map(language.collected, args))


def parts_of(x: Any) -> Any:
    """A fresh iterator that a builtin composed of others as its source, to be gone through by number; anything else as it is."""
    is_fresh = isinstance(x, Cursor) and isinstance(x.source, Composed) and isinstance(x.position, int) and x.position == 0
    return x.give_away() if is_fresh else x


def looks_through(fn: Any) -> bool:
    """Whether a builtin function asks an iterator for items."""
    return is_one_of(fn, ADVANCING) or not keeps_iterators(fn)


def keeps_iterators(fn: Any) -> bool:
    """Whether a function takes an iterator as such: the user's own do, and those that store it or advance it item by item."""
    function = getattr(fn, "__func__", fn)
    if isinstance(function, types.FunctionType):
        return not is_library(function) or function.__module__.startswith("autograph_jit.")
    if isinstance(fn, type) and isinstance(fn.__init__, types.FunctionType):  # type: ignore[misc]
        return not is_library(fn.__init__)  # type: ignore[misc]
    if isinstance(fn, (type, types.BuiltinFunctionType)):
        return is_one_of(fn, KEEPING) or getattr(fn, "__name__", "") in STORING
    return isinstance(getattr(type(fn), "__call__", None), types.FunctionType)  # noqa: B004 its kind is asked for
