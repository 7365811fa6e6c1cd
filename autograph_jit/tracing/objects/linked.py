"""The caller's instances that hold instances of their own class: a linked list, a tree.

Before: each step along a list was one more object that the trace knows, with guards of its own, so that a program fitted one length
After:  the first instance is a row of a table, and all that are found from it are rows, too (`callers_instances.py`)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.tracing.aliasing.row_classes import as_row_too, may_be_rows
from autograph_jit.tracing.structures.getters import Attribute, Entry
from autograph_jit.tracing.structures.templates import is_user_instance
from autograph_jit.tracing.values.trace import Restart

LONGEST_CHAIN = 2  # instances of one class, each found in the one before, that a trace knows


def expect_no_chain(inputs: Any, owner: Any, value: Any) -> None:
    """An attribute was read that holds an instance, or a list of some: a restart where many of the class may follow."""
    held = value if type(value) is list else [value]
    if not held or not is_user_instance(held[0]) or id(owner) not in inputs.origins or not may_be_rows(inputs.trace, type(held[0])):
        return
    chain = [each for each in holders_of(inputs, owner) if type(each) is type(held[0])]
    is_long = len(chain) >= LONGEST_CHAIN and len(set(map(type, held))) == 1
    if is_long and as_row_too(chain[-1]) not in inputs.trace.decisions:
        raise Restart(as_row_too(chain[-1]))


def holders_of(inputs: Any, x: Any) -> Iterator[Any]:
    """An instance, the one in which it was found, the one in which that was found, and so on."""
    objects = {id(getter): each for each, getter, _ in inputs.origins.values()}
    getter = inputs.origins[id(x)][1]
    while True:
        if id(getter) in objects:
            yield objects[id(getter)]
        if not isinstance(getter, (Attribute, Entry)):
            return
        getter = getter.owner
