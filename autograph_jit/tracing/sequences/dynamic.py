"""Containers while tracing: what all kinds share."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS, decisions_for
from autograph_jit.tracing.aliasing.identities import join_identities
from autograph_jit.tracing.aliasing.instances import is_record, record_parts
from autograph_jit.tracing.aliasing.references import function_type, reference_type
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, may_be_rows
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.structures.choices import Chosen, is_mixed
from autograph_jit.tracing.structures.demands import decisions_of_size, keep_at_run_time
from autograph_jit.tracing.structures.dict_rows import row_class_of
from autograph_jit.tracing.structures.generator_rows import expect_kept
from autograph_jit.tracing.structures.item_parts import is_of_several
from autograph_jit.tracing.structures.templates import contains_staged, made_here_in
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, content_of, may_be_none
from autograph_jit.tracing.values.checks import settle_presence
from autograph_jit.tracing.values.choice_types import Choice, members_of
from autograph_jit.tracing.values.conditions import numbers_left
from autograph_jit.tracing.values.key_kinds import as_key_kind, is_key_kind, is_set_item
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import INT64_LIMIT
from autograph_jit.tracing.values.nesting import is_nested
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, Trace, active, current, user_instruction, user_span
from autograph_jit.tracing.values.types import (
    KNOWN,
    LETTER,
    NEVER,
    NONE,
    PYTHON_OBJECT,
    STORED,
    Array,
    InParts,
    ListOf,
    OneOf,
    Reference,
    Scalar,
    TableOf,
    Tuple,
    ValueType,
    join_items,
    nested,
    number,
)

MAX_DECIDED_ONE_BY_ONE = 4
MOST_LISTS, MOST_DICTS = 4, 2  # in one another, as items that are no rows


class Dynamic:
    """A container made by converted code. `dynamic` is None while its structure is known to the trace (it then simply holds its
    elements); otherwise it is the run-time list or object. `key` names it across traces, `depth` counts the regions around its creation, as
    for all whose class has `knows_depth`, `home` is the block that makes it; `merged`, `reads` and `is_loop_state` (it stands for one that
    a loop carries) are for `aliasing`, `family` is for `families`."""

    dynamic: Any = None
    key: Any = None
    depth: int = -1
    knows_depth: bool = True
    home: Block | None = None
    merged: Any = None
    family: Any = None
    reads: Mapping[Any, Any] = MappingProxyType({})
    is_loop_state: bool = False

    @property
    def is_native(self) -> bool:
        """Whether this is a list of compiled code."""
        return False

    @staticmethod
    def run_time_kind(members: list[Any]) -> ValueType:
        """What containers become of which one may be another, with that of their items where they are lists of compiled code."""
        return PYTHON_OBJECT

    def length(self) -> Any:
        """`len(self)`, staged where only the run knows it."""
        raise NotImplementedError(f"{type(self).__name__} has no length")

    def __contains__(self, item: Any) -> Any:
        if contains_staged(self) or contains_staged(item):
            return language.compare("in", item, self)
        return super().__contains__(item)  # type: ignore[misc]

    def expect_only_read(self) -> Any:
        """The container is about to be more than read: a restart where it is a copy of the caller's."""

    def may_foresee(self, kind: ValueType) -> bool:
        """Whether the trace may go on as if the container had been of a kind from the beginning, see `Trace.foresee`. A function of the
        graph cannot: what it is given has to be there at its calls. An item cannot: the kind of what it stands in says what it is."""
        if any(region.kind == "function" for region in active().regions[self.depth :]):
            return False
        return kind.is_native and self.family is None and self.key is not None and self.key[0] != "argument"

    def restructure(self, kind: ValueType = PYTHON_OBJECT) -> None:
        """Give up the static structure, or the kind of the elements: restart."""
        if self.family is not None:
            raise Restart(*decisions_for(self, kind))
        keep_at_run_time(active(), self.key, self.depth, kind)

    def foresee(self, kind: ValueType) -> None:
        """The same, where a kind of container can: the trace goes on as if this had been of a kind from the beginning."""
        self.restructure(kind)

    def known_position(self, key: Any, *added: Any) -> Any:
        """`position(key)` in a static list; what is computed asks for a run-time list, as it decides what stands where."""
        found, items = position(key), cast(list, self)
        if is_place_of_run(found):
            self.restructure(common_kind([*list.copy(items), *added]) or PYTHON_OBJECT)
        return found

    def is_outer(self) -> bool:
        """Whether a staged region stands between the creation of the container and here."""
        trace = current()
        return trace is not None and len(trace.regions) > self.depth


