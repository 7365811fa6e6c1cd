"""Real containers of Python in a trace: their methods, their operators in place, and which of them the traced program has made."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_jit.staging.callers_objects import is_of_the_run
from autograph_jit.staging.containers.dicts import is_of_run
from autograph_jit.staging.containers.outside import contents_of, expect_known, is_unknown, note_read, note_write
from autograph_jit.staging.containers.shared import OBJECT_KIND, Dynamic
from autograph_jit.staging.control.structure import keep_at_run_time
from autograph_jit.staging.expressions.instance_dicts import change_attributes, is_instance_dict
from autograph_jit.staging.faults import acts_for_program
from autograph_jit.staging.hosting import host_effect
from autograph_jit.staging.templates import contains_staged
from autograph_jit.staging.trace import Trace, active
from autograph_jit.staging.values import INPLACE_OPERATORS, Staged

READERS = set(
    "copy get items keys values index count union intersection difference issubset issuperset isdisjoint most_common elements total "
    "__contains__ __getitem__ __len__ __iter__".split()
)
BY_PLACE = ("insert", "pop", "rotate", "__getitem__", "__setitem__", "__delitem__")  # of a list or deque: by an index, not by a key
COMPARING = ("index", "count", "remove", "sort", "__contains__")


def call_container_method(trace: Trace, fn: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a real container that the trace holds: structure changes in a staged region move it to run time."""
    writes = fn.__name__ not in READERS
    if writes and is_instance_dict(owner):
        return change_attributes(owner, fn.__name__, *args, **kwargs)
    keys = args if isinstance(owner, (dict, set)) or fn.__name__ in BY_PLACE else ()
    if fn.__name__ in COMPARING and isinstance(owner, (list, deque)):
        base: Any = list if isinstance(owner, list) else deque
        keys = ((*args, *base.__iter__(owner)),)  # of the run where one of them is
    if is_made_here(owner, keys, writes) or not writes:
        note_read(owner)
        known = contents_of(owner)
        return fn(*args, **kwargs) if known is owner else getattr(known, fn.__name__)(*args, **kwargs)
    note_write(owner)
    host_effect(fn, *args, label=f"{type(owner).__name__}.{fn.__name__} of an outer container", **kwargs)
    return None


@acts_for_program
def update_container(symbol: str, owner: Any, value: Any) -> Any:
    """`owner symbol= value` of a real set, deque, dict or list, which stays what it is."""
    operator_ = INPLACE_OPERATORS[symbol]
    if isinstance(owner, (Staged, Dynamic)):
        return operator_(owner, value)
    is_made_here(owner, (), False)
    known = active().host_containers.get(id(owner))
    if known is not None:
        is_open = isinstance(value, Staged) or is_of_the_run(value) or isinstance(owner, (set, dict)) and contains_staged(value)
        if is_open:
            expect_known(owner, known[1])
            keep_at_run_time(active(), known[1], len(active().regions), OBJECT_KIND)
        is_made_here(owner, (), True)
        return operator_(owner, value)
    note_write(owner)
    host_effect(operator_, owner, value, label=f"{type(owner).__name__} {symbol}= of an outer container")
    return owner


def is_made_here(owner: Any, keys: tuple[Any, ...], writes: bool) -> bool:
    """Whether the trace made this container. Where it is changed in a region around which it was made, or looked up by something
    that only the run knows, it must be kept at run time: a restart."""
    trace = active()
    if trace.host_containers.get(id(owner)) is None:
        if not is_unknown(owner):
            return False
        trace.host_containers[id(owner)] = (owner, None, 0)
    _, key, depth = trace.host_containers[id(owner)]
    staged_key = any(map(is_of_run, keys[:1]))
    if staged_key or (writes and len(trace.regions) > depth):
        expect_known(owner, key)
        keep_at_run_time(trace, key, len(trace.regions) if staged_key else depth, OBJECT_KIND)
    return True
