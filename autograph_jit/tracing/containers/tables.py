"""What dicts and sets of converted code share: when they are tables of compiled code, of which kinds, and the loop over one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.tracing.aliasing.escapes import note_write
from autograph_jit.tracing.aliasing.families import decisions_for, note_length_changed
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.containers.native_tables import NativeTable
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed, as_item, decided, kind_of, table_kind, type_of_text
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.structures.demands import is_as_made, keep_at_run_time, made_before, make_at_home
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar, check, may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.choice_types import Choice
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.key_kinds import as_key_kind, is_compared_as_tuple
from autograph_jit.tracing.values.trace import Restart, active, constant, emit
from autograph_jit.tracing.values.types import (
    KNOWN,
    NEVER,
    PYTHON_OBJECT,
    STORED,
    InParts,
    ListOf,
    OneOf,
    Optional,
    Scalar,
    TableOf,
    Tuple,
    ValueType,
    join_items,
    stored_texts,
)

EXACT_BITS = 53  # of an int that a float holds
MAX_BRANCHES = 32
FEW_BRANCHES, ONE_BRANCH = 4, 1  # where each is a list of its own, or a dict or set, which are Python's where they are joined
NOT_A_KEY = object()  # what no key of a table equals
PLAIN = (str, bytes, type(None), Enum, type, complex)  # whose values equal no real number


def by_cases_of_key(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that looks for a key, in a branch each for what it may be and no key of the table is, such as None: where that is an error,
    it is none from there on."""

    acts_for_program(method)

    @functools.wraps(method)
    def run(self: Table, key: Any, *rest: Any) -> Any:
        if not self.is_native or not (may_be_none(key) or is_mixed(key)) or as_key(key, self.native.keys.kind) is key:
            return method(self, key, *rest)
        if is_mixed(key):
            return distribute(key, lambda case: run(self, case, *rest))
        refused: list[Any] = []

        def use(case: Any) -> Any:
            try:
                return run(self, case, *rest)
            except LookupError:
                refused.append(case)
                raise

        found, place = distribute(key, use), key.present.value.owner
        block = place.block if isinstance(place, Operation) else place
        if block is active().block and any(case is None for case in refused):  # what holds in a loop need not hold behind it
            active().facts[key.present.value] = True
        return found

    return run


def is_read_in(kind: ValueType) -> bool:
    """Whether a dict of a kind is read in with the lists, dicts or sets that it holds."""
    value = kind.value if isinstance(kind, TableOf) else None
    return isinstance(value, InParts) and NEVER not in value.inner


def most_branches(kind: ValueType) -> int:
    """How many keys of an argument of a kind may be told apart by a branch: of more, it is read in."""
    if not is_read_in(kind):
        return MAX_BRANCHES
    return ONE_BRANCH if any(isinstance(inner, TableOf) for inner in kind.inner) else FEW_BRANCHES


