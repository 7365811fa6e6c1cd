"""The types of values while tracing: one language for the state of loops, results of branches, items of containers and arguments.

A type says which values of the graph carry a value (`parts`), and what covers it and another one. `PYTHON_OBJECT` covers everything;
`NEVER`, the type of the items of a list that holds nothing, is covered by everything. The type of an item is without facts of one value,
as its size.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np

from autograph_jit.ir.types import BOOL, I64, OBJECT, TEXT_DTYPES, ArrayType, ListType, Type
from autograph_jit.ops.tables import INDEX
from autograph_jit.records import dataclass
from autograph_jit.tracing.values.constants import same_constant
from autograph_jit.tracing.values.nesting import (
    BY_LENGTHS,
    NestedDict,
    NestedList,
    NestedTuple,
    by_lengths,
    is_nested,
    may_nest,
    order_of,
    tuples_of,
)
from autograph_jit.tracing.values.trace import Restart
from autograph_jit.tracing.values.value_types import INT, Join, Scalar, ValueType

MOST_TUPLES = 2  # in one another, of which another path has fewer, as no row
MOST_LENGTHS = 4  # of tuples that a value may be, with a table each


@dataclass(frozen=True, slots=True)
class Constant(ValueType):
    """A Python object known while tracing; `content` describes what a container held where a path left it."""

    value: Any
    content: Any = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and same_constant(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Array(ValueType):
    """An array of a dtype and rank; a size that differs between the sides is a label of its own, that of an item is None."""

    dtype: np.dtype
    dims: tuple[Any, ...]
    writeable: bool = True

    @property
    def parts(self) -> tuple[Type, ...]:
        return (ArrayType(self.dtype, self.dims),)


@dataclass(frozen=True, slots=True)
class Opaque(ValueType):
    """A Python object that only the run knows."""

    python_type: type | None = None
    parts: ClassVar[Any] = (OBJECT,)


@dataclass(frozen=True, slots=True)
class Optional(ValueType):
    """`content`, or `absent` (None or Undefined)."""

    content: Any
    absent: Any = None
    names: ClassVar[Any] = ("content",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optional) and self.content == other.content and type(self.absent) is type(other.absent)

    def __hash__(self) -> int:
        return hash(self.content)

    @property
    def is_flat(self) -> bool:  # type: ignore[override]
        if isinstance(self.content, Tuple) and any(getattr(part, "dtype", BOOL.dtype).kind in "fc" for part in self.content.parts):
            return False  # a tuple with a nan equals itself while it is one object
        return self.absent is None and not isinstance(self.content, Optional) and (self.content.is_flat or self.content == NEVER)

    @property
    def parts(self) -> tuple[Type, ...]:
        return (BOOL, *self.content.parts)

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        content = join(self.content, other.content if isinstance(other, Optional) else other)
        found = Optional(nested(content), self.absent)
        return found if found.is_flat or self.absent is not None else Optional(nested(content, True), None)


class Composite(ValueType):
    """What is made of a fixed number of `items`, by `make(items)` from their values."""

    __slots__ = ()
    items: tuple[Any, ...]

    @property
    def inner(self) -> tuple[ValueType, ...]:
        return self.items

    def of(self, inner: Iterable[ValueType]) -> Any:
        return replace(self, items=tuple(inner))  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Tuple(Composite):
    """A tuple, or a named tuple of a class."""

    kind: type
    items: tuple[Any, ...]

    @property
    def is_flat(self) -> bool:  # type: ignore[override]
        return bool(self.items) and all(item.is_flat for item in self.items)

    @property
    def is_item(self) -> bool:
        return bool(self.items) and all(item.is_flat or isinstance(item, (InParts, Tuple)) and item.is_item for item in self.items)

    @property
    def shape(self) -> tuple[Any, ...]:
        return "tuple", self.kind, len(self.items)

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        is_plain = self.kind is tuple and getattr(other, "kind" if isinstance(other, Tuple) else "made_by", None) is tuple
        if is_plain and (isinstance(other, ListOf) or len(self.items) != len(other.inner)):
            found = ListOf(functools.reduce(join, (*self.items, *other.inner), NEVER), tuple)
            is_tree = not found.is_native or bool(found.classes) or by_lengths()
            return join_mixed(self, other, join) or found if is_tree else found
        if is_plain and (row := grown_row(self, other)) is not None:
            return row
        return ValueType.covering(self, other, join)

    def make(self, items: list[Any]) -> Any:
        return getattr(self.kind, "_make", tuple)(items)


@dataclass(frozen=True, slots=True)
class TextType(Composite):
    """A text of a class: its letters in a vector, "text", a number that is its one letter, "letter", or a reference to it, "stored", as
    containers hold it. One that has come from a container is "referred" to as long as nothing else takes its place."""

    form: str
    kind: type
    items: tuple[Any, ...]

    @property
    def is_flat(self) -> bool:  # type: ignore[override]
        return self.form not in ("text", "referred")

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.form, self.kind

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        return STORED_TEXT if {self, other} == {LETTER, STORED_TEXT} else None


@dataclass(frozen=True, slots=True)
class OneOf(Composite):
    """A number, a text, or a list, dict or tuple that is a row, with a number that says which where no row tells it."""

    items: tuple[Any, ...]
    is_flat: ClassVar[Any] = True

    @property
    def shape(self) -> tuple[Any, ...]:
        return "one of", len(self.items)

    @property
    def is_told(self) -> bool:
        """Whether it is a row where there is a row: alone, or beside one thing that is none."""
        *others, last = self.items
        return isinstance(last, Reference) and len(others) < 2 and not any(isinstance(each, Reference) for each in others)

    @property
    def parts(self) -> tuple[Type, ...]:
        return (*(() if self.is_told else (I64,)), *(part for each in self.items for part in each.parts))

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        return join_mixed(self, other, join)


@dataclass(frozen=True, slots=True)
class Structure(Composite):
    """A list, dict or instance of a fixed structure. builder(items) makes it; `like` is one of those described."""

    name: tuple[Any, ...]
    items: tuple[Any, ...]
    builder: Callable[[list[Any]], Any] = field(compare=False)
    like: Any = field(default=None, compare=False)

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.name

    def make(self, items: list[Any]) -> Any:
        return self.builder(items)


@dataclass(frozen=True, slots=True)
class Reference(ValueType):
    """An instance of a user's class that is a row of a table; of one of several classes, with a number that says of which."""

    kinds: tuple[type, ...]
    is_flat: ClassVar[Any] = True

    @property
    def parts(self) -> tuple[Type, ...]:
        return (I64,) * min(len(self.kinds), 2)

    @property
    def classes(self) -> list[type]:
        return list(self.kinds)

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        if not isinstance(other, Reference):
            return None
        return Reference(tuple(sorted({*self.kinds, *other.kinds}, key=lambda kind: (kind.__module__, kind.__qualname__, id(kind)))))


