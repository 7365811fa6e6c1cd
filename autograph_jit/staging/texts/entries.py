"""Entries of dicts under keys that are texts of the run."""

from __future__ import annotations

import operator
from typing import Any

from autograph_jit.staging.containers.dicts import MAX_BRANCHES, TracedDict
from autograph_jit.staging.containers.outside import contents_of
from autograph_jit.staging.guards import is_constant
from autograph_jit.staging.hosting import host_object
from autograph_jit.staging.texts.text import Text, as_object


def entry_of_text(entries: Any, key: Text) -> Any:
    """`entries[key]`: of a dict that the trace knows a branch over its keys, where these are few."""
    if isinstance(entries, TracedDict):
        return entries[key if entries.dynamic is None else as_object(key)]
    known = contents_of(entries)
    if type(known) is dict and len(known) <= MAX_BRANCHES and all(map(is_constant, known.values())):
        return TracedDict(known).pick(key)
    return host_object(operator.getitem, entries, key, label="dict item")
