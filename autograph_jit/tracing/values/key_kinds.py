"""Which types the keys of tables of compiled code have."""

from __future__ import annotations

from autograph_jit.ops.tables import KEY_DTYPES
from autograph_jit.tracing.values.types import LETTER, STORED_TEXT, ListOf, Tuple, ValueType


def is_key_kind(kind: ValueType) -> bool:
    """Whether a table finds keys of a kind."""
    if isinstance(kind, Tuple):
        return kind.kind is tuple and all(map(is_key_kind, kind.items))
    if isinstance(kind, ListOf):
        return kind.made_by is tuple and is_key_kind(kind.item)
    return kind == STORED_TEXT or kind.dtype_alone in KEY_DTYPES


def as_key_kind(kind: ValueType) -> ValueType:
    """The kind of keys of a kind: letters are texts."""
    if isinstance(kind, (Tuple, ListOf)):
        return kind.of(map(as_key_kind, kind.inner))
    return STORED_TEXT if kind == LETTER else kind


def holds_texts(kind: ValueType) -> bool:
    """Whether keys of a kind are texts, or tuples with one."""
    return kind == STORED_TEXT or any(map(holds_texts, kind.inner))
