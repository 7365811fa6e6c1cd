"""Which types the keys of tables of compiled code have."""

from __future__ import annotations

from autograph_jit.ops.tables import KEY_DTYPES
from autograph_jit.tracing.values.types import (
    LETTER,
    STORED,
    STORED_TEXT,
    ListOf,
    OneOf,
    Optional,
    Reference,
    Tuple,
    ValueType,
    holds_several,
    may_be_equal_texts,
)


def is_key_kind(kind: ValueType) -> bool:
    """Whether a table finds keys of a kind."""
    if isinstance(kind, Tuple):
        return is_compared_as_tuple(kind.kind) and all(map(is_key_kind, kind.items))
    if isinstance(kind, ListOf):
        return kind.made_by is tuple and is_key_kind(kind.item)
    if isinstance(kind, (OneOf, Optional)):
        return all(map(is_key_kind, kind.inner)) and not may_be_equal_tuples(kind) and not may_be_equal_texts(kind)
    if isinstance(kind, Reference) and any(each.__hash__ is None for each in kind.kinds):
        return False
    return kind in STORED.values() or kind.dtype_alone in KEY_DTYPES


def is_compared_as_tuple(kind: type) -> bool:
    """Whether the hash of a class's values, and what they equal, is that of the tuple of their items."""
    return issubclass(kind, tuple) and kind.__eq__ is tuple.__eq__ and kind.__hash__ is tuple.__hash__


def may_be_equal_tuples(kind: ValueType) -> bool:
    """Whether two of several types are tuples of different classes, which may be equal all the same."""
    classes = [each.kind if isinstance(each, Tuple) else each.made_by for each in kind.inner if isinstance(each, (Tuple, ListOf))]
    return len(set(classes)) > 1


def is_set_item(kind: ValueType) -> bool:
    """Whether sets have such items: those that are of several types stand in an order that only Python knows."""
    return is_key_kind(kind) and not holds_several(kind)


def as_key_kind(kind: ValueType) -> ValueType:
    """The kind of keys of a kind: letters are texts."""
    if isinstance(kind, (Tuple, ListOf, Optional)):
        return kind.of(map(as_key_kind, kind.inner))
    return STORED_TEXT if kind == LETTER else kind


def holds_texts(kind: ValueType) -> bool:
    """Whether keys of a kind are texts, of letters or bytes, or tuples with one."""
    return kind in STORED.values() or any(map(holds_texts, kind.inner))
