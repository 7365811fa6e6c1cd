"""Run-time lists without Python: one growable list of scalars or of lists, or one for each part of what an element is made of."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.in_c import COPIED, FURTHER_PARTS, OTHER_PARTS
from autograph_jit.ir.types import I64, TEXT_REFERENCES
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.escapes import expect_one
from autograph_jit.tracing.aliasing.families import decisions_for, relatives, unite
from autograph_jit.tracing.containers.item_readers import (
    holds,
    holds_plain_items,
    is_of_tuples,
    maker_of_items,
    named_reader_of,
    rows_reader_of,
)
from autograph_jit.tracing.containers.objects_of_rows import ElementsOfRows, builders_for
from autograph_jit.tracing.joining.descriptions import compose, decompose
from autograph_jit.tracing.sequences.dynamic import KINDS_OF_MADE, register
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.structures.rebuilding import Leaf, LeafValues, Listed, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, index_value, scalar
from autograph_jit.tracing.values.nesting import is_nested
from autograph_jit.tracing.values.trace import Restart, active, block_of, constant, emit, in_c
from autograph_jit.tracing.values.types import (
    LETTER,
    NEVER,
    PYTHON_OBJECT,
    DequeOf,
    InParts,
    ListOf,
    TableOf,
    Tuple,
    ValueType,
    join_items,
)

WEAK, STRONG = 0, 1  # the tags of numbers of either type
FLOAT = np.dtype(np.float64)
MOST_ITEMS = 1 << 60  # whose pointers Python cannot count in bytes


def as_array(part: Value) -> StagedArray:
    """A list of scalars as a fresh vector."""
    return array(emit("list_to_array", part, dims=(active().fresh_atom("d", "list"),)).result)


def holds_whole_numbers(kind: ValueType) -> bool:
    """Whether the items of a list are letters, or integers of one type."""
    return kind == LETTER or kind.number is not None and kind.number[0].kind in "iub"


def at_least_none(times: Any) -> StagedScalar:
    """How often a list is repeated: a negative number counts as 0."""
    return scalar(emit("maximum", index_value(times), constant(np.int64(0))).result, True)


def is_whole(places: Any) -> bool:
    """Whether a slice takes everything as it is."""
    return isinstance(places, slice) and all(bound is None for bound in (places.start, places.stop, places.step))


def expect_countable(items: Value) -> None:
    """Python's error for a list of so many items that no memory has room for them; before the numbers leave 64 bits."""
    check(emit("less", items, constant(np.float64(MOST_ITEMS))).result, MemoryError, "")


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A list of the run that may leave under several names: rebuilt once for each number that tells it from others."""

    identity: int
    build: Rebuild

    def __call__(self, values: Sequence[Any]) -> Any:
        key = "list", int(values[self.identity])
        assert isinstance(values, LeafValues)
        if key not in values.memo:
            values.memo[key] = self.build(values)
        return values.memo[key]


def repeat(count: Value, trip: Callable[[Value], None]) -> None:
    """`for index in range(count): trip(index)`, of operations that leave nothing behind but what they write."""
    body = Block()
    index = body.add_argument(I64, "k")
    start, step = constant(np.int64(0)), constant(np.int64(1))
    with block_of(active(), body):
        trip(index)  # what trips have in common is recorded before the loop
    emit("for_loop", start, count, step, regions=[body], results=(), has_break=False)


class Rows:
    """What stands for the lists in lists that may be one: `member` is one of them, in the family of all; `fields` has the same for each
    place of tuples."""

    def __init__(self) -> None:
        self.member: Any = None
        self.fields: defaultdict[int, Rows] = defaultdict(Rows)

    def add(self, row: Any) -> None:
        self.member = row if self.member is None else self.member
        unite(self.member, row)

    def add_all(self, other: Rows) -> None:
        """The rows of another list, too."""
        if other.member is not None:
            self.add(other.member)
        for place, rows in other.fields.items():
            self.fields[place].add_all(rows)

    @property
    def members(self) -> list[Any]:
        """One of each family."""
        return [*([] if self.member is None else [self.member]), *(each for rows in self.fields.values() for each in rows.members)]

    @property
    def are_arguments(self) -> bool:
        """Whether any may be a list of the caller's of which compiled code has the parts."""
        rows = chain.from_iterable(map(relatives, self.members))
        return any(isinstance(row.kind, Tuple) and getattr(row, "is_argument", False) for row in rows)

    def values_of(self, kind: ValueType, item: Any) -> list[Value]:
        """The graph values of an element of a kind."""
        if not holds(kind, InParts):
            return decompose(kind, item)
        item = settle(item)
        if isinstance(kind, Tuple):
            return [value for place, inner in enumerate(kind.items) for value in self.fields[place].values_of(inner, item[place])]
        assert isinstance(kind, InParts)
        if is_of_tuples(kind):
            return NativeList.tuple_class.parts_of(kind, item)  # type: ignore[no-any-return]
        if type(item) in KINDS_OF_MADE:
            _, key, depth = active().outside.made[id(item)]
            keep_at_run_time(active(), key, depth, kind)
        if isinstance(item, NativeList.list_class) and not item.is_outer():
            item.becomes_at_home(kind_of_rows(kind))
        expect_one(item)
        self.add(item)
        if not item.is_native or item.kind != kind_of_rows(kind):
            item.foresee(kind_of_rows(kind))
        if item.kind != kind_of_rows(kind):
            item.restructure(kind_of_rows(kind))
        parts: list[Value] = item.native.parts
        return parts

    def element(self, kind: ValueType, values: Iterator[Value]) -> Any:
        """The stand-in of an element of a kind, from its graph values."""
        if isinstance(kind, Tuple) and holds(kind, InParts):
            return kind.make([self.fields[place].element(inner, values) for place, inner in enumerate(kind.items)])
        if not isinstance(kind, InParts):
            return compose(kind, values)
        if is_of_tuples(kind):
            return NativeList.tuple_class.of_parts(kind, list(islice(values, len(kind.parts))))
        if self.member is None:  # it is put in by what is traced later
            row = NativeList.list_class() if isinstance(kind, ListOf) else new_table(kind)
            if row.key is None:
                register(row, "row")
            self.add(row)
        parts = list(islice(values, len(kind.parts)))
        made = self.member.renamed(kind_of_rows(kind), [*parts, emit("list_identity", parts[0]).result])
        self.add(made)
        return made


