"""Tuples of different lengths where paths meet: one of which only the run knows how long it is.

Before: `t = ()`, then in a loop `t = t + (x,)`
After:  the loop carries the lists of the parts of the items
"""

from __future__ import annotations

from autograph_jit.tracing.sequences.dynamic import kind_of
from autograph_jit.tracing.values.types import (
    PYTHON_OBJECT,
    STORED_TEXT,
    Constant,
    ListOf,
    Opaque,
    Scalar,
    TextType,
    Tuple,
    ValueType,
    join_items,
)


def join_tuples(a: ValueType, b: ValueType) -> ValueType | None:
    """What two tuples become, one of which has a length that only the run knows, or another one; None for anything else."""
    kinds = [item_types(x) for x in (a, b)]
    if None in kinds or not any(isinstance(x, ListOf) for x in (a, b)) and len(kinds[0] or ()) == len(kinds[1] or ()):
        return None
    found = ListOf(join_items(kind for each in kinds for kind in each or ()), tuple)
    return found if found.is_native else Opaque(tuple)


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
    if isinstance(x, Tuple):
        return x.of(map(as_item, x.items))
    if isinstance(x, TextType):
        return STORED_TEXT if x.kind is str else PYTHON_OBJECT
    return x if isinstance(x, ListOf) else PYTHON_OBJECT