class Rowed:
    """Base of containers of the run that are gone through by `rows()`, an `Indexed`, where they are native."""

    @property
    def is_native(self) -> bool:
        raise NotImplementedError

    def rows(self) -> Any:
        """The items now."""
        raise NotImplementedError

    def rows_one_by_one(self) -> Any:
        """The items for an iterator, which may be asked for a few of them."""
        return self.rows()

    def listed(self) -> Any:
        """The items now, as a native list."""
        raise NotImplementedError

    def length(self) -> Any:
        """`len(self)`."""
        raise NotImplementedError

    def contains(self, item: Any, /) -> Any:
        """`item in self`."""
        raise NotImplementedError


def register(container: Dynamic, kind: str) -> ValueType | None:
    """Name a new container; returns the element kind decided for it in an earlier trace, or None to keep it static."""
    trace = active()
    span = user_span(2)
    site = (kind, span.filename, span.lineno, *user_instruction(2)) if span else (kind,)
    container.key = trace.occurrence(site)
    container.depth, container.home = len(trace.regions), trace.block
    return decided(trace, container.key)


def decided(trace: Trace, key: Any) -> ValueType | None:
    """The most general element kind that the decisions give for a container, with a table's for a dict or set."""
    taken = [decision for decision in trace.decisions if decision[0] == "dynamic" and decision[1][0] == key[0]]
    kinds = [decision[2] for decision in taken if decision[1] == key]
    if not kinds and len(taken) > MAX_DECIDED_ONE_BY_ONE:
        depths = [nesting(decision[2]) for decision in taken]
        kinds = [decision[2] for decision, depth in zip(taken, depths) if depth == max(depths, key=depths.count)]
    if not kinds:
        return None
    found = KNOWN if KNOWN in kinds else join_items(kinds)
    return PYTHON_OBJECT if any(as_no_rows(each) in trace.decisions for each in found.classes) else found


def nesting(kind: ValueType) -> int:
    """How many lists or tables stand in one another in a list of this kind: a list and its rows may be made on one line."""
    return isinstance(kind, InParts) + max(map(nesting, kind.inner), default=0)


def kind_of(x: Any) -> ValueType:
    """The type that fits a value as an item: one that `is_native`, of arrays in a list of Python's, or PYTHON_OBJECT."""
    x = settle_presence(x)
    if x is None:
        return NONE
    if is_marked(x, "is_generator"):
        expect_kept(x)
    if may_be_none(x) and (content := join_items((NONE, kind_of(x.content)))).is_flat:
        return content
    if isinstance(x, Dynamic):
        return kind_of_outer(x)
    if type(x) in KINDS_OF_MADE:
        return kind_of_made(x)
    if isinstance(x, StagedObject) and hasattr(type(x), "kind_as_item"):
        return x.kind_as_item() or PYTHON_OBJECT
    if isinstance(x, StagedArray):
        return Array(x.dtype, (None,) * x.ndim)
    if type(x) is str and len(x) == 1 or is_marked(x, "is_letter"):
        return LETTER
    if (text := class_of_text(x)) is not None:
        return STORED[text]
    if isinstance(x, StagedScalar):
        return join_items(number(dtype, weak) for dtype, weak in x.kinds)
    if isinstance(x, int) and not -INT64_LIMIT <= x < INT64_LIMIT:
        return PYTHON_OBJECT
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, (np.generic, Enum)):
        return number(bool if isinstance(x, bool) else np.int64 if isinstance(x, int) else float if isinstance(x, float) else complex, True)
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return number(x.dtype, False)
    if (reference := reference_type(x) or function_type(x)) is not None:
        return reference
    if isinstance(x, Chosen) and (mixed := mixed_type(x, True)) is not None:
        return mixed
    members = members_of(x.alternatives[0] if isinstance(x, Chosen) else x)
    if members is not None and (not isinstance(x, Chosen) or x.alternatives == members):
        return Choice(members)
    if (type(x) is tuple or is_named_tuple(x)) and (found := Tuple(type(x), tuple(map(kind_of, x)))).is_item:
        return found
    return PYTHON_OBJECT


def mixed_type(x: Chosen, is_narrowed: bool = False) -> ValueType | None:
    """The type of a number, text, list or dict, `is_narrowed` to those that it may be here; None of one of several functions or objects."""
    if not is_mixed(x):
        return None
    left = numbers_left(x.selector, len(x.alternatives)) if is_narrowed else range(len(x.alternatives))
    kinds = [kind_of(x.alternatives[place]) for place in left]
    return join_items(OneOf((kind,)) if isinstance(kind, Reference) else kind for kind in kinds)


def is_named_tuple(x: Any) -> bool:
    """Whether a value is a named tuple and nothing else: without attributes of its own, of a class that the trace has not made."""
    if not isinstance(x, tuple) or not hasattr(type(x), "_make") or id(type(x)) in active().created:
        return False
    return not getattr(x, "__dict__", None)


