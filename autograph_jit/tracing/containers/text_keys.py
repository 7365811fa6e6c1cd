"""Entries of dicts under keys that are texts of the run."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers.dicts import MAX_BRANCHES, TracedDict
from autograph_jit.tracing.containers.outside import contents_of
from autograph_jit.tracing.structures.guards import is_constant
from autograph_jit.tracing.texts.text import Text, as_object
from autograph_jit.tracing.values.trace import active


def entry_of_text(entries: Any, key: Text) -> Any:
    """`entries[key]`: of a dict that the trace knows a branch over its keys, where these are few; NotImplemented where Python has to be
    asked."""
    if isinstance(entries, TracedDict):
        return entries[key if entries.dynamic is None or entries.is_native else as_object(key)]
    if type(entries) is not dict or id(entries) in active().outside.made:
        return NotImplemented
    known = contents_of(entries)
    if type(known) is dict and len(known) <= MAX_BRANCHES and all(map(is_constant, known.values())):
        return TracedDict(known).pick(key)
    return NotImplemented
