"""Tuples of different lengths, and frozensets, where paths meet: one of which only the run knows how long it is, or what it holds.

Before: `t = ()`, then in a loop `t = t + (x,)`
After:  the loop carries the lists of the parts of the items
"""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.sequences.dynamic import kind_of, table_kind
from autograph_jit.tracing.values.key_kinds import holds_texts
from autograph_jit.tracing.values.types import (
    PYTHON_OBJECT,
    STORED,
    Constant,
    ListOf,
    NativeItems,
    OneOf,
    Opaque,
    Optional,
    Reference,
    Scalar,
    TableOf,
    TextType,
    Tuple,
    ValueType,
    grown_row,
    join_pair,
)


def join_tuples(a: ValueType, b: ValueType) -> ValueType | None:
    """What two tuples become, one of which has a length that only the run knows, or another one; None for anything else."""
    kinds = [item_types(x) for x in (a, b)]
    if None in kinds:
        return None
    if not any(isinstance(x, ListOf) for x in (a, b)) and len(kinds[0] or ()) == len(kinds[1] or ()):
        return grown_row(as_item(a), as_item(b))
    found = join_pair(as_item(a), as_item(b))
    return found if found.is_native else Opaque(tuple)


def join_frozen_sets(a: ValueType, b: ValueType) -> ValueType | None:
    """What two frozensets become, one of which only the run knows; None for anything else."""
    run = next((x for x in (a, b) if isinstance(x, TableOf)), None)
    known = next((x.value for x in (a, b) if isinstance(x, Constant) and type(x.value) is frozenset), None)
    if run is None or known is None:
        return Opaque(frozenset) if isinstance(a, TableOf) and isinstance(b, TableOf) else None
    return run if kind_of_frozen_set(known, run) == run else Opaque(frozenset)


def kind_of_frozen_set(x: frozenset[Any], wanted: ValueType | None) -> ValueType:
    """The kind of table for a frozenset that the trace knows, an empty one of the kind that is wanted; PYTHON_OBJECT where a table would
    have its items in another order, or grow otherwise. Hashes of texts are others in each process."""
    kind = table_kind(x, None) if x else wanted
    plain = set[Any]()
    for item in x:
        plain.add(item)
    is_same = list(plain) == list(x) and plain.__sizeof__() == x.__sizeof__()
    return kind if isinstance(kind, TableOf) and is_same and (len(x) < 2 or not holds_texts(kind)) else PYTHON_OBJECT


def item_types(x: ValueType) -> tuple[ValueType, ...] | None:
    """The types of the items of a tuple; None of anything else."""
    if isinstance(x, Tuple):
        return tuple(map(as_item, x.items)) if x.kind is tuple else None
    return (x.item,) if isinstance(x, ListOf) else None


def as_item(x: ValueType) -> ValueType:
    """The type of an item by the description of a value, which may know more of it."""
    if isinstance(x, Constant):
        return kind_of(x.value)
    if isinstance(x, Scalar):
        return Scalar(x.kinds)
    if isinstance(x, Tuple) or isinstance(x, (Optional, OneOf)) and getattr(x, "absent", None) is None:
        return x.of(map(as_item, x.inner))
    if isinstance(x, TextType):
        return STORED[x.kind]
    return x.content if isinstance(x, NativeItems) else x if isinstance(x, (ListOf, Reference)) else PYTHON_OBJECT
