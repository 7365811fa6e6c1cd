"""Dicts and sets of the run without Python: an index of positions, the lists of their keys and, of a dict, those of its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.in_c import AMORTIZED, BESIDE, OTHER_PARTS
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import TEXT_REFERENCES
from autograph_jit.ops.tables import HEAD, INDEX
from autograph_jit.records import dataclass
from autograph_jit.tracing.containers.item_readers import holds, holds_plain_items, reader_of
from autograph_jit.tracing.containers.native_lists import Named, NativeList, as_array, repeat
from autograph_jit.tracing.containers.objects_of_rows import Objects, RowObjects
from autograph_jit.tracing.hosting.known_exceptions import note_raised
from autograph_jit.tracing.joining.descriptions import decompose
from autograph_jit.tracing.sequences.dynamic import Dynamic, kind_of
from autograph_jit.tracing.structures.rebuilding import Made, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar, check
from autograph_jit.tracing.values.choice_types import Choice
from autograph_jit.tracing.values.key_kinds import holds_texts
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, scalar
from autograph_jit.tracing.values.nesting import is_nested
from autograph_jit.tracing.values.trace import active, block_of, constant, emit, in_c
from autograph_jit.tracing.values.types import STORED, InParts, ListOf, OneOf, Optional, Scalar, TableOf, Tuple, ValueType

FEW_REMOVED = 16  # positions that removed keys may have left behind without a reason to close the gaps


@dataclass(frozen=True, slots=True)
class MissingKey(ErrorSpec):
    """The KeyError of a key: `make` is given its numbers."""

    make: Callable[[Sequence[Any]], Any]

    def build(self, payload: tuple[Any, ...] = ()) -> Exception:
        return self.exception(self.make(payload))


def form_of(x: ValueType) -> tuple[str, list[int], int]:
    """The form of a key, which of its numbers are compared, and how many it has: tags of the types of numbers are not compared. Where a key
    is of one of several types, what it is not is the same in all."""
    if x in STORED.values():
        return "t", [0], 1
    if isinstance(x, (Tuple, OneOf, Optional)):
        count = 0 if isinstance(x, Tuple) or isinstance(x, OneOf) and x.is_told else 1
        form, places = "x" * count, list(range(count))
        for item in x.inner:
            inner, found, width = form_of(item)
            form, places, count = form + inner, [*places, *(count + place for place in found)], count + width
        return f"({form})", places, count
    if isinstance(x, ListOf):
        form, places, count = form_of(x.item)
        return f"[{form}]", places, count
    assert isinstance(x, (Scalar, Choice))
    return "x", [0], len(x.parts)


def chosen_branch(condition: Value, run: Callable[[], None]) -> None:
    """`if condition: run()`, of operations that leave nothing behind but what they write."""
    taken, other = Block(), Block()
    with block_of(active(), taken):
        run()
    with block_of(active(), other):
        pass
    emit("cond", condition, regions=[taken, other], results=())


def entries_of(index: Sequence[int], keys: list[Any], values: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The keys and values of a table, in the order of a dict."""
    positions = sorted(position for position in index[HEAD:] if position >= 0)
    return ((keys[position], values[position]) for position in positions)


def in_payload(number: Value) -> Value:
    """What an exception is given of a part of a key: an object for a text or bytes."""
    return emit("text_object", number).result if number.type in TEXT_REFERENCES else number


def number_in(part: Any) -> Any:
    """A part of a key in an exception's payload, as Python has it."""
    return part.item() if isinstance(part, np.generic) and not isinstance(part, (str, bytes)) else part


def raise_missing(key: Any) -> None:
    """Python's error for a key that is not there."""
    raise KeyError(key)


