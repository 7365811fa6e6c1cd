"""Lists of compiled code where paths meet: a reference to one of several, of the kind that covers the items of all of them.

Before: `prev = [0] * n`, then in a loop `cur = [1.0] * n` and `prev = cur`
After:  traced again with both as lists of numbers of two types, the loop carries references to the lists of their parts
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.escapes import stacks_of
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS, decisions_for, expect_alone, unite
from autograph_jit.tracing.aliasing.references import reference_type
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, as_row_too, may_be_rows
from autograph_jit.tracing.objects.callers_objects import is_callers_instance
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.trace import Restart, active
from autograph_jit.tracing.values.types import (
    PYTHON_OBJECT,
    STORED_TEXT,
    Constant,
    DequeOf,
    ListOf,
    NativeItems,
    Reference,
    Structure,
    TableOf,
    Tuple,
    ValueType,
)

BEFORE_JOINING: list[Callable[..., None]] = []  # each may end the trace, to have two values in one form from the beginning


def join_lists(a: ValueType, b: ValueType) -> NativeItems | None:
    """Two lists of which one or both are of the run, or that differ in length: a reference to either. A restart where they have to become
    native lists of one kind for it, None where they cannot."""
    join_references(a, b)
    for expect_same_form in BEFORE_JOINING:
        expect_same_form(*(x.value if isinstance(x, Constant) else getattr(x, "like", None) for x in (a, b)))
    first, second = list_of(a), list_of(b)
    if first is None or second is None or first.run_time_kind is not second.run_time_kind or PYTHON_LISTS in active().decisions:
        return None
    if any(getattr(each, "is_filled", False) for each in (first, second)):
        raise Restart(*decisions_for(first, PYTHON_OBJECT), *decisions_for(second, PYTHON_OBJECT))
    kind = first.run_time_kind([first, second])
    if not kind.is_native:
        return None
    if any(is_read_in_place(each) and each.item_kind != kind for each in (first, second)):
        return None
    if all(each.is_native and each.kind == kind for each in (first, second)):
        expect_unseen(first)
        expect_unseen(second)
        unite(first, second)
        share_rows(first, second)
        return NativeItems(container_of(kind), first)
    wanted = decisions_for(first, kind) | decisions_for(second, kind)
    if wanted <= active().decisions:
        return None  # a list times a number that the trace has to know
    raise Restart(*wanted)


def join_references(a: ValueType, b: ValueType) -> None:
    """Instances that are rows, or may be, met: trace again with all as rows; of one that meets anything else without rows."""
    given = [x for x in (a, b) if isinstance(x, Reference)]
    if given:
        expect_rows(a, b)
        raise Restart(*(as_no_rows(kind) for x in given for kind in x.kinds))


def expect_rows(a: ValueType, b: ValueType) -> None:
    """Trace again with two instances as rows, where they can be rows and one is none yet."""
    known = [x.value for x in (a, b) if isinstance(x, Constant) and is_callers_instance(x.value)]
    if len(known) == 1 and any(isinstance(x, Reference) for x in (a, b)) and may_be_rows(active(), type(known[0])):
        expect_row_too(known[0])
    rows = [x if isinstance(x, Reference) else reference_type(x.value) if isinstance(x, Constant) else None for x in (a, b)]
    if rows[0] is not None and rows[1] is not None:
        new = [("rows", kind) for x in rows if x is not None for kind in x.kinds if kind not in active().aliasing.tables]
        if new:
            raise Restart(*new)


def expect_row_too(x: Any) -> None:
    """Trace again with an instance of the caller's, which meets a row, as one."""
    if as_row_too(x) not in active().decisions:
        raise Restart(as_row_too(x))


