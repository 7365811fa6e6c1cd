"""What is looked up in a dict or set of the caller's by a key of the run: in a table that the call brings, or by a branch over few keys."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType
from typing import Any

from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.entries import is_of_run
from autograph_jit.tracing.containers.outside import contents_of
from autograph_jit.tracing.containers.tables import MAX_BRANCHES, Table, as_key
from autograph_jit.tracing.structures.guards import is_constant
from autograph_jit.tracing.texts.text import Character, Text, as_object
from autograph_jit.tracing.values.trace import active


def entry_of_run(entries: Any, key: Any) -> Any:
    """`entries[key]`; NotImplemented where Python has to be asked."""
    if isinstance(entries, TracedDict):
        return entries[key if entries.dynamic is None or entries.is_native or not isinstance(key, Text) else as_object(key)]
    table = table_for_key(entries, key)
    if table is not None and not (isinstance(key, Character) and isinstance(next(iter(entries.values())), (int, float))):
        return table[key]
    few = few_entries(entries, key)
    if few is not None:
        return few.pick(key)
    return NotImplemented if table is None or not isinstance(key, Text) else table[key]


def few_entries(entries: Any, key: Any) -> TracedDict | None:
    """A dict of the caller's that maps few texts to what the trace knows, where only the run knows the text; None of others."""
    if type(entries) is not dict or id(entries) in active().outside.made or not isinstance(key, Text):
        return None
    known = contents_of(entries)
    are_known = type(known) is dict and all(is_constant(value) or is_function(value) for value in known.values())
    return TracedDict(known) if are_known and len(known) <= MAX_BRANCHES else None


def is_function(x: Any) -> bool:
    """Whether a value of a dict is called, and nothing else: a function or a class."""
    return isinstance(x, (FunctionType, BuiltinFunctionType, type))


def table_for_key(entries: Any, key: Any) -> Any:
    """A dict or set of the caller's as a table in which compiled code finds such a key; None where it is none."""
    trace = active()
    if type(entries) not in (dict, set, frozenset) or not is_of_run(key) or trace.inputs is None:
        return None
    table: Table | None = trace.inputs.as_data(entries)
    return table if table is not None and as_key(key, table.native.keys.kind) is not None else None