class Table(Rowed, Dynamic):
    """A dict or set that is a table of compiled code where its `kind` is that of one, and an object of Python otherwise."""

    __rebuilt_type__: Any
    kind: Any = PYTHON_OBJECT
    native: NativeTable
    native_class: type[NativeTable] = NativeTable
    changes = 0
    has_values = True
    is_data = False  # whose entries the call brings
    changed_text = "dictionary changed size during iteration"

    @property
    def is_native(self) -> bool:
        return self.dynamic is not None and isinstance(self.kind, TableOf)

    def copy(self) -> Any:
        """A new table with the same entries."""
        raise NotImplementedError

    def be_argument(self, kind: TableOf, keys: list[Value], values: list[Value]) -> None:
        """Be the table of columns that the call brings."""
        self.kind, self.native, self.is_data = kind, self.native_class.of_columns(kind, keys, values), True
        self.dynamic = self.native.index

    def expect_known(self) -> None:
        """The trace needs the entries: those of an argument as inputs."""
        if self.is_data:
            raise Restart(("dynamic", self.key, KNOWN))

    @property
    def has_names(self) -> bool:
        """Whether other stand-ins may be of the same table."""
        return self.family is not None or isinstance(self.dynamic, StagedObject)

    def renamed(self, kind: Any, reference: list[Value]) -> Any:
        """Another name for what may be this table: that of a reference."""
        made = type(self)()
        made.key, made.depth, made.kind = self.key, len(active().regions), kind
        made.native, made.is_data = self.native_class(kind, reference), self.is_data
        if self.is_native:
            made.native.take_rows(self.native)
        made.dynamic = made.native.index
        return made

    def renamed_copy(self) -> Any:
        """A new table with the same entries."""
        key = active().occurrence(("copy", self.key))
        kind = decided(active(), key) or self.kind
        made = self.renamed(self.kind, self.native.copied().reference)
        made.key, made.is_data = key, False
        if kind != self.kind and not made.become_table(kind):
            self.restructure()
        if kind != self.kind:
            made.update(self)
        return made

    def plain_copy(self) -> Any:
        """`dict(self)` of a dict that is a table."""
        note_read(self)
        copied, made = self.renamed_copy(), NativeList.table_classes[dict]()
        made.key, made.depth, made.dynamic, made.kind = copied.key, copied.depth, copied.dynamic, replace(copied.kind, made_by=())
        made.native = NativeTable(made.kind, copied.native.reference)
        made.native.take_rows(copied.native)
        return made

    def kind_as_item(self) -> ValueType:
        """The type of this table as an item of a list or a value of another one; PYTHON_OBJECT where it cannot be one."""
        kind = self.kind if self.is_native else PYTHON_OBJECT if self.dynamic is not None else self.content_kind()
        is_plain = type(self) is NativeList.table_classes.get(self.__rebuilt_type__) and not self.is_data
        return as_item(kind) if is_plain and kind.is_item else PYTHON_OBJECT

    def can_be(self, kind: ValueType) -> bool:
        """Whether this can be a table of a kind: it is a table's, and not half known yet."""
        is_open = isinstance(kind, TableOf) and kind.key != NEVER and NEVER in kind.inner
        return isinstance(kind, TableOf) and not is_open and (kind.value is None) != self.has_values

    def become_table(self, kind: ValueType) -> bool:
        """Be an empty table of a kind; False where it cannot be."""
        if not (isinstance(kind, TableOf) and self.can_be(kind)):
            return False
        self.kind, self.native = kind, NativeTable(kind)
        self.dynamic = self.native.index
        return True

    def content_kind(self, keys: Iterable[Any] = (), values: Iterable[Any] = ()) -> ValueType:
        """The kind of table for what is in here, and what is added."""
        raise NotImplementedError

    @staticmethod
    def run_time_kind(members: list[Any]) -> ValueType:
        kinds = {member.kind if member.dynamic is not None else member.content_kind() for member in members}
        return join_items(kinds)

    def restructure(self, kind: ValueType = PYTHON_OBJECT) -> None:
        """As of any container; one among the arguments is Python's, unless it holds nothing but numbers."""
        super().restructure(self.allowed(kind))

    def allowed(self, kind: ValueType) -> ValueType:
        """A kind that this can be of: one among the arguments is a table where it holds numbers, which nobody tells from others, or lists
        and tables of such, which are read in; or it is taken by its entries first."""
        if self.key is not None and self.key[0] != "argument":
            return kind
        if self.is_data:
            return KNOWN
        is_flat = isinstance(kind, TableOf) and kind.value is not None and kind.value.is_flat
        return kind if self.key is not None and (is_flat or is_read_in(kind)) else PYTHON_OBJECT

    def keep_for_key(self, kind: ValueType) -> None:
        """Restart as a table of the run, or as an object, since only the run knows a key: to unroll a loop would not tell it."""
        if self.family is not None:
            raise Restart(*decisions_for(self, kind))
        keep_at_run_time(active(), self.key, len(active().regions), self.allowed(kind))

    def note_change(self) -> None:
        """The number of keys may change."""
        note_write(self)
        if self.is_native and self.native.values is not None:
            self.native.values.expect_own_rows()
        self.changes += 1
        if self.has_names:
            note_length_changed()

    def accept(self, key: Any, *values: Any) -> None:
        """An entry on its way in: it must fit the kinds of keys and values."""
        kind = join_items({self.kind, table_kind([key], values if self.has_values else None, self.kind.made_by)})
        if kind != self.kind:
            self.foresee(kind)

    def foresee(self, kind: ValueType) -> None:
        """The keys do not stay known, or the kinds change: the trace goes on with an empty table of a kind, or a restart."""
        trace = active()
        if not (self.may_foresee(kind) and self.can_be(kind)):
            self.keep_for_key(kind)
        if self.is_known_empty and is_as_made(trace, self):
            with make_at_home(trace, self, kind):
                self.become_table(kind)
            return
        with made_before(trace):
            self.become_table(kind)
        trace.foresee(("dynamic", self.key, kind))
        if isinstance(self, dict):
            dict.clear(self)

    @property
    def is_known_empty(self) -> bool:
        """Whether this is a dict of known keys that has none."""
        return self.dynamic is None and isinstance(self, dict) and not dict.__len__(self)

    def sought(self, key: Any) -> Any:
        """A key that is looked for, as one of the table's kind; NOT_A_KEY where no such key equals it."""
        if isinstance(key, Dynamic):
            hash(key)  # Python's error
        if self.native.keys.kind == NEVER:
            return NOT_A_KEY  # no key was ever put in
        found = as_key(key, self.native.keys.kind)
        if found is None:
            wider = join_items((self.native.keys.kind, as_key_kind(kind_of(key))))
            self.keep_for_key(replace(self.kind, key=wider) if isinstance(wider, ListOf) else PYTHON_OBJECT)
        return found

    def expected(self, key: Any) -> Any:
        """The same of a key that must be there: KeyError where none equals it."""
        found = self.sought(key)
        if found is NOT_A_KEY:
            raise KeyError(key)
        return found


