"""What a staged `for` runs over: something with a length and an item at each index."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.dims import Dim, lower_bound
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, TaggedScalar, check, content_of
from autograph_jit.tracing.values.checks import as_number
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, lift_array, lift_number, scalar, truth
from autograph_jit.tracing.values.trace import active, constant, emit, in_c, user_span

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
class StagedRange(Indexed):
    """`range(start, stop, step)` with a staged bound: evaluated once, the count computed at entry."""

    __rebuilt_type__ = range
    start: Any
    stop: Any
    step: Any
    count: Any

    @classmethod
    def of(cls, known: range) -> StagedRange:
        """A range of which the run asks for an item or a part."""
        return cls(known.start, known.stop, known.step, len(known))

    def length(self) -> Any:
        return self.count

    def item(self, index: Any) -> Any:
        if isinstance(self.step, int) and self.step == 1 and isinstance(self.start, int) and self.start == 0:
            return index
        return self.start + index * self.step

    def __staged_array__(self) -> StagedArray:
        return language.call_numpy(np.arange, (self.start, self.stop, self.step), {})

    def __template__(self, template: Any) -> Any:
        bounds = [template.of(bound) for bound in (self.start, self.stop, self.step)]
        return lambda values: range(*(bound(values) for bound in bounds))

    def __getitem__(self, key: Any) -> Any:
        length = self.count
        if isinstance(key, slice):
            return self.part(key)
        key = as_int(key)
        wrapped = language.if_exp(key < 0, lambda: key + length, lambda: key)
        check_index(wrapped, length, "range object index out of range")
        return self.item(wrapped)

    def part(self, key: slice) -> Any:
        """The range of the items that a slice with a step known while tracing selects."""
        step = 1 if key.step is None else as_int(key.step)
        if not isinstance(step, int):
            step = step.__index__()
        if step == 0:
            raise ValueError("slice step cannot be zero")
        low, high = (0, self.count) if step > 0 else (-1, self.count - 1)
        first, last = (low, high) if step > 0 else (high, low)
        start = first if key.start is None else self.clipped(key.start, low, high)
        stop = last if key.stop is None else self.clipped(key.stop, low, high)
        return make_range(self.item(start), self.item(stop), self.step * step)

    def clipped(self, bound: Any, low: Any, high: Any) -> Any:
        """A bound of a slice, counted from the end where it is negative, and no further out than the range goes."""
        position = as_int(bound)
        position = language.if_exp(position < 0, lambda: position + self.count, lambda: position)
        position = language.if_exp(position < low, lambda: low, lambda: position)
        return language.if_exp(position > high, lambda: high, lambda: position)

    def contains(self, x: Any) -> Any:
        """`x in range(...)` for an int."""
        offset = x - self.start
        ahead = language.if_exp(self.step > 0, lambda: offset >= 0, lambda: offset <= 0)
        inside = language.if_exp(self.step > 0, lambda: x < self.stop, lambda: x > self.stop)
        return language.if_exp(language.if_exp(ahead, lambda: inside, lambda: False), lambda: offset % self.step == 0, lambda: False)

    def index(self, x: Any) -> Any:
        check(truth(self.contains(x)), ValueError, "{0} is not in range", index_value(x))
        return (x - self.start) // self.step


StagedRange.__name__ = "range"  # in the texts of errors that Python raises itself


def check_index(index: Any, length: Any, text: str) -> None:
    """0 <= index < length, or IndexError."""
    low = emit("greater_equal", index_value(index), constant(np.int64(0))).result
    high = emit("less", index_value(index), index_value(length)).result
    check(emit("logical_and", low, high).result, IndexError, text)


@acts_for_program
def make_range(*args: Any) -> Any:
    """`range(...)`: a real one where all bounds are known."""
    bounds = [as_int(arg) for arg in args]
    if all(isinstance(bound, int) for bound in bounds):
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    return StagedRange(start, stop, step, range_length(start, stop, step))


@acts_for_program
def as_int(x: Any) -> Any:
    """A Python int, real or staged, of anything with an index."""
    if isinstance(x, (TaggedScalar, StagedObject)):
        return language.integer_of(x)
    if isinstance(x, StagedScalar):
        if x.scalar_dtype.kind not in ("iub" if x.weak else "iu"):
            raise TypeError(f"'{x.type_name}' object cannot be interpreted as an integer")
        if isinstance(x.size, int):
            return x.size
        return scalar(index_value(x), True, x.size if x.weak else None, min(x.bits, 62) if x.weak else 62)
    if isinstance(x, StagedArray) and x.ndim == 0 or isinstance(x, Maybe):
        return scalar(index_value(x), True, bits=62)
    if isinstance(x, StagedArray):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    number = as_number(x)
    if number is not x:
        return as_int(number)
    return x.__index__() if hasattr(x, "__index__") else range(x)


def range_length(start: Any, stop: Any, step: Any) -> Any:
    """The number of items; a zero step is an error."""
    if not isinstance(step, int):
        check(emit("not_equal", index_value(step), constant(np.int64(0))).result, ValueError, "range() arg 3 must not be zero")
        up, down = length_of_range(start, stop, step), length_of_range(stop, start, -step)
        positive = emit("greater", index_value(step), constant(np.int64(0))).result
        return scalar(emit("where", positive, up.value, down.value).result, True, bits=62)
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    return length_of_range(start, stop, step) if step > 0 else length_of_range(stop, start, -step)


def length_of_range(low: Any, high: Any, step: Any) -> Any:
    """max(0, ceil((high - low) / step)) for a positive step; a division by a possibly zero step gives 0."""
    span = high - low
    if isinstance(step, int) and step == 1 and is_never_negative(span):
        return span
    if isinstance(step, int) and step == 1:
        steps = span
    else:
        total = scalars.binary("+", span, scalars.binary("-", step, 1) if isinstance(step, StagedScalar) else step - 1)
        steps = scalar(emit("floor_divide", lift_number(total), lift_number(step)).result, True, bits=62)
    if isinstance(steps, int):
        return scalar(constant(np.int64(max(steps, 0))), True, max(steps, 0), 48)
    result = emit("maximum", steps.value, constant(np.int64(0))).result
    return scalar(result, True, bits=min(steps.bits, 62))


def is_never_negative(x: Any) -> bool:
    """Whether a staged int is known by its label to be a size."""
    if not (isinstance(x, StagedScalar) and isinstance(x.size, Dim)):
        return False
    bound = lower_bound(x.size)
    return bound is not None and bound >= 0


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