def expect_key(good: Value, key: Any) -> None:
    """KeyError for a key of the run that was not found: it is made of the parts of the key only then."""
    kind = kind_of(key)
    read, nothing_made = reader_of(kind), Objects({}, lambda kind: RowObjects(kind, []))
    make = MissingKey(KeyError, "{0}", lambda payload: read(iter([[number_in(part)] for part in payload]), nothing_made)[0])

    def refuse() -> None:
        expect(constant(np.False_), *map(in_payload, decompose(kind, key)))

    def expect(good: Value, *payload: Value) -> None:
        note_raised(KeyError, key)
        emit("check", good, *payload, error=make)

    if holds_texts(kind):
        chosen_branch(emit("logical_not", good).result, refuse)
    else:
        expect(good, *decompose(kind, key))


def index_of_rows(kind: TableOf, keys: list[Value]) -> Value:
    """The indices of tables whose keys stand in lists of columns: a list of them."""
    form, places, _ = form_of(kind.key)
    made = emit("list_new", elem=INDEX).result

    def add(row: Value) -> None:
        columns = [emit("list_get", keys[place], row).result for place in places]
        emit("list_push", made, emit("table_index", *columns, form=form).result)

    repeat(emit("list_len", keys[0]).result, add)
    return made


class NativeTable:
    """A new table of keys and values of the kinds that `kind` tells; or what `reference` refers to."""

    @classmethod
    def of_columns(cls, kind: TableOf, keys: list[Value], values: list[Value]) -> NativeTable:
        """The table of keys, all different, and values whose numbers stand in lists."""
        form, places, _ = form_of(kind.key)
        index = emit("table_index", *(keys[place] for place in places), form=form).result
        return cls(kind, [index, *keys, *values, emit("list_identity", index).result])

    def __init__(self, kind: TableOf, reference: list[Value] | None = None) -> None:
        self.kind = kind
        key, value = kind.key, kind.value
        self.form, self.places, count = form_of(key)
        if reference is None:
            self.index = emit("list_new", elem=INDEX.elem).result
            with in_c(OTHER_PARTS if any(map(is_nested, kind.classes)) else active().calls.for_c):
                self.keys, self.values = NativeList(key), NativeList(value) if value is not None else None
            self.identity = emit("list_identity", self.index).result
        else:
            self.index, *parts, self.identity = reference
            self.keys = NativeList(key, [*parts[:count], self.identity])
            self.values = NativeList(value, [*parts[count:], self.identity]) if value is not None else None

    @property
    def lists(self) -> list[NativeList]:
        return [self.keys] if self.values is None else [self.keys, self.values]

    def take_rows(self, other: NativeTable) -> None:
        """The lists that are values of another table may be values of this one."""
        if self.values is not None and other.values is not None and self.values.holds_lists and other.values.holds_lists:
            other.values.share_rows(self.values)

    @property
    def parts(self) -> list[Value]:
        """The index, then the lists of numbers."""
        return [self.index, *(part for items in self.lists for part in items.parts)]

    @property
    def reference(self) -> list[Value]:
        """What a path hands on where it exchanges the table for another one."""
        return [*self.parts, self.identity]

    @property
    def columns(self) -> list[Value]:
        """The lists of the numbers that are compared."""
        return [self.keys.parts[place] for place in self.places]

    def ask(self, name: str, key: Any) -> Any:
        """An operation that looks for a key: its results."""
        numbers = self.keys.numbers(key)
        return emit(name, self.index, *self.columns, *(numbers[place] for place in self.places), form=self.form)

    def find(self, key: Any) -> Any:
        """The position of a key; -1 where it is not there."""
        return scalar(self.ask("table_find", key).result, True)

    @in_c(BESIDE)
    def expect(self, position: StagedScalar, key: Any) -> None:
        """KeyError where nothing was found."""
        if holds(self.keys.kind, InParts):
            language.if_exp(language.compare("<", position, 0), partial(raise_missing, key), lambda: None)
            return
        expect_key(emit("greater_equal", position.value, constant(np.int64(0))).result, key)

    def insert(self, key: Any) -> tuple[Value, Value]:
        """The position of a key, made where it was not there, and whether it was."""
        position, is_new = self.ask("table_insert", key).results
        for part, number in zip(self.keys.parts, self.keys.numbers(key)):
            emit("list_put", part, position, is_new, number, keeps=True)
        return position, is_new

    def put(self, key: Any, value: Any, keeps: bool = False) -> StagedScalar:
        """`table[key] = value`, or only where the key was not there; returns its position."""
        position, is_new = self.insert(key)
        assert self.values is not None
        for part, number in zip(self.values.parts, self.values.numbers(value)):
            emit("list_put", part, position, is_new, number, keeps=keeps)
        return scalar(position, True)

    def put_new(self, key: Any, value: Any) -> Any:
        """`table[key] = value` where the key was not there, which is all that a list or dict is made for; returns its position."""
        if not isinstance(value, Dynamic):
            return self.put(key, value, keeps=True)
        position = self.find(key)
        return language.if_exp(position >= 0, lambda: position, lambda: self.put(key, value))

    def value_at(self, position: Any) -> Any:
        """The value at a position that is one."""
        assert self.values is not None
        return self.values.get(position)

    def has(self, key: Any) -> Any:
        """Whether a key is there."""
        position = self.find(key)
        with in_c(BESIDE):
            return position >= 0

    def remove(self, key: Any) -> Any:
        """Where a key stood that is not there any more; -1 where it was not there."""
        return scalar(self.ask("table_remove", key).result, True)

    def count(self, of: str = "keys") -> StagedScalar:
        """How many keys there are; or positions that "removed" ones have left behind."""
        return scalar(emit("table_len", self.index, of=of).result, True, bits=48)

    def close_gaps(self) -> None:
        """Number the keys anew where any was removed."""
        chosen_branch(emit("not_equal", self.count("removed").value, constant(np.int64(0))).result, self.renumber)

    @in_c(AMORTIZED)
    def close_many_gaps(self) -> None:
        """The same where most positions are of removed keys."""
        removed = self.count("removed").value
        most = emit("maximum", self.count().value, constant(np.int64(FEW_REMOVED))).result
        chosen_branch(emit("greater", removed, most).result, self.renumber)

    def renumber(self) -> None:
        order = self.order("position")
        emit("table_renumber", self.index, order)
        kept = as_array(order).value
        for part in self.parts[1:]:
            emit("list_keep", part, kept, emit("list_len", part).result)
        if self.values is not None:
            self.shrink()  # of a set the slots are the order

    def order(self, by: str) -> Value:
        """A list of positions of keys: by "slot" in the order of a set, by "position" in that of a dict, by "place" see `ops.tables`."""
        return emit("table_order", self.index, by=by).result

    def ordered_keys(self) -> NativeList:
        """The keys in the order of a set: a new list."""
        return self.keys_at(self.order("slot"))

    def end(self, name: str) -> Any:
        """The position of the first key of a dict by "table_first", of the last one, which goes, by "table_pop"; -1 where there is none."""
        return scalar(emit(name, self.index, *self.columns, form=self.form).result, True)

    def reserve(self, more: Any) -> None:
        """Room for so many more keys."""
        emit("table_reserve", self.index, *self.columns, more if isinstance(more, Value) else index_value(more), form=self.form)

    def common(self, other: NativeTable, there: bool = True) -> Value:
        """A list of the positions of the keys, in the order of a set, that another set has, or has not."""
        return emit("table_common", self.index, *self.columns, other.index, *other.columns, form=self.form, there=there).result

    def keys_at(self, positions: Value) -> NativeList:
        """The keys at some positions: a new list."""
        found = NativeList(self.keys.kind)
        self.keys.copy_to(found, as_array(positions))
        return found

    @in_c(AMORTIZED)
    def keys_now(self) -> NativeList:
        """The keys in the order of a dict: a new list, which is not made where nobody reads it."""
        found, kept = self.keys.copied(), as_array(self.order("position")).value
        for part in found.parts:
            emit("list_keep", part, kept, emit("list_len", part).result)
        return found

    def adopt(self, other: NativeTable) -> StagedScalar:
        """Take over another set's positions, where there are none yet: tells whether it did. Its keys are to be copied then."""
        return scalar(emit("table_adopt", self.index, *other.columns, other.index, form=self.form).result, True)

    def copy_keys(self, other: NativeTable) -> None:
        other.keys.copy_to(self.keys, slice(None))

    def pop(self) -> Any:
        """The position of a key that is not there any more, CPython's choice; -1 where there is none."""
        return scalar(emit("table_pop", self.index).result, True)

    def pop_end(self, end: str, error: str) -> tuple[Any, Any]:
        """The "first" or "last" key and its value, which are not there any more; of those with a first one none is a nan."""
        position = self.end("table_pop" if end == "last" else "table_first")
        check((position >= 0).value, KeyError, error)
        found = self.keys.get(position), self.value_at(position)
        if end == "last":
            behind = emit("subtract", emit("list_len", self.parts[1]).result, position.value).result
            repeat(behind, lambda index: self.pop_entry())
        else:
            self.remove(found[0])
            self.close_many_gaps()
        return found

    def move_to_end(self, position: Any) -> None:
        """The key at a position, and its value, go behind all others."""
        key, value = self.keys.get(position), self.value_at(position)
        self.remove(key)
        self.put(key, value)
        self.close_many_gaps()

    def pop_entry(self) -> None:
        """The last place of each list is given up."""
        for part in self.parts[1:]:
            emit("list_pop", part, constant(np.int64(-1)))

    def discard(self, key: Any) -> None:
        """Remove a key of the kind of these, if it is there."""
        self.remove(key)

    def shrink(self) -> None:
        """Fewer slots where many were given up, as CPython does after a difference."""
        self.reserve(constant(np.int64(-1)))

    def clear(self) -> None:
        for part in self.parts:
            emit("list_clear", part)

    def copied(self) -> NativeTable:
        """A new table with the same entries."""
        parts = [emit("list_copy", part).result for part in self.parts]
        made = NativeTable(self.kind, [*parts, emit("list_identity", parts[0]).result])
        made.take_rows(self)
        return made

    def entries(self, template: Template, make: Callable[..., Any]) -> Rebuild:
        """How a dict leaves where an exception ends the call: without an operation, which would follow what fails."""
        index = template.leaves.position(self.index)
        builds = [items.template(template, False) for items in self.lists]

        def build(values: Sequence[Any]) -> Any:
            found = dict(entries_of(values[index], *(part(values) for part in builds)))
            return make(list(found), list(found.values()))

        return build

    def template(self, template: Template, has_names: bool, make: Callable[..., Any], *more: int) -> Rebuild:
        """How the table leaves: what `make` makes of its keys, of its values, and of the leaves at further positions."""
        if template.is_late and not more:
            build = self.entries(template, make)
            return Named(template.leaves.position(self.identity), build) if has_names else build
        self.close_gaps()
        for items in self.lists:
            items.expect_found_rows()
        if not has_names and all(holds_plain_items(items.kind) for items in self.lists):
            return Made(make, (*(template.leaves.position(items.parts[0]) for items in self.lists), *more))
        builds = [items.template(template, False) for items in self.lists]

        def made(values: Sequence[Any]) -> Any:
            return make(*(part(values) for part in builds), *(values[position] for position in more))

        return Named(template.leaves.position(self.identity), made) if has_names else made


class GivenTable(NativeTable):
    """A table that is only read, whose keys all stand in its columns: the index serves to find one."""

    def count(self, of: str = "keys") -> StagedScalar:
        return self.keys.length() if of == "keys" else scalar(constant(np.int64(0)), True)

    def close_gaps(self) -> None:
        """There are none."""
