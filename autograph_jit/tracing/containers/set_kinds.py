"""The kinds of table that sets become, by what they hold, are given or are asked about."""

from __future__ import annotations

from typing import Any

from autograph_jit.ops.tables import KEY_DTYPES
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.sets import TracedSet, items_of_frozen
from autograph_jit.tracing.containers.table_views import TableView
from autograph_jit.tracing.sequences.dynamic import table_kind, type_of_text
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.values.abstract import StagedArray
from autograph_jit.tracing.values.key_kinds import as_key_kind, is_set_item
from autograph_jit.tracing.values.types import PYTHON_INT, PYTHON_OBJECT, TableOf, ValueType, join_items, number


def kind_for(owner: Any, method: str, args: tuple[Any, ...]) -> ValueType | None:
    """The kind of table that a set of known items becomes where it is changed by a method, or asked about items, that only the run knows;
    None where it is empty, and stays so."""
    added = args if method in ("add", "discard", "remove", "") else ()
    kinds = [table_kind([*owner, *added], None)] if owner or method in ("add", "") else []
    if method in ("update", "union") or method.endswith("_update"):
        kinds += [kind for kind in map(kind_of_items, args) if kind is not None]
    return join_items(set(kinds)) if kinds else None


def kind_of_items(source: Any) -> ValueType | None:
    """The kind of table for what an iterable gives; None where it gives nothing."""
    source = items_of_frozen(source)
    if isinstance(source, TracedSet):
        return source.kind
    source = source.listed() if isinstance(source, TableView) else source
    if isinstance(source, TracedDict) and (source.is_native or source.dynamic is None):
        kind = source.kind if source.is_native else source.content_kind()
        return None if not source.is_native and not dict.__len__(source) else TableOf(kind.key, None) if isinstance(kind, TableOf) else kind
    if isinstance(source, TracedList) and source.dynamic is not None:
        kind = as_key_kind(source.kind)
        return TableOf(kind, None) if source.is_native and is_set_item(kind) else PYTHON_OBJECT
    if type_of_text(source) is not None and not isinstance(source, (str, bytes)):
        return table_kind(("a",) if type_of_text(source) is str else (0,), None)
    if isinstance(source, StagedArray) and source.ndim == 1:
        return TableOf(number(source.dtype, False), None) if source.dtype in KEY_DTYPES else PYTHON_OBJECT
    if isinstance(source, (StagedRange, range)):
        return TableOf(PYTHON_INT, None)
    if isinstance(source, (list, tuple, set, frozenset)):
        return table_kind(source, None) if source else None
    return PYTHON_OBJECT
