"""Deques of converted code that are lists of compiled code: items from `head` on, room in front of them that `popleft` leaves.

Before: `queue.popleft()` called Python
After:  the head goes on by one; where most of the list lies in front of it, the items move to the begin
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import BESIDE
from autograph_jit.ir.types import I64
from autograph_jit.tracing.aliasing.escapes import note_write
from autograph_jit.tracing.aliasing.families import decisions_for, note_length_changed
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.arriving import as_it_comes
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import Named, NativeList
from autograph_jit.tracing.containers.native_tables import chosen_branch
from autograph_jit.tracing.containers.table_views import native_list
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.joining.list_references import BEFORE_JOINING
from autograph_jit.tracing.sequences.dynamic import KINDS_OF_MADE, Dynamic, Rowed, decided, kind_of
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.ranges import StagedRange, as_int
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import check, demand_python
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, scalar
from autograph_jit.tracing.values.trace import Restart, active, constant, emit, in_c, note_tracer
from autograph_jit.tracing.values.types import PYTHON_INT, PYTHON_OBJECT, DequeOf, ValueType, join_items

HEAD, CHANGES = 0, 1  # where the first item stands; how often the deque was changed
LEAST_FRONT = 32  # places in front of the items that are worth moving them


def deque_kind(items: Iterable[Any], bound: int | None) -> ValueType:
    """The kind of a deque of items of which at most `bound` stay; PYTHON_OBJECT where it is Python's."""
    return of_items(join_items(map(kind_of, items)), bound)


def of_items(kind: ValueType, bound: Any) -> ValueType:
    """The same of items of a kind."""
    found = DequeOf(kind, bound)
    return found if found.is_native else PYTHON_OBJECT