def kind_of_outer(x: Any) -> ValueType:
    """The same of a list, dict or set, which may stand in itself."""
    around = active().aliasing.asked
    if id(x) in around:
        return PYTHON_OBJECT
    around.append(id(x))
    try:
        return kind_of_list(x)
    finally:
        around.pop()


def kind_of_list(x: Any) -> ValueType:
    """The element kind of a list, dict or set that stands in a list or table."""
    if hasattr(x, "kind_as_item"):
        return PYTHON_OBJECT if x.key is None or is_empty_argument(x) or PYTHON_LISTS in active().decisions else x.kind_as_item()
    if not hasattr(x, "is_argument") or x.key is None or PYTHON_LISTS in active().decisions:
        return PYTHON_OBJECT
    if is_empty_argument(x):
        return PYTHON_OBJECT  # which is the caller's own there
    x.expect_only_read()
    if x.dynamic is not None:
        return as_item(ListOf(x.kind)) if x.is_native and x.kind.is_item else PYTHON_OBJECT
    kind = join_items(map(kind_of, list.copy(x)))
    return as_item(ListOf(kind)) if kind.is_item else PYTHON_OBJECT


def is_empty_argument(x: Any) -> bool:
    """Whether a list or dict is an argument that is empty when the call begins: nothing tells the type of its items."""
    return x.dynamic is None and x.key[0] == "argument" and "[" not in x.key[1] and not (dict if isinstance(x, dict) else list).__len__(x)


def as_item(kind: ValueType) -> ValueType:
    """The type of a list or dict as an item: where it holds rows it is a row itself, or else it might hold such in such without end."""
    is_deep = nesting(kind) > (MOST_LISTS if isinstance(kind, ListOf) else MOST_DICTS)
    return nested(kind) if is_deep or any(map(is_nested, kind.classes)) else kind


def kind_of_made(x: Any) -> ValueType:
    """The same of a set, or dict of the library's, of which the trace knows what it holds."""
    is_python = active().outside.made.get(id(x), (x, None))[1] is None or PYTHON_LISTS in active().decisions
    return PYTHON_OBJECT if is_python else KINDS_OF_MADE[type(x)](x)


def table_kind(keys: Iterable[Any], values: Iterable[Any] | None, made_by: tuple[Any, ...] = ()) -> ValueType:
    """The kind of table that holds these entries, or keys where `values` is None; PYTHON_OBJECT where none does."""
    key = join_items(as_key_kind(kind_of(each)) for each in keys)
    value = None if values is None else join_items(map(kind_of, values))
    is_member = values is not None and isinstance(key, Choice) and key.is_key
    is_key = key == NEVER or is_member or (is_set_item(key) if values is None else is_key_kind(key))
    fits = is_key and (value is None or value.is_item)
    return TableOf(key, value, made_by) if fits else PYTHON_OBJECT


def row_kind(x: dict[Any, Any], table: ValueType) -> ValueType:
    """The kind of a dict as an item: where its entries are of several types under texts, a row of a table of dicts with these keys."""
    is_mixed_table = table == PYTHON_OBJECT or isinstance(table, TableOf) and table.value is not None and is_of_several(table.value)
    found = row_class_of([x]) if is_mixed_table else None
    if found is None or not may_be_rows(active(), found) or not all(kind_of(value).is_item for value in dict.values(x)):
        return table
    return Reference((found,))


KINDS_OF_MADE: dict[type, Callable[[Any], ValueType]] = {set: lambda x: table_kind(x, None)}


def type_of_text(x: Any) -> type | None:
    """str or bytes, of a text: a constant, one of the run, an object of Python's; None for anything else."""
    kind = x.python_type if isinstance(x, StagedObject) else type(x) if type(x) in (str, bytes) else getattr(type(x), "kind_of_text", None)
    return kind if kind in (str, bytes) else None


def class_of_text(x: Any) -> type | None:
    """The type of the same: of one of NumPy's, which only the run has, the class of NumPy's."""
    return getattr(type(x), "__rebuilt_type__", None) if is_marked(x, "kind_of_text") else type_of_text(x)


def name_of_text(x: Any) -> str | None:
    """The name of that type in Python's errors."""
    kind = class_of_text(x)
    return kind if kind is None else f"{'' if kind in (str, bytes) else 'numpy.'}{kind.__name__}"