class InParts(ValueType):
    """A container of compiled code, by lists of the parts of what it holds; those of `head` come first."""

    __slots__ = ()
    head: ClassVar[tuple[Type, ...]] = ()

    @property
    def parts(self) -> tuple[Type, ...]:
        return (*self.head, *(ListType(part) for each in self.inner for part in each.parts))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ListOf(InParts):
    """A list; or, as `made_by` tells, a tuple of which only the run knows how long it is."""

    item: ValueType
    made_by: type = list
    names: ClassVar[Any] = ("item",)

    @property
    def shape(self) -> Any:
        return self.made_by

    @property
    def is_item(self) -> bool:
        return self.item.is_item and (self.made_by is list or stays_as_it_is(self.item))


def holds_several(kind: ValueType) -> bool:
    """Whether a value is of one of several types, or holds one that is."""
    return isinstance(kind, (OneOf, Optional)) or any(map(holds_several, kind.inner))


def may_be_equal_texts(kind: ValueType) -> bool:
    """Whether values of a type are, or hold, texts of several types that are equal where their letters are, Python's and NumPy's."""
    plain = [plain_kind(each.kind) for each in kind.inner if isinstance(each, TextType)] if isinstance(kind, OneOf) else []
    return len(set(plain)) < len(plain) or any(map(may_be_equal_texts, kind.inner))