def keep_by_reference(descriptions: list[ValueType]) -> None:
    """Restart with the lists that were joined item by item as native ones, where one of these is."""
    wanted: set[tuple[Any, ...]] = set()
    for x in descriptions:
        found = list_of(Constant(x.like)) if isinstance(x, Structure) and x.shape[0] == "list" else None
        if found is None:
            continue
        kind = found.run_time_kind([found])
        if kind.is_native:
            wanted |= {("dynamic", member.key, kind) for member in (found.merged.members if found.merged else [found])}
    if not wanted <= active().decisions and PYTHON_LISTS not in active().decisions:
        raise Restart(*wanted)


def share_rows(first: Any, second: Any) -> None:
    """Of two lists of lists that may be one the one holds what the other holds."""
    if issubclass(type(first), list):
        first.native.share_rows(second.native)
    elif isinstance(first.kind, TableOf):
        first.native.take_rows(second.native)
    elif isinstance(first.kind, DequeOf):
        first.items.share_rows(second.items)


def as_reference(x: ValueType) -> NativeItems | None:
    """A native list that leaves the region in which it was made."""
    found = list_of(x)
    if found is None or not found.is_native or PYTHON_LISTS in active().decisions:
        return None
    expect_unseen(found)
    unite(found, found)
    return NativeItems(container_of(found.kind), found)


def list_of(x: ValueType) -> Any:
    """The list of converted code that a description is of, one of them where there are several; None for anything else, lists of Python's
    included, and those of the caller's of which compiled code has copies."""
    value: Any = x.value if isinstance(x, Constant) else x.like if isinstance(x, NativeItems) else None
    if (
        not isinstance(value, (list, dict, set, deque))
        or not isinstance(value, Dynamic)
        or value.key is None
        or not (isinstance(value.key[0], tuple) or is_read_in_place(value) or is_read_by_columns(value) or is_read_as_table(value))
    ):
        return None
    is_known = value.dynamic is None or value.is_native
    return value if is_known else None


def is_read_in_place(x: Any) -> bool:
    """Whether a list of the caller's is one list in compiled code, however it is called there, or may become one."""
    kind = x.item_kind if x.key[0] == "argument" and isinstance(x, list) else None  # type: ignore[attr-defined]
    while isinstance(kind, ListOf):
        kind = kind.item
    return kind == STORED_TEXT or kind is not None and kind.number is not None and kind.number[1]


def is_read_by_columns(x: Any) -> bool:
    """Whether a list of the caller's, of tuples or of lists of such, is a list of columns in compiled code, or may become one."""
    kind = x.item_kind if x.key[0] == "argument" and isinstance(x, list) else None  # type: ignore[attr-defined]
    while isinstance(kind, ListOf):
        kind = kind.item
    return isinstance(kind, Tuple)


def is_read_as_table(x: Any) -> bool:
    """Whether a dict or set of the caller's is a table in compiled code, or may become one."""
    is_callers = x.key[0] == "argument" and isinstance(x, (dict, set))
    return is_callers and (x.is_native or x.dynamic is None and x.allowed(x.run_time_kind([x])).is_native)


def container_of(kind: ValueType) -> Any:
    """The type of a container of compiled code by its `kind`: that of the items of a list, that of a table or deque."""
    return kind if isinstance(kind, (TableOf, DequeOf)) else ListOf(kind)


def expect_unseen(x: Any) -> None:
    """A list is about to be exchanged for others: where Python has been given it, and may hold it, all of them are Python's."""
    if x.merged is not None or stacks_of(active(), x):
        unite(x, x)
        expect_alone(x)


def reference_to(x: NativeItems, value: Any) -> list[Value]:
    """The graph values of a list."""
    found: Any = value if isinstance(value, Dynamic) and value.is_native else None
    if found is None or container_of(found.kind) != x.content:
        raise Restart(*decisions_for(x.like, PYTHON_OBJECT))
    unite(x.like, found)
    share_rows(x.like, found)
    return found.native.reference


def list_behind(x: NativeItems, reference: list[Value]) -> Any:
    """The stand-in of a list, from its graph values."""
    made = x.like.renamed(x.content.item if isinstance(x.content, ListOf) else x.content, reference)
    unite(x.like, made)
    share_rows(x.like, made)
    return made