def new_table(kind: Any) -> Any:
    """The stand-in of an empty table or deque of a kind."""
    made_by, *args = (deque,) if isinstance(kind, DequeOf) else kind.made_by or (set if kind.value is None else dict,)
    made = NativeList.table_classes[made_by](*args)
    made.become_table(join_items((kind, register(made, "row") or NEVER)))
    return made


def kind_of_rows(x: InParts) -> ValueType:
    """The `kind` of containers of a type: that of the items of a list, that of a table."""
    return x.item if isinstance(x, ListOf) else x


class NativeList:
    """The lists that hold the parts of elements of one kind, all of one length, and the number that tells it from others that exist at the
    same time: a new one, or what `reference` refers to."""

    list_class: type[Any]  # of the stand-ins of lists
    tuple_class: type[Any]  # of tuples
    table_classes: dict[type, type[Any]] = {}  # and of dicts and sets

    def __init__(self, kind: ValueType, reference: list[Value] | None = None) -> None:
        self.kind = kind
        self.rows = Rows()
        if reference is None:
            self.parts = self.on_parts(lambda type_: emit("list_new", elem=type_).result, kind.parts)
            self.identity = emit("list_identity", self.parts[0]).result
        else:
            *self.parts, self.identity = reference

    @classmethod
    def of_object(cls, kind: ValueType, items: StagedObject) -> NativeList:
        """A list of the items of one of Python's, which are of a kind of one part."""
        (elem,) = kind.parts
        part = emit("list_of_object", items.value, elem=elem).result
        return cls(kind, [part, emit("list_identity", part).result])

    @property
    def reference(self) -> list[Value]:
        """What a path hands on where it exchanges the list for another one."""
        return [*self.parts, self.identity]

    @property
    def holds_lists(self) -> bool:
        """Whether the elements are lists or tables, which are several, or hold such."""
        return holds(self.kind, InParts)

    def expect_own_rows(self) -> None:
        """The elements are about to change or to leave: a restart where they are copies of the caller's lists."""
        for member in self.rows.members:
            member.expect_only_read()

    def numbers(self, item: Any) -> list[Value]:
        """The graph values of an element."""
        return self.rows.values_of(self.kind, item)

    def element(self, values: list[Value]) -> Any:
        """The stand-in of an element."""
        return self.rows.element(self.kind, iter(values))

    def share_rows(self, other: NativeList) -> None:
        """The lists in this list may be those in another one."""
        self.rows.add_all(other.rows)
        other.rows = self.rows

    def on_parts(self, use: Callable[..., Any], *parts: Sequence[Any]) -> list[Any]:
        """What `use` makes of each part. Of an item of several Python has one thing, and it is counted so."""
        first = use(*(part[0] for part in parts))
        further = OTHER_PARTS if any(map(is_nested, self.kind.classes)) else FURTHER_PARTS
        around = active().calls.for_c
        with in_c(around if around is not None and around.python < further.python else further):
            return [first, *map(use, *(part[1:] for part in parts))]

    def push(self, item: Any) -> None:
        self.push_numbers(self.numbers(item))

    def push_numbers(self, values: list[Value]) -> Operation:
        """Append an element by its graph values; the first of the operations."""
        first: Operation = self.on_parts(lambda part, value: emit("list_push", part, value), self.parts, values)[0]
        return first

    def insert(self, index: Any, item: Any) -> None:
        self.on_parts(lambda part, value: emit("list_insert", part, index_value(index), value), self.parts, self.numbers(item))

    def replace(self, index: Any, item: Any) -> None:
        self.on_parts(lambda part, value: emit("list_set", part, index_value(index), value), self.parts, self.numbers(item))

    def pop(self, index: Any) -> Any:
        return self.element(self.on_parts(lambda part: emit("list_pop", part, index_value(index)).result, self.parts))

    def get(self, index: Any) -> Any:
        return self.element(self.on_parts(lambda part: emit("list_get", part, index_value(index)).result, self.parts))

    def copy_to(self, target: NativeList, places: StagedArray | slice) -> None:
        """Append the elements at some places, or those of a slice, to another list."""
        with in_c(COPIED):
            if not self.is_of_numbers:
                self.copy_items_to(target, places)
                return
            for part, other in zip(self.parts, target.parts):
                whole = as_array(part)
                emit("list_extend", other, (whole if is_whole(places) else whole[places]).value)

    def copied(self) -> NativeList:
        """A new list of the elements."""
        parts = [emit("list_copy", part).result for part in self.parts]
        made = NativeList(self.kind, [*parts, emit("list_identity", parts[0]).result])
        self.share_rows(made)
        return made

    def as_kind(self, kind: ValueType) -> NativeList:
        """A new list of the elements, of a kind that covers theirs."""
        made = NativeList(kind)
        repeat(self.length().value, lambda index: made.push(self.get(scalar(index))))
        return made

    @property
    def is_of_numbers(self) -> bool:
        """Whether the parts may be looked at as arrays: none is of lists or of texts."""
        return not self.holds_lists and not any(part in TEXT_REFERENCES for part in self.kind.parts)

    def copy_items_to(self, target: NativeList, places: StagedArray | slice) -> None:
        """The same of lists and texts: each list stays the list that it is."""
        self.share_rows(target)
        if isinstance(places, slice):
            every = language.call_numpy(np.arange, (self.length(),), {})
            places = every[places]
        assert isinstance(places, StagedArray)
        taken = places

        def copy_one(index: Value) -> None:
            place = emit("load", taken.value, index).result
            for part, other in zip(self.parts, target.parts):
                emit("list_push", other, emit("list_get", part, place).result)

        repeat(emit("dim", taken.value, axis=0).result, copy_one)

    def repeated(self, times: Any) -> NativeList:
        """A new list of the elements as often as asked for."""
        made, count = NativeList(self.kind), at_least_none(times)
        if not self.is_of_numbers:
            repeat(count.value, lambda index: self.copy_to(made, slice(None)))
            return made
        for part, other in zip(self.parts, made.parts):
            whole = as_array(part)
            length = emit("list_len", part).result
            expect_countable(emit("multiply", cast(length, FLOAT), cast(count.value, FLOAT)).result)
            emit("list_extend", other, language.numpy(np.tile, (whole, count), {}).value)
        return made

    @classmethod
    def filled(cls, kind: ValueType, item: Any, times: Any) -> NativeList:
        """A list of one element as often as asked for."""
        made, count = cls(kind), at_least_none(times)
        expect_countable(cast(count.value, FLOAT))
        if not made.is_of_numbers:
            values = made.numbers(item)

            def push(index: Value) -> None:
                for part, value in zip(made.parts, values):
                    emit("list_push", part, value)

            repeat(count.value, push)
            return made
        for part, value in zip(made.parts, made.numbers(item)):
            emit("list_extend", part, language.numpy(np.full, (count, scalar(value)), {}).value)
        return made

    def clear(self) -> None:
        for part in self.parts:
            emit("list_clear", part)

    def reverse(self) -> None:
        if not self.is_of_numbers:
            copied = NativeList(self.kind)
            self.copy_to(copied, slice(None, None, -1))
            self.clear()
            copied.copy_to(self, slice(None))
            return
        for part in self.parts:
            whole = as_array(part)
            emit("list_clear", part)
            emit("list_extend", part, whole[::-1].value)

    def length(self) -> Any:
        return scalar(emit("list_len", self.parts[0]).result, True, bits=48)

    def expect_found_rows(self) -> None:
        """The elements leave: a restart where one may be a list of the caller's of which compiled code has but the items."""
        for member in self.rows.members:
            if any(getattr(each, "is_filled", False) for each in relatives(member)):
                raise Restart(*decisions_for(member, PYTHON_OBJECT))

    def template(self, template: Template, has_names: bool) -> Rebuild:
        """How the list leaves: a Python list of numbers, or of tuples; one list under all names that leave, where it may have several."""
        self.expect_own_rows()
        self.expect_found_rows()
        if self.rows.members and (holds(self.kind, (TableOf, DequeOf)) or self.rows.are_arguments):
            # Python makes dicts, sets and deques faster than they could be made of columns, and has the arguments
            raise Restart(*chain.from_iterable(decisions_for(member, PYTHON_OBJECT) for member in self.rows.members))
        positions = [template.leaves.position(part) for part in self.parts]
        if holds_plain_items(self.kind):
            return Leaf(positions[0])
        if not has_names and (make := maker_of_items(self.kind)) is not None:
            return Listed(make, tuple(positions))

        read = rows_reader_of(self.kind)
        return ElementsOfRows(builders_for(template, self.kind), named_reader_of(read) if has_names else read, positions)
