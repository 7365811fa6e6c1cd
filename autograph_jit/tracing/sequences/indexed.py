"""What a staged `for` runs over: something with a length and an item at each index."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, lift_array, scalar
from autograph_jit.tracing.values.trace import active, emit, in_c, user_span

UNNUMBERED = (set, frozenset, dict, KeysView, ValuesView, ItemsView)


class Indexed:
    """Base: `length()` is an int, real or staged; `item(i)` takes a real or staged int. `covered_names`: attributes of the object that
    others, of the stand-in, have the names of."""

    covered_names: tuple[str, ...] = ()

    def length(self) -> Any:
        raise NotImplementedError

    def item(self, index: Any) -> Any:
        raise NotImplementedError

    def changing(self) -> tuple[Any, ...]:
        """The containers of converted code whose items these are, where they may change their length."""
        return ()

    def __iter__(self) -> Any:
        length = self.length()
        count = length if isinstance(length, int) else length.__index__()
        return (self.item(index) for index in range(count))  # read one by one: the loop may write what it runs over

    def __len__(self) -> int:
        return self.length().__index__()


@dataclass(frozen=True, eq=False)
class Elements(Indexed):
    """The items of an array along its first axis, or of a run-time list."""

    source: Any

    def length(self) -> Any:
        return self.source.shape[0] if isinstance(self.source, StagedArray) else self.source.length()

    def item(self, index: Any) -> Any:
        return language.getitem(self.source, index) if isinstance(self.source, StagedArray) else self.source[index]


@dataclass(frozen=True, eq=False)
class Sequence(Indexed):
    """A sequence of known length, its items picked by an index that may be staged."""

    items: Any

    def length(self) -> Any:
        return self.items.length() if isinstance(self.items, Dynamic) else len(self.items)

    def item(self, index: Any) -> Any:
        return self.items[index] if isinstance(index, int) else language.getitem(self.items, index)


class Composed(Indexed):
    """Base of what `enumerate`, `zip`, `map` and `reversed` make of other sources."""


@dataclass(frozen=True, eq=False)
class Enumerated(Composed):
    """`enumerate(source, start)`."""

    source: Indexed
    start: Any = 0

    def length(self) -> Any:
        return self.source.length()

    def item(self, index: Any) -> Any:
        number = index if isinstance(self.start, int) and self.start == 0 else self.start + index
        return number, self.source.item(index)


class Endless(Indexed):
    """Base of sources that do not end."""

    def is_empty(self) -> Any:
        return False


@dataclass(frozen=True, eq=False)
class Progression(Endless):
    """`itertools.count(start, step)` of ints."""

    start: Any = 0
    step: Any = 1

    def item(self, index: Any) -> Any:
        return self.start + index * self.step


@dataclass(frozen=True, eq=False)
class Cycled(Endless):
    """`itertools.cycle(items)`."""

    source: Indexed

    def is_empty(self) -> Any:
        return self.source.length() == 0

    def item(self, index: Any) -> Any:
        return item_of(self.source, index % self.source.length())


@dataclass(frozen=True, eq=False)
class Repeated(Endless):
    """`itertools.repeat(value)`."""

    value: Any

    def item(self, index: Any) -> Any:
        return self.value


@dataclass(frozen=True, eq=False)
class Tail(Indexed):
    """The items of a source from a position on."""

    source: Indexed
    start: Any

    def length(self) -> Any:
        return self.source.length() - self.start

    def item(self, index: Any) -> Any:
        return item_of(self.source, self.start + index)


@dataclass(frozen=True, eq=False)
class EndlessTail(Endless):
    """The items of a source that does not end, from a position on."""

    source: Endless
    start: Any

    def is_empty(self) -> Any:
        return self.source.is_empty()

    def item(self, index: Any) -> Any:
        return self.source.item(self.start + index)


def item_of(source: Indexed, index: Any) -> Any:
    """An item by a number that may be staged."""
    return language.getitem(source.items, index) if isinstance(source, Sequence) else source.item(index)


@dataclass(frozen=True, eq=False)
class Unnumbered(Indexed):
    """A set, dict or view of one, gone through beside items of the run: a value is looked at when it is asked for."""

    container: Any

    def length(self) -> int:
        return len(self.container)

    def item(self, index: Any) -> Any:
        return item_of(Sequence(tuple(self.container)), index)


@dataclass(frozen=True, eq=False)
class Zipped(Composed):
    """`zip(*sources)`: as long as the shortest."""

    sources: tuple[Indexed, ...]

    def length(self) -> Any:
        lengths = [source.length() for source in self.sources if not isinstance(source, Endless)]
        if all(isinstance(length, int) for length in lengths):
            return min(lengths)
        if (
            len({str(length.size) if isinstance(length, StagedScalar) else str(length) for length in lengths}) == 1
            and getattr(lengths[0], "size", None) is not None
        ):
            return lengths[0]
        shortest = index_value(lengths[0])
        for length in lengths[1:]:
            shortest = emit("minimum", shortest, index_value(length)).result
        return scalar(shortest, True, bits=62)

    def item(self, index: Any) -> Any:
        return tuple(item_of(source, index) for source in self.sources)


@dataclass(frozen=True, eq=False)
class Reversed(Composed):
    """`reversed(source)`; `changes` are those behind the source when it was made."""

    source: Indexed
    changes: list[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", changes_behind(self))

    def length(self) -> Any:
        if changes_behind(self) != self.changes:
            raise ConversionError(
                "a list changes its length between `reversed` and the items that are asked for",
                user_span(),
                "they are counted from the end that the list had",
                "go through a copy of the list",
            )
        return self.source.length()

    def item(self, index: Any) -> Any:
        return self.source.item(self.length() - 1 - index)


@dataclass(frozen=True, eq=False)
class Mapped(Composed):
    """`map(function, *sources)`."""

    function: Callable[..., Any]
    sources: tuple[Indexed, ...]

    def length(self) -> Any:
        return Zipped(self.sources).length()

    def item(self, index: Any) -> Any:
        arguments = tuple(item_of(source, index) for source in self.sources)
        with in_c(None):
            return language.call(self.function, arguments, None)


def indexed(x: Any) -> Indexed | None:
    """The indexed form of an iterable that is staged, or that can go along with a staged one; None for other iterables."""
    x = content_of(x)
    if isinstance(x, Indexed):
        return x
    if isinstance(x, Rowed) and x.is_native:
        return x.rows()
    if isinstance(x, StagedArray):
        if x.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return Elements(x)
    if isinstance(x, Dynamic) and x.dynamic is not None and isinstance(x, list):
        return Elements(x)
    if isinstance(x, Dynamic) and x.dynamic is not None:
        return Elements(language.iterate(x.dynamic))
    if isinstance(x, np.ndarray) and x.dtype.kind in "biufc":
        return Elements(lift_array(x))
    if isinstance(x, (range, list, tuple, str)):
        return Sequence(x)
    return None


def lists_behind(source: Any) -> Iterator[Any]:
    """The lists of converted code whose items a source gives."""
    if isinstance(source, Dynamic):
        yield source
    elif isinstance(source, Composed):
        for part in vars(source).values():
            for each in part if isinstance(part, tuple) else (part,):
                yield from lists_behind(each)
    elif isinstance(source, (Elements, Sequence)):
        yield from lists_behind(source.source if isinstance(source, Elements) else source.items)
    elif isinstance(source, Indexed):
        yield from source.changing()


def changes_behind(source: Any) -> list[int]:
    """How often the lists whose items a source gives have changed their length, or others that may be the same: of those that are counted
    from their end, only what is seen to be the same."""
    has_names = [getattr(items, "has_names", False) and not goes_backwards(source) for items in lists_behind(source)]
    return [active().aliasing.length_changes if named else items.changes for named, items in zip(has_names, lists_behind(source))]


def goes_backwards(source: Any) -> bool:
    """Whether a source counts from the end of another one."""
    if isinstance(source, Composed):
        parts = [each for part in vars(source).values() for each in (part if isinstance(part, tuple) else (part,))]
        return isinstance(source, Reversed) or any(map(goes_backwards, parts))
    return False


def is_staged_iterable(x: Any) -> bool:
    """Whether iterating needs the run: an array, or an indexed view of one."""
    return isinstance(x, (Indexed, StagedArray)) or isinstance(x, Rowed) and x.is_native or isinstance(x, Dynamic) and x.dynamic is not None
