"""Methods of real containers of Python in a trace."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_jit.tracing.containers.outside import contents_of, note_read, note_write
from autograph_jit.tracing.containers.text_keys import few_entries, table_for_key
from autograph_jit.tracing.expressions.library_containers import call_known_set, is_made_here, made_here
from autograph_jit.tracing.hosting.host_calls import host_effect
from autograph_jit.tracing.objects.instance_dicts import change_attributes, is_instance_dict
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.trace import Trace

READERS = set(
    "copy get items keys values index count union intersection difference issubset issuperset isdisjoint most_common elements total "
    "__contains__ __getitem__ __len__ __iter__".split()
)
BY_PLACE = ("insert", "pop", "rotate", "__getitem__", "__setitem__", "__delitem__")  # of a list or deque: by an index, not by a key
BY_SEARCH = ("index", "count")
COMPARING = (*BY_SEARCH, "remove", "sort", "__contains__")


@acts_for_program
def call_container_method(trace: Trace, fn: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a real container that the trace holds: structure changes in a staged region move it to run time."""
    writes = fn.__name__ not in READERS
    if writes and is_instance_dict(owner):
        return change_attributes(owner, fn.__name__, *args, **kwargs)
    keys = args if isinstance(owner, (dict, set)) or fn.__name__ in BY_PLACE else ()
    if fn.__name__ in COMPARING and isinstance(owner, (list, deque)):
        base: Any = list if isinstance(owner, list) else deque
        keys = ((*args, *base.__iter__(owner)),)  # of the run where one of them is
    if is_made_here(owner, keys, writes, fn.__name__, args) or not writes:
        note_read(owner)
        is_lookup = fn.__name__ == "get" and bool(args)
        table = table_for_key(owner, args[0]) if is_lookup else None
        if is_lookup and table is None:
            table = few_entries(owner, args[0])
        if fn.__name__ in BY_SEARCH and type(owner) is list and id(owner) not in trace.outside.made and contains_staged(args):
            table = trace.inputs.as_data(owner) if trace.inputs is not None else None
        known = contents_of(owner) if table is None else table
        if type(known) is set:
            return call_known_set(trace, known, fn.__name__, args)
        found = fn(*args, **kwargs) if known is owner else getattr(known, fn.__name__)(*args, **kwargs)
        return made_here(found) if fn.__name__ == "copy" else found
    note_write(owner)
    host_effect(fn, *args, label=f"{type(owner).__name__}.{fn.__name__} of an outer container", **kwargs)
    return None
