"""What rebuilds a structure from the run-time leaf values: records, so that code can be written that does the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograph_jit.ops.dispatch import Boxed
from autograph_jit.ops.texts import text_of
from autograph_jit.records import dataclass
from autograph_jit.tracing.plain.undefined import Undefined

Rebuild = Callable[[Sequence[Any]], Any]


class LeafValues(list):
    """Run-time leaf values with a memo, so that a container reached twice is one object."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__(values)
        self.memo: dict[Any, Any] = {}


def as_number(value: Any, convert: Callable[[Any], Any]) -> Any:
    """A leaf as a number of one type; floats in a box stay there."""
    return value if isinstance(value, Boxed) and not issubclass(convert, int | np.integer) else convert(value)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A value that does not depend on the run."""

    value: Any

    def __call__(self, values: Sequence[Any]) -> Any:
        return self.value


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A leaf value as it is."""

    index: int

    def __call__(self, values: Sequence[Any]) -> Any:
        return values[self.index]


@dataclass(frozen=True, slots=True, eq=False)
class TextOfCodes:
    """The str of code points, or of one, and the bytes object of bytes."""

    index: int

    def __call__(self, values: Sequence[Any]) -> Any:
        return text_of(np.asarray(values[self.index]))


@dataclass(frozen=True, slots=True, eq=False)
class ReadOnlyLeaf:
    """An array that NumPy does not let write, such as a diagonal or what was broadcast."""

    index: int

    def __call__(self, values: Sequence[Any]) -> Any:
        return read_only(values[self.index])


def read_only(x: Any) -> Any:
    """An array, as a view of it that cannot be written where the array itself can."""
    if not isinstance(x, np.ndarray) or not x.flags.writeable:
        return x
    view = x.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A leaf value as a number of one type."""

    index: int
    convert: Callable[[Any], Any]

    def __call__(self, values: Sequence[Any]) -> Any:
        return as_number(values[self.index], self.convert)


@dataclass(frozen=True, slots=True, eq=False)
class TaggedNumber:
    """A number of the type that a leaf tells: for each type the leaf that holds the number, and the type."""

    tag: int
    choices: list[tuple[int, Callable[[Any], Any]]]

    def __call__(self, values: Sequence[Any]) -> Any:
        place, convert = self.choices[int(values[self.tag])]
        return as_number(values[place], convert)


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A list, tuple or set of rebuilt items."""

    kind: Callable[[Any], Any]
    parts: list[Rebuild]

    def __call__(self, values: Sequence[Any]) -> Any:
        return self.kind([part(values) for part in self.parts])


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """A dict of rebuilt keys and values, less the values that the path has not made."""

    kind: Callable[[Iterable[tuple[Any, Any]]], Any]
    pairs: list[tuple[Rebuild, Rebuild]]

    def __call__(self, values: Sequence[Any]) -> Any:
        made = [(key(values), value(values)) for key, value in self.pairs]
        return self.kind([pair for pair in made if not isinstance(pair[1], Undefined)])


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What a function makes of leaves."""

    make: Callable[..., Any]
    places: tuple[int, ...]

    def __call__(self, values: Sequence[Any]) -> Any:
        return self.make(*(values[place] for place in self.places))


@dataclass(frozen=True, slots=True, eq=False)
class Listed(Made):
    """The same of a list, made of the parts of its items."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A fresh instance of a user's class with rebuilt attributes, of which `slots` stand in slots, but for what the path has not made."""

    kind: Any
    fields: list[tuple[str, Rebuild]]
    slots: tuple[str, ...]

    def __call__(self, values: Sequence[Any]) -> Any:
        return with_fields(self.new(self.kind), self.fields, self.slots, values)

    @property
    def new(self) -> Callable[[Any], Any]:
        """What makes an instance without attributes."""
        return self.kind.__new__ if self.kind is SimpleNamespace else object.__new__


def with_fields(instance: Any, fields: list[tuple[str, Rebuild]], slots: tuple[str, ...], values: Sequence[Any]) -> Any:
    """An instance that gets the run-time values as attributes. Its dictionary is asked for only where the class has something of the same
    name, say a property: instances without one of their own are quicker."""
    kind = type(instance)
    for name, field in fields:
        item = field(values)
        if isinstance(item, Undefined):
            continue
        if name in slots or not hasattr(kind, name):
            object.__setattr__(instance, name, item)
        else:
            instance.__dict__[name] = item
    return instance


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """What is rebuilt once for each run, however often it is reached: a container by its identity, a read-only view by its leaf."""

    key: int
    build: Rebuild

    def __call__(self, values: Sequence[Any]) -> Any:
        if not isinstance(values, LeafValues):
            return self.build(values)
        if self.key not in values.memo:
            values.memo[self.key] = self.build(values)
        return values.memo[self.key]


def parts_of(rebuild: Rebuild) -> Iterator[Rebuild]:
    """What a structure is rebuilt of, itself and all that stands in it, as far as records tell."""
    yield rebuild
    if isinstance(rebuild, Shared):
        inner = [rebuild.build]
    elif isinstance(rebuild, Entries):
        inner = [part for pair in rebuild.pairs for part in pair]
    elif isinstance(rebuild, Instance):
        inner = [part for _, part in rebuild.fields]
    else:
        inner = rebuild.parts if isinstance(rebuild, Items) else []
    for part in inner:
        yield from parts_of(part)