def is_comparable(kind: ValueType, numbers: str = "iub") -> bool:
    """Whether all items of a kind can be compared with one another, none of them a nan where the `numbers` can be none."""
    if isinstance(kind, Tuple):
        return all(is_comparable(item, numbers) for item in kind.items)
    if isinstance(kind, ListOf):
        return is_comparable(kind.item)
    is_number = isinstance(kind, Scalar) and bool(kind.kinds) and all(dtype.kind in numbers for dtype, _ in kind.kinds)
    return is_number or kind in (LETTER, *STORED.values()) or isinstance(kind, Choice)


def common_kind(items: list[Any]) -> ValueType | None:
    """The element kind of several values; None of none."""
    return join_items(map(kind_of, items)) if items else None


def structure(x: Any) -> tuple[tuple[Any, ...], list[Any], Callable[[list[Any]], Any]] | None:
    """The key, elements and constructor of a static list or dict, of a slice, of an instance of a user's class, or of what tells its
    `__parts__`; None for anything else, lists and dicts of users' classes among it."""
    if isinstance(x, Dynamic) and x.dynamic is not None:
        return None
    if isinstance(x, (list, dict)) and not isinstance(x, Dynamic) and type(x) not in (list, dict):
        return None
    if isinstance(x, list):
        return ("list", type(x), len(x)), list.copy(x), lambda items: remade(x, items)
    if isinstance(x, dict):
        keys = tuple(dict.keys(x))
        return ("dict", type(x), keys), list(dict.values(x)), lambda items: remade(x, dict(zip(keys, items)))
    if isinstance(x, slice):
        return ("slice", slice), [x.start, x.stop, x.step], lambda items: slice(*items)
    if hasattr(type(x), "__parts__"):
        return x.__parts__()
    return record_parts(x) if is_record(x) else None


def remade(like: Any, content: Any) -> Any:
    """A new static container like another one."""
    made = type(like)(content)
    if isinstance(made, Dynamic):
        made.key, made.depth = like.key, len(active().regions)
        join_identities(like, made)
    else:
        active().outside.copies[id(made)] = made
    return made


def box(x: Any) -> StagedObject | None:
    """Any value that holds staged leaves, as an opaque Python object; None where it holds none."""
    if isinstance(x, StagedObject):
        return x
    if isinstance(x, Dynamic) and isinstance(x.dynamic, StagedObject):
        return x.dynamic
    if id(x) in active().outside.made and not contains_staged(x):
        return host_object(copy.copy, x, label="box", python_type=type(x), fails=False)  # another one each time: the program may change it
    is_pure = not isinstance(x, (list, dict)) and not static_in(x)
    if contains_staged(x) or not is_pure or made_here_in(x) is not None:
        return host_object(lambda value: value, x, label="box", python_type=boxed_type(x), pure=is_pure, fails=False)
    return None


def static_in(x: Any, depth: int = 3) -> list[Dynamic]:
    """The lists and dicts of converted code in nested containers that are no Python objects of the run."""
    if isinstance(x, Dynamic) and isinstance(x.dynamic, StagedObject):
        return []
    found = [x] if isinstance(x, Dynamic) else []
    if isinstance(x, (list, tuple, dict)) and depth and getattr(x, "dynamic", None) is None:
        items = dict.values(x) if isinstance(x, dict) else list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x)
        found += [container for item in items for container in static_in(item, depth - 1)]
    return found


def boxed_type(x: Any) -> type | None:
    """The Python type that a boxed value will have."""
    if isinstance(x, StagedScalar):
        return None if x.is_tagged else x.python_type
    if isinstance(x, StagedArray):
        return np.ndarray
    return getattr(type(x), "__rebuilt_type__", type(x)) if isinstance(x, (list, dict, tuple)) else None


def position(key: Any) -> Any:
    """An index or slice of a list whose structure is known, with an int for each object of the run."""
    if isinstance(key, slice):
        return slice(*(bound if isinstance(bound, Maybe) else position(bound) for bound in (key.start, key.stop, key.step)))
    key = content_of(key, TypeError, "'NoneType' object cannot be interpreted as an integer")
    return language.integer_of(key) if isinstance(key, StagedObject) else key


def is_place_of_run(key: Any) -> bool:
    """Whether an index, or a bound of a slice, is an int that is neither an argument nor the size of one."""
    if isinstance(key, slice):
        return any(map(is_place_of_run, (key.start, key.stop, key.step)))
    if not isinstance(key, StagedScalar) or key.scalar_dtype.kind not in "iub":
        return False
    return key.size is None or isinstance(key.size, Dim) and decisions_of_size(active(), key.size) is None


def is_place_in_loop(key: Any) -> bool:
    """Whether an index is made of that of a loop which could be written out."""
    decisions = decisions_of_size(active(), key.size) if isinstance(key, StagedScalar) and isinstance(key.size, Dim) else None
    return any(decision[0] == "unroll" for decision in decisions or ())