def stays_as_it_is(kind: ValueType) -> bool:
    """Whether values of a type are numbers, texts and tuples of these, which nothing changes."""
    if isinstance(kind, (Tuple, ListOf)):
        return getattr(kind, "made_by", tuple) is tuple and all(map(stays_as_it_is, kind.inner))
    return bool(kind.is_flat) and not kind.classes


def grown_row(a: ValueType, b: ValueType) -> ValueType | None:
    """The row that covers two tuples of which one has more tuples in one another than the other one, as trees have; None of any others."""
    depths, rows = {count_tuples(a), count_tuples(b)}, {nested(a, True), nested(b, True)}
    return rows.pop() if len(depths) > 1 and max(depths) > MOST_TUPLES and len(rows) == 1 else None


def count_tuples(x: ValueType) -> int:
    """How many tuples stand in one another in values of a type."""
    if isinstance(x, Optional):
        return count_tuples(x.content)
    return 1 + max(map(count_tuples, x.items), default=0) if isinstance(x, Tuple) else 0


@dataclass(frozen=True, slots=True)
class TableOf(InParts):
    """A dict, or a set, whose `value` is None; NEVER where nothing is known of them yet. made_by: the class and further arguments that make
    a dict of the library's."""

    key: ValueType
    value: ValueType | None
    made_by: tuple[Any, ...] = ()
    names: ClassVar[Any] = ("key", "value")
    head: ClassVar[Any] = (INDEX,)

    @property
    def shape(self) -> Any:
        return self.value is None, self.made_by

    @property
    def is_native(self) -> bool:
        is_ordered = self.value is not None or not holds_several(self.key)  # of sets with several types Python alone knows the order
        is_compared = not may_be_equal_texts(self.key) and not self.key.classes  # by what it is, not by the row that it is
        return PYTHON_OBJECT not in self.inner and is_ordered and is_compared

    @property
    def is_item(self) -> bool:
        return self.is_native and all(inner == NEVER or inner.is_item for inner in self.inner)

    @property
    def content(self) -> ValueType:
        """The type of what a key stands for."""
        return self.key if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class DequeOf(InParts):
    """A deque of which at most `bound` items stay."""

    item: ValueType
    bound: Any
    names: ClassVar[Any] = ("item",)
    head: ClassVar[Any] = (ListType(I64),)

    @property
    def shape(self) -> Any:
        return self.bound

    @property
    def is_native(self) -> bool:
        return (self.item.is_item or self.item == NEVER) and isinstance(self.bound, (int, type(None)))

    @property
    def is_item(self) -> bool:
        return self.is_native and not isinstance(self.item, InParts)


@dataclass(frozen=True, slots=True)
class ByEntries(ValueType):
    """Decides that the trace has to know a container by its entries."""


@dataclass(frozen=True, slots=True)
class NativeItems(ValueType):
    """A container of compiled code, by reference. `like` is one of those described."""

    content: InParts
    like: Any = field(compare=False, repr=False)

    @property
    def parts(self) -> tuple[Type, ...]:
        return (*self.content.parts, I64)


def number(dtype: Any, weak: bool) -> Scalar:
    """The type of numbers of a dtype, Python's or NumPy's."""
    return Scalar(((np.dtype(dtype), weak),))


NEVER: ValueType = Scalar(())
NONE, PYTHON_OBJECT, KNOWN = Optional(NEVER), Opaque(), ByEntries()
LETTER, PYTHON_INT = TextType("letter", str, (number(np.uint32, False),)), number(INT, True)
TEXT_KINDS: tuple[type, ...] = (str, bytes, np.str_, np.bytes_)
STORED: dict[Any, TextType] = {}
REFERRED: dict[Any, TextType] = {}
for _texts, _form in ((STORED, "stored"), (REFERRED, "referred")):
    _texts.update({kind: TextType(_form, kind, (number(dtype, False),)) for kind, dtype in zip(TEXT_KINDS, TEXT_DTYPES)})
