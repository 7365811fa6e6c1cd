"""Sets of converted code that are tables of compiled code, in CPython's order: each method does what `Objects/setobject.c` does.

A set whose items the trace knows is a real set (`literals.new_set`); a set of the run that holds other things than numbers and tuples of
them is Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import REHASHED
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.arriving import as_it_comes
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.entries import set_of
from autograph_jit.tracing.containers.native_lists import NativeList, repeat
from autograph_jit.tracing.containers.table_views import native_list
from autograph_jit.tracing.containers.tables import NOT_A_KEY, Rows, Table, by_cases_of_key
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject, check, demand_python
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, emit, in_c
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ValueType, join_items


class TracedSet(Table):
    """A set of the run: `native` is its table."""

    __rebuilt_type__ = set
    has_values = False
    changed_text = "Set changed size during iteration"
    shown: tuple[Any, Any] | None = None  # the one item of `{item}`, and the block where it is made, as long as nothing else comes or goes

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` finds; to code in C, which would look for the items of a set where there are none, it is not one."""
        return set

    @classmethod
    def of_kind(cls, kind: ValueType, key: Any) -> TracedSet | None:
        """An empty set of a kind under the name of its place; None where no table is of that kind."""
        made = cls()
        made.key, made.depth = key, len(active().regions)
        return made if made.become_table(kind) else None

    def content_kind(self, keys: Iterable[Any] = (), values: Iterable[Any] = ()) -> ValueType:
        return self.kind

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        self.native.close_gaps()
        order = template.leaves.position(self.native.order("place"))
        return self.native.template(template, self.family is not None, set_of, order)

    @property
    def handed(self) -> Any:
        """The set as an argument of a host call."""
        note_read(self)
        return self

    # Reading.

    def length(self) -> Any:
        note_read(self)
        return self.native.count()

    def __len__(self) -> int:
        return demand_python(self.length(), "length")

    def __iter__(self) -> Any:
        return demand_python(self.length(), "elements")

    def rows(self) -> Indexed:
        note_read(self)
        found = self.native.ordered_keys()
        return Rows(self, found.get, gaps_count=False)

    def listed(self) -> Any:
        """The items as a native list."""
        note_read(self)
        return native_list(self.native.ordered_keys())

    @by_cases_of_key
    def contains(self, item: Any) -> Any:
        """`item in self`."""
        note_read(self)
        sought = self.sought(item)
        return False if sought is NOT_A_KEY else self.native.has(sought)

    def empty(self) -> TracedSet:
        """A new set of the same kind."""
        made = type(self)()
        made.key, made.depth = self.key, len(active().regions)
        made.become_table(self.kind)
        return made

    def copy(self) -> TracedSet:
        note_read(self)
        made = self.empty()
        made.adopt(self)
        return made

    # Changing.

    def note_change(self) -> None:
        super().note_change()
        self.shown = None

    @acts_for_program
    def add(self, item: Any, /) -> None:
        self.note_change()
        self.accept(item)
        self.native.insert(item)

    @by_cases_of_key
    @acts_for_program
    def discard(self, item: Any, /) -> Any:
        self.note_change()
        sought = self.sought(item)
        if sought is not NOT_A_KEY:
            self.native.remove(sought)
            self.native.close_many_gaps()

    @by_cases_of_key
    @acts_for_program
    def remove(self, item: Any, /) -> None:
        self.note_change()
        sought = self.expected(item)
        self.native.expect(self.native.remove(sought), sought)
        self.native.close_many_gaps()

    @acts_for_program
    def pop(self) -> Any:
        self.note_change()
        position = self.native.pop()
        check((position >= 0).value, KeyError, "pop from an empty set")
        item = self.native.keys.get(position)
        self.native.close_many_gaps()
        return item

    def clear(self) -> None:
        self.note_change()
        self.native.clear()

    @acts_for_program
    def update(self, *others: Any) -> None:
        self.note_change()
        for given in others:
            other = items_of_frozen(given)
            if isinstance(other, TracedSet):
                self.merge(other)
            else:
                self.fill(other)

    def merge(self, other: TracedSet) -> None:
        """Add the items of another set."""
        note_read(other)
        self.agree(other)
        block, item = other.shown or (None, None)
        if block is active().block and not other.has_names:
            self.native.reserve(1)
            self.put(item)
        elif other is not self:
            self.take_over(other)

    @in_c(REHASHED)
    def take_over(self, other: TracedSet) -> None:
        """Add the items of another set, as CPython does: an empty one is given the other's at once."""

        def add() -> None:
            self.native.reserve(other.native.count())
            self.put_all(other, other.native.order("slot"))

        self.adopt(other, add)

    def adopt(self, other: TracedSet, otherwise: Callable[[], None] = lambda: None) -> None:
        """Be given the items of another set at once where there are none yet, and that has any."""
        language.if_exp(self.native.adopt(other.native), lambda: self.native.copy_keys(other.native), otherwise)

    def fill(self, items: Any) -> None:
        """Add items one by one, those of a dict after there is room for all."""
        if isinstance(items, TracedDict) and items.is_native:
            self.native.reserve(items.length())
        language.for_each(as_it_comes(items), self.add)

    def put(self, item: Any) -> None:
        """Add an item that fits."""
        self.native.insert(item)

    @in_c(REHASHED)
    def put_all(self, source: TracedSet, positions: Value) -> None:
        """Add the items that stand at some positions of another set."""
        at = lambda index: source.native.keys.get(scalar(emit("list_get", positions, index).result, True))  # noqa: E731
        repeat(emit("list_len", positions).result, lambda index: self.put(at(index)))

    def expect_no_order(self) -> None:
        """Two sets are put together, in an order that follows from theirs: a restart where one's is not known."""

    def agree(self, other: TracedSet) -> None:
        """Two sets are of one kind: a restart where they are not."""
        self.expect_no_order()
        other.expect_no_order()
        for one, another in ((self, other), (other, self)):
            kind = join_items({one.kind, another.kind})
            if kind != one.kind:
                one.keep_for_key(kind)

    def as_set(self, other: Any) -> TracedSet:
        """Another set, or anything that has items, as a set of the same kind."""
        other = items_of_frozen(other)
        if isinstance(other, StagedObject):
            self.keep_for_key(PYTHON_OBJECT)
        if isinstance(other, TracedSet):
            note_read(other)
            self.agree(other)
            return other
        made = self.empty()
        made.fill(other)
        return made

    # Two sets: what `|`, `&`, `-` and `^` make, in the order in which CPython goes through them.

    def joined_with(self, other: Any) -> TracedSet:
        made = self.copy()
        self.unless_same(other, lambda: made.update(other))
        return made

    def unless_same(self, other: Any, act: Callable[[], None], if_same: Callable[[], None] = lambda: None) -> None:
        """Act if another set is not this one: CPython puts no set together with itself, which would give another order."""
        other = items_of_frozen(other)
        if isinstance(other, TracedSet) and other is not self and self.has_names and other.has_names:
            is_same = emit("equal", self.native.identity, other.native.identity).result
            language.if_exp(scalar(is_same), if_same, act)
        else:
            (if_same if other is self else act)()

    def common_with(self, other: Any) -> TracedSet:
        """The smaller set is gone through."""
        other, made = self.as_set(other), self.empty()

        def search(small: TracedSet, large: TracedSet) -> None:
            made.put_all(small, small.native.common(large.native))

        def choose() -> None:
            language.if_exp(other.length() > self.length(), lambda: search(self, other), lambda: search(other, self))

        self.unless_same(other, choose, lambda: made.adopt(self))
        return made

    def less(self, other: Any) -> TracedSet:
        """Where the other set is small, its items are taken out of a copy."""
        other, made = self.as_set(other), self.empty()

        def copy() -> None:
            made.adopt(self)
            made.take_out(other)

        def choose() -> None:
            made.put_all(self, self.native.common(other.native, there=False))

        language.if_exp(self.length() // 4 > other.length(), copy, choose)
        return made

    def exclusive_with(self, other: Any) -> TracedSet:
        made = self.as_set(other).copy()
        made.exchange(self)
        return made

    def take_out(self, other: Any) -> None:
        """Discard the items of another set."""
        self.note_change()
        if other is self:
            self.native.clear()
            return
        other = self.as_set(other)
        language.for_each(other.common_keys(self), self.native.discard)
        self.native.shrink()
        self.native.close_many_gaps()

    def common_keys(self, other: TracedSet) -> Any:
        """The items that another set has too: a list."""
        return native_list(self.native.keys_at(self.native.common(other.native)))

    def keep_common(self, other: Any) -> None:
        self.note_change()
        found = self.common_with(other)
        self.native.clear()
        self.adopt(found)

    def exchange(self, other: Any) -> None:
        """Discard those of the other set's items that are in here, add the others."""
        self.note_change()
        if other is self:
            self.native.clear()
            return

        def one(item: Any) -> None:
            language.if_exp(self.native.remove(item) >= 0, lambda: None, lambda: self.put(item))

        language.for_each(self.as_set(other), one)
        self.native.close_many_gaps()

    def count_in(self, other: TracedSet) -> Any:
        """How many items another set has too."""
        return scalar(emit("list_len", self.native.common(other.native)).result, True, bits=48)

    @acts_for_program
    def issubset(self, other: Any, /) -> Any:
        other = self.as_set(other)
        return self.count_in(other) == self.length()

    @acts_for_program
    def issuperset(self, other: Any, /) -> Any:
        return self.as_set(other).issubset(self)

    @acts_for_program
    def isdisjoint(self, other: Any, /) -> Any:
        return self.count_in(self.as_set(other)) == 0

    def is_equal(self, other: TracedSet) -> Any:
        return language.if_exp(self.length() == other.length(), lambda: self.issubset(other), lambda: False)

    __hash__ = None  # type: ignore[assignment]


MAKING = {
    "union": TracedSet.joined_with, "intersection": TracedSet.common_with, "difference": TracedSet.less,
    "symmetric_difference": TracedSet.exclusive_with,
}  # fmt: skip
GOING_ON: dict[str, Callable[[TracedSet, Any], None]] = {"union": TracedSet.update, "difference": TracedSet.take_out}
CHANGING = {
    "intersection_update": TracedSet.keep_common,
    "difference_update": TracedSet.take_out,
    "symmetric_difference_update": TracedSet.exchange,
}
OPERATORS: dict[str, tuple[str, Callable[[TracedSet, Any], None]]] = {
    "or": ("union", TracedSet.update), "and": ("intersection", TracedSet.keep_common), "sub": ("difference", TracedSet.take_out),
    "xor": ("symmetric_difference", TracedSet.exchange),
}  # fmt: skip
COMPARISONS: dict[str, Callable[[TracedSet, TracedSet], Any]] = {
    "eq": TracedSet.is_equal,
    "ne": lambda x, y: language.unary("not", x.is_equal(y)),
    "le": TracedSet.issubset,
    "ge": TracedSet.issuperset,
    "lt": lambda x, y: language.if_exp(x.length() < y.length(), lambda: x.issubset(y), lambda: False),
    "gt": lambda x, y: language.if_exp(x.length() > y.length(), lambda: y.issubset(x), lambda: False),
}


def items_of_frozen(x: Any) -> Any:
    """The table of a frozenset of the run; anything else as it is."""
    return x.items if isinstance(x, Unchanging) and x.python_type is frozenset else x


def made_by(step: Callable[[TracedSet, Any], TracedSet], change: Callable[[TracedSet, Any], None] | None) -> Callable[..., TracedSet]:
    """A method that makes a new set of this and others, one after another; with `change` the new set of the first two is changed."""

    @acts_for_program
    def method(self: TracedSet, *others: Any) -> TracedSet:
        made = self.copy() if not others else step(self, others[0])
        for other in others[1:]:
            if change is None:
                made = step(made, other)
            else:
                self.unless_same(other, partial(change, made, other))
        return made

    return method


def changed_by(step: Callable[[TracedSet, Any], None]) -> Callable[..., None]:
    """A method that changes this set by others, one after another."""

    @acts_for_program
    def method(self: TracedSet, *others: Any) -> None:
        for other in others:
            step(self, other)

    return method


def of_sets(use: Callable[[TracedSet, TracedSet], Any]) -> Callable[[TracedSet, Any], Any]:
    """An operator of two sets; NotImplemented where the other operand is none."""

    @acts_for_program
    def method(self: TracedSet, other: Any) -> Any:
        is_set = isinstance(other, (set, frozenset)) or isinstance(other, StagedObject) and other.python_type in (set, frozenset)
        return use(self, self.as_set(other)) if is_set else NotImplemented

    return method


def in_place(change: Callable[[TracedSet, Any], None]) -> Callable[[TracedSet, TracedSet], TracedSet]:
    """An operator that changes its left operand."""

    def use(x: TracedSet, y: TracedSet) -> TracedSet:
        change(x, y)
        return x

    return use


def install() -> None:
    """Methods and operators by Python's names."""
    for name, step in MAKING.items():
        setattr(TracedSet, name, made_by(step, GOING_ON.get(name)))
    for name, other in CHANGING.items():
        setattr(TracedSet, name, changed_by(other))
    for name, (method, change) in OPERATORS.items():
        step = MAKING[method]
        setattr(TracedSet, f"__{name}__", of_sets(step))
        setattr(TracedSet, f"__i{name}__", of_sets(in_place(change)))
    for name, compare in COMPARISONS.items():
        setattr(TracedSet, f"__{name}__", of_sets(compare))
    TracedSet.__name__ = TracedSet.__qualname__ = "set"  # in the texts of errors that Python raises itself
    TracedSet.__module__ = "builtins"


install()


NativeList.table_classes[set] = TracedSet