class TracedDeque(Rowed, Dynamic):
    """A deque of the run: `state` is a list of two numbers, `items` holds the items from the head on."""

    __rebuilt_type__ = deque
    kind: Any = PYTHON_OBJECT
    changes = 0

    def __init__(self) -> None:
        note_tracer(self)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` finds; code in C would look for the items of a deque."""
        return deque

    @classmethod
    def of_kind(cls, kind: ValueType, key: Any, reference: list[Value] | None = None) -> TracedDeque:
        """An empty deque of a kind, or the one that a reference is of, under the name of its place."""
        made = cls()
        made.key, made.depth, made.kind = key, len(active().regions), kind
        made.refer(reference)
        return made

    def become_table(self, kind: ValueType) -> None:
        """Be an empty deque of a kind."""
        self.kind = kind
        self.refer(None)

    def refer(self, reference: list[Value] | None) -> None:
        if reference is None:
            self.state = emit("list_new", elem=I64).result
            for _ in (HEAD, CHANGES):
                emit("list_push", self.state, constant(np.int64(0)))
            self.items, self.identity = NativeList(self.kind.item), emit("list_identity", self.state).result
        else:
            self.state, *parts, self.identity = reference
            self.items = NativeList(self.kind.item, [*parts, self.identity])
        self.dynamic = self.state

    @property
    def native(self) -> TracedDeque:
        """What has the reference that paths hand on."""
        return self

    @property
    def reference(self) -> list[Value]:
        return [*self.parts, self.identity]

    @property
    def parts(self) -> list[Value]:
        return [self.state, *self.items.parts]

    @property
    def is_native(self) -> bool:
        return True

    def kind_as_item(self) -> ValueType:
        """The type of this deque as an item of a list or a value of a dict; PYTHON_OBJECT where it cannot be one."""
        return self.kind if self.kind.is_item and not self.items.holds_lists else PYTHON_OBJECT

    @property
    def maxlen(self) -> int | None:
        return self.kind.bound

    @property
    def has_names(self) -> bool:
        return self.family is not None

    @staticmethod
    def run_time_kind(members: list[Any]) -> ValueType:
        return join_items({member.kind for member in members})

    def renamed(self, kind: ValueType, reference: list[Value]) -> TracedDeque:
        """Another name for what may be this deque."""
        made = TracedDeque.of_kind(kind, self.key, reference)
        self.items.share_rows(made.items)
        return made

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        if self.items.holds_lists:
            self.close_front()  # in front of the items there may be none
            if self.items.rows.members:  # which may be lists of the caller's
                raise Restart(*chain.from_iterable(decisions_for(member, PYTHON_OBJECT) for member in self.items.rows.members))
        place, maxlen = template.leaves.position(self.state), self.maxlen
        build = self.items.template(template, False)
        make: Callable[[Any], Any] = lambda values: deque(build(values)[values[place][HEAD] :], maxlen)  # noqa: E731
        return Named(template.leaves.position(self.identity), make) if self.family is not None else make

    # What is read.

    def word(self, place: int) -> Any:
        return scalar(emit("list_get", self.state, constant(np.int64(place))).result, True, bits=48)

    def set_word(self, place: int, number: Any) -> None:
        emit("list_set", self.state, constant(np.int64(place)), index_value(number))

    def head(self) -> Any:
        return self.word(HEAD)

    def length(self) -> Any:
        """`len(self)`."""
        note_read(self)
        return scalar((self.items.length() - self.head()).value, True, bits=48)

    def __len__(self) -> int:
        return demand_python(self.length(), "length")

    def __iter__(self) -> Any:
        return demand_python(self.length(), "elements")

    def rows(self) -> Indexed:
        note_read(self)
        return Queued(self)

    def listed(self) -> TracedList:
        """The items as a new native list."""
        note_read(self)
        found = NativeList(self.items.kind)
        self.items.copy_to(found, slice(self.head(), None))
        return native_list(found)

    def contains(self, item: Any, /) -> Any:
        """`item in self`."""
        return language.compare("in", item, self.listed())

    def place_of(self, key: Any) -> Any:
        """Where the item of an index stands."""
        index, length = as_int(key), self.length()
        index = language.if_exp(index < 0, lambda: index + length, lambda: index)
        low = emit("greater_equal", index_value(index), constant(np.int64(0))).result
        inside = emit("logical_and", low, emit("less", index_value(index), index_value(length)).result).result
        check(inside, IndexError, "deque index out of range")
        return index + self.head()

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        note_read(self)
        if isinstance(key, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self.items.get(self.place_of(key))

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        note_write(self)
        self.accept(value)
        self.items.replace(self.place_of(key), value)

    # What changes the length.

    def note_change(self) -> None:
        note_write(self)
        self.changes += 1
        if self.has_names:
            note_length_changed()
        with in_c(BESIDE):
            self.set_word(CHANGES, self.word(CHANGES) + 1)

    def accept(self, item: Any) -> None:
        """An item on its way in: it must fit the kind of the items."""
        kind = join_items({kind_of(item), self.items.kind})
        if kind != self.items.kind:
            self.restructure(of_items(kind, self.maxlen))

    def restructure(self, kind: ValueType = PYTHON_OBJECT) -> None:
        if self.family is not None:
            raise Restart(*decisions_for(self, kind))
        keep_at_run_time(active(), self.key, self.depth, kind)

    def append(self, item: Any, /) -> None:
        self.accept(item)
        self.note_change()
        self.items.push(item)
        if self.maxlen is not None:
            chosen_branch((self.length() > self.maxlen).value, self.drop_first)

    def appendleft(self, item: Any, /) -> None:
        self.accept(item)
        self.note_change()
        chosen_branch((self.head() == 0).value, self.make_front)
        self.set_word(HEAD, self.head() - 1)
        self.items.replace(self.head(), item)
        if self.maxlen is not None:
            chosen_branch((self.length() > self.maxlen).value, lambda: self.items.pop(-1))

    def make_front(self) -> None:
        """Room in front of the items, as much as they take."""
        room = self.items.length() + LEAST_FRONT
        for part in self.items.parts:
            emit("list_shift", part, index_value(room))
        self.set_word(HEAD, room)

    @in_c(BESIDE)
    def drop_first(self) -> None:
        """The head goes on by one."""
        self.set_word(HEAD, self.head() + 1)
        is_wide = emit("logical_and", (self.head() > LEAST_FRONT).value, (self.head() * 2 > self.items.length()).value).result
        chosen_branch(is_wide, self.close_front)

    def close_front(self) -> None:
        for part in self.items.parts:
            emit("list_shift", part, index_value(-self.head()))
        self.set_word(HEAD, 0)

    @in_c(BESIDE)
    def expect_items(self) -> None:
        check((self.length() > 0).value, IndexError, "pop from an empty deque")

    @acts_for_program
    def pop(self) -> Any:
        self.expect_items()
        self.note_change()
        return self.items.pop(-1)

    @acts_for_program
    def popleft(self) -> Any:
        self.expect_items()
        self.note_change()
        item = self.items.get(self.head())
        self.drop_first()
        return item

    def insert_behind(self, place: Any, item: Any) -> None:
        """An item comes to a place inside; those behind it move in memory."""
        self.accept(item)
        self.note_change()
        self.items.insert(self.head() + place, item)

    def remove_behind(self, place: Any) -> None:
        """The item at a place goes, likewise."""
        self.note_change()
        self.items.pop(self.head() + place)

    def clear(self) -> None:
        self.note_change()
        self.items.clear()
        self.set_word(HEAD, 0)

    @acts_for_program
    def extend(self, items: Any, /) -> None:
        language.for_each(self.listed() if items is self else as_it_comes(items), self.append)

    @acts_for_program
    def extendleft(self, items: Any, /) -> None:
        language.for_each(self.listed() if items is self else as_it_comes(items), self.appendleft)

    def __iadd__(self, items: Any) -> TracedDeque:  # type: ignore[misc]
        self.extend(items)
        return self

    def copy(self) -> Any:
        note_read(self)
        key = active().occurrence(("copy", self.key))
        kind = decided(active(), key) or self.kind
        if kind != self.kind:
            made = made_deque(kind, key, (self,))
            return host_object(deque, self.listed(), self.maxlen, label="deque.copy", python_type=deque) if made is None else made
        made = TracedDeque.of_kind(kind, key)
        self.items.copy_to(made.items, slice(self.head(), None))
        return made

    @acts_for_program
    def by_python(self, *args: Any, **kwargs: Any) -> Any:
        """What only Python's deque does."""
        self.restructure()

    insert = remove = reverse = index = count = by_python  # but for those in `library/python/deques.py`
    __delitem__ = __add__ = __mul__ = __imul__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = by_python  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class Queued(Indexed):
    """The items of a deque, from the head on; a deque that changes meanwhile is Python's error."""

    def __init__(self, source: TracedDeque) -> None:
        self.source, self.count, self.changes = source, source.length(), source.word(CHANGES)
        self.depth = len(active().regions)

    def length(self) -> Any:
        if len(active().regions) > self.depth:
            same = emit("equal", self.source.word(CHANGES).value, self.changes.value).result
            check(same, RuntimeError, "deque mutated during iteration")
        return self.count

    def item(self, index: Any) -> Any:
        return self.source.items.get(self.source.head() + index)

    def changing(self) -> tuple[Any, ...]:
        return (self.source,)


def expect_deques(*values: Any) -> None:
    """Two deques, one of which is meant, and at least one of which the trace knows: a restart with both as deques of the run."""
    known = [active().outside.made.get(id(value)) if type(value) is deque else None for value in values]
    if not any(known) or any(made is None and not isinstance(value, TracedDeque) for made, value in zip(known, values)):
        return
    kind = join_items({value.kind if isinstance(value, TracedDeque) else deque_kind(value, value.maxlen) for value in values})
    if isinstance(kind, DequeOf):
        own = [decisions_for(value, kind) for value in values if isinstance(value, TracedDeque)]
        wanted = set().union(*own, (("dynamic", made[1], kind) for made in known if made is not None and made[1] is not None))
        if not wanted <= active().decisions:
            raise Restart(*wanted)


BEFORE_JOINING.append(expect_deques)
TracedDeque.__name__ = TracedDeque.__qualname__ = "deque"  # in the texts of errors that Python raises itself
TracedDeque.__module__ = "collections"
NativeList.table_classes[deque] = TracedDeque
KINDS_OF_MADE[deque] = lambda x: deque_kind(x, x.maxlen)


def made_deque(found: ValueType, key: Any, args: tuple[Any, ...]) -> TracedDeque | None:
    """A deque of the run that compiled code has; None where it is Python's."""
    if not isinstance(found, DequeOf):
        return None
    made = TracedDeque.of_kind(found, key)
    if args:
        made.extend(args[0])
    return made


def kind_of_new(source: Any, bound: Any) -> ValueType:
    """The kind of a new deque of what an iterable of the run gives."""
    if isinstance(source, Rowed) and source.is_native:
        source = source.listed()
    if isinstance(source, (StagedRange, range)):
        return DequeOf(PYTHON_INT, bound)
    if isinstance(source, TracedList) and source.is_native:
        return of_items(source.kind, bound)
    return deque_kind(list.copy(source), bound) if isinstance(source, TracedList) and source.dynamic is None else PYTHON_OBJECT


def kind_for(owner: Any, method: str, args: tuple[Any, ...]) -> ValueType:
    """The kind of deque that one of known items becomes where a method changes it, or looks for an item at a place that only the run
    knows."""
    if method in ("append", "appendleft"):
        return deque_kind([*owner, *args[:1]], owner.maxlen)
    kinds = {deque_kind(owner, owner.maxlen)}
    if method.startswith("extend"):
        kinds |= {kind_of_new(arg, owner.maxlen) for arg in args[:1]}
    return join_items(kinds)