def as_key(key: Any, kind: ValueType) -> Any:
    """A value as a key of a kind that it may equal; NOT_A_KEY where it cannot, None where only Python can tell."""
    if isinstance(kind, Tuple):
        if not is_compared_as_tuple(type(key)):
            return NOT_A_KEY if kind_of(key).number is not None or isinstance(key, PLAIN) else None
        if len(key) != len(kind.items):
            return NOT_A_KEY
        parts = list(map(as_key, key, kind.items))
        return NOT_A_KEY if any(part is NOT_A_KEY for part in parts) else None if any(part is None for part in parts) else kind.make(parts)
    if isinstance(kind, ListOf):
        return as_key_of_tuples(key, kind)
    if isinstance(kind, (OneOf, Optional)) or is_mixed(key) or may_be_none(key):
        return key if join_items((kind, as_key_kind(kind_of(key)))) == kind else None
    if isinstance(key, (str, bytes)) and type(key) not in (str, bytes):
        return None  # of a class that may equal others
    if isinstance(kind, Choice):
        is_other = kind_of(key).number is not None or isinstance(key, PLAIN) or is_compared_as_tuple(type(key))
        return key if kind_of(key) == kind else NOT_A_KEY if is_other else None
    if kind in STORED.values() or type_of_text(key) is not None:
        is_known = type_of_text(key) is not None or isinstance(key, (PLAIN, StagedScalar, int, float)) or is_compared_as_tuple(type(key))
        return None if not is_known else key if kind in stored_texts(type_of_text(key)) else NOT_A_KEY
    if isinstance(key, PLAIN) or is_compared_as_tuple(type(key)):
        return NOT_A_KEY
    found = kind_of(key)
    if not isinstance(kind, Scalar) or found.dtype_alone is None:
        return None
    return key if holds(kind.dtype, found.dtype_alone, key) else None


def as_key_of_tuples(key: Any, kind: ListOf) -> Any:
    """The same where the keys are tuples of which only the run knows how long they are."""
    found = kind_of(key)
    if isinstance(found, ListOf):
        return key if join_items((as_key_kind(found), kind)) == kind else None
    if type(key) is not tuple:
        return NOT_A_KEY if found.number is not None or isinstance(key, PLAIN) else None
    parts = [as_key(part, kind.item) for part in key]
    return NOT_A_KEY if any(part is NOT_A_KEY for part in parts) else None if any(part is None for part in parts) else tuple(parts)


def holds(dtype: np.dtype, other: np.dtype, key: Any) -> bool:
    """Whether numbers of a dtype hold a key exactly."""
    if np.can_cast(other, dtype, "safe") and not (dtype.kind == "f" and other.kind in "iu" and other.itemsize == 8):
        return True
    if dtype.kind == "f" and other.kind in "iu":
        bits = key.bits if isinstance(key, StagedScalar) and not key.is_tagged else int(key).bit_length()
        return dtype.itemsize == 8 and bits <= EXACT_BITS
    return False


class Rows(Indexed):
    """What `item` makes of the positions of a table's keys, from 0 on. Where the number of keys is not what it was, it is Python's error to
    ask for the length again; where gaps count, so are gaps that removed keys have left."""

    def __init__(self, table: Any, item: Callable[[Any], Any], gaps_count: bool = True) -> None:
        self.source, self.item_at, self.gaps_count = table, item, gaps_count
        self.count, self.depth, self.changes = table.native.count(), len(active().regions), table.changes

    def length(self) -> Any:
        if len(active().regions) > self.depth or self.source.changes != self.changes:
            native = self.source.native
            same = emit("equal", native.count().value, self.count.value).result
            if self.gaps_count:
                whole = emit("equal", native.count("removed").value, constant(np.int64(0))).result
                same = emit("logical_and", same, whole).result
            check(same, RuntimeError, self.source.changed_text)
        return self.count

    def item(self, index: Any) -> Any:
        return self.item_at(index)

    def changing(self) -> tuple[Any, ...]:
        return (self.source,)