STORED_TEXT = STORED[str]


def plain_kind(kind: type) -> type:
    """str or bytes, of the type of a text: texts of NumPy's are compared, and found, as those."""
    return str if issubclass(kind, str) else bytes


def stored_texts(kind: type | None) -> tuple[TextType, ...]:
    """The types of texts in containers that are equal to those of a kind where they have the same letters; of what is no text, none."""
    return tuple(text for each, text in STORED.items() if kind is not None and plain_kind(each) is plain_kind(kind))


def join_mixed(a: ValueType, b: ValueType, join: Join) -> OneOf | None:
    """What covers numbers, texts, lists, dicts and tuples."""
    sides = [item for x in (nested(a, True), nested(b, True)) for item in (x.items if isinstance(x, OneOf) else (x,))]
    numbers = functools.reduce(join, (x for x in sides if isinstance(x, Scalar)), NEVER)
    texts = [text for text in STORED.values() if text in sides or text == STORED_TEXT and LETTER in sides]
    rows = {x.kinds[0] for x in sides if isinstance(x, Reference) and is_nested(x.kinds[0])}
    if sum(issubclass(kind, NestedTuple) for kind in rows) > MOST_LENGTHS:
        return None
    items = (*([numbers] if numbers != NEVER else []), *texts, *(Reference((kind,)) for kind in sorted(rows, key=order_of)))
    is_known = all(isinstance(x, Scalar) or x in (LETTER, *items) for x in sides) and (numbers == NEVER or numbers.is_flat)
    return OneOf(items) if is_known and (len(items) > 1 or OneOf in (type(a), type(b))) else None


def nested(x: ValueType, is_beside: bool = False) -> ValueType:
    """A list or dict as an item that is a row, where such may be rows; one that stands beside others also where it is a dict of constant
    keys or a tuple. Any other type as it is."""
    kind = nested_class(x, is_beside)
    return OneOf((Reference((kind,)),)) if kind is not None and may_nest() else x


def nested_class(x: ValueType, is_beside: bool) -> type | None:
    """The class of such rows."""
    if isinstance(x, Reference):
        return NestedDict if is_beside and all(hasattr(kind, "row_keys") for kind in x.kinds) else None
    if isinstance(x, TableOf):
        return NestedDict if x.value is not None and not x.made_by else None
    if isinstance(x, ListOf) and x.made_by is list:
        return NestedList
    is_tuple = isinstance(x, ListOf) or isinstance(x, Tuple) and x.kind is tuple
    if not is_tuple or not is_beside or not all(map(may_stand_in_rows, x.inner)):
        return None
    if isinstance(x, ListOf) and not by_lengths() and may_nest():
        raise Restart(BY_LENGTHS)
    return tuples_of(len(x.inner)) if isinstance(x, Tuple) else None


def may_stand_in_rows(x: ValueType) -> bool:
    """Whether a row may hold values of a type: numbers of Python's, texts, None and what may be a row itself."""
    if isinstance(x, (OneOf, Optional)):
        return all(map(may_stand_in_rows, x.inner))
    if isinstance(x, Scalar):
        return all(weak for _, weak in x.kinds)
    is_row = isinstance(x, Reference) and all(map(is_nested, x.kinds))
    return is_row or x in (LETTER, *STORED.values()) or nested_class(x, True) is not None


def join_items(types: Iterable[ValueType]) -> ValueType:
    """The least type of items that covers several; PYTHON_OBJECT where no list of compiled code holds them."""
    return functools.reduce(join_pair, types, NEVER)


def join_pair(a: ValueType, b: ValueType) -> ValueType:
    """The same of two."""
    if a == b or NEVER in (a, b):
        return b if a == NEVER else a
    found = a.covering(b, join_pair) or b.covering(a, join_pair) or join_mixed(a, b, join_pair)
    return found if found is not None and found.is_native else PYTHON_OBJECT
