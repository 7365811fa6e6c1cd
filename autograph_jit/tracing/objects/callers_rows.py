"""Lists, dicts, sets and instances that stand in a container of the caller's and were taken from there by Python's own operations.

Before: `ROWS + [row]` and `table.update(GROUPS)` held copies of the caller's rows.
After:  they hold what stands in ROWS when the program is called; what ROWS holds is guarded.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_jit.tracing.structures.getters import Applied, Entry, Getter
from autograph_jit.tracing.structures.guards import same_objects
from autograph_jit.tracing.structures.templates import is_user_instance

ROWS = (list, dict, set, deque)
HOLDERS = (list, dict, tuple)
READ_IN = ("outside", "container", "as data")
MOST_NESTED = 3


def find_origin(inputs: Any, x: Any) -> None:
    """Note where a container or instance stands that nobody knows, if the program has found what it stands in."""
    known = inputs.trace.outside.made, inputs.trace.created, inputs.origins
    _, searched = inputs.reads.get(("searched", id(x)), (x, -1))
    if any(id(x) in each for each in known) or not can_be_changed(x) or searched == len(inputs.origins):
        return
    for holder, getter, name in list(inputs.origins.values()):
        is_read_in = any((form, id(holder)) in inputs.reads for form in READ_IN)
        if type(holder) in HOLDERS and not is_read_in and is_found(inputs, x, holder, getter, name):
            inputs.reads["whole", id(holder)] = holder
            return
    inputs.reads["searched", id(x)] = x, len(inputs.origins)  # which may be asked for at every operation that can fail


def is_found(inputs: Any, x: Any, holder: Any, getter: Getter, name: str, depth: int = MOST_NESTED) -> bool:
    """Whether a container stands in another one; the origin of all that stand beside it is noted."""
    entries = [(key, row) for key, row in entries_of(holder) if type(row) is tuple or can_be_changed(row)]
    if any(row is x for _, row in entries):
        for key, row in entries:
            inputs.origins.setdefault(id(row), (row, Entry(getter, key), f"{name}[{key!r}]"))
        inputs.guard(Applied(same_objects, (getter,)), "value", same_objects(holder), f"{name} holds one object where it held one")
        return True
    inner = ((key, row) for key, row in entries if depth and type(row) in HOLDERS)
    return any(is_found(inputs, x, row, Entry(getter, key), f"{name}[{key!r}]", depth - 1) for key, row in inner)


def can_be_changed(x: Any) -> bool:
    """Whether a value can be changed: a list, dict, set or deque of Python's, or an instance."""
    return type(x) in ROWS or is_user_instance(x)


def entries_of(holder: Any) -> list[tuple[Any, Any]]:
    """What stands in a list, tuple or dict, with the key that finds it."""
    return list(holder.items() if isinstance(holder, dict) else enumerate(holder))
