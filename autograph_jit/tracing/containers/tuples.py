"""Tuples of which only the run knows how long they are: their items stand in a list of compiled code that nothing else refers to.

What has no rule here is done with the object that such a tuple is in Python, made where it is asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.joining.descriptions import FORMS
from autograph_jit.tracing.sequences.dynamic import decided, kind_of, position
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.rebuilding import Leaf, Listed, Made, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import Maybe, StagedObject, StagedScalar, TaggedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import truth
from autograph_jit.tracing.values.trace import active, note_tracer
from autograph_jit.tracing.values.types import PYTHON_INT, ListOf, Tuple, join_items, stays_as_it_is

ORDERINGS = ("==", "!=", "<", "<=", ">", ">=")
OF_ROWS = ("tuple",)  # the key of the items of all tuples that stand in containers


class TracedTuple(Unchanging):
    """A tuple with its `items`, a list."""

    __slots__ = ()

    def __init__(self, items: TracedList) -> None:
        self.items, self.python_type, self.source = items, tuple, None
        note_tracer(self)

    @property
    def value(self) -> Value:  # type: ignore[override]
        if self.source is not None:
            return self.source.value
        return host_object(lambda made: made, self, label="tuple", python_type=tuple, pure=True, fails=False).value

    @classmethod
    def of_parts(cls, kind: ListOf, parts: list[Value]) -> TracedTuple:
        """A tuple of a kind from its graph values."""
        items = TracedList()
        items.key, items.depth, items.kind = OF_ROWS, len(active().regions), kind.item
        items.native = NativeList(kind.item, [*parts, None])  # type: ignore[list-item]  # nothing asks which one it is
        items.dynamic = parts[0]
        return cls(items)

    @staticmethod
    def parts_of(kind: ListOf, x: Any) -> list[Value]:
        """The graph values of a tuple under a kind that covers it."""
        if isinstance(x, TracedTuple):
            return x.items.as_native_of(kind.item).parts
        made = NativeList(kind.item)
        for item in x:
            made.push(item)
        return made.parts

    def kind_as_item(self) -> ListOf | None:
        """The type of the tuple in a container; None where it has to be an object there."""
        trace = active()
        is_object = PYTHON_LISTS in trace.decisions or decided(trace, OF_ROWS) is not None
        return None if is_object else ListOf(self.items.kind, tuple)

    kind_where_paths_meet = kind_as_item

    def listed(self) -> Any:
        return self.items

    def __len__(self) -> int:
        self.items.ask_for_items()
        return super().__len__()

    def __iter__(self) -> Any:
        self.items.ask_for_items()
        return super().__iter__()

    def item(self, key: Any) -> Any:
        """`self[key]`."""
        if isinstance(key, slice):
            return made_tuple(self.items[key])
        if not is_index(key):
            raise TypeError(text_with_stand_ins(operator.getitem, self, key))
        length, place = self.length(), position(key)
        for is_inside in (place >= -length, place < length):
            check(truth(is_inside), IndexError, "tuple index out of range")
        return self.items[place]

    def __template__(self, template: Template) -> Rebuild:
        if self.source is not None:
            return template.of(self.source)
        build = self.items.native.template(template, False)
        if isinstance(build, Listed):
            return Made(tuple_maker(build.make), build.places)
        return Made(tuple, (build.index,)) if isinstance(build, Leaf) else lambda values: tuple(build(values))


def tuple_maker(make: Callable[..., list[Any]]) -> Callable[..., tuple[Any, ...]]:
    """What makes a tuple of the items that a function makes."""
    return lambda *columns: tuple(make(*columns))


def is_index(x: Any) -> bool:
    """Whether a value is an int, or may be one when the program runs."""
    if isinstance(x, StagedScalar) and not isinstance(x, TaggedScalar):
        return is_int(x)
    return isinstance(x, (StagedObject, Maybe)) or hasattr(type(x), "__index__")


def made_tuple(items: TracedList) -> Any:
    """`tuple(items)` of a list that nothing else refers to."""
    if items.dynamic is None:
        return tuple(list.copy(items))
    if items.is_native and stays_as_it_is(items.kind):
        return TracedTuple(items)
    return host_object(tuple, items.listed(), label="tuple", python_type=tuple)


@dataclass(frozen=True, slots=True, eq=False)
class Transposed(Indexed):
    """`zip(*rows)` of the lists or tuples that a native list holds, which is a list of its own; `count` is the length of each tuple."""

    rows: TracedList
    count: int | None

    def length(self) -> Any:
        if self.count is None:
            return language.call(least_length, (self.rows,), None)
        return language.if_exp(language.compare("==", self.rows.length(), 0), lambda: 0, lambda: self.count)

    def item(self, index: Any) -> Any:
        if self.count is None or isinstance(index, int):
            return language.call(column_of, (self.rows, index), None)
        return language.getitem(tuple(map(self.item, range(self.count))), index)

    def changing(self) -> tuple[Any, ...]:
        return tuple(self.rows.native.rows.members)


def transposed(rows: Any) -> Transposed | None:
    """`zip(*rows)` of a list of the run; None where Python has to be asked."""
    kind = rows.kind if rows.is_native else None
    if isinstance(kind, Tuple) and stays_as_it_is(kind):
        return Transposed(rows[:], len(kind.items))
    return Transposed(rows[:], None) if isinstance(kind, ListOf) and stays_as_it_is(kind.item) else None


def least_length(rows: Any) -> Any:
    """How many columns rows have."""
    least = -1
    for row in rows:
        if least < 0 or len(row) < least:
            least = len(row)
    return least if least >= 0 else 0


def column_of(rows: Any, place: Any) -> Any:
    """The items at a place of all rows."""
    return tuple([row[place] for row in rows])


CONVERTED = (least_length, column_of)


def as_run_time_tuple(x: tuple[Any, ...]) -> TracedTuple | None:
    """A tuple of known length with its items in a list of compiled code; None where that does not hold them."""
    kind = ListOf(join_items(map(kind_of, x)) if x else PYTHON_INT, tuple)
    return TracedTuple.of_parts(kind, TracedTuple.parts_of(kind, x)) if kind.is_native else None


def binary(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y` where one is a tuple, and compiled code joins, repeats or compares tuples; NotImplemented elsewhere."""
    if symbol == "*":
        repeated, times = (x, y) if isinstance(x, TracedTuple) else (y, x)
        return made_tuple(repeated.items * times) if isinstance(repeated, TracedTuple) and is_int(times) else NotImplemented
    first, second = items_behind(x), items_behind(y)
    if first is None or second is None:
        return NotImplemented
    if symbol == "+":
        return made_tuple(first + second)
    are_comparable = symbol in ORDERINGS and all(each.dynamic is None or each.is_searchable for each in (first, second))
    return language.compare(symbol, first, second) if are_comparable else NotImplemented


def items_behind(x: Any) -> TracedList | None:
    """The items of a tuple, as a list of compiled code; None of anything else."""
    if type(x) is tuple:
        return TracedList.made(x)
    return x.items if isinstance(x, TracedTuple) else None


NativeList.tuple_class = TracedTuple
FORMS[ListOf] = (TracedTuple.parts_of, lambda kind, values: TracedTuple.of_parts(kind, list(islice(values, len(kind.parts)))))
